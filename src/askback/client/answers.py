"""Answer requests and decide about calls, as a responder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic_core import from_json

from askback.client.connection import Connection
from askback.client.operations import frame, idempotency_key, known
from askback.client.rest import step
from askback.client.results import BatchResult, batch_result
from askback.client.road import packed, sealed
from askback.domain.approval import Scope, Verdict
from askback.domain.request import InputRequest
from askback.domain.secrets.secret import Secret


class Answers(Connection):
    """The part of the client that a person's program uses."""

    async def answer(
        self,
        request: InputRequest | str,
        values: Mapping[str, Any],
        *,
        revision: int = 1,
        idempotency_key: str | None = None,
    ) -> InputRequest:
        """Answer as a responder; raises `Invalid`, `Conflict`, `Gone`, and `Forbidden` for a requester.

        A form with a sensitive field has to be given as it was read: what is typed there goes over HTTP alone.
        """
        body = {"revision": revision, "values": values}
        if not isinstance(request, str) and _is_sensitive(request):
            sent = packed(body)
            del values, body  # an error shows this function's variables to whoever looks at them
            return await self._hand_over(request, sent, key=idempotency_key)
        return await self._settle("answer", request, body, key=idempotency_key)

    async def submit(
        self,
        request: InputRequest | str,
        secrets: Mapping[str, Secret | str],
        *,
        use_existing: Sequence[str] = (),
        scope: Literal["session", "project", "global"] | None = None,
        revision: int | None = None,
        idempotency_key: str | None = None,
    ) -> InputRequest:
        """Hand secrets over by name, as a responder; those in `use_existing` are used as they are kept.

        `scope` is where the others hold, as the request suggests unless it is given; so is `revision` that of the
        request as it was read. What comes back may be `resolving`: then the agent tries the values. Raises as
        `answer` does; no error has a value in it.
        """
        if revision is None:
            revision = 1 if isinstance(request, str) else request.revision
        body = {"revision": revision, "secrets": {name: sealed(value) for name, value in secrets.items()}}
        del secrets
        body |= known(use_existing=list(use_existing) or None, scope=scope)
        return await self._hand_over(request, packed(body), key=idempotency_key)

    async def decide(
        self,
        request: InputRequest | str,
        decision: Verdict,
        *,
        scope: Scope = "once",
        note: str | None = None,
        edited_input: Mapping[str, Any] | None = None,
        rule: str | None = None,
        script_may_change: bool | None = None,
        every_agent: bool = False,
        grant_root: bool = False,
        mode: Literal["normal", "accept_edits"] | None = None,
        revision: int = 1,
        digest: str | None = None,
        remember: bool = True,
        idempotency_key: str | None = None,
    ) -> InputRequest:
        """Approve or deny a tool call or a plan, as a responder; returns the request, which a vote may leave open.

        A `scope` other than `once` stores a rule that allows or denies: `rule`, or the one that the request shows.
        `script_may_change` accepts later changes of the files that a command runs by name
        (`approval.scripts`). The rule is for the agent that asked, with `every_agent` for all. `grant_root`, with an
        approval once, lets the agent read below `approval.root` from now on. A
        request that is given as it was read is decided about as it was shown: its digest goes along.
        A denial is remembered for a while, unless `remember` is off. Raises as `answer` does.
        """
        if digest is None and not isinstance(request, str) and request.approval is not None:
            digest = request.approval.digest or None
        body = known(
            revision=revision,
            decision=decision,
            scope=scope,
            note=note,
            edited_input=edited_input,
            rule=rule,
            script_may_change=script_may_change,
            every_agent=every_agent or None,
            grant_root=grant_root or None,
            mode=mode,
            digest=digest,
            remember=None if remember else False,
        )
        return await self._settle("answer", request, body, key=idempotency_key)

    async def decline(
        self,
        request: InputRequest | str,
        *,
        reason: str = "dismissed",
        note: str | None = None,
        remember: bool = True,
    ) -> InputRequest:
        """Decline as a responder: `skipped` (where the form allows it), `dismissed` or `refused`.

        Without `remember` the agent may ask the same again at once.
        """
        body = known(reason=reason, note=note, remember=None if remember else False)
        return await self._settle("decline", request, body)

    async def ask_again(self, request: InputRequest | str) -> InputRequest:
        """Let the agent ask again, as a responder, what a person refused; returns the request as it ended."""
        request_id = request if isinstance(request, str) else request.id
        return InputRequest.model_validate(
            await self._call(frame("ask_again", request_id=request_id, body={}))
        )

    async def revoke(self, request: InputRequest | str) -> InputRequest:
        """Take an approval back, as a responder, before the call has run; returns the request with `revoked`.

        A rule that the decision kept stays. Raises `Conflict` (`already_consumed`, `not_approved`) and `Gone`.
        """
        request_id = request if isinstance(request, str) else request.id
        return InputRequest.model_validate(await self._call(frame("revoke", request_id=request_id, body={})))

    async def batch(
        self,
        action: Literal["approve", "deny", "decline"],
        requests: Sequence[InputRequest | str],
        *,
        reason: Literal["dismissed", "refused"] | None = None,
        note: str | None = None,
    ) -> Sequence[BatchResult]:
        """Decide about many requests, each on its own, in their order; no rule is kept. `reason` is for `decline`."""
        body = known(action=action, requests=[_item(each) for each in requests], reason=reason, note=note)
        found = await self._call(frame("batch", body=body, key=idempotency_key(None)))
        return [batch_result(each) for each in found["results"]]

    async def _hand_over(
        self, request: InputRequest | str, body: Secret | None, *, key: str | None
    ) -> InputRequest:
        """Post an answer that holds secrets."""
        request_id = request if isinstance(request, str) else request.id
        path = f"/v1/requests/{step(request_id)}/answer"
        reply = await self._carry(path, body, key=idempotency_key(key))
        return InputRequest.model_validate(from_json(reply.reveal()))


def _is_sensitive(request: InputRequest) -> bool:
    return request.form is not None and any(field.sensitive for field in request.form.all_fields)


def _item(request: InputRequest | str) -> dict[str, Any]:
    if isinstance(request, str):
        return {"id": request}
    digest = request.approval.digest if request.approval else None
    return known(id=request.id, revision=request.revision, digest=digest or None)
