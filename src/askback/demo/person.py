"""The scripted person of `askback demo --auto`: answers the agent's questions over the public API.

The first answer and the first token are wrong on purpose, to show that the server refuses them and says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from askback.client import AsyncClient
from askback.demo import forms
from askback.domain.fields import Form
from askback.domain.request import InputRequest
from askback.errors import Conflict, Invalid

ANSWERS: Mapping[str, Any] = {
    "name": "hello-askback",
    "language": "python",
    "features": ["cli", "ci", "docker"],
    "licence": "MIT",
    "description": "A first project, agreed upon with an agent.",
    "go": forms.WRITE,
}
WRONG_VALUES = {"name": "My Project!"}
WRONG_TOKEN = "demo_mistyped"  # noqa: S105 - it opens nothing


class ScriptedPerson:
    """Answers every form in one thread, approves every tool call once, and submits the `token` if it has one.

    `note` is called with each of its actions.
    """

    def __init__(
        self,
        client: AsyncClient,
        thread_id: str,
        *,
        note: Callable[[str], None],
        token: str | None = None,
    ) -> None:
        self.client = client
        self.thread_id = thread_id
        self.note = note
        self._token = token
        self._has_erred = False

    async def run(self) -> None:
        """Follow the thread from its beginning and answer until cancelled."""
        async for event in self.client.events(self.thread_id, cursor=0):
            if event["type"] in {"request.created", "request.reprompted"}:
                await self.answer(await self.client.requests.get(event["request"]["id"]))

    async def answer(self, request: InputRequest) -> None:
        """Answer one request, unless somebody else did."""
        if request.settled:
            return
        try:
            if request.form:
                await self._fill_in(request)
            elif request.secret:
                await self._hand_over(request)
            else:
                await self._approve(request)
        except Conflict:
            self.note("Somebody else answered first.")

    async def _approve(self, request: InputRequest) -> None:
        assert request.approval is not None
        await self.client.requests.decide(request, "approve", scope="once", revision=request.revision)
        preview = request.approval.preview
        self.note(f"approved, once: {preview.headline if preview else request.approval.tool}")

    async def _hand_over(self, request: InputRequest) -> None:
        assert request.secret is not None
        names = request.secret.names
        if self._token is None:
            await self.client.requests.decline(request, reason="dismissed")
            self.note(f"dismissed: {', '.join(names)}")
            return
        value = self._token if request.revision > 1 else WRONG_TOKEN
        await self.client.requests.submit(request, dict.fromkeys(names, value))
        messages = "; ".join(error.message for error in request.field_errors)
        self.note(
            f"typed {', '.join(names)} again: “{messages}”" if messages else f"mistyped {', '.join(names)}"
        )

    async def _fill_in(self, request: InputRequest) -> None:
        assert request.form is not None
        values = _values(request.form)
        if not self._has_erred and WRONG_VALUES.keys() <= values.keys():
            self._has_erred = True
            await self._send_wrong_values(request, {**values, **WRONG_VALUES})
        await self.client.requests.answer(request.id, values, revision=request.revision)
        self.note(f"answered “{request.form.title}”: {values}")

    async def _send_wrong_values(self, request: InputRequest, values: Mapping[str, Any]) -> None:
        try:
            await self.client.requests.answer(request.id, dict(values), revision=request.revision)
        except Invalid as error:
            sentence = "; ".join(str(fault["message"]) for fault in error.field_errors)
            self.note(f"tried {WRONG_VALUES}: refused, “{sentence}”")


def _values(form: Form) -> dict[str, Any]:
    values_by_field = {field.id: ANSWERS.get(field.id, field.default) for field in form.all_fields}
    return {name: value for name, value in values_by_field.items() if value is not None}
