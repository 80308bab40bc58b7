"""Find the server: from the arguments, the environment, or the server that runs on this machine."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from askback.errors import AskbackError

CREDENTIALS = "ASKBACK_CREDENTIALS"
"""The variable with the path of a file of credentials, for programs whose configuration others can read."""


class NoServer(AskbackError):
    """No server was named and none was found; the message says how to start one."""


@dataclass(frozen=True, slots=True)
class ServerLocation:
    """Where a server is, and the token to use there."""

    url: str
    token: str
    key: str = field(default="", repr=False)
    """The server proves that it has this key before it gets the token. Empty if the address is from elsewhere."""


def find(url: str | None = None, token: str | None = None) -> ServerLocation:
    """Return the server to talk to; raises `NoServer`.

    Arguments win over a file of credentials (`ASKBACK_CREDENTIALS`: JSON with `token`, and `url` or `data_dir`). The
    file wins over `ASKBACK_URL` and `ASKBACK_TOKEN`, which win over the `server.json` that a server writes
    into its data folder (`ASKBACK_DATA_DIR`).
    """
    credentials = {} if url and token else _credentials()
    configured = credentials or {
        name: os.environ.get(f"ASKBACK_{name.upper()}", "") for name in ("url", "token")
    }
    url, token = url or configured.get("url") or None, token or configured.get("token") or None
    recorded = dict[str, str]()
    if url is None or token is None:
        path = Path(credentials.get("data_dir") or data_dir()) / "server.json"
        recorded = _recorded_by_server(path)
        url_of_server = recorded.get("url")
        if token is None and url in (None, url_of_server):
            token = recorded.get("requester_token")
        url = url or url_of_server
    else:
        path = None
    if url is None:
        raise NoServer(f"No askback server is known: no ASKBACK_URL, and no {path}. Run `askback serve`.")
    if token is None:
        raise NoServer(f"No token for {url}. Set ASKBACK_TOKEN; `askback serve` prints it.")
    if not _is_address(url):
        raise NoServer(f"The URL {url} must be like https://askback.example.com, with http:// or https://.")
    key = recorded.get("key", "") if url == recorded.get("url") else ""
    return ServerLocation(url.rstrip("/"), token, key)


def _credentials() -> dict[str, str]:
    """Return the content of the credentials file; empty if the environment names none.

    Raises `NoServer` for a file without a token: the caller must not become somebody else, whose token is at hand.
    """
    path = os.environ.get(CREDENTIALS)
    if not path:
        return {}
    credentials = _recorded_by_server(Path(path))
    if not credentials.get("token"):
        raise NoServer(
            f"The credentials file {path}, which {CREDENTIALS} names, is missing or has no token. If it is from "
            "`askback install CLIENT`, run that command again; otherwise correct the variable."
        )
    return credentials


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and not parts.fragment


def named_data_dir() -> Path | None:
    """Return the data folder that a credentials file names: its server belongs to this user, and may be started.

    Raises `NoServer` as `find` does.
    """
    credentials = _credentials()
    return (
        Path(credentials["data_dir"]) if credentials.get("data_dir") and not credentials.get("url") else None
    )


def data_dir() -> Path:
    """Return the folder of this user's server."""
    configured_folder = os.environ.get("ASKBACK_DATA_DIR")
    return (
        Path(configured_folder).expanduser()
        if configured_folder
        else Path.home() / ".local" / "share" / "askback"
    )


def _recorded_by_server(path: Path) -> dict[str, str]:
    try:
        recorded: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return recorded if isinstance(recorded, dict) else {}  # pyright: ignore[reportUnknownVariableType]
