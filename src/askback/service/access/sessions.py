"""Browser sessions: log in with a one-time code, find the session of a call, list and end sessions.

A session has two secrets. The cookie reaches every port of the host, so it opens nothing by itself. The second
half is kept by the pages of the server's own origin and sent in a header; each login makes new ones.
A session ends after `IDLE_MS` without a call and after `SESSION_MS` in any case.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import anyio

from askback.domain.values import frozen
from askback.errors import NotFound, Unavailable
from askback.ports.policy import AuditDraft, SideEffects
from askback.ports.sessions import IDLE_MS, NewSession, Session
from askback.ports.store import Principal
from askback.service.access import roles, tokens
from askback.service.access.roles import digest
from askback.service.audit_entry import audit_entry
from askback.service.context import Services

SESSION_MS = 7 * 24 * 3600 * 1000
TOUCH_MS = 60 * 1000
"""The shortest time between two writes of `seen_at`, so that reads cause few writes."""
SIGNED_MS = 60 * 1000
CHECK_S = 20.0
"""The interval of checks for ended sessions with open connections."""
MAX_DEVICE = 200


@frozen(slots=True)
class OpenedSession:
    """A new session with its two secrets: the cookie and the second half."""

    secret: str
    half: str
    session: Session


async def open_session(ctx: Services, code: str, *, device: str = "") -> OpenedSession | None:
    """Open a session with a login code; None if it is unknown, used or expired. Both are in the audit log."""
    now = ctx.clock.now_ms()
    secret, browser_secret = ctx.ids.token(), ctx.ids.token()
    session_id = ctx.ids.new("ses", now_ms=now)
    new_session = NewSession(session_id, digest(browser_secret), device[:MAX_DEVICE], now, now + SESSION_MS)
    session = await ctx.store.open_session(digest(code), digest(secret), new_session)
    if session is None:
        await _record_failure(ctx, now)
        return None
    # Before the reply, so that every session in use is in the audit log.
    person = replace(session.principal, via="web")
    await ctx.store.write(SideEffects(audit=(_session_entry(ctx, "session.opened", session, by=person),)))
    return OpenedSession(secret, browser_secret, session)


async def open_with_token(ctx: Services, token: str, *, device: str = "") -> OpenedSession | None:
    """Open a session with the token of a person or an admin, which ends with the token; None for an unknown token.

    Raises `Unauthorized` for an ended token, and `Forbidden` for a program's token.
    """
    principal = await tokens.authenticate(ctx, token)
    if principal is None:
        await _record_failure(ctx, ctx.clock.now_ms())
        return None
    await roles.require(ctx, principal, "list_sessions")
    code, now = ctx.ids.token(), ctx.clock.now_ms()
    await ctx.store.put_login(digest(code), principal, expires_at=now + SIGNED_MS)
    return await open_session(ctx, code, device=device)


async def find_session(ctx: Services, secrets: Sequence[str], browser_secret: str) -> Session | None:
    """Return the session of one of these cookies together with this second half.

    There may be several cookies: a server on another port can set a cookie of the same name for a narrower path.
    """
    session = await _session_of_cookie(
        ctx, secrets, lambda candidate: hmac.compare_digest(candidate.half, digest(browser_secret))
    )
    if session is not None:
        await _touch(ctx, session)
    return session


async def find_signed_session(
    ctx: Services, secrets: Sequence[str], target: str, signature: str
) -> Session | None:
    """Return the session of one of these cookies that has signed `target`, within the last `SIGNED_MS`."""
    expires, _, _ = signature.partition(".")
    if not expires.isascii() or not expires.isdecimal() or int(expires[:16]) <= ctx.clock.now_ms():
        return None
    return await _session_of_cookie(
        ctx, secrets, lambda session: hmac.compare_digest(_sign(session, target, expires), signature)
    )


def sign_target(ctx: Services, session: Session, target: str) -> str:
    """Return a signature with which a browser of this session may open `target`, and nothing else, for a minute."""
    return _sign(session, target, str(ctx.clock.now_ms() + SIGNED_MS))


async def list_sessions(ctx: Services, principal: Principal, *, user: str | None = None) -> Sequence[Session]:
    """Return the caller's own sessions, newest first; an admin's list has everybody's, or those of `user`."""
    await roles.require(ctx, principal, "list_sessions")
    return await _visible_sessions(ctx, principal, user)


async def _visible_sessions(ctx: Services, principal: Principal, user: str | None = None) -> list[Session]:
    if principal.role != "admin":
        if user not in {None, principal.user}:
            return []
        user = principal.user
    sessions = await ctx.store.sessions(principal.tenant, now_ms=ctx.clock.now_ms(), person=user)
    return [session for session in sessions if _is_live(session, ctx.clock.now_ms())]


