"""Login links and tokens over HTTP."""

from __future__ import annotations

from urllib.parse import quote

from askback.service import credentials
from askback.transports.http import Call, Reply, header, json_reply


async def login_link(call: Call) -> Reply:
    """`POST /v1/login-links`: `{"url"}`, for one browser, within ten minutes."""
    code = await credentials.login_link(call.ctx, call.principal, await call.json())
    base = call.ctx.public_url or f"{call.scope['scheme']}://{header(call.scope, b'host')}"
    return json_reply({"url": login_url(base, code)}, status=201)


def login_url(base: str, code: str) -> str:
    """Return the address that a person opens. Its fragment is in no request, no log and no link preview."""
    return f"{base.rstrip('/')}/login#{quote(code, safe='')}"
