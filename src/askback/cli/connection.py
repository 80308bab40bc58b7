"""Find the server of a command, and the token to use."""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from askback.client import AsyncClient, discovery
from askback.client.discovery import NoServer
from askback.client.server_proof import is_running
from askback.server import server_file

DEMO_FILE = "demo.json"
"""The file with the address of a running demo, so that `askback inbox` finds it if no other server runs."""


class NoServerRunning(NoServer):
    """No server was named, and none of this user runs."""


@dataclass(frozen=True, slots=True)
class ServerConnection:
    """An address and the token to use there."""

    url: str
    token: str

    def client(self) -> AsyncClient:
        """Return a client that identifies itself as the command line."""
        return AsyncClient(self.url, self.token, via="cli")


def find(role: str, *, data_dir: Path | None = None) -> ServerConnection:
    """Return the server to use with a token of `role`; raises `NoServer` with what to do.

    A named folder wins, then `ASKBACK_URL` with `ASKBACK_TOKEN`, then this user's server,
    then a demo that is running. A file of tokens for the same address is preferred to the single variable,
    because answering needs another token than asking.
    """
    url = None if data_dir else os.environ.get("ASKBACK_URL", "").rstrip("/") or None
    for server in _recorded_servers(role, data_dir):
        if url in {None, server["url"]} and is_running(server):
            return ServerConnection(server["url"], server[f"{role}_token"])
    if url is None:
        folder_text = f" of {data_dir}" if data_dir else ""
        raise NoServerRunning(f"No server{folder_text} is running. Start one with: askback serve")
    token = os.environ.get("ASKBACK_TOKEN")
    if not token:
        raise NoServer(f"ASKBACK_URL is {url}; set ASKBACK_TOKEN to a {role}'s token of that server.")
    if not is_running({"url": url}):
        raise NoServer(f"Nothing answers at {url}. Start a server with: askback serve")
    return ServerConnection(url, token)


def own_thread(name: str) -> str:
    """Return the default thread of a command: one for each token that the environment names.

    Two agents cannot share a thread unless one lets the other in.
    """
    token = os.environ.get("ASKBACK_TOKEN")
    if not token or not os.environ.get("ASKBACK_URL"):
        return name
    return f"{name}-{sha256(token.encode()).hexdigest()[:8]}"


def _recorded_servers(role: str, data_dir: Path | None) -> list[dict[str, str]]:
    folder = data_dir or discovery.data_dir()
    files = [folder / "server.json", *([] if data_dir else [folder / DEMO_FILE])]
    required = {"url", f"{role}_token"}
    return [server for file in files if required <= (server := server_file.read(file)).keys()]
