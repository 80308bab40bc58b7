"""Asking for secrets, trying them, and using them. An agent gets names; values are leased where they are used."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any, Literal

from askback.client import operations
from askback.client.connection import Connection
from askback.client.given import Secrets, given, not_kept
from askback.client.lease import Lease, read_lease
from askback.client.link import GRACE_S
from askback.client.operations import frame, known
from askback.client.probing import Probe, Trials
from askback.client.road import packed
from askback.client.states import states
from askback.domain.faults import join
from askback.domain.lifecycle import Status
from askback.domain.request import Agent, InputRequest
from askback.domain.secrets.asked import SecretHelp
from askback.errors import AskbackError, Conflict, NotFound


class SecretRequests(Connection):
    """The part of the client that asks for secrets and uses them."""

    async def secrets(
        self,
        names: str | Sequence[str],
        *,
        reason: str,
        thread_id: str,
        instructions: str | None = None,
        default_scope: Literal["session", "project", "global"] = "session",
        project: str | None = None,
        metadata: Mapping[str, SecretHelp | Mapping[str, Any]] | None = None,
        probe: Probe | None = None,
        wait: bool = True,
        run_id: str | None = None,
        message_id: str | None = None,
        tool_call_id: str | None = None,
        agent: str | Agent | None = None,
        assignees: Sequence[str] | None = None,
        timeout_s: float | None = None,
        idempotency_key: str | None = None,
        cancel_on_abort: bool = True,
    ) -> Secrets:
        """Ask a person for secrets by name; what comes back are names and a sentence for the model, never a value.

        It is true when all of them may be used, by `lease`. With `wait=False` it comes back at once, pending unless
        they are there already; `wait` on its request, or the events of the thread, tell when that changes.
        `default_scope` only suggests. `instructions` is Markdown; `metadata` helps to find and type each value.

        With a `probe` the values are tried before they count: it is called with a `Lease` of what was sent, and
        returns None, or by name what is wrong with it, which the person is asked about again. It may be a plain
        function, which runs in a thread. When it fails, the person is asked once more; then, and after ten rounds,
        the request is taken back. Raises `Invalid` with every fault of what was asked.
        """
        names = _several(names)
        asked = known(names=names, reason=reason, instructions=instructions, project=project)
        asked |= known(default_scope=default_scope, metadata=metadata, probe=True if probe else None)
        context = operations.context(
            run_id=run_id,
            message_id=message_id,
            tool_call_id=tool_call_id,
            agent=agent,
            assignees=assignees,
            timeout_s=timeout_s,
        )
        op = operations.create(asked, thread_id, context, idempotency_key, kind="secret")
        if probe is not None and not wait:
            raise ValueError("A probe is called while this waits: leave wait=False out.")
        try:
            if probe is not None:
                ended = await self._tried(op, probe, withdraw=cancel_on_abort)
            elif wait:
                ticket = await self._link.ask(f'{op},"wait":true', withdraw=cancel_on_abort)
                ended = InputRequest.model_validate(await self._settled(ticket))
            else:
                ended = InputRequest.model_validate(await self._call(op))
        except Conflict as refused:
            if refused.code != "secrets_off":
                raise
            return not_kept(names, self._texts)
        return given(ended, self._texts)

    @asynccontextmanager
    async def lease(
        self,
        names: str | Sequence[str],
        *,
        thread_id: str,
        refs: Sequence[str] = (),
        request_id: str | None = None,
    ) -> AsyncGenerator[Lease]:
        """Take the values that a person has given to this agent in a thread, for as long as the block.

        `refs` are those of sensitive fields (`answer.values["token"]["ref"]`). With `request_id`, of a request that is
        being tried, the values that are to be tried. Each lease is in the audit log. Raises `NotFound`
        (`not_granted`) and `Conflict` (`secret_gone`), whose `field_errors` say which, and `Conflict` (`cannot_open`).
        """
        names = _several(names)
        body = known(thread_id=thread_id, names=names, refs=list(refs), request_id=request_id)
        lease = read_lease(await self._carry("/v1/secrets/lease", packed(body)), names=names)
        try:
            yield lease
        finally:
            lease.end()

    async def accept(self, request: InputRequest | str) -> InputRequest:
        """Say that what was sent has been tried and holds; raises `Conflict` when nothing is being tried."""
        return await self._resolve("accept", request, {})

    async def reprompt(
        self,
        request: InputRequest | str,
        *,
        field_errors: Mapping[str, str] | None = None,
        error_summary: str | None = None,
    ) -> InputRequest:
        """Ask again, with what is wrong by name, or in one sentence; raises `Conflict` when nothing is being tried."""
        wrong = [
            {"path": join("secrets", name), "message": said} for name, said in (field_errors or {}).items()
        ]
        return await self._resolve(
            "reprompt", request, known(field_errors=wrong or None, error_summary=error_summary)
        )

    async def _resolve(self, op: str, request: InputRequest | str, body: Mapping[str, Any]) -> InputRequest:
        request_id = request if isinstance(request, str) else request.id
        return InputRequest.model_validate(await self._call(frame(op, request_id=request_id, body=body)))

    # --- trying ------------------------------------------------------------------------------

    async def _tried(self, op: str, probe: Probe, *, withdraw: bool) -> InputRequest:
        """Ask, try what is sent until it holds, and return the request as it ended."""
        request = await self._made(op, withdraw=withdraw)
        try:
            trials = Trials(probe, found=request)
            async with aclosing(states(self._link, request)) as passing:
                async for now in passing:
                    if now.status is Status.RESOLVING:
                        now = await self._try(now, trials)
                    if now.settled:
                        return now
        except BaseException:
            if withdraw:
                await self._take_back(request.id)
            raise
        raise AssertionError("a request that is followed comes to an end")

    async def _try(self, request: InputRequest, trials: Trials) -> InputRequest:
        """Try one submission, unless somebody ends the request meanwhile; return the request as it is then."""
        assert request.submitted is not None
        try:
            if trials.outcome_unknown(request):
                verdict = trials.unknown()
            else:
                async with self.lease(
                    request.submitted.names, thread_id=request.thread_id, request_id=request.id
                ) as lease:
                    verdict = await trials.judge(lease)
            if verdict.holds:
                return await self.accept(request)
            if verdict.last:
                return await self._settle("cancel", request, {"reason": "failed"})
            return await self.reprompt(request, field_errors=verdict.faults, error_summary=verdict.summary)
        except (Conflict, NotFound):
            now = InputRequest.model_validate(await self._call(frame("get", request_id=request.id)))
            if (now.status, now.revision) == (request.status, request.revision):
                raise
            return now

    async def _made(self, op: str, *, withdraw: bool) -> InputRequest:
        """Create a request; who is cancelled before it is known leaves none behind."""
        try:
            return InputRequest.model_validate(await self._call(op))
        except asyncio.CancelledError:
            if withdraw:
                self._link.background(self._unmade(op))
            raise

    async def _unmade(self, op: str) -> None:
        # The same key finds the request if it was made, or makes it now: then it can be taken back.
        try:
            made = await self._link.call(op, retry_for=GRACE_S)
        except AskbackError:
            return
        await self._link.withdraw(made["id"])


def _several(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
