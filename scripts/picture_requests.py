"""The open requests in the screenshots of `make picture`, from four agents."""

from __future__ import annotations

from typing import Any

from askback import Approval, AsyncClient, Form, SecretAsk

_DAY_S = 24 * 3600
_CONVERSATIONS = {
    "release": "Release 2.4",
    "invoices": "Invoices for November",
    "trip": "Trip to Lisbon",
    "nightly": "Nightly job",
}
_MAIL = {
    "to": ["ada@example.com"],
    "subject": "Invoice 2026-114",
    "body": "Dear Ada,\n\nthe invoice for November is attached. It is due on 15 December.\n\nBest regards\nYour office",
}
_TRIP = {
    "title": "Which flight shall I book?",
    "description": "Both are on 4 December and refundable until the day before.",
    "fields": [
        {
            "id": "flight",
            "type": "radio",
            "label": "Flight",
            "required": True,
            "options": [
                {"value": "a", "label": "07:10 – 10:25", "description": "Direct, €184", "recommended": True},
                {"value": "b", "label": "12:40 – 18:05", "description": "One stop, €121"},
            ],
        },
        {"id": "seat", "type": "select", "label": "Seat", "options": ["Window", "Aisle"]},
    ],
}
_KEY = {
    "names": ["STRIPE_API_KEY"],
    "reason": "To read the payments of the last night",
    "instructions": "A restricted key that can only read is enough.",
}
_WRITE = {
    "file_path": "src/prices.py",
    "old_string": "    return net * 1.19\n",
    "new_string": "    return round(net * (1 + rate(country)), 2)\n",
}


async def ask_all(agent: AsyncClient) -> None:
    """Create the requests of the screenshots; the last one is the first in the list."""
    for thread, title in _CONVERSATIONS.items():
        await agent.threads.update(thread, title=title)

    async def ask(
        name: str, content: Form | Approval | SecretAsk, thread: str, timeout_s: float = _DAY_S
    ) -> None:
        await agent.requests.create(content, agent=name, thread_id=thread, timeout_s=timeout_s)

    await ask("Nightly", SecretAsk(**_KEY), "nightly")
    await ask("Nightly", _call("bash", {"command": "rm -rf build/cache"}, "Frees 40 GB"), "nightly")
    await ask("Concierge", Form.model_validate(_TRIP), "trip")
    await ask("Coder", _call("Edit", _WRITE, "VAT depends on the country"), "release")
    await ask("Bookkeeper", _call("send_email", _MAIL, "It is due in three weeks"), "invoices")
    deploy = _call("bash", {"command": "make deploy TARGET=staging"}, "All 412 tests passed")
    await ask("Coder", deploy.model_copy(update={"cwd": "/srv/shop"}), "release", 24 * 60)


def _call(tool: str, tool_input: dict[str, Any], reason: str) -> Approval:
    return Approval(tool=tool, input=tool_input, reason=reason)
