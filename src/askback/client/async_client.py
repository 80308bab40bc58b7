"""`AsyncClient`: the asynchronous client for agents and programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, Literal, Self

from askback.client import discovery
from askback.client.actions import Actions
from askback.client.approvals import Approvals
from askback.client.conversation import Conversation, MessageStream
from askback.client.forms import Forms
from askback.client.hooks import Hook
from askback.client.link import Link
from askback.client.resources.files import Files
from askback.client.resources.inbox import Inbox
from askback.client.resources.options import SourceOptions
from askback.client.resources.policy import Audit, Policy, Rules
from askback.client.resources.requests import Requests
from askback.client.resources.resumes import Resumes
from askback.client.resources.review import SubmissionReview
from askback.client.resources.runs import Runs
from askback.client.resources.secrets import Secrets
from askback.client.resources.threads import Limits, Threads
from askback.client.resources.tokens import Agents, Sessions, Tokens
from askback.client.resources.webhooks import Webhooks
from askback.client.transport import Transport, Via
from askback.domain.modeltext import TEXTS, model_text, with_texts
from askback.domain.request import InputRequest
from askback.wire.replies import Run

TransportName = Literal["auto", "websocket", "http"]

RETRY_FOR_S = 30.0


class AsyncClient(Forms, Actions, Approvals, Conversation):
    """A connection to an askback server, which carries every call and every wait.

    `url` and `token` default to `ASKBACK_URL` and `ASKBACK_TOKEN`, and those to the server that
    runs on this machine. `app=create_app(…)` talks to an app in this process instead. The client
    reconnects automatically: waits continue for as long as they are awaited, other calls are retried
    for `retry_for` seconds and then raise `ConnectionLost`, or `Unavailable` when the server
    could not store anything.

    `hooks` may refuse any call before `approve` asks a person. `texts` replaces the texts for models about
    outcomes, by the keys of `askback.domain.modeltext.TEXTS`, and `brand` is the product's name in texts
    about secrets. `via` is the kind of this program in the audit log. `thread_id` is the thread for calls
    that name none.

    The agent's verbs are methods (`ask`, `form`, `approve`, `wait`, …); everything else is a resource (`requests`,
    `secrets`, `threads`, `rules`, …).
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        app: Any = None,
        transport: TransportName = "auto",
        retry_for: float = RETRY_FOR_S,
        hooks: Sequence[Hook] = (),
        texts: Mapping[str, str] | None = None,
        brand: str | None = None,
        via: Via = "api",
        thread_id: str | None = None,
    ) -> None:
        link = Link(_transport(url, token, app=app, name=transport, via=via))
        wording = with_texts(texts or {}, brand=brand) if texts or brand is not None else TEXTS
        super().__init__(link, retry_for=retry_for, texts=wording, thread_id=thread_id)
        self._hooks = tuple(hooks)
        self._requests = self.requests = Requests(
            link, retry_for=retry_for, texts=wording, thread_id=thread_id
        )
        self._review = SubmissionReview(self.requests, link, retry_for=retry_for)
        self.secrets = Secrets(
            link,
            retry_for=retry_for,
            texts=wording,
            requests=self.requests,
            review=self._review,
            thread_id=thread_id,
        )
        self._threads = self.threads = Threads(link, retry_for=retry_for, texts=wording)
        self.runs = Runs(link, retry_for=retry_for, texts=wording, thread_id=thread_id)
        self.files = Files(link, retry_for=retry_for, texts=wording)
        self.options = SourceOptions(link, retry_for=retry_for, texts=wording)
        self.limits = Limits(link, retry_for=retry_for, texts=wording)
        self.resumes = Resumes(link, retry_for=retry_for, texts=wording)
        self.rules = Rules(link, retry_for=retry_for, texts=wording)
        self.policy = Policy(link, retry_for=retry_for, texts=wording)
        self.audit = Audit(link, retry_for=retry_for, texts=wording)
        self.webhooks = Webhooks(link, retry_for=retry_for, texts=wording)
        self.tokens = Tokens(link, retry_for=retry_for, texts=wording)
        self.agents = Agents(link, retry_for=retry_for, texts=wording)
        self.inbox = Inbox(link, retry_for=retry_for, texts=wording)
        self.sessions = Sessions(link, retry_for=retry_for, texts=wording)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def run(
        self, thread_id: str | None = None, *, run_id: str | None = None, metadata: Any = None
    ) -> AbstractAsyncContextManager[Run]:
        """Begin a run that lasts until the block ends: `async with ask.run("t1") as run: …`.

        It ends as `finished`, or as `failed` if the block raises: then its open requests are cancelled. Pass `run.id`
        as `run_id` when you ask or write.
        """
        return self.runs.open(thread_id, run_id=run_id, metadata=metadata)

    @property
    def thread_id(self) -> str | None:
        """The thread for calls that name none."""
        return self._thread_id

    def text_of(self, request: InputRequest) -> str:
        """Return the sentence for a model about the outcome of a request, or its status, in this client's texts."""
        return model_text(request, self._texts)

    async def aclose(self) -> None:
        """Close the connection; open waits raise `ConnectionLost`."""
        await self._link.close()

    def stream(self, thread_id: str | None = None, *, run_id: str | None = None) -> MessageStream:
        """Return a message to write piece by piece."""
        return MessageStream(self.threads, thread_id=self._thread(thread_id), run_id=run_id)


def _transport(url: str | None, token: str | None, *, app: Any, name: TransportName, via: Via) -> Transport:
    if app is not None:
        from askback.client.transport_app import AppTransport

        return AppTransport(app, token, via=via)
    server = discovery.find(url, token)
    if name == "http":
        from askback.client.transport_http import HttpTransport

        return HttpTransport(server.url, server.token, via=via, server_key=server.key)
    from askback.client.transport_websocket import AutoTransport, WebSocketTransport

    kind = AutoTransport if name == "auto" else WebSocketTransport
    return kind(server.url, server.token, via=via, server_key=server.key)
