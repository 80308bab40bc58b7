"""`person`: a server in memory, and a person who answers its requests by a script.

Every answer goes through the server's own validation, policy and lifecycle.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from askback.client.async_client import AsyncClient
from askback.delivery.in_process_bus import InProcessBus
from askback.domain.request import InputRequest
from askback.errors import AskbackError, Conflict
from askback.server.app import App, create_app
from askback.testing.app_with_person import AppWithPerson
from askback.testing.replies import Reply, Unsuitable, send
from askback.testing.scratch_store import ScratchStore

Script = Mapping[str, Reply] | Sequence[Reply] | Callable[[InputRequest], Reply | Awaitable[Reply]]
"""A reply for each request: by name (see `names_of`; `*` for all others), in order, or from a function."""

OTHERS = "*"


class ScriptError(AssertionError):
    """The script has no reply for a request, or one that the server refuses."""


@dataclass(slots=True)
class ScriptedRequest:
    """The original request, the script's reply, and the request after the reply."""

    request: InputRequest
    reply: Reply | None = None
    settled_request: InputRequest | None = None

    @property
    def approved(self) -> bool:
        """Whether it is an approval and was approved."""
        return self._decision == "approve"

    @property
    def denied(self) -> bool:
        """Whether it is an approval and was denied."""
        return self._decision == "deny"

    @property
    def input(self) -> Any:
        """The requested input of a tool call; None for another kind."""
        return None if self.request.approval is None else self.request.approval.input

    @property
    def values(self) -> Mapping[str, Any]:
        """The values of a form's answer."""
        answer = None if self.settled_request is None else self.settled_request.answer
        return {} if answer is None else answer.values

    @property
    def _decision(self) -> str | None:
        answer = None if self.settled_request is None else self.settled_request.answer
        return None if answer is None else answer.decision


def person(script: Script = (), *, app: App | None = None) -> ScriptedPerson:
    """Return a person who answers by a script, with their own server in memory.

        ada = person({"deploy": False, "Which city?": "Rome"})
        async with ada, AsyncClient(app=ada.app, thread_id="t1") as ask:
            ...
        assert ada.asked_once("deploy").denied

    A request that the script has no reply for, a reply that the server refuses, and an unused reply of a
    sequence are errors of the script: the request is cancelled, and the end of the block raises
    `ScriptError`, as `check` does. `app` is a server made by `create_app` with your own settings.
    """
    return ScriptedPerson(script, app=app)


class ScriptedPerson:
    """A person who answers by a script. Connect agents to `app`: `AsyncClient(app=ada.app)`, `Client(app=ada.app)`."""

    def __init__(self, script: Script = (), *, app: App | None = None) -> None:
        if app is None:
            bus = InProcessBus()
            app = create_app(store=ScratchStore(on_commit=bus.publish), bus=bus)
        self.script = script
        self.app = AppWithPerson(app, self._answer_all)
        self.requests: list[ScriptedRequest] = []
        """The requests, in the order in which they arrived."""
        self._faults: list[ScriptError] = []
        self._next = 0
        self._seen_revisions: set[tuple[str, int]] = set()  # a server that starts again repeats its events

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._check_at_exit(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._check_at_exit(error)

    def asked(self, name: str | None = None) -> Sequence[ScriptedRequest]:
        """Return the requests so far, in order; with a `name`, only those that have it (see `names_of`)."""
        return [request for request in self.requests if name is None or name in names_of(request.request)]

    def asked_once(self, name: str) -> ScriptedRequest:
        """Return the one request with a name; raises `AssertionError` if there were none or several."""
        requests = self.asked(name)
        if len(requests) != 1:
            all_names = [sorted(names_of(request.request)) for request in self.requests]
            raise AssertionError(
                f"{name!r} was asked {len(requests)} times, not once. Asked were: {all_names}"
            )
        return requests[0]

    def check(self) -> None:
        """Raise the first error of the script, if it had one."""
        if self._faults:
            raise self._faults[0]
        unused_count = self._count_unused()
        if unused_count:
            raise ScriptError(f"The script has {unused_count} more replies than there were requests.")

    def _check_at_exit(self, error: BaseException | None) -> None:
        if self._faults:
            raise self._faults[0] from error
        if error is None:
            self.check()

    def _count_unused(self) -> int:
        if callable(self.script) or isinstance(self.script, Mapping):
            return 0
        return max(0, len(self.script) - self._next)

    async def _answer_all(self, responder: AsyncClient, admin: AsyncClient) -> None:
        async for event in responder.events(cursor=0):
            if event["type"] in {"request.created", "request.reprompted"}:
                request = await responder.requests.get(event["request"]["id"])
                if not request.settled and (request.id, request.revision) not in self._seen_revisions:
                    self._seen_revisions.add((request.id, request.revision))
                    await self._answer(request, responder, admin)

    async def _answer(self, request: InputRequest, responder: AsyncClient, admin: AsyncClient) -> None:
        scripted_request = ScriptedRequest(request)
        self.requests.append(scripted_request)
        try:
            scripted_request.reply = await self._reply_to(request)
            scripted_request.settled_request = await send(responder, request, scripted_request.reply)
        except Conflict:
            scripted_request.settled_request = await responder.requests.get(
                request.id
            )  # the agent withdrew it meanwhile
        except Exception as error:  # noqa: BLE001 - whatever a script raises fails the test, not the server
            fault = (
                error if isinstance(error, ScriptError) else _fault(request, scripted_request.reply, error)
            )
            self._faults.append(fault)
            with suppress(AskbackError):
                scripted_request.settled_request = await admin.requests.cancel(
                    request, "failed", note=str(fault)[:500]
                )

    async def _reply_to(self, request: InputRequest) -> Reply:
        script = self.script
        if callable(script):
            reply = script(request)
            return await reply if inspect.isawaitable(reply) else reply
        if isinstance(script, Mapping):
            name = next((name for name in script if name in names_of(request)), OTHERS)
            if name in script:
                return script[name]
            raise ScriptError(f"The script has no reply for {_describe(request)}.")
        self._next += 1
        if self._next > len(script):
            raise ScriptError(
                f"The script has {len(script)} replies, and none is left for {_describe(request)}."
            )
        return script[self._next - 1]


def names_of(request: InputRequest) -> frozenset[str]:
    """Return the names by which a script finds a request.

    They are the tool of an approval, the names of secrets, the title of a form or an action, the labels and ids of a
    form's fields, the provider of an action, and the tool of the agent.
    """
    names: list[object] = [request.kind] if request.data is not None else []
    if request.approval is not None:
        names.append(request.approval.tool)
    if request.secret is not None:
        names += request.secret.names
    if request.action is not None:
        names += (request.action.title, request.action.provider)
    if request.form is not None:
        names.append(request.form.title)
        for field in request.form.all_fields:
            names += (field.id, field.label)
    if request.agent is not None:
        names.append(request.agent.tool)
    return frozenset(name for name in names if isinstance(name, str))


def _describe(request: InputRequest) -> str:
    names_text = ", ".join(repr(name) for name in sorted(names_of(request)))
    details = f" with {request.approval.input}" if request.approval is not None else ""
    return f"the {request.kind} {names_text}{details}"


def _fault(request: InputRequest, reply: Reply | None, error: Exception) -> ScriptError:
    message = (
        str(error) if isinstance(error, AskbackError | Unsuitable) else f"{type(error).__name__}: {error}"
    )
    reply_text = "" if request.secret is not None else f" {reply!r}"
    fault = ScriptError(f"The script's reply{reply_text} to {_describe(request)} fails: {message}")
    fault.__cause__ = error
    return fault
