"""The built web pages and their assets, read into memory once.

Assets have the hash of their content in their names and may be cached forever; pages are revalidated each
time, which costs a 304.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import anyio.to_thread

from askback.domain.values import frozen
from askback.transports.endpoint import HttpHandler
from askback.transports.http import Headers, HttpCall, Reply, header
from askback.transports.problems import no_such_path

_APPLICATION = ("", "inbox", "conversations", "history", "rules", "secrets", "audit", "agents", "settings")
"""The first parts of the application's paths, which parses the rest of its address itself (`web/src/app/places.ts`)."""
PAGES = {
    **{f"/{page_name}": "app.html" for page_name in _APPLICATION},
    **{f"/{page_name}/{{item}}": "app.html" for page_name in _APPLICATION if page_name},
    "/t/{thread_id}": "thread.html",
    "/r/{request_id}": "request.html",
    "/gallery": "gallery.html",
    "/login": "login.html",
}
ERROR_PAGES = {401: "login.html", 404: "missing.html"}
_COMPRESSED = ("text/", "application/json", "image/svg+xml")
_NOT_BUILT = b"""<!doctype html><html lang="en"><meta charset="utf-8"><title>askback: not built</title>
<h1>The web pages are not built</h1><p>Run <code>make setup</code> in the project's folder and reload.</p>
</html>"""
_HTML = (b"content-type", b"text/html; charset=utf-8")


@frozen(slots=True)
class Asset:
    """A file to send; `gzip_content` is its gzip form if that is smaller."""

    body: bytes
    gzip_content: bytes | None
    etag: str
    headers: Headers


class Site:
    """The files of one build. A missing build is looked up again at each request."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: Mapping[str, Asset] = {}

    def page(self, name: str) -> HttpHandler:
        """Return the handler of one page."""
        return partial(self._page, name)

    async def asset(self, call: HttpCall) -> Reply:
        """`GET /static/assets/{name}`."""
        asset = (await self._load()).get(f"assets/{call.args['name']}")
        if asset is None:
            raise no_such_path()
        return _send(call, asset)

    async def error(self, status: int) -> Reply | None:
        """Return the page for a person whose browser opened an address and got this status; None without one."""
        page = (await self._load()).get(ERROR_PAGES.get(status, ""))
        return None if page is None else Reply(status, page.body, (_HTML,))

    async def outcome(self, name: str, *, status: int) -> Reply:
        """Return the page with the outcome of connecting an account: it has a hidden section for each outcome."""
        page = (await self._load()).get("connected.html")
        if page is None:
            return Reply(status, _NOT_BUILT, (_HTML,))
        section = b'id="%s"' % name.encode()
        return Reply(status, page.body.replace(section + b" hidden", section), (_HTML,))

    async def _page(self, name: str, call: HttpCall) -> Reply:
        if (address := _literal_address(call)) is not None:
            return Reply(307, headers=((b"location", address.encode()), (b"cache-control", b"no-store")))
        page = (await self._load()).get(name)
        return Reply(503, _NOT_BUILT, (_HTML, (b"retry-after", b"5"))) if page is None else _send(call, page)

    async def _load(self) -> Mapping[str, Asset]:
        if not self._files:
            self._files = await anyio.to_thread.run_sync(_read, self._folder)
        return self._files


def _literal_address(call: HttpCall) -> str | None:
    """Return the page's URL with the IP address of this server if it was opened as `localhost`.

    Browsers try both `127.0.0.1` and `::1` for that name, and another program may have the port of the other one: it
    would get the session.
    """
    host, (address, port) = header(call.scope, b"host"), call.scope["server"]
    if host != f"localhost:{port}" or address not in ("127.0.0.1", "::1") or call.ctx.public_url is not None:
        return None
    query = call.scope["query_string"].decode("latin-1")
    origin = f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"
    return f"{origin}{call.scope['path']}{'?' if query else ''}{query}"


def _read(folder: Path) -> dict[str, Asset]:
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json"]
    return {path.relative_to(folder).as_posix(): _asset(path) for path in files}


def _asset(path: Path) -> Asset:
    body = path.read_bytes()
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    kind = "text/javascript" if path.suffix in (".js", ".mjs") else kind
    text = kind.startswith(_COMPRESSED)
    gzip_content = gzip.compress(body, 9, mtime=0) if text else None
    page = path.suffix == ".html"
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = (
        (b"content-type", (f"{kind}; charset=utf-8" if text else kind).encode()),
        (b"cache-control", b"no-cache" if page else b"public, max-age=31536000, immutable"),
        (b"etag", etag.encode()),
        (b"vary", b"Accept-Encoding"),
    )
    return Asset(
        body, gzip_content if gzip_content and len(gzip_content) < len(body) else None, etag, headers
    )


def _send(call: HttpCall, asset: Asset) -> Reply:
    etag = header(call.scope, b"if-none-match")
    if etag is not None and asset.etag in (tag.strip().removeprefix("W/") for tag in etag.split(",")):
        return Reply(304, headers=asset.headers)
    if asset.gzip_content and "gzip" in (header(call.scope, b"accept-encoding") or ""):
        return Reply(200, asset.gzip_content, (*asset.headers, (b"content-encoding", b"gzip")))
    return Reply(200, asset.body, asset.headers)
