"""`Client`: the same as `AsyncClient` for code without an event loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self

from askback.client.actions import Actions
from askback.client.approvals import Approvals
from askback.client.async_client import RETRY_FOR_S, AsyncClient, TransportName
from askback.client.conversation import BlockingMessageStream, Conversation
from askback.client.forms import Forms
from askback.client.hooks import Hook
from askback.client.methods import Blocking, Portal
from askback.client.resources.files import Files
from askback.client.resources.inbox import Inbox
from askback.client.resources.options import SourceOptions
from askback.client.resources.policy import Audit, Policy, Rules
from askback.client.resources.requests import Requests
from askback.client.resources.resumes import Resumes
from askback.client.resources.runs import Runs
from askback.client.resources.secrets import Secrets
from askback.client.resources.threads import Limits, Threads
from askback.client.resources.tokens import Agents, Sessions, Tokens
from askback.client.resources.webhooks import Webhooks
from askback.client.transport import Via
from askback.domain.request import InputRequest
from askback.wire.replies import Run


class BlockingRequests(Blocking, Requests):
    """`client.requests` without an event loop."""


class BlockingSecrets(Blocking, Secrets):
    """`client.secrets` without an event loop."""


class BlockingThreads(Blocking, Threads):
    """`client.threads` without an event loop."""


class BlockingRuns(Blocking, Runs):
    """`client.runs` without an event loop."""


class BlockingLimits(Blocking, Limits):
    """`client.limits` without an event loop."""


class BlockingResumes(Blocking, Resumes):
    """`client.resumes` without an event loop."""


class BlockingRules(Blocking, Rules):
    """`client.rules` without an event loop."""


class BlockingPolicy(Blocking, Policy):
    """`client.policy` without an event loop."""


class BlockingAudit(Blocking, Audit):
    """`client.audit` without an event loop."""


class BlockingFiles(Blocking, Files):
    """`client.files` without an event loop."""


class BlockingOptions(Blocking, SourceOptions):
    """`client.options` without an event loop."""


class BlockingWebhooks(Blocking, Webhooks):
    """`client.webhooks` without an event loop."""


class BlockingTokens(Blocking, Tokens):
    """`client.tokens` without an event loop."""


class BlockingInbox(Blocking, Inbox):
    """`client.inbox` without an event loop."""


class BlockingAgents(Blocking, Agents):
    """`client.agents` without an event loop."""


class BlockingSessions(Blocking, Sessions):
    """`client.sessions` without an event loop."""


class Client(Blocking, Forms, Actions, Approvals, Conversation):
    """A connection to an askback server for synchronous code; see `AsyncClient` for its methods.

    A separate thread keeps the connection, so several threads may use the client concurrently.
    An interrupt (Ctrl-C) while a question waits cancels the question.
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
        client = AsyncClient(
            url,
            token,
            app=app,
            transport=transport,
            retry_for=retry_for,
            hooks=hooks,
            texts=texts,
            brand=brand,
            via=via,
            thread_id=thread_id,
        )
        portal = Portal()
        super().__init__(portal, client)
        self.requests = BlockingRequests(portal, client.requests)
        self.secrets = BlockingSecrets(portal, client.secrets)
        self.threads = BlockingThreads(portal, client.threads)
        self.runs = BlockingRuns(portal, client.runs)
        self.files = BlockingFiles(portal, client.files)
        self.options = BlockingOptions(portal, client.options)
        self.limits = BlockingLimits(portal, client.limits)
        self.resumes = BlockingResumes(portal, client.resumes)
        self.rules = BlockingRules(portal, client.rules)
        self.policy = BlockingPolicy(portal, client.policy)
        self.audit = BlockingAudit(portal, client.audit)
        self.webhooks = BlockingWebhooks(portal, client.webhooks)
        self.tokens = BlockingTokens(portal, client.tokens)
        self.agents = BlockingAgents(portal, client.agents)
        self.inbox = BlockingInbox(portal, client.inbox)
        self.sessions = BlockingSessions(portal, client.sessions)

    def run(
        self, thread_id: str | None = None, *, run_id: str | None = None, metadata: Any = None
    ) -> AbstractContextManager[Run]:
        """Begin a run that lasts until the block ends: `with ask.run("t1") as run: …`; see `AsyncClient.run`."""
        return self.runs.open(thread_id, run_id=run_id, metadata=metadata)

    @property
    def thread_id(self) -> str | None:
        """The thread for calls that name none."""
        return self._target.thread_id

    def text_of(self, request: InputRequest) -> str:
        """Return the sentence for a model about a request; see `AsyncClient.text_of`."""
        return self._target.text_of(request)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection and end the thread; after a fork both are the parent's, and nothing happens."""
        if self._portal.is_current:
            self._portal.call(self._target.aclose())
            self._portal.close()

    def stream(self, thread_id: str | None = None, *, run_id: str | None = None) -> BlockingMessageStream:
        """Return a message to write piece by piece."""
        return BlockingMessageStream(self._portal, self._target.stream(thread_id, run_id=run_id))
