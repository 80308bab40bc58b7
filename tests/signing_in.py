"""Sign in like a page: exchange the code of a link for the cookie and the second half of a session."""

from __future__ import annotations

import httpx2

HALF = "X-Askback-Session"


def code_of(link: str) -> str:
    """The code of a sign-in link, from its fragment."""
    return link.partition("#")[2].partition("&")[0]


async def sign_in(browser: httpx2.AsyncClient, link: str) -> httpx2.Response:
    """Use a link; afterwards the browser has the cookie and sends the second half with each call."""
    return _keep(browser, await browser.post("/v1/sessions", json={"code": code_of(link)}))


def sign_in_now(browser: httpx2.Client, link: str) -> httpx2.Response:
    """As `sign_in`, for a client that blocks; `link` may be of another address than the client's."""
    base = link.partition("/login#")[0] if not str(browser.base_url) else ""
    return _keep(browser, browser.post(f"{base}/v1/sessions", json={"code": code_of(link)}))


def cookie_of(browser: httpx2.AsyncClient) -> tuple[str, str]:
    """The name and the value of the session cookie."""
    [found] = [(name, value) for name, value in browser.cookies.items() if "askback_session_" in name]
    return found


def _keep(browser: httpx2.AsyncClient | httpx2.Client, reply: httpx2.Response) -> httpx2.Response:
    if reply.status_code == 201:
        browser.headers[HALF] = reply.json()["session"]
    return reply
