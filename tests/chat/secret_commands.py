"""A command of a chat that prints a secret in many forms, and the search for it in what the model got."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence

from tests.leaks.canary import Canary, Search, canary

_PRINTS = """printf %s "$SHOP_KEY" | tee used; echo; printf %s "$SHOP_KEY" | base64; printf %s "$SHOP_KEY" | od -An -tx1"""


def new_value() -> Canary:
    """Return a value of two lines with characters that are escaped in many ways."""
    return canary("typed", shape="{}/{}+{}\n{}='{}\"{}")


def print_secret() -> str:
    """Return the command."""
    words = (
        sys.executable,
        "-m",
        "askback",
        "run",
        "--secret",
        "SHOP_KEY",
        "--",
        "bash",
        "-c",
        _PRINTS,
    )
    return shlex.join(words)


def assert_no_leak(value: Canary, result: str, bodies: Sequence[str]) -> None:
    """Assert that the result of the command names the secret, and that no body for the model has the value."""
    assert result.count("[secret:SHOP_KEY]") == 3
    received = "".join(bodies)
    assert not Search([value]).found(received.encode())
    assert value.secret.encode().hex() not in "".join(received.replace("\\n", "").split())
