"""Ask for secrets, test and use them. An agent gets names; values are leased where they are used."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Literal, Unpack

from askback.client import operations
from askback.client.context import Unawaited, written
from askback.client.given import Secrets, given, not_kept
from askback.client.lease import Lease, read_lease
from askback.client.operations import known
from askback.client.probing import Probe, Trials
from askback.client.resolving import Judge, Resolving
from askback.client.road import packed
from askback.domain.request import InputRequest
from askback.domain.secrets.asked import SecretHelp
from askback.errors import Conflict


class SecretRequests(Resolving):
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
        hide_names: bool = False,
        probe: Probe | str | None = None,
        wait: bool = True,
        idempotency_key: str | None = None,
        cancel_on_abort: bool = True,
        **context: Unpack[Unawaited],
    ) -> Secrets:
        """Ask a person for secrets by name; what comes back are names and a sentence for the model, never a value.

        It is true when all of them may be used, by `lease`. With `wait=False` it comes back at once, pending unless
        they are there already; `wait` on its request, or the events of the thread, tell when that changes, and with
        `delivery="resume"` a resume does (`resumes`).
        `default_scope` only suggests. `instructions` is Markdown; `metadata` helps to find and type each value. With
        `hide_names` those who may only read the thread see how many names there are and not which.

        With a `probe` the values are tried before they count: it is called with a `Lease` of what was sent, and
        returns None, or by name what is wrong with it, which the person is asked about again. It may be a plain
        function, which runs in a thread. When it fails, the person is asked once more; then, and after ten rounds,
        the request is taken back. A text is the name of a probe of the server, which then tries them.
        Raises `Invalid` with every fault of what was asked.
        """
        names = _several(names)
        asked = known(names=names, reason=reason, instructions=instructions, project=project)
        asked |= known(default_scope=default_scope, metadata=metadata, hide_names=hide_names or None)
        own = None if isinstance(probe, str) else probe
        asked |= known(probe=probe if own is None else True)
        op = operations.create(asked, thread_id, written(context), idempotency_key, kind="secret")
        if own is not None and not wait:
            raise ValueError("A probe needs wait=True. Leave out wait=False.")
        try:
            if own is not None:
                ended = await self._looked_at(op, partial(self._trial, own), withdraw=cancel_on_abort)
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

    # --- trying ------------------------------------------------------------------------------

    def _trial(self, probe: Probe, found: InputRequest) -> Judge:
        return partial(self._try, Trials(probe, found=found))

    async def _try(self, trials: Trials, request: InputRequest) -> InputRequest:
        """Try one submission, and return the request as it is then."""
        assert request.submitted is not None
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


def _several(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