async def end_session(ctx: Services, principal: Principal, session_id: str) -> None:
    """End one of the sessions that the caller can list; raises `NotFound`."""
    await roles.require(ctx, principal, "end_session")
    sessions = [item for item in await _visible_sessions(ctx, principal) if item.id == session_id]
    if not sessions:
        raise NotFound("There is no such session, or it has ended.")
    await _end_sessions(ctx, sessions, principal=principal)


async def end_sessions(ctx: Services, principal: Principal, *, user: str | None = None) -> int:
    """End every session that the caller can list, or only those of `user`; return how many."""
    await roles.require(ctx, principal, "end_sessions")
    sessions = await _visible_sessions(ctx, principal, user)
    await _end_sessions(ctx, sessions, principal=principal)
    return len(sessions)


async def log_out(ctx: Services, principal: Principal, session: Session) -> None:
    """End the session of this call."""
    await _end_sessions(ctx, [session], principal=principal)


async def watch_ended_sessions(ctx: Services, open_here: Callable[[], AbstractSet[str]]) -> None:
    """Close the connections of ended sessions, even if the notification of their end was lost; forever."""
    while True:
        await anyio.sleep(CHECK_S)
        try:
            await close_ended(ctx, open_here())
        except Unavailable:
            continue  # it is read again soon


async def close_ended(ctx: Services, ids: AbstractSet[str]) -> None:
    """Close the connections of those sessions in `ids` that have ended."""
    if not ids:
        return
    now = ctx.clock.now_ms()
    sessions = await ctx.store.sessions(None, now_ms=now, ids=sorted(ids))
    for session_id in ids - {session.id for session in sessions if _is_live(session, now)}:
        ctx.bus.dismiss(session_id)


async def _session_of_cookie(
    ctx: Services, secrets: Sequence[str], matches: Callable[[Session], bool]
) -> Session | None:
    now = ctx.clock.now_ms()
    for secret in secrets:
        session = await ctx.store.session(digest(secret), now_ms=now)
        if session is not None and _is_live(session, now) and matches(session):
            return await _with_current_token(ctx, session)
    return None


async def _with_current_token(ctx: Services, session: Session) -> Session | None:
    """Return a session with the current limits of the token that opened it; None if the token has ended."""
    principal = session.principal
    if not principal.id.startswith("tok_"):
        return session
    token = await ctx.store.token_by_id(principal.tenant, principal.id)
    if token is None or not token.valid(ctx.clock.now_ms()):
        return None
    return replace(session, principal=token.principal)


def _is_live(session: Session, now: int) -> bool:
    return session.expires_at > now and session.seen_at + IDLE_MS > now


async def _touch(ctx: Services, session: Session) -> None:
    now = ctx.clock.now_ms()
    if session.seen_at + TOUCH_MS <= now:
        try:
            await ctx.store.touch_session(session.id, now_ms=now)
        except Unavailable:
            return  # a store that cannot be written still answers reads


def _sign(session: Session, target: str, expires: str) -> str:
    # The key is the digest of the second half: the store alone cannot open the session, but any server can check.
    text = f"{session.id}\n{target}\n{expires}".encode("utf-8", "surrogatepass")
    return f"{expires}.{hmac.digest(session.half.encode(), text, 'sha256').hex()}"


async def _end_sessions(ctx: Services, sessions: Sequence[Session], *, principal: Principal) -> None:
    if not sessions:
        return
    entries = tuple(_session_entry(ctx, "session.ended", session, by=principal) for session in sessions)
    await ctx.store.end_sessions([session.id for session in sessions], SideEffects(audit=entries))
    for session in sessions:
        ctx.bus.dismiss(session.id)


def _session_entry(ctx: Services, action: str, session: Session, *, by: Principal) -> AuditDraft:
    principal = session.principal
    return audit_entry(
        action,
        at=ctx.clock.now_ms(),
        tenant=principal.tenant,
        by=by,
        session=session.id,
        of=None if by.id == principal.id else principal.actor,
        device=session.device or None,
    )


async def _record_failure(ctx: Services, now: int) -> None:
    skipped_count = ctx.failed_logins.take("", now)
    if skipped_count is None:
        return
    entry = audit_entry(
        "session.refused", at=now, tenant=roles.DEFAULT_TENANT, by=None, left_out=skipped_count or None
    )
    await ctx.store.write(SideEffects(audit=(entry,)))
