"""An agent without a framework: a loop around a model, whose tools are functions."""

import json
from collections.abc import Callable
from typing import Any

from askback import Client, Denied, ask_context, requires_approval


@requires_approval(allow_edit=True)
def deploy(to: str) -> str:
    """Deploy the new version."""
    print(f"Deploying to {to}.")
    return f"Deployed to {to}."


def model(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Answer as a model would; call yours here."""
    if messages[-1]["role"] == "tool":
        return {"role": "assistant", "content": messages[-1]["content"]}
    call = {"id": "call_1", "name": "deploy", "arguments": json.dumps({"to": "production"})}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


tools: dict[str, Callable[..., str]] = {"deploy": deploy}
messages: list[dict[str, Any]] = [{"role": "user", "content": "Release it."}]

with Client() as ask, ask_context(client=ask, thread_id="own-loop"):
    while (message := model(messages)).get("tool_calls"):
        messages.append(message)
        for call in message["tool_calls"]:
            try:
                result = tools[call["name"]](**json.loads(call["arguments"]))
            except Denied as denied:
                result = str(denied)  # the model reads what happened, and what to do now
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    print(message["content"])
