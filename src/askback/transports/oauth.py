"""Begin to connect an account at a person's click, and store half of a credential in the browser."""

from __future__ import annotations

from askback.ports.store import Principal
from askback.service.actions import oauth
from askback.service.context import Services
from askback.transports.http import Headers, Scope, public_url
from askback.transports.security import browser_cookie_name, cookies, set_browser_cookie

CALLBACK = "/oauth/callback"
"""The path of the provider's redirect, below the base path."""


async def begin_oauth(
    ctx: Services,
    scope: Scope,
    principal: Principal,
    request_id: str,
    body: object,
    *,
    base_path: str = "/v1",
) -> tuple[str, Headers]:
    """Return the address of the provider for one click, and the headers of the reply.

    `base_path` begins the paths of the click and of the callback; the cookie is sent to no other path.
    """
    redirect_uri = public_url(ctx, scope) + base_path + CALLBACK
    name = await browser_cookie_name(ctx)
    browser = next(iter(cookies(scope, name)), None) or ctx.ids.token()
    url = await oauth.start_oauth(
        ctx, principal, request_id, body, redirect_uri=redirect_uri, browser=browser
    )
    max_age_s = oauth.ATTEMPT_MS // 1000
    return url, [set_browser_cookie(ctx, name, browser, path=base_path, max_age_s=max_age_s)]
