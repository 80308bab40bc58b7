"""A small package registry on loopback, as a separate process.

    python -m askback.demo.registry --folder DIR --token-sha256 DIGEST

    GET /token             204 when the token is good, 401 when it is not
    PUT /packages/NAME     stores `{"files": {path: text}}`: 201, or 401, 404, 413, 422
    GET /packages/NAME     a published package, for everybody

The token is a bearer token, of which it knows the digest. It writes no log, and prints one line of JSON,
`{"url"}`, once it listens.
"""

from __future__ import annotations

import argparse
import hmac
import json
import re
from functools import partial
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

MAX_BYTES = 1_000_000
_PACKAGE = re.compile(r"/packages/([a-z][a-z0-9-]{0,60})")


class Registry:
    """The published packages, one file each in `folder`, and the token that may publish."""

    def __init__(self, folder: Path, token_sha256: str) -> None:
        self._folder = folder
        self._token_sha256 = token_sha256

    def is_authorized(self, authorization: str | None) -> bool:
        """Return whether the value of an `Authorization` header has the token."""
        scheme, _, token = (authorization or "").partition(" ")
        return scheme == "Bearer" and hmac.compare_digest(digest_of(token), self._token_sha256)

    def put(self, name: str, body: bytes) -> bool:
        """Store a package atomically; returns false if the body is not valid."""
        try:
            files = json.loads(body)["files"]
        except (ValueError, KeyError, TypeError):
            return False
        if not isinstance(files, dict):
            return False
        if not all(isinstance(text, str) for text in cast("dict[str, object]", files).values()):
            return False
        self._folder.mkdir(parents=True, exist_ok=True)
        new_file = self._folder / f".{name}.new"
        new_file.write_text(json.dumps({"name": name, "files": files}, indent=2), encoding="utf-8")
        new_file.replace(self._folder / f"{name}.json")
        return True

    def get(self, name: str) -> bytes | None:
        """Return a stored package."""
        try:
            return (self._folder / f"{name}.json").read_bytes()
        except FileNotFoundError:
            return None


def digest_of(token: str) -> str:
    """Return the digest of a token."""
    return sha256(token.encode()).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    """One request; HTTP/1.0, so that each has its own connection."""

    def __init__(self, registry: Registry, *args: Any) -> None:
        self._registry = registry
        super().__init__(*args)

    def do_GET(self) -> None:
        if self.path == "/token":
            self._reply(204 if self._is_authorized else 401)
            return
        package = _PACKAGE.fullmatch(self.path)
        body = self._registry.get(package[1]) if package else None
        self._reply(404 if body is None else 200, body or b"")

    def do_PUT(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BYTES:
            if (
                length.isdecimal()
            ):  # a client that is still sending when the connection ends does not see the reply
                self.rfile.read(min(int(length), 2 * MAX_BYTES))
            self._reply(413)
            return
        body = self.rfile.read(int(length))
        package = _PACKAGE.fullmatch(self.path)
        if not self._is_authorized:
            self._reply(401)
        elif package is None:
            self._reply(404)
        else:
            self._reply(201 if self._registry.put(package[1], body) else 422)

    @property
    def _is_authorized(self) -> bool:
        return self._registry.is_authorized(self.headers.get("Authorization"))

    def _reply(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as above
        """Log nothing: a request may have a secret in the wrong place."""


def main() -> None:
    """Serve until killed; packages are stored atomically."""
    parser = argparse.ArgumentParser(prog="python -m askback.demo.registry", description=__doc__)
    parser.add_argument("--folder", required=True, type=Path, help="where packages are kept")
    parser.add_argument("--token-sha256", required=True, help="the digest of the token, in hexadecimal")
    options = parser.parse_args()
    registry = Registry(options.folder, options.token_sha256)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, registry)) as server:
        print(json.dumps({"url": f"http://127.0.0.1:{server.server_port}"}), flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
