"""An agent's `can_use_tool` callback: askback asks the person, and the call waits for the decision."""

import os
from typing import Any

import httpx2

CONVERSATION = "/compat/gobby/api/conversations/signup"
OPTIONS = [
    {"label": "OAuth", "description": "An account they have"},
    {"label": "JWT", "description": "Our own"},
]
QUESTION = {"question": "Which authentication?", "header": "Auth", "options": OPTIONS, "multiSelect": False}


def can_use_tool(
    http: httpx2.Client, name: str, tool_input: dict[str, Any], tool_use_id: str
) -> dict[str, Any]:
    """Return Claude's permission result; after a crash of this agent or of the server, call it again."""
    body = {"tool_name": name, "input": tool_input, "tool_use_id": tool_use_id}
    reply = http.post(f"{CONVERSATION}/can_use_tool", json=body, timeout=None)
    return reply.raise_for_status().json()


token = {"Authorization": f"Bearer {os.environ['ASKBACK_TOKEN']}"}
with httpx2.Client(base_url=os.environ["ASKBACK_URL"], headers=token) as http:
    reply = can_use_tool(http, "AskUserQuestion", {"questions": [QUESTION]}, "toolu_1")
    print(reply["updatedInput"]["answers"] if reply["behavior"] == "allow" else reply["message"])
    pushed = can_use_tool(http, "Bash", {"command": "git push"}, "toolu_2")
    print(pushed.get("message", "It may run."))
