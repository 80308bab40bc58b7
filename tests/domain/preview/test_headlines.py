"""The headline of a call: its effect on one line."""

from __future__ import annotations

import pytest

from askback.domain.policy.calls import Call
from askback.domain.preview import preview


@pytest.mark.parametrize(
    ("command", "headline"),
    [
        ("make test\n", "make test"),
        ("  cat <<'E'\r\n\tone\n\n  two\n", "cat <<'E' ↵ one ↵ two"),
        ("printf 'a\\nb'\nls", "printf 'a\\nb' ↵ ls"),
        ("ls\n\u200b\nid", "ls ↵ \\u200b ↵ id"),
        ("\n" * 250_000, ""),
    ],
)
def test_the_lines_of_a_command_are_told_apart_in_its_headline(command: str, headline: str) -> None:
    assert preview(Call("bash", {"command": command})).headline == f"Run: {headline}"
    assert preview(Call("frob", command)).headline == (f"Use frob: {headline}" if headline else "Use frob")
