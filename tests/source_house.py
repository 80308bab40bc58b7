"""A source of options at an address, for a server in a separate process."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZg=="
PLACES = [{"value": n, "label": f"Place {n}"} for n in range(120)]
TREE = {
    None: [
        {"value": "/src", "label": "src", "has_children": True, "disabled": True},
        {"value": "/a.md", "label": "a.md"},
    ],
    "/src": [{"value": "/src/b.py", "label": "b.py", "description": "A module"}],
}


@dataclass
class SourceHouse:
    """A running source; `is_down` makes it fail."""

    port: int
    is_down: bool = False

    @property
    def settings(self) -> dict[str, str]:
        """The settings of a server that uses it."""
        return {
            "ASKBACK_OPTION_SOURCES": ",".join(
                f"{name}=http://127.0.0.1:{self.port}/{name}" for name in ("places", "files")
            ),
            "ASKBACK_OPTION_SOURCE_SECRET": SECRET,
            "ASKBACK_WEBHOOK_HOSTS": "127.0.0.1",
        }

    def reply(self, query: dict[str, Any]) -> Any:
        """Return the options for a query."""
        tree = query["source"] == "files"
        all_items: Sequence[Any] = [item for folder in TREE.values() for item in folder] if tree else PLACES
        if "values" in query:
            return [item for item in all_items if item["value"] in query["values"]]
        if tree:
            return TREE.get(query.get("parent"), [])
        findings = [item for item in PLACES if query["q"].casefold() in str(item["label"]).casefold()]
        start, end = int(query.get("cursor") or 0), int(query.get("cursor") or 0) + query["limit"]
        return {"options": findings[start:end], **({"next_cursor": str(end)} if end < len(findings) else {})}


@contextmanager
def source_house() -> Iterator[SourceHouse]:
    """Run a source."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # noqa: N802 - the name is http.server's
            query = json.loads(self.rfile.read(int(self.headers["content-length"])))["data"]
            body = json.dumps(house.reply(query)).encode()
            self.send_response(500 if house.is_down else 200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    house = SourceHouse(server.server_port)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield house
    finally:
        server.shutdown()
        server.server_close()
