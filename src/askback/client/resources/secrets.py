"""Ask for secrets, lease their values, and manage stored secrets. Only a lease gives values back."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from functools import partial
from typing import Any, Literal, Unpack

from pydantic_core import from_json

from askback.client.frames import create_request, frame
from askback.client.lease import Lease, read_lease
from askback.client.link import Link
from askback.client.methods import context, method
from askback.client.options import SecretOptions, dump_options
from askback.client.probing import Probe, ProbeRunner
from askback.client.resources.base import Page, Resource, id_of
from askback.client.resources.requests import Requests
from askback.client.resources.review import ReviewHandler, SubmissionReview
from askback.client.secret_body import as_secret, encode_body
from askback.client.secrets_result import SecretsResult
from askback.domain.model import without_none
from askback.domain.request import InputRequest
from askback.domain.secrets.request import Scope, SecretHelp
from askback.domain.secrets.secret import Secret
from askback.errors import Conflict
from askback.messages.languages import LocalText
from askback.wire.admin_replies import Rotation, StoredSecret

SecretAgents = Sequence[str] | Literal["all"]
"""The ids of the agents that may use a secret without a question, or `all`."""


class Secrets(Resource):
    """`client.secrets`: requests for secrets, leases, and stored secrets."""

    def __init__(
        self,
        link: Link,
        *,
        retry_for: float,
        texts: Mapping[str, str],
        requests: Requests,
        review: SubmissionReview,
        thread_id: str | None = None,
    ) -> None:
        super().__init__(link, retry_for=retry_for, texts=texts, thread_id=thread_id)
        self._requests = requests
        self._review = review

    @method
    async def request(
        self,
        names: str | Sequence[str],
        *,
        reason: LocalText,
        thread_id: str | None = None,
        instructions: LocalText | None = None,
        default_scope: Literal["session", "project", "global"] = "session",
        project: str | None = None,
        metadata: Mapping[str, SecretHelp | Mapping[str, Any]] | None = None,
        hide_names: bool = False,
        request_metadata: Any = None,
        probe: Probe | str | None = None,
        wait: bool = True,
        idempotency_key: str | None = None,
        cancel_on_abort: bool = True,
        **options: Unpack[SecretOptions],
    ) -> SecretsResult:
        """Ask a person for secrets by name; the result has names and a sentence for the model, never a value.

        It is true when all names that are not optional may be used, with `lease`. With `wait=False` it returns
        immediately, pending unless their values are stored; `wait` for its request, follow the thread's events, or
        get a resume with `delivery="resume"`. `default_scope` is a suggestion. `instructions` is Markdown; `metadata`
        helps the person to find and type each value; `request_metadata` is that of the request. With `hide_names`
        people who may only read the thread see the number of names, not the names.

        With a `probe` the values are tested before they are accepted: it is called with a `Lease` of the
        submitted values, and returns None, or errors by name; then the person is asked again. A plain
        function runs in a thread. When it fails, the person is asked once more; then, and after ten rounds,
        the request is cancelled. A text is the name of a probe of the server, which then tests the values.
        Raises `Invalid` with every fault of the request.
        """
        names = _as_list(names)
        body = without_none(names=names, reason=reason, instructions=instructions, project=project)
        body |= without_none(default_scope=default_scope, metadata=metadata, hide_names=hide_names or None)
        own_probe = None if isinstance(probe, str) else probe
        body |= without_none(probe=probe if own_probe is None else True)
        op = create_request(
            body,
            thread_id=self._thread(thread_id),
            options={**dump_options(options), **without_none(metadata=request_metadata)},
            key=idempotency_key,
            kind="secret",
        )
        if own_probe is not None and not wait:
            raise ValueError("A probe needs wait=True. Leave out wait=False.")
        try:
            if own_probe is not None:
                request = await self._review.run(
                    op, partial(self._probe_handler, own_probe), withdraw=cancel_on_abort
                )
            elif wait:
                future = await self._link.ask(f'{op},"wait":true', withdraw=cancel_on_abort)
                request = InputRequest.model_validate(await self._await_settled(future))
            else:
                request = InputRequest.model_validate(await self._call(op))
        except Conflict as error:
            if error.code != "secrets_off":
                raise
            return SecretsResult.secrets_off(names, self._texts)
        return SecretsResult.from_request(request, self._texts)

    @context
    async def lease(
        self,
        names: str | Sequence[str],
        *,
        thread_id: str | None = None,
        refs: Sequence[str] = (),
        request_id: str | None = None,
    ) -> AsyncGenerator[Lease]:
        """Lease the values that a person gave to this agent in a thread, until the block ends.

        `refs` are those of sensitive fields (`answer.values["token"]["ref"]`). With `request_id`, the submitted values
        of a request that is being tested. Each lease is in the audit log. Raises `NotFound` (`not_granted`) and
        `Conflict` (`secret_gone`), whose `field_errors` name the secrets, and `Conflict` (`cannot_open`).
        """
        names = _as_list(names)
        body = without_none(
            thread_id=self._thread(thread_id), names=names, refs=list(refs), request_id=request_id
        )
        lease = read_lease(await self._post("/v1/secrets/lease", encode_body(body)), names=names)
        try:
            yield lease
        finally:
            lease.end()

    @method
    async def list(self, *, limit: int = 100, cursor: str | None = None) -> Page[StoredSecret]:
        """Read a page of stored secrets, newest first: names, scopes and times."""
        reply = await self._call(frame("list_secrets", limit=limit, cursor=cursor))
        return Page(
            [StoredSecret.model_validate(secret) for secret in reply["secrets"]], reply["next_cursor"]
        )

    @method
    async def set(
        self,
        name: str,
        value: Secret | str,
        *,
        scope: Literal["session", "project", "global"],
        thread_id: str | None = None,
        project: str | None = None,
        owner: str | None = None,
    ) -> StoredSecret:
        """Store a secret, or replace its value; raises `Invalid`, which never contains the value.

        `session` needs a `thread_id`, and `project` the name of the `project`. By default a secret of a thread belongs
        to the thread's owner, and any other is shared; only an admin may choose another `owner`.
        """
        body = {"name": name, "value": as_secret(value), "scope": scope}
        del value  # an error shows this function's variables
        body |= without_none(thread_id=thread_id, project=project, owner=owner)
        reply = await self._post("/v1/secrets", encode_body(body))
        return StoredSecret.model_validate(from_json(reply.reveal()))

    @method
    async def delete(self, secret: StoredSecret | str) -> None:
        """Delete a secret: no agent can lease it from now on. Raises `NotFound`."""
        await self._call(frame("erase_secret", secret_id=id_of(secret)))

    @method
    async def saved_scopes(self, request: InputRequest | str) -> Mapping[str, Sequence[Scope]]:
        """Read the scopes in which the names of a request are stored, as a person who may answer it."""
        return (await self._call(frame("get_saved_scopes", request_id=id_of(request))))["saved"]

    @method
    async def agents(self, secret: StoredSecret | str) -> SecretAgents:
        """Read which agents may use a secret without a question. Raises `NotFound`."""
        return (await self._call(frame("get_secret_agents", secret_id=id_of(secret))))["agents"]

    @method
    async def set_agents(self, secret: StoredSecret | str, agents: SecretAgents) -> SecretAgents:
        """Set which agents may use a secret without a question; all others have to ask again.

        Raises `Invalid` for an agent that does not exist, and `NotFound`.
        """
        body = {"agents": agents if agents == "all" else [*agents]}
        return (await self._call(frame("set_secret_agents", secret_id=id_of(secret), body=body)))["agents"]

    @method
    async def grant(self, secret: StoredSecret | str, *, agent: str) -> SecretAgents:
        """Let an agent, by id, use a secret without a question; returns all that may. Raises `NotFound`."""
        return (await self._call(frame("grant_secret", secret_id=id_of(secret), agent=agent)))["agents"]

    @method
    async def revoke(self, secret: StoredSecret | str, *, agent: str) -> SecretAgents:
        """Make an agent, by id, ask again before it uses a secret; returns the agents that still may.

        Raises `NotFound`, and `Conflict` while every agent may use it.
        """
        return (await self._call(frame("revoke_secret", secret_id=id_of(secret), agent=agent)))["agents"]

    @method
    async def rotate(self, *, keep_old: bool = False) -> Rotation:
        """Re-encrypt the secrets of the tenant with the first master key, as an admin.

        As the operator: the secrets of all tenants, with a new key where the server stores its keys itself. Old keys
        without secrets are dropped, unless you `keep_old`.
        """
        body = without_none(keep_old=keep_old or None)
        return Rotation.model_validate(await self._call(frame("rotate_secrets", body=body)))

    # --- probes ------------------------------------------------------------------------------

    def _probe_handler(self, probe: Probe, request: InputRequest) -> ReviewHandler:
        return partial(self._test, ProbeRunner(probe, request=request))

    async def _test(self, probe_runner: ProbeRunner, request: InputRequest) -> InputRequest:
        """Test one submission, and return the request as it is then."""
        assert request.submitted is not None
        if probe_runner.outcome_unknown(request):
            result = probe_runner.unknown()
        else:
            async with self.lease(
                request.submitted.names, thread_id=request.thread_id, request_id=request.id
            ) as lease:
                result = await probe_runner.run(lease)
        if result.accepted:
            return await self._requests.accept(request)
        if result.last:
            return await self._requests.cancel(request, "failed")
        return await self._requests.reprompt(
            request, field_errors=result.faults, error_summary=result.summary
        )


def _as_list(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else [*names]
