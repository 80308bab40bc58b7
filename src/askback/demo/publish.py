"""Publishes the files of the current folder: `python publish.py ADDRESS`.

It finds the registry's token in its environment, and is as verbose as such programs are: it prints the header
with the token. `askback run` removes the token from that before anybody reads it.

Standard library only: an agent runs it, and it is independent of askback.
"""

from __future__ import annotations

import json
import os
import sys
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

TOKEN = "DEMO_REGISTRY_TOKEN"  # noqa: S105 - its name
TIME_S = 10.0


def call(method: str, address: str, token: str, body: bytes | None = None) -> tuple[int, str]:
    """Call the registry; return the status and its text. Raises `OSError`."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.netloc, timeout=TIME_S)
    try:
        connection.request(method, parts.path, body, {"Authorization": f"Bearer {token}"})
        reply = connection.getresponse()
        return reply.status, reply.reason
    except HTTPException as error:
        raise ConnectionError(f"{parts.netloc} does not speak HTTP") from error
    finally:
        connection.close()


def files_in(folder: Path) -> dict[str, str]:
    """Return the files of a folder by path, without those of git."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    paths_in_folder = {path.relative_to(folder): path for path in paths}
    return {
        relative_path.as_posix(): path.read_text("utf-8")
        for relative_path, path in paths_in_folder.items()
        if relative_path.parts[0] != ".git"
    }


def main(address: str) -> int:
    """Publish; returns 0 if the registry accepted it, 1 if it refused."""
    token = os.environ[TOKEN]
    files = files_in(Path.cwd())
    body = json.dumps({"files": files}).encode()
    print(f"PUT {address}")
    print(f"Authorization: Bearer {token}")
    print(f"{len(files)} files, {len(body):,} bytes")
    status, words = call("PUT", address, token, body)
    print(status, words)
    return 0 if status == 201 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
