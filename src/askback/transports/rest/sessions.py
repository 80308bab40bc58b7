"""Browser sessions over HTTP: sign in by a one-time code, list sessions, end them, sign an address."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from urllib.parse import quote, urlsplit

from askback.domain.faults import Faults, fault
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.errors import Forbidden
from askback.ports.sessions import Session
from askback.ports.store import Principal
from askback.service.access import sessions
from askback.service.access.assignees import groups_of
from askback.service.agents import credentials
from askback.transports import security
from askback.transports.http import HttpCall, Reply, header, json_reply, public_url
from askback.wire.bodies import SignBody, SignInBody


async def create_session(call: HttpCall) -> Reply:
    """Set the cookie and return the second half, `session`; no credential is needed."""
    if security.FOREIGN_ORIGIN in call.scope:
        raise Forbidden(
            "A page of another origin cannot use the session cookie. Send a token.", code="origin_not_allowed"
        )
    payload = parse(SignInBody, await call.json())
    device = header(call.scope, b"user-agent") or ""
    if payload.token is not None and payload.code is None:
        opened_session = await sessions.open_with_token(call.ctx, payload.token, device=device)
    elif payload.code is not None and payload.token is None:
        opened_session = await sessions.open_session(call.ctx, payload.code, device=device)
    else:
        raise Faults([fault("code", "missing_required" if payload.code is None else "unknown_field.key")])
    if opened_session is None:
        raise security.unknown_credential(
            call.ctx,
            call.scope,
            "This sign-in link was used or has expired. Get a new one with `askback login`.",
        )
    cookie = await security.set_cookie(call.ctx, opened_session.secret, max_age_s=sessions.SESSION_MS // 1000)
    body = {"session": opened_session.half, **_session_json(opened_session.session, current=True)}
    return json_reply(body, status=201, headers=(cookie,))


async def get_session(call: HttpCall) -> Reply:
    """Return the caller; `session` is null for a token."""
    assert call.identity is not None
    session = call.identity.session
    groups = await groups_of(call.ctx, call.principal)
    session_json = _session_json(session, current=True) if session else None
    caller = {"principal": _principal_json(call.principal, groups), "session": session_json}
    return json_reply({**caller, "reported_approvals": call.ctx.reported_approvals})


async def sign_out(call: HttpCall) -> Reply:
    """End the session of this call and its connections."""
    assert call.identity is not None
    if call.identity.session is not None:
        await sessions.log_out(call.ctx, call.principal, call.identity.session)
    return Reply(204, headers=(await security.set_cookie(call.ctx, "", max_age_s=0),))


async def list_sessions(call: HttpCall) -> Reply:
    """List the caller's sessions; for an admin everybody's, or those of `user`."""
    entries = await sessions.list_sessions(call.ctx, call.principal, user=call.args["user"])
    current = call.identity.session.id if call.identity and call.identity.session else None
    return json_reply({"sessions": [_session_json(entry, current=entry.id == current) for entry in entries]})


async def end_session(call: HttpCall) -> Reply:
    """End a session and close its connections."""
    await sessions.end_session(call.ctx, call.principal, call.args["session_id"])
    return Reply(204)


async def end_sessions(call: HttpCall) -> Reply:
    """End every session in the caller's list."""
    return json_reply(
        {"ended": await sessions.end_sessions(call.ctx, call.principal, user=call.args["user"])}
    )


async def sign_address(call: HttpCall) -> Reply:
    """`POST /v1/session/addresses`: `{"url"}`, which this browser may open within a minute."""
    assert call.identity is not None
    if call.identity.session is None:
        raise Forbidden("Only a browser session can sign a URL. Send the token with the request instead.")
    payload = parse(SignBody, await call.json())
    url = urlsplit(payload.path) if payload.path.isascii() and payload.path.isprintable() else None
    if url is None or not url.path.startswith("/v1/") or url.netloc or url.fragment:
        raise Faults([fault("path", "wrong_type.string")])
    target = security.address(url.path, url.query)
    return json_reply(
        {
            "url": security.with_signature(
                target, sessions.sign_target(call.ctx, call.identity.session, target)
            )
        },
        status=201,
    )


def _session_json(session: Session, *, current: bool) -> dict[str, Any]:
    principal = session.principal
    return {
        "id": session.id,
        "name": principal.name,
        "user": principal.user,
        "device": session.device,
        "created_at": rfc3339(session.created_at),
        "last_used_at": rfc3339(session.seen_at),
        "expires_at": rfc3339(session.expires_at),
        "current": current,
    }


def _principal_json(principal: Principal, groups: Collection[str]) -> dict[str, Any]:
    members = {"id": principal.id, "name": principal.name, "role": principal.role, "user": principal.user}
    return {**members, "groups": sorted(groups)}


async def create_login_link(call: HttpCall) -> Reply:
    """Create a sign-in link for one browser; valid for ten minutes."""
    code = await credentials.create_login_link(call.ctx, call.principal, await call.json())
    return json_reply({"url": login_url(public_url(call.ctx, call.scope), code)}, status=201)


def login_url(base: str, code: str) -> str:
    """Return the address for a person. Its fragment is in no request, no log and no link preview."""
    return f"{base}/login#{quote(code, safe='')}"
