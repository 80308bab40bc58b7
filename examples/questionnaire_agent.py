"""An agent with the questionnaire tool of kcosr/assistant: it ends its turn, and the answers begin the next one."""

import os

import httpx2

from askback import AsyncClient
from askback.compat.kcosr import follow_up
from askback.wire.replies import Resume

ASK = "/compat/kcosr/api/plugins/questions/operations/ask"
SCHEMA = {
    "title": "Project intake",
    "fields": [
        {"id": "title", "type": "text", "label": "Title", "required": True},
        {"id": "budget", "type": "number", "label": "Budget", "min": 0, "step": 100},
    ],
}


def ask() -> None:
    """Ask; the form stays open for a later response."""
    headers = {
        "Authorization": f"Bearer {os.environ['ASKBACK_TOKEN']}",
        "x-session-id": "intake",
        "x-tool-call-id": "call_intake_1",
    }
    with httpx2.Client(base_url=os.environ["ASKBACK_URL"], headers=headers) as http:
        reply = http.post(ASK, json={"prompt": "Tell us about the work.", "schema": SCHEMA})
        print(reply.raise_for_status().json()["result"]["message"])


def go_on(resume: Resume) -> None:
    """Begin the next turn with the text that the source's own parser reads."""
    print(follow_up(resume.request))


async def main() -> None:
    ask()
    async with AsyncClient() as client:
        while not (resumes := await client.resumes.pull("intake", wait=30)):
            pass
        for resume in resumes:
            go_on(resume)
            await client.resumes.ack(resume)


if __name__ == "__main__":
    import asyncio

    asyncio.run(main())
