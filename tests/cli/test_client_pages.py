"""The pages about clients show what `askback install` adds."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from askback.cli.clients.definitions import CLIENTS, Command
from tests.structure.tree import ROOT

BLOCK = re.compile(r"<!-- installed: (\S+) -->\n```(?:json|toml)\n(.*?)```", re.DOTALL)
SHOWN = {
    name: text
    for page in (ROOT / "docs" / "how-to").glob("*.md")
    for name, text in BLOCK.findall(page.read_text("utf-8"))
}
HOME = Path("/srv/ada")


def test_each_client_with_one_file_has_its_page() -> None:
    assert SHOWN.keys() == CLIENTS.keys() - {"claude-code"}


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_a_page_shows_the_installed_configuration(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/opt/askback/bin/python")
    monkeypatch.delenv("CODEX_HOME", raising=False)
    credentials = HOME / ".local" / "share" / "askback" / "clients" / f"{name}.json"
    (addition,) = CLIENTS[name].additions(HOME, Command(credentials))
    assert SHOWN[name] == addition.add_to("")
