"""Sessions, login links and tokens over HTTP."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any
from urllib.parse import quote

from askback.ports.store import Principal
from askback.service import access, credentials
from askback.service.assignees import groups_of
from askback.transports import security
from askback.transports.endpoint import Handler, Response
from askback.transports.http import Call, Reply, header, json_reply
from askback.transports.rest import query

NEXT = re.compile(r"/(?:gallery|[tr]/[\w.~%!$&'()*+,;=:@-]{1,600})?", re.ASCII)
"""Where a login may lead: our own pages, never another site."""

_LINK_USED = """<!doctype html><html lang="en"><meta charset="utf-8"><title>askback: link used</title>
<h1>This login link cannot be used</h1>
<p>A link works once, and for ten minutes. Run <code>askback login</code> on the machine where the server runs
to get a new one.</p></html>"""


async def session(call: Call) -> Reply:
    """`GET /v1/session`: who is calling; `csrf` is null for a token, which needs none."""
    assert call.identity is not None
    csrf = call.identity.session.csrf if call.identity.session else None
    groups = await groups_of(call.ctx, call.principal)
    return json_reply({"principal": _shown(call.principal, groups), "csrf": csrf})


def logout(hang_up: Callable[[str], None]) -> Handler:
    """Return the handler of `DELETE /v1/session`; `hang_up` ends what a principal has open, by its id."""

    async def leave(call: Call) -> Reply:
        if secret := security.cookie(call.scope):
            await access.close_session(call.ctx, secret)
            hang_up(call.principal.id)
        return Reply(204, headers=(security.set_cookie(call.scope, "", max_age_s=0),))

    return leave


def login(page: Handler) -> Handler:
    """Return the handler of `GET /login`: trades a code for a session; without a code it shows the page."""

    async def enter(call: Call) -> Response:
        code = query.text(call, "code")
        return await page(call) if code is None else await _enter(call, code)

    return enter


async def login_link(call: Call) -> Reply:
    """`POST /v1/login-links`: `{"url"}`, for one browser, within ten minutes."""
    code = await credentials.login_link(call.ctx, call.principal, await call.json())
    host = header(call.scope, b"host")
    return json_reply({"url": login_url(f"{call.scope['scheme']}://{host}", code)}, status=201)


async def token(call: Call) -> Reply:
    """`POST /v1/tokens`: `{"token"}`, shown this once."""
    made = await credentials.create_token(call.ctx, call.principal, await call.json())
    return json_reply({"token": made}, status=201)


def login_url(base: str, code: str) -> str:
    """Return the address that a person opens."""
    return f"{base.rstrip('/')}/login?code={quote(code, safe='')}"


async def _enter(call: Call, code: str) -> Reply:
    if call.scope["method"] == "HEAD":
        return Reply(204)  # whoever only looks at a link must not use it up
    opened = await access.open_session(call.ctx, code)
    if opened is not None:
        age = access.SESSION_MS // 1000
        return _go_on(call, security.set_cookie(call.scope, opened.secret, max_age_s=age))
    secret = security.cookie(call.scope)
    if secret and await access.session(call.ctx, secret):
        return _go_on(call)
    return Reply(401, _LINK_USED.encode(), ((b"content-type", b"text/html; charset=utf-8"),))


def _go_on(call: Call, *headers: tuple[bytes, bytes]) -> Reply:
    wanted = query.text(call, "next") or "/"
    target = wanted if NEXT.fullmatch(wanted) else "/"
    return Reply(303, headers=((b"location", target.encode()), *headers))


def _shown(principal: Principal, groups: Collection[str]) -> dict[str, Any]:
    who = {"id": principal.id, "name": principal.name, "role": principal.role, "user": principal.user}
    return {**who, "groups": sorted(groups)}
