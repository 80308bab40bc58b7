"""Answer the clients of this user that want proof that they have reached this server; see `wire/server_proof.py`."""

from __future__ import annotations

import re
from pathlib import Path

from starlette.routing import Route

from askback.server import server_file
from askback.transports.http import Receive, Scope, Send, json_reply
from askback.transports.problems import no_such_path
from askback.wire.server_proof import PATH, prove

_NONCE = re.compile(r"[0-9a-f]{32}")


class Proof:
    """The endpoint. All processes of a server read the key from its `server.json`."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def routes(self) -> list[Route]:
        """Return the route."""
        return [Route(f"{PATH}{{nonce}}", self)]

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Send the proof for a nonce and the port of this connection. Errors go up to the guard."""
        nonce, key = scope["path_params"]["nonce"], server_file.read(self._file).get("key")
        if not key or not _NONCE.fullmatch(nonce) or scope["method"] != "GET":
            raise no_such_path()
        await json_reply({"proof": prove(key, nonce, scope["server"][1])}).send(send)
