"""The web pages that the server sends to a browser."""

from __future__ import annotations

import gzip
from pathlib import Path

import httpx2
import pytest
from starlette.routing import Router

from askback.transports import rest
from askback.transports.endpoint import Paths, refuse_unknown_path
from askback.transports.guard import Guard
from askback.transports.rest.pages import Site
from askback.transports.security import Addresses
from tests.transports.conftest import BASE, Api

pytestmark = pytest.mark.anyio

PAGES = {
    "/": "app",
    "/inbox/req_1": "app",
    "/rules": "app",
    "/t/some-thread": "thread",
    "/t/a%2Fb": "thread",
    "/r/req_1": "request",
    "/gallery": "gallery",
    "/login": "login",
}


def build(folder: Path) -> None:
    """Make a small build in Vite's layout."""
    (folder / "assets").mkdir(parents=True)
    for name in PAGES.values():
        (folder / f"{name}.html").write_text(f"<!doctype html><title>{name}</title>")
    (folder / "assets" / "page-abc123.js").write_text("export const a = 1;\n" * 100)
    (folder / "assets" / "dot-abc123.png").write_bytes(b"\x89PNG")
    (folder / "manifest.json").write_text("{}")


def site(api: Api, folder: Path) -> httpx2.AsyncClient:
    """Return a browser in front of the pages of `folder`."""
    router = Router([Paths(api.app.services, rest.pages(Site(folder)))], default=refuse_unknown_path)
    transport = httpx2.ASGITransport(app=Guard(router, addresses=Addresses()))
    return httpx2.AsyncClient(transport=transport, base_url=BASE)


async def test_each_address_has_its_page_and_is_revalidated(api: Api, tmp_path: Path) -> None:
    build(tmp_path)
    browser = site(api, tmp_path)
    for path, name in PAGES.items():
        page = await browser.get(path)
        assert (page.status_code, page.text) == (200, f"<!doctype html><title>{name}</title>")
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert page.headers["cache-control"] == "no-cache"
        second_reply = await browser.get(path, headers={"If-None-Match": f'"x", W/{page.headers["etag"]}'})
        assert (second_reply.status_code, second_reply.content) == (304, b"")


async def test_assets_are_kept_for_ever_and_packed_where_that_is_smaller(api: Api, tmp_path: Path) -> None:
    build(tmp_path)
    browser = site(api, tmp_path)
    packed = await browser.get("/static/assets/page-abc123.js", headers={"Accept-Encoding": "gzip, br"})
    plain_reply = await browser.get("/static/assets/page-abc123.js", headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.text == plain_reply.text == "export const a = 1;\n" * 100
    assert int(packed.headers["content-length"]) == len(gzip.compress(plain_reply.content, 9, mtime=0))
    assert packed.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert packed.headers["content-type"] == "text/javascript; charset=utf-8"
    picture = await browser.get("/static/assets/dot-abc123.png", headers={"Accept-Encoding": "gzip"})
    assert (picture.content, "content-encoding" in picture.headers) == (b"\x89PNG", False)


@pytest.mark.parametrize(
    "path",
    ["/static/nothing.js", "/static/manifest.json", "/static/inbox.html", "/static/", "/static/assets",
     "/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/t/", "/r/a/b"],
)  # fmt: skip
async def test_no_other_file_is_served(api: Api, tmp_path: Path, path: str) -> None:
    build(tmp_path / "static")
    (tmp_path / "app.py").write_text("secret")
    refusal = await site(api, tmp_path / "static").get(path)
    assert (refusal.status_code, refusal.json()["error"]["code"]) == (404, "not_found")


async def test_without_a_build_the_pages_say_what_to_do_until_there_is_one(api: Api, tmp_path: Path) -> None:
    browser = site(api, tmp_path)
    missing_reply = await browser.get("/")
    assert missing_reply.status_code == 503
    assert "make setup" in missing_reply.text
    build(tmp_path)
    assert (await browser.get("/")).status_code == 200
