"""The type check of an adapter and its examples reads every file, and fails."""

from __future__ import annotations

import re
from pathlib import Path

from scripts.adapter_types import check_types
from tests.structure.tree import ROOT

ENVIRONMENT = ROOT / ".venv"


def test_each_error_is_named_with_its_file_and_line(tmp_path: Path) -> None:
    example = tmp_path / "wrong_agent.py"
    example.write_text("from askback import Client\n\nask: Client = 8\n")
    package = tmp_path / "wrong"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "gate.py").write_text("\ndef size(text: list) -> None: ...\n")
    complaints = check_types([package, example], ENVIRONMENT)
    assert [re.findall(r"\w+\.py:\d+|report\w+", complaint) for complaint in complaints] == [
        ["gate.py:2", "reportUnknownParameterType"],
        ["gate.py:2", "reportMissingTypeArgument"],
        ["wrong_agent.py:3", "reportAssignmentType"],
    ]


def test_a_check_that_reads_fewer_files_fails(tmp_path: Path) -> None:
    assert check_types([tmp_path / "gone.py"], ENVIRONMENT) == ["pyright read 0 files instead of 1"]
