"""A client that writes its whole body before it reads is told that the body is too large."""

from __future__ import annotations

import urllib.error
import urllib.request

import pytest

from tests.cli.conftest import Server
from tests.requirements import requirement


@requirement("G14")
@pytest.mark.parametrize("megabytes", [2, 8, 30])
def test_a_client_that_writes_first_gets_413(server: Server, megabytes: int) -> None:
    headers = {"Authorization": f"Bearer {server.tokens['requester']}", "Content-Type": "application/json"}
    body = b" " * (megabytes * 1024 * 1024)
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for _ in range(3):
        request = urllib.request.Request(f"{server.url}/v1/requests", data=body, headers=headers)  # noqa: S310
        with pytest.raises(urllib.error.HTTPError) as exc_info:
            direct.open(request, timeout=120)
        assert exc_info.value.code == 413
        assert b"too_large" in exc_info.value.read()
