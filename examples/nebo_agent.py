"""An agent of Nebo on askback's hub: it asks, waits, and may be restarted meanwhile."""

import asyncio
import json
import os

from websockets.asyncio.client import connect

HUB = os.environ["ASKBACK_URL"].replace("http", "ws", 1) + "/compat/nebo/api/v1/agent/ws?name=main"
ASK = {
    "type": "ask_request",
    "id": "0d5c1c52-5f8e-4a0e-9d3b-2f4f6a1b7c11",
    "payload": {
        "prompt": "Which option do you prefer?",
        "widgets": [{"type": "buttons", "label": "Choose one:", "options": ["Option A", "Option B"]}],
    },
}


async def main() -> None:
    token = {"Authorization": f"Bearer {os.environ['ASKBACK_TOKEN']}"}
    async with connect(HUB, additional_headers=token) as hub:
        await hub.recv()  # ready
        await hub.send(json.dumps(ASK))
        response = json.loads(await hub.recv())
        print(response["payload"]["value"])


asyncio.run(main())
