"""The click with which a person begins to connect an account: it leaves half of a credential in the browser."""

from __future__ import annotations

from askback.ports.store import Principal
from askback.service.actions import oauth
from askback.service.context import Services
from askback.transports.http import Headers, Scope, header
from askback.transports.security import browser_cookie_name, cookies, set_browser_cookie


async def begin_oauth(
    ctx: Services, scope: Scope, principal: Principal, request_id: str, body: object
) -> tuple[str, Headers]:
    """Return the address of the provider for one click, and the headers of the reply."""
    base_url = ctx.public_url or f"{scope['scheme']}://{header(scope, b'host')}"
    name = await browser_cookie_name(ctx)
    browser = next(iter(cookies(scope, name)), None) or ctx.ids.token()
    url = await oauth.start_oauth(ctx, principal, request_id, body, base_url=base_url, browser=browser)
    return url, [set_browser_cookie(ctx, name, browser, max_age_s=oauth.ATTEMPT_MS // 1000)]
