"""`Client`: the same as `AsyncClient` for code without an event loop."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from askback.client.async_client import RETRY_S, AsyncClient, Transport
from askback.client.channel import Via
from askback.client.hooks import Hook
from askback.client.lease import Lease
from askback.client.portal import Portal
from askback.client.resumes import Resume
from askback.client.streaming import MessageStream

P = ParamSpec("P")
R = TypeVar("R")


def _blocking(
    method: Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[Client, P], R]:
    """Turn a method of the asynchronous client into one that blocks until it has ended."""

    @wraps(method)
    def call(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> R:
        work = method(self._client, *args, **kwargs)  # pyright: ignore[reportPrivateUsage]
        del args, kwargs  # an error shows this function's variables, and a secret may be among them
        return self._portal.call(work)  # pyright: ignore[reportPrivateUsage]

    return call


class Client:
    """A connection to an askback server for synchronous code; see `AsyncClient` for its methods.

    It has a thread of its own that keeps the connection, so it may be used from several threads at once.
    An interrupt (Ctrl-C) while a question waits takes the question back.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        app: Any = None,
        transport: Transport = "auto",
        retry_for: float = RETRY_S,
        hooks: Sequence[Hook] = (),
        texts: Mapping[str, str] | None = None,
        brand: str | None = None,
        via: Via = "api",
    ) -> None:
        self._client = AsyncClient(
            url,
            token,
            app=app,
            transport=transport,
            retry_for=retry_for,
            hooks=hooks,
            texts=texts,
            brand=brand,
            via=via,
        )
        self._portal = Portal()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection and end the thread; after a fork both are the parent's, and nothing happens."""
        if self._portal.here:
            self._portal.call(self._client.aclose())
            self._portal.close()

    form = _blocking(AsyncClient.form)
    try_form = _blocking(AsyncClient.try_form)
    model = _blocking(AsyncClient.model)
    ask = _blocking(AsyncClient.ask)
    confirm = _blocking(AsyncClient.confirm)
    approve = _blocking(AsyncClient.approve)
    approve_plan = _blocking(AsyncClient.approve_plan)
    secrets = _blocking(AsyncClient.secrets)
    accept = _blocking(AsyncClient.accept)
    check = _blocking(AsyncClient.check)
    reprompt = _blocking(AsyncClient.reprompt)
    consume = _blocking(AsyncClient.consume)
    report = _blocking(AsyncClient.report)
    create = _blocking(AsyncClient.create)
    pull_resumes = _blocking(AsyncClient.pull_resumes)
    ack = _blocking(AsyncClient.ack)
    wait = _blocking(AsyncClient.wait)
    get = _blocking(AsyncClient.get)
    list = _blocking(AsyncClient.list)
    cancel = _blocking(AsyncClient.cancel)
    answer = _blocking(AsyncClient.answer)
    submit = _blocking(AsyncClient.submit)
    decide = _blocking(AsyncClient.decide)
    decline = _blocking(AsyncClient.decline)
    ask_again = _blocking(AsyncClient.ask_again)
    revoke = _blocking(AsyncClient.revoke)
    batch = _blocking(AsyncClient.batch)
    rules = _blocking(AsyncClient.rules)
    add_rule = _blocking(AsyncClient.add_rule)
    revoke_rule = _blocking(AsyncClient.revoke_rule)
    policy = _blocking(AsyncClient.policy)
    set_policy = _blocking(AsyncClient.set_policy)
    audit = _blocking(AsyncClient.audit)
    kept = _blocking(AsyncClient.kept)
    keep = _blocking(AsyncClient.keep)
    erase = _blocking(AsyncClient.erase)
    saved = _blocking(AsyncClient.saved)
    secret_agents = _blocking(AsyncClient.secret_agents)
    set_secret_agents = _blocking(AsyncClient.set_secret_agents)
    grant_secret = _blocking(AsyncClient.grant_secret)
    revoke_secret = _blocking(AsyncClient.revoke_secret)
    rotate_secrets = _blocking(AsyncClient.rotate_secrets)
    add_webhook = _blocking(AsyncClient.add_webhook)
    webhooks = _blocking(AsyncClient.webhooks)
    switch_webhook = _blocking(AsyncClient.switch_webhook)
    remove_webhook = _blocking(AsyncClient.remove_webhook)
    deliveries = _blocking(AsyncClient.deliveries)
    redeliver = _blocking(AsyncClient.redeliver)
    say = _blocking(AsyncClient.say)
    message = _blocking(AsyncClient.message)
    append = _blocking(AsyncClient.append)
    thread = _blocking(AsyncClient.thread)
    share = _blocking(AsyncClient.share)
    set_thread_agents = _blocking(AsyncClient.set_thread_agents)
    access = _blocking(AsyncClient.access)
    archive = _blocking(AsyncClient.archive)
    unarchive = _blocking(AsyncClient.unarchive)
    export = _blocking(AsyncClient.export)
    erase_thread = _blocking(AsyncClient.erase_thread)
    limits = _blocking(AsyncClient.limits)
    reset_limits = _blocking(AsyncClient.reset_limits)

    @contextmanager
    def lease(
        self,
        names: str | Sequence[str],
        *,
        thread_id: str,
        refs: Sequence[str] = (),
        request_id: str | None = None,
    ) -> Generator[Lease]:
        """Take the values that a person has given to this agent in a thread, for as long as the block."""
        leasing = self._client.lease(names, thread_id=thread_id, refs=refs, request_id=request_id)
        lease = self._portal.call(leasing.__aenter__())
        try:
            yield lease
        finally:
            lease.end()
            self._portal.call(leasing.__aexit__(None, None, None))

    def stream(self, thread_id: str, *, run_id: str | None = None) -> BlockingStream:
        """Return a message to write piece by piece."""
        return BlockingStream(self._portal, self._client.stream(thread_id, run_id=run_id))

    def events(self, thread_id: str | None = None, *, cursor: int | None = None) -> Iterator[dict[str, Any]]:
        """Follow a thread, or without one everything that a responder may see."""
        return self._portal.each(self._client.events(thread_id, cursor=cursor))

    def resumes(self, thread_id: str | None = None) -> Iterator[Resume]:
        """Yield what there is to go on with, for ever; each is acknowledged when the next is asked for."""
        return self._portal.each(self._client.resumes(thread_id))


class BlockingStream:
    """Text that appears in a thread as it is written; `id` is the message's, once something was written."""

    def __init__(self, portal: Portal, stream: MessageStream) -> None:
        self._portal = portal
        self._stream = stream

    @property
    def id(self) -> str | None:
        """The message's id, once something was written."""
        return self._stream.id

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def write(self, text: str) -> None:
        """Add to the message; the first piece makes it."""
        self._portal.call(self._stream.write(text))
