"""Connect an account at an OAuth provider: lead a person there, exchange the code, keep the tokens as secrets.

The state is the credential of the callback: random, used once, valid for ten minutes, and only in the browser
that clicked, which has its other half in a cookie (RFC 6749, 10.12). Both are stored as one digest, with the
request, the person and the sealed code verifier (PKCE). A new click replaces the one before. Tokens go to the
vault; no answer, event, log or URL ever has one.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Literal
from urllib.parse import urlencode

from askback.domain.kinds import kind_of
from askback.domain.lifecycle import Status, Transition
from askback.domain.oauth import (
    Failure,
    Grant,
    GrantRefused,
    OauthProvider,
    authorize_parameters,
    digest,
    read_grant,
    token_parameters,
)
from askback.domain.record import Record
from askback.domain.secrets.secret import RawBody, Secret
from askback.domain.shown_texts import shown_texts
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.domain.validation.text_check import check_languages
from askback.domain.values import frozen
from askback.errors import Conflict
from askback.ports.oauth import OauthAttempt
from askback.ports.policy import SideEffects
from askback.ports.secrets import VersionTaken
from askback.ports.store import Principal
from askback.ports.vault import Binding, CannotOpen
from askback.ports.webhooks import AddressRefused, Unreachable
from askback.service.access import roles
from askback.service.access.assignees import can_answer
from askback.service.actions.report import note_failure
from askback.service.context import Services
from askback.service.lifecycle.admission import admit
from askback.service.lifecycle.read import get_request
from askback.service.lifecycle.settle import already_settled, settle
from askback.service.secrets.locations import grants_for, location_of
from askback.service.secrets.sealing import seal_values
from askback.wire.bodies import ConnectBody

ATTEMPT_MS = 10 * 60 * 1000
"""How long a person may take at the provider."""
MAX_CODE_LENGTH = 4_096
MAX_COOKIES = 3
"""The number of cookies of one name to try: another path or domain may have set some."""
REPLY_BYTES = 64 * 1024
_DENIED = frozenset({"access_denied", "consent_required"})

Result = Literal["connected", "failed", "refused"]
"""The result of a callback: the account is connected, it is not and can be tried again, or nothing was done."""

log = logging.getLogger(__name__)


@frozen(slots=True)
class Callback:
    """The data of a provider's redirect; `browsers` are the halves in the browser's cookies."""

    state: str
    browsers: Sequence[str] = ()
    code: str | None = None
    error: str | None = None


async def start_oauth(
    ctx: Services, principal: Principal, request_id: str, body: object, *, redirect_uri: str, browser: str
) -> str:
    """Return the URL of the provider for this click of a person; earlier clicks are no longer valid.

    The provider redirects to `redirect_uri`; `browser` is the half of the credential that the browser keeps.

    Raises `Conflict` (`no_provider`) for a request without a provider, `Forbidden`, `Gone`, and `VaultLocked`.
    """
    await roles.require(ctx, principal, "start_oauth", request_id)
    record = await get_request(ctx, principal, request_id)
    report = Report()
    languages = check_languages(parse(ConnectBody, body).languages, report, ctx.limits)
    report.finish()
    await admit(ctx, principal, record)
    if record.status is not Status.PENDING:
        raise already_settled(record)
    provider = _provider(ctx, record)
    state, verifier = ctx.ids.token(), ctx.ids.token()
    now = ctx.clock.now_ms()
    sealed = await ctx.vault.seal(_binding(record.tenant, record.id), Secret(verifier))
    attempt = OauthAttempt(
        record.id,
        digest(state, browser),
        principal,
        redirect_uri,
        sealed,
        now + ATTEMPT_MS,
        tuple(languages),
    )
    await ctx.store.put_oauth_attempt(attempt, now_ms=now)
    parameters = authorize_parameters(
        provider,
        scopes=record.spec.action.scopes or (),
        state=state,
        verifier=verifier,
        redirect_uri=redirect_uri,
    )
    separator = "&" if "?" in provider.authorize_url else "?"
    return f"{provider.authorize_url}{separator}{urlencode(parameters)}"


async def finish_oauth(ctx: Services, callback: Callback) -> Result:
    """Use up the state of a callback, check the grant, and settle the request with references to the tokens."""
    attempt = await _take_attempt(ctx, callback)
    if attempt is None:
        return "refused"
    principal = attempt.principal
    record = await ctx.store.get(principal.tenant, attempt.request_id)
    if record is None or record.status is not Status.PENDING or not await can_answer(ctx, principal, record):
        return "refused"
    try:
        provider = _provider(ctx, record)
        try:
            grant = await _exchange(ctx, provider, record, attempt, callback)
        except GrantRefused as error:
            await note_failure(ctx, record, {"code": error.failure}, by=principal)
            return "failed"
        await _store_token(ctx, principal, record, grant, attempt.languages)
    except Conflict:
        return "refused"  # it was answered or withdrawn meanwhile, or the provider was removed
    return "connected"


async def _take_attempt(ctx: Services, callback: Callback) -> OauthAttempt | None:
    for browser in callback.browsers[:MAX_COOKIES]:
        attempt_id = digest(callback.state, browser)
        if (attempt := await ctx.store.take_oauth_attempt(attempt_id, now_ms=ctx.clock.now_ms())) is not None:
            return attempt
    return None


def _provider(ctx: Services, record: Record) -> OauthProvider:
    name = record.spec.action.provider if kind_of(record).is_reported else None
    provider = ctx.oauth_providers.get(name or "")
    if provider is None:
        raise Conflict("There is no account to connect for this request.", code="no_provider")
    return provider


def _binding(tenant: str, request_id: str) -> Binding:
    return Binding(tenant, "", "oauth", request_id, "CODE_VERIFIER", 1)


async def _exchange(
    ctx: Services, provider: OauthProvider, record: Record, attempt: OauthAttempt, callback: Callback
) -> Grant:
    """Exchange the code for tokens and check that all scopes were granted. Raises `GrantRefused`."""
    if callback.error is not None:
        raise GrantRefused("access_denied" if callback.error in _DENIED else "provider_error")
    if not callback.code or len(callback.code) > MAX_CODE_LENGTH:
        raise GrantRefused("provider_error")
    try:
        verifier = await ctx.vault.open(_binding(record.tenant, record.id), attempt.sealed)
    except CannotOpen:
        raise GrantRefused("provider_error") from None  # the master key was replaced meanwhile
    form = token_parameters(
        provider, code=callback.code, verifier=verifier, redirect_uri=attempt.redirect_uri
    )
    reply = await _post(ctx, provider, urlencode(form).encode())
    return read_grant(reply, scopes=record.spec.action.scopes or (), limits=ctx.limits)


async def _post(ctx: Services, provider: OauthProvider, body: bytes) -> RawBody:
    headers = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}
    failure: Failure = "provider_unreachable"
    try:
        reply = await ctx.webhook_client.post(
            provider.token_url, headers=headers, body=body, answer_bytes=REPLY_BYTES
        )
        if reply.status == 200:
            return RawBody(reply.body)
        failure, detail = "provider_error", str(reply.status)
    except (AddressRefused, Unreachable) as error:
        detail = str(error)
    log.warning("the OAuth provider %s did not exchange a code: %s", provider.name, detail)
    raise GrantRefused(failure)


async def _store_token(
    ctx: Services, principal: Principal, record: Record, grant: Grant, languages: Sequence[str]
) -> None:
    """Store the tokens as secrets of the thread, let the agent use them, and settle the request."""
    action = record.spec.action
    name = action.secret or ""
    values = {name: grant.access_token}
    if grant.refresh_token is not None:
        values[f"{name}_REFRESH"] = grant.refresh_token
    location = location_of("session", thread_id=record.thread_id, project=None)
    owner = record.access.owner
    answer: dict[str, Any] = {"outcome": "done", "names": sorted(values), "scope": "session"}
    if shown_parts := shown_texts(languages, **action.texts):
        answer["shown"] = shown_parts
    while True:
        sealed = await seal_values(ctx, principal, values, location, owner=owner, request_id=record.id)
        grants = grants_for(
            sealed, thread_id=record.thread_id, requester=record.requester, request_id=record.id
        )
        effects = SideEffects(secrets=sealed, grants=grants)
        outcome = {"source": "provider", "answer": answer}
        try:
            await settle(
                ctx,
                record,
                Transition.ANSWER,
                outcome,
                by=principal,
                effects=effects,
                names=sorted(values),
                owner=owner or None,
            )
        except VersionTaken:
            continue  # another value was stored in the same location: seal the next version
        return
