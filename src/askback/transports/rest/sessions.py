"""Browser sessions over HTTP: sign in by a one-time code, list sessions, end them, sign an address."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from urllib.parse import urlsplit

from askback.domain.faults import Faults, fault
from askback.domain.fields import Model
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.errors import Forbidden
from askback.ports.store import Principal, Session
from askback.service import sessions
from askback.service.assignees import groups_of
from askback.transports import security
from askback.transports.http import Call, Reply, header, json_reply
from askback.transports.rest import query


class SignInBody(Model):
    """`POST /v1/sessions`: the code of a login link (the part after `#`), or the token of a person."""

    code: str | None = None
    token: str | None = None


class SignBody(Model):
    """`POST /v1/session/addresses`: a path of this server, with its query, for a browser to open directly."""

    path: str


async def sign_in(call: Call) -> Reply:
    """`POST /v1/sessions`: sets the cookie and returns the second half, `session`; no credential is needed."""
    if security.FOREIGN in call.scope:
        raise Forbidden(
            "A page of another origin cannot use the session cookie. Send a token.", code="origin_not_allowed"
        )
    sent = parse(SignInBody, await call.json())
    device = header(call.scope, b"user-agent") or ""
    if sent.token is not None and sent.code is None:
        opened = await sessions.open_with_token(call.ctx, sent.token, device=device)
    elif sent.code is not None and sent.token is None:
        opened = await sessions.open_session(call.ctx, sent.code, device=device)
    else:
        raise Faults([fault("code", "missing_required" if sent.code is None else "unknown_field.key")])
    if opened is None:
        raise security.unknown_credential(
            call.ctx,
            call.scope,
            "This login link was used or has expired. Get a new one with `askback login`.",
        )
    cookie = await security.set_cookie(call.ctx, opened.secret, max_age_s=sessions.SESSION_MS // 1000)
    body = {"session": opened.half, **_shown(opened.session, current=True)}
    return json_reply(body, status=201, headers=(cookie,))


async def whoami(call: Call) -> Reply:
    """`GET /v1/session`: who is calling; `session` is null for a token."""
    assert call.identity is not None
    session = call.identity.session
    groups = await groups_of(call.ctx, call.principal)
    shown = _shown(session, current=True) if session else None
    return json_reply({"principal": _principal(call.principal, groups), "session": shown})


async def sign_out(call: Call) -> Reply:
    """`DELETE /v1/session`: ends the session of this call and all that it has open."""
    assert call.identity is not None
    if call.identity.session is not None:
        await sessions.leave(call.ctx, call.principal, call.identity.session)
    return Reply(204, headers=(await security.set_cookie(call.ctx, "", max_age_s=0),))


async def listed(call: Call) -> Reply:
    """`GET /v1/sessions`: the caller's own; for an admin everybody's, or those of `user`."""
    found = await sessions.listed(call.ctx, call.principal, user=query.text(call, "user"))
    current = call.identity.session.id if call.identity and call.identity.session else None
    return json_reply({"sessions": [_shown(each, current=each.id == current) for each in found]})


async def end(call: Call) -> Reply:
    """`DELETE /v1/sessions/{id}`."""
    await sessions.end(call.ctx, call.principal, call.path["id"])
    return Reply(204)


async def end_all(call: Call) -> Reply:
    """`DELETE /v1/sessions`: ends every session that the list shows."""
    return json_reply(
        {"ended": await sessions.end_all(call.ctx, call.principal, user=query.text(call, "user"))}
    )


async def sign(call: Call) -> Reply:
    """`POST /v1/session/addresses`: `{"url"}`, which this browser may open within a minute."""
    assert call.identity is not None
    if call.identity.session is None:
        raise Forbidden(
            "Only a browser session can sign an address. Send the token with the request instead."
        )
    sent = parse(SignBody, await call.json())
    given = urlsplit(sent.path) if sent.path.isascii() and sent.path.isprintable() else None
    if given is None or not given.path.startswith("/v1/") or given.netloc or given.fragment:
        raise Faults([fault("path", "wrong_type.string")])
    target = security.address(given.path, given.query)
    return json_reply(
        {"url": security.with_signature(target, sessions.sign(call.ctx, call.identity.session, target))},
        status=201,
    )


def _shown(session: Session, *, current: bool) -> dict[str, Any]:
    who = session.principal
    return {
        "id": session.id,
        "name": who.name,
        "user": who.user,
        "device": session.device,
        "created_at": rfc3339(session.created_at),
        "last_used_at": rfc3339(session.seen_at),
        "expires_at": rfc3339(session.expires_at),
        "current": current,
    }


def _principal(principal: Principal, groups: Collection[str]) -> dict[str, Any]:
    who = {"id": principal.id, "name": principal.name, "role": principal.role, "user": principal.user}
    return {**who, "groups": sorted(groups)}
