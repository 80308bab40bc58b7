"""Create, read, answer and cancel requests."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypedDict, Unpack

from pydantic_core import from_json

from askback.client.frames import (
    create_request,
    dump_set_fields,
    frame,
    get_request,
    idempotency_key,
)
from askback.client.methods import method
from askback.client.options import CreateOptions, Errors, dump_errors, dump_options
from askback.client.resources.base import Page, id_of
from askback.client.resources.batches import BatchResult, batch_item, batch_result
from askback.client.resources.reports import Reference, Reports
from askback.client.rest import step
from askback.client.secret_body import as_secret, encode_body
from askback.domain.action import ActionAsk, ActionOutcome
from askback.domain.approval import Approval, ApprovalDecision, Scope
from askback.domain.fields import Form
from askback.domain.model import without_none
from askback.domain.request import InputRequest
from askback.domain.secrets.request import SecretAsk
from askback.domain.secrets.secret import Secret
from askback.domain.verdict import UNCHANGED, Unchanged


class RequestFilters(TypedDict, total=False):
    """The filters of a list of requests.

    `agent` is the id of an agent. A time is a `datetime` with a zone, or RFC 3339 text; it is exclusive.
    """

    external_id: str | None
    tool_call_id: str | None
    run_id: str | None
    agent: str | None
    created_after: datetime | str | None
    created_before: datetime | str | None


class Requests(Reports):
    """`client.requests`: requests of every kind."""

    @method
    async def create(
        self,
        content: Form | Approval | SecretAsk | ActionAsk | Mapping[str, Any],
        *,
        thread_id: str | None = None,
        errors: Errors | None = None,
        idempotency_key: str | None = None,
        **options: Unpack[CreateOptions],
    ) -> InputRequest:
        """Create a request for a form (or a mapping), an approval, secrets or an action, without waiting for it.

        Without `timeout_s` a form never expires, and an approval after five minutes. With `delivery="resume"` the
        outcome is queued: see `resumes`. `errors` are shown with a form from the beginning.
        """
        thread_id = self._thread(thread_id)
        op = create_request(
            content, thread_id=thread_id, options=dump_options(options, errors), key=idempotency_key
        )
        return InputRequest.model_validate(await self._call(op))

    @method
    async def get(self, request_id: str) -> InputRequest:
        """Read a request; raises `NotFound`."""
        return InputRequest.model_validate(await self._call(get_request(request_id)))

    @method
    async def list(
        self,
        *,
        thread_id: str | None = None,
        status: str | Sequence[str] | None = None,
        kind: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        brief: bool = False,
        **filters: Unpack[RequestFilters],
    ) -> Page[InputRequest]:
        """Read a page of requests, newest first; `RequestFilters` has the other filters.

        With `brief`, each has only the data of a list row, such as its title and the number of `questions`,
        but no fields, inputs, answers or other long values.
        """
        status = status if status is None or isinstance(status, str) else ",".join(status)
        filter_members = {name: _moment(value) for name, value in filters.items()}
        op = frame(
            "list_requests",
            thread_id=thread_id,
            status=status,
            kind=kind,
            limit=limit,
            cursor=cursor,
            brief=brief or None,
            **filter_members,
        )
        reply = await self._call(op)
        return Page(
            [InputRequest.model_validate(request) for request in reply["requests"]], reply["next_cursor"]
        )

    @method
    async def cancel(
        self, request: Reference, reason: str = "agent_aborted", *, note: str | None = None
    ) -> InputRequest:
        """Cancel a request; raises `Conflict` with the request when it has already ended."""
        return await self._call_for_request("cancel_request", request, without_none(reason=reason, note=note))

    @method
    async def withdraw(self, request: Reference | Awaitable[InputRequest]) -> bool:
        """Cancel a request that is no longer needed, also one that is still being created.

        Returns False if it had ended before. Takes at most a second: without a server it returns True, and the request
        is cancelled in the background when the server is back.
        """
        return await self._link.try_withdraw(request if isinstance(request, Awaitable) else id_of(request))

    @method
    async def accept(
        self,
        request: Reference,
        *,
        values: Mapping[str, Any] | None = None,
        result: Any = None,
        message: str | None = None,
    ) -> InputRequest:
        """Accept the submission of a form or of secrets; raises `Conflict` when none is being checked.

        For a form, `values` replace the submitted ones, `result` is data for the agent, and `message` is a sentence for
        the person.
        """
        body = without_none(values=values, result=result, message=message)
        return await self._call_for_request("accept_submission", request, body)

    @method
    async def check(self, request: Reference) -> InputRequest:
        """Begin to check the submission, or renew the check, which is this agent's until `request.check.until`.

        Raises `Conflict` when there is nothing to check, or after ten renewals.
        """
        op = frame("check_submission", request_id=id_of(request), body={})
        return InputRequest.model_validate(await self._call(op))

    @method
    async def reprompt(
        self,
        request: Reference,
        *,
        field_errors: Mapping[str, str] | None = None,
        error_summary: str | None = None,
        form: Form | Mapping[str, Any] | None = None,
        timeout_s: float | Unchanged | None = UNCHANGED,
    ) -> InputRequest:
        """Ask again, with errors by field or by secret name, a summary, another form, or another deadline.

        `timeout_s` is counted from now; None means no deadline. Raises `Conflict` when no submission is being checked,
        and `Invalid`.
        """
        if isinstance(request, str):
            request = InputRequest.model_validate(await self._call(get_request(request)))
        body = without_none(error_summary=error_summary)
        if field_errors:
            body |= dump_errors(field_errors, location="secrets" if request.kind == "secret" else "values")
        if form is not None:
            body["form"] = _dump_form(form)
        if timeout_s is not UNCHANGED:
            body["timeout_s"] = timeout_s
        return await self._call_for_request("reprompt_request", request, body)

    @method
    async def update(
        self,
        request: Reference,
        *,
        form: Form | Mapping[str, Any] | None = None,
        errors: Errors | Unchanged | None = UNCHANGED,
        timeout_s: float | Unchanged | None = UNCHANGED,
    ) -> InputRequest:
        """Change the form, the errors or the deadline of an open request; the typed values are kept.

        `errors` are a sentence or sentences by field id, None removes them; `timeout_s` is counted from now, None means
        no deadline. Raises `Conflict` when it has ended or an answer is being checked, and `Invalid`.
        """
        body: dict[str, Any] = {}
        if form is not None:
            body["form"] = _dump_form(form)
        if errors is not UNCHANGED:
            body |= {"field_errors": [], "error_summary": None} | dump_errors(errors or {})
        if timeout_s is not UNCHANGED:
            body["timeout_s"] = timeout_s
        return await self._call_for_request("update_request", request, body)

    @method
    async def answer(
        self,
        request: Reference,
        values: Mapping[str, Any],
        *,
        skipped: Sequence[str] = (),
        control: str | None = None,
        revision: int = 1,
        languages: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> InputRequest:
        """Answer as a responder; raises `Invalid`, `Conflict`, `Gone`, and `Forbidden` for a requester.

        `skipped` are the ids of questions that the person skipped, each a field with `allow_skip`. `languages` are
        those of the person, so that `answer.shown` has the texts that they saw. `control` is the
        field that answers a form with `submit` `first` or `each`.

        For a form with a sensitive field pass the request, not its id: its values are sent in a single HTTP request.
        """
        body: dict[str, Any] = {"revision": revision, "values": values}
        languages_seen = list(languages or ()) or None
        body |= without_none(skipped=list(skipped) or None, languages=languages_seen, control=control)
        if not isinstance(request, str) and _is_sensitive(request):
            body_bytes = encode_body(body)
            del values, body  # an error shows this function's variables
            return await self._post_answer(request, body_bytes, key=idempotency_key)
        return await self._call_for_request("answer_request", request, body, key=idempotency_key)

    @method
    async def submit(
        self,
        request: Reference,
        secrets: Mapping[str, Secret | str],
        *,
        use_existing: Sequence[str] = (),
        scope: Literal["session", "project", "global"] | None = None,
        revision: int | None = None,
        languages: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> InputRequest:
        """Submit secret values by name, as a responder; for names in `use_existing` the stored value is used.

        `scope` is where the other values are stored, by default as the request suggests. `revision` defaults to that
        of the request. The returned request may be `resolving` while the agent tests the values. Raises as `answer`
        does; no error contains a value.
        """
        if revision is None:
            revision = 1 if isinstance(request, str) else request.revision
        body = {"revision": revision, "secrets": {name: as_secret(value) for name, value in secrets.items()}}
        del secrets
        body |= without_none(
            use_existing=list(use_existing) or None, scope=scope, languages=languages and list(languages)
        )
        return await self._post_answer(request, encode_body(body), key=idempotency_key)

    @method
    async def finish(
        self,
        request: Reference,
        outcome: ActionOutcome,
        *,
        reason: str | None = None,
        retry: bool = False,
        revision: int = 1,
        languages: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> InputRequest:
        """Answer an action as a responder: done, or failed and why. With `retry` a failure leaves it open."""
        languages_seen = languages and list(languages)
        body = without_none(
            revision=revision, outcome=outcome, reason=reason, retry=retry or None, languages=languages_seen
        )
        return await self._call_for_request("answer_request", request, body, key=idempotency_key)

    @method
    async def answer_data(
        self, request: Reference, data: Any, *, revision: int = 1, idempotency_key: str | None = None
    ) -> InputRequest:
        """Answer a request of a kind that a package adds, as a responder. Raises as `answer` does."""
        body = {"revision": revision, "data": data}
        return await self._call_for_request("answer_request", request, body, key=idempotency_key)

    @method
    async def decide(
        self,
        request: Reference,
        decision: ApprovalDecision,
        *,
        scope: Scope = "once",
        note: str | None = None,
        edited_input: Any = None,
        rule: str | None = None,
        script_may_change: bool | None = None,
        every_agent: bool = False,
        grant_root: bool = False,
        mode: Literal["normal", "accept_edits"] | None = None,
        revision: int = 1,
        digest: str | None = None,
        remember: bool = True,
        languages: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> InputRequest:
        """Approve or deny a tool call or a plan, as a responder, and return the request.

        If more people have to vote, the request stays open.

        A `scope` other than `once` stores a rule that allows or denies: `rule`, or the one that the request suggests.
        `script_may_change` accepts later changes of the files that a command runs by name (`approval.scripts`). The
        rule is for the agent that asked, with `every_agent` for all. `grant_root`, with an approval once, lets the
        agent read below `approval.root` from now on. If you pass a request instead of its id, its digest is
        sent, so that the decision applies to the shown call. A denial is remembered for a while, unless
        `remember` is off. Raises as `answer` does.
        """
        if digest is None and not isinstance(request, str) and request.approval is not None:
            digest = request.approval.digest or None
        body = without_none(
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
            languages=languages and list(languages),
        )
        return await self._call_for_request("answer_request", request, body, key=idempotency_key)

    @method
    async def decline(
        self,
        request: Reference,
        *,
        reason: str = "dismissed",
        note: str | None = None,
        remember: bool = True,
        values: Mapping[str, Any] | None = None,
    ) -> InputRequest:
        """Decline as a responder: `skipped` (where the form allows it), `dismissed` or `refused`.

        Without `remember` the agent may ask the same again immediately. `values` are the values typed so far.
        """
        body = without_none(reason=reason, note=note, remember=None if remember else False, values=values)
        return await self._call_for_request("decline_request", request, body)

    @method
    async def ask_again(self, request: Reference) -> InputRequest:
        """Let the agent repeat a refused request, as a responder; returns the settled request."""
        op = frame("ask_again", request_id=id_of(request), body={})
        return InputRequest.model_validate(await self._call(op))

    @method
    async def revoke(self, request: Reference) -> InputRequest:
        """Revoke an approval before the call has run, as a responder; returns the request with `revoked`.

        A rule that the decision stored stays. Raises `Conflict` (`already_consumed`, `not_approved`) and `Gone`.
        """
        op = frame("revoke_approval", request_id=id_of(request), body={})
        return InputRequest.model_validate(await self._call(op))

    @method
    async def batch(
        self,
        action: Literal["approve", "deny", "decline"],
        requests: Sequence[Reference],
        *,
        reason: Literal["dismissed", "refused"] | None = None,
        note: str | None = None,
    ) -> Sequence[BatchResult]:
        """Decide many requests, one by one and in order; no rule is stored. `reason` is for `decline`."""
        items = [batch_item(request) for request in requests]
        body = without_none(action=action, requests=items, reason=reason, note=note)
        reply = await self._call(frame("batch_requests", body=body, key=idempotency_key(None)))
        return [batch_result(result) for result in reply["results"]]

    async def _post_answer(self, request: Reference, body: Secret | None, *, key: str | None) -> InputRequest:
        """Post an answer that holds secret values."""
        reply = await self._post(
            f"/v1/requests/{step(id_of(request))}/answer", body, key=idempotency_key(key)
        )
        return InputRequest.model_validate(from_json(reply.reveal()))


def _dump_form(form: Form | Mapping[str, Any]) -> Mapping[str, Any]:
    return dump_set_fields(form) if isinstance(form, Form) else form


def _is_sensitive(request: InputRequest) -> bool:
    return request.form is not None and any(field.sensitive for field in request.form.all_fields)


def _moment(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value
