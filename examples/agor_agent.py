"""An agent that asks with Agor's widgets, ends its turn, and continues with the message that it gets."""

import os
from typing import Any

import httpx2

SESSION = "crm-import"
TOOLS = f"/compat/agor/sessions/{SESSION}/tools/agor_widgets_request_"


def next_message(http: httpx2.Client) -> str:
    """Wait for the next message of a person; after a crash of this agent it comes again."""
    while True:
        reply = http.get(f"/v1/threads/{SESSION}/resumes", params={"wait": 20, "limit": 1}, timeout=60)
        for resume in reply.raise_for_status().json()["resumes"]:
            http.post(
                f"/v1/resumes/{resume['id']}/ack", json={"attempt": resume["attempt"]}
            ).raise_for_status()
            return resume["text"]


def ask(http: httpx2.Client, widget: str, arguments: dict[str, Any]) -> str:
    """Show a widget, and return what the model reads next."""
    http.post(TOOLS + widget, json=arguments).raise_for_status()
    return next_message(http)


token = {"Authorization": f"Bearer {os.environ['ASKBACK_TOKEN']}"}
with httpx2.Client(base_url=os.environ["ASKBACK_URL"], headers=token) as http:
    key = {
        "names": ["HUBSPOT_API_KEY"],
        "reason": "Needed to read your contacts.",
        "default_scope": "session",
    }
    print(ask(http, "env_vars", key))
    options = [
        {"id": "all", "label": "Import all", "style": "primary"},
        {"id": "none", "label": "Import none"},
    ]
    print(ask(http, "confirmation", {"title": "Import 300 contacts?", "options": options}))
