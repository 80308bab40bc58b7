"""Connect an account over HTTP: the address of the provider, and the page of its redirect."""

from __future__ import annotations

from askback.service.actions import oauth
from askback.transports.endpoint import HttpHandler
from askback.transports.http import HttpCall, Reply, json_reply, query_of
from askback.transports.oauth import begin_oauth
from askback.transports.rest.pages import Site
from askback.transports.security import browser_cookie_name, cookies


async def start_oauth(call: HttpCall) -> Reply:
    """Return the address of the provider, for one click."""
    request_id = call.args["request_id"]
    url, headers = await begin_oauth(call.ctx, call.scope, call.principal, request_id, await call.json())
    return json_reply({"url": url}, status=201, headers=headers)


def finish_oauth(site: Site) -> HttpHandler:
    """Return the handler of the callback: a page with the outcome, without any data from the address."""

    async def finish(call: HttpCall) -> Reply:
        query = query_of(call.scope)
        state, code, error = (query.get(name, []) for name in ("state", "code", "error"))
        if len(state) != 1 or len(code) > 1 or len(error) > 1:
            return await site.outcome("refused", status=400)
        browsers = cookies(call.scope, await browser_cookie_name(call.ctx))
        callback = oauth.Callback(state[0], browsers, next(iter(code), None), next(iter(error), None))
        result = await oauth.finish_oauth(call.ctx, callback)
        return await site.outcome(result, status=400 if result == "refused" else 200)

    return finish
