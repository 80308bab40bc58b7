"""`requires_approval`: run a function only if its call is approved, with the approved input."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypedDict, TypeVar, Unpack, cast, overload

from askback.client.ambient import DEFAULT_CLIENTS, current_context
from askback.client.async_client import AsyncClient
from askback.client.hooks import Hook
from askback.client.sync_client import Client
from askback.domain.approval import Risk, Scope
from askback.domain.decision import Decision
from askback.domain.model import without_none
from askback.errors import AskbackError, Denied, Invalid

_VAR_POSITIONAL = inspect.Parameter.VAR_POSITIONAL
_VAR_KEYWORD = inspect.Parameter.VAR_KEYWORD


class Parameters:
    """The parameters of a function: each is a key of the input, also those left at their defaults."""

    def __init__(self, function: Callable[..., Any], tool: str, *, exclude: Collection[str] = ()) -> None:
        self._signature = inspect.signature(function)
        self._tool = tool
        self._exclude = frozenset(exclude)
        if unknown_names := self._exclude - self._signature.parameters.keys():
            raise TypeError(f"{tool} has no parameter {min(unknown_names)!r} to exclude.")

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call by parameter. Raises `TypeError` for wrong ones."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.arguments

    def excluded(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments that are not part of the input."""
        return {name: value for name, value in arguments.items() if name in self._exclude}

    def input_of(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the input of a call. Raises `Invalid` for arguments that are not JSON."""
        kinds_by_name = {name: parameter.kind for name, parameter in self._signature.parameters.items()}
        members = {
            name: list(value) if kinds_by_name[name] is _VAR_POSITIONAL else value
            for name, value in arguments.items()
            if name not in self._exclude
        }
        faults = [_not_json(name, value) for name, value in members.items() if not _is_json_stable(value)]
        if faults:
            raise Invalid(f"A call of {self._tool} cannot be shown and approved.", field_errors=faults)
        return members

    def call_of(self, approved: Mapping[str, Any], excluded: Mapping[str, Any]) -> inspect.BoundArguments:
        """Return the arguments for an input; raises `Invalid` when the function does not take them."""
        types = {_VAR_POSITIONAL: list, _VAR_KEYWORD: dict}
        parameters = self._signature.parameters
        accepted = {name: item for name, item in parameters.items() if name not in self._exclude}
        matches_signature = all(
            name in accepted and isinstance(value, types.get(accepted[name].kind, object))
            for name, value in approved.items()
        )
        if matches_signature:
            values = {**approved, **excluded}
            ordered = {name: values[name] for name in parameters if name in values}
            bound_arguments = inspect.BoundArguments(self._signature, ordered)  # pyright: ignore[reportArgumentType]
            try:
                return self._signature.bind(*bound_arguments.args, **bound_arguments.kwargs)
            except TypeError:
                pass  # an argument is missing, or there twice
        fault = {
            "path": "edited_input",
            "code": "wrong_arguments",
            "message": f"Must have the keys that {self._tool} takes: {', '.join(accepted)}.",
        }
        raise Invalid(
            f"The approved input does not match the parameters of {self._tool}, so it did not run.",
            field_errors=[fault],
        )


def _is_json_stable(value: Any) -> bool:
    """Return whether a value survives JSON unchanged; a tuple, or a dict with numbers as keys, does not."""
    try:
        return json.loads(json.dumps(value, allow_nan=False)) == value
    except (TypeError, ValueError, RecursionError):
        return False


def _not_json(name: str, value: Any) -> dict[str, str]:
    text = (
        f"The content of this {type(value).__name__} changes in JSON. "
        "Pass str, int, float, bool, None, and lists and dicts of them."
    )
    return {"path": f"input.{name}", "code": "not_json", "message": text}


F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", AsyncClient, Client)

ThreadSelector = Callable[..., str]
"""Takes the arguments of a call and returns the thread to ask in."""

REPORT_S = 5.0
"""Seconds for which reporting the outcome may delay the result of a function."""

_log = logging.getLogger(__name__)


class ApprovalOptions(TypedDict, total=False):
    """The options of `approve` that are the same for every call of a function."""

    title: str
    reason: str
    risk: Risk
    scopes: Sequence[Scope]
    project: str
    allow_edit: bool
    quorum: int
    exclude_requester: bool
    assignees: Sequence[str]
    valid_s: float
    timeout_s: float | None
    hooks: Sequence[Hook]


@overload
def requires_approval(function: F, /) -> F: ...
@overload
def requires_approval(
    *,
    client: AsyncClient | Client | None = None,
    thread_id: str | ThreadSelector | None = None,
    tool: str | None = None,
    exclude: Collection[str] = (),
    **options: Unpack[ApprovalOptions],
) -> Callable[[F], F]: ...
def requires_approval(
    function: F | None = None,
    /,
    *,
    client: AsyncClient | Client | None = None,
    thread_id: str | ThreadSelector | None = None,
    tool: str | None = None,
    exclude: Collection[str] = (),
    **options: Unpack[ApprovalOptions],
) -> F | Callable[[F], F]:
    """Wrap a function, `async` or not, so that each call of it has to be approved.

    Its arguments, with the defaults, are the input that is shown; they must survive JSON unchanged. An approved call is
    consumed, run with the *approved* arguments, and reported. The tool has the name of the function, or `tool`, and the
    first line of the docstring is the title.

    `client` (an `AsyncClient` for an `async` function, else a `Client`) and `thread_id` may come from `ask_context`
    instead; without a client the default one of the environment is used. A function as `thread_id` is called with the
    arguments of each call and returns the thread. Parameters in `exclude` (a context object, a connection) are not part
    of the input: nobody sees them, and the function gets them unchanged. For a method, wrap the bound
    method, or exclude `self`.

    A call raises `Denied` if it was not approved, and the errors of `approve` and `consume`. Then it did not run.
    """

    def wrap(function: F) -> F:
        gate = ApprovalGate.for_function(
            function, tool=tool, client=client, thread_id=thread_id, exclude=exclude, options=options
        )
        wrapper = _wrap_async if inspect.iscoroutinefunction(function) else _wrap_blocking
        return cast("F", wrapper(gate, function))

    return wrap if function is None else wrap(function)


@dataclass(frozen=True, slots=True)
class ApprovalGate:
    """The approval of each call of one function."""

    tool: str
    parameters: Parameters
    options: ApprovalOptions
    client: AsyncClient | Client | None
    thread_id: str | ThreadSelector | None

    @classmethod
    def for_function(
        cls,
        function: Callable[..., Any],
        *,
        tool: str | None,
        client: AsyncClient | Client | None,
        thread_id: str | ThreadSelector | None,
        exclude: Collection[str],
        options: ApprovalOptions,
    ) -> ApprovalGate:
        """Create the gate of a function; raises `TypeError` for a generator, which runs only after its call."""
        tool = tool or function.__name__
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(f"{tool} is a generator. Wrap a function that is done when it returns.")
        summary = (inspect.getdoc(function) or "").partition("\n")[0]
        options_with_title: ApprovalOptions = {"title": summary, **options} if summary else options
        return cls(tool, Parameters(function, tool, exclude=exclude), options_with_title, client, thread_id)

    def resolve_client(self, kind: type[C], default: Callable[[], C]) -> C:
        """Return the gate's client, that of `ask_context`, or the default one."""
        client = self.client or current_context().client or default()
        if not isinstance(client, kind):
            expected_class, actual_class = kind.__name__, type(client).__name__
            raise TypeError(f"{self.tool} needs {expected_class}, not {actual_class}.")
        return client

    def question(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the arguments of `approve` for a call of the function, and the excluded arguments."""
        ambient_context = current_context()
        thread_id = self.thread_id(*args, **kwargs) if callable(self.thread_id) else self.thread_id
        context = without_none(
            thread_id=thread_id or ambient_context.thread_id,
            run_id=ambient_context.run_id,
            message_id=ambient_context.message_id,
            tool_call_id=ambient_context.tool_call_id,
            agent=ambient_context.agent,
        )
        arguments = self.parameters.bind(args, kwargs)
        body = {"tool": self.tool, "input": self.parameters.input_of(arguments), **context, **self.options}
        # One tool call may run several functions, so its id is no key here.
        return {**body, "idempotency_key": secrets.token_urlsafe(16)}, self.parameters.excluded(arguments)

    def approved_call(self, decision: Decision, excluded: Mapping[str, Any]) -> ApprovedCall:
        """Return the approved call; raises `Denied`, and `Invalid` for an input that the function does not take."""
        if not decision or decision.request is None:
            raise Denied(decision)
        call = self.parameters.call_of(decision.input, excluded)
        use = {"request": decision.request.id, "execution_id": f"exe_{secrets.token_urlsafe(16)}"}
        return ApprovedCall(use, {**use, "tool": self.tool, "input": decision.input}, call)


@dataclass(frozen=True, slots=True)
class ApprovedCall:
    """One approved call: the arguments of `report` and `consume`, and those of the function."""

    use: Mapping[str, Any]
    consume_arguments: Mapping[str, Any]
    call: inspect.BoundArguments

    def outcome(self, failure: BaseException | None) -> Mapping[str, Any]:
        """Return the arguments of `report`; for an error only its type, because its text may contain anything."""
        if failure is None:
            return {**self.use, "outcome": "succeeded"}
        return {**self.use, "outcome": "failed", "note": type(failure).__name__}


def _wrap_async(gate: ApprovalGate, function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    async def approve_and_call(*args: Any, **kwargs: Any) -> Any:
        client = gate.resolve_client(AsyncClient, DEFAULT_CLIENTS.asynchronous)
        approval_options, excluded = gate.question(args, kwargs)
        asking = client.approve(**approval_options)
        del args, kwargs, approval_options  # the wait may be long
        approved_call = gate.approved_call(await asking, excluded)
        await client.consume(**approved_call.consume_arguments)
        try:
            result = await function(*approved_call.call.args, **approved_call.call.kwargs)
        except BaseException as failure:
            await _report(client, approved_call, failure)
            raise
        await _report(client, approved_call, None)
        return result

    return approve_and_call


async def _report(client: AsyncClient, approved_call: ApprovedCall, failure: BaseException | None) -> None:
    try:
        async with asyncio.timeout(REPORT_S):
            await client.report(**approved_call.outcome(failure))
    except (AskbackError, TimeoutError):
        _log.warning("the outcome of %s could not be reported", approved_call.use, exc_info=True)


def _wrap_blocking(gate: ApprovalGate, function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def approve_and_call(*args: Any, **kwargs: Any) -> Any:
        client = gate.resolve_client(Client, DEFAULT_CLIENTS.blocking)
        approval_options, excluded = gate.question(args, kwargs)
        approved_call = gate.approved_call(client.approve(**approval_options), excluded)
        client.consume(**approved_call.consume_arguments)
        try:
            result = function(*approved_call.call.args, **approved_call.call.kwargs)
        except BaseException as failure:
            _report_blocking(client, approved_call, failure)
            raise
        _report_blocking(client, approved_call, None)
        return result

    return approve_and_call


def _report_blocking(client: Client, approved_call: ApprovedCall, failure: BaseException | None) -> None:
    try:
        client.report(**approved_call.outcome(failure))
    except AskbackError:
        _log.warning("the outcome of %s could not be reported", approved_call.use, exc_info=True)
