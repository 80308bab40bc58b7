"""An agent with iHub's `ask_user`: askback runs the tool calls of a turn, and the answer is the next message."""

import json
import os

import httpx2

CHAT = "/compat/ihub/api/apps/writer/chat/report-7"
QUESTION = {
    "question": "What format would you like the report in?",
    "input_type": "select",
    "options": [{"label": "PDF", "value": "pdf"}, {"label": "Word Document", "value": "docx"}],
}
CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "ask_user", "arguments": json.dumps(QUESTION)},
}


def ask(http: httpx2.Client) -> None:
    """End the turn with a question."""
    reply = http.post(f"{CHAT}/tool-calls", json={"tool_calls": [CALL]}).raise_for_status()
    print(json.loads(reply.json()["messages"][0]["content"])["message"])


def go_on(http: httpx2.Client) -> None:
    """Wait for the end of the question, in this process or another, and read what the user said."""
    while not (
        ended_resumes := http.get("/v1/threads/report-7/resumes", params={"wait": 30}).json()["resumes"]
    ):
        pass
    print(http.get(f"{CHAT}/messages").json()["messages"][-1]["clarificationResponse"])
    http.post(
        f"/v1/resumes/{ended_resumes[0]['id']}/ack", json={"attempt": ended_resumes[0]["attempt"]}
    ).raise_for_status()


token = {"Authorization": f"Bearer {os.environ['ASKBACK_TOKEN']}"}
with httpx2.Client(base_url=os.environ["ASKBACK_URL"], headers=token, timeout=60) as http:
    ask(http)
    go_on(http)
