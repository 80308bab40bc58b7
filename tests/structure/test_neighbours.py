"""askback installs beside the newest release of each agent framework, and holds none of them back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.requirements import requirement
from tests.structure.tree import ROOT

RECORD = json.loads((Path(__file__).parent / "neighbours.json").read_text("utf-8"))


def requirements() -> dict[str, Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [one for extra in ("postgres", "files") for one in project["optional-dependencies"][extra]]
    read = [Requirement(one) for one in (*project["dependencies"], *extras)]
    return {canonicalize_name(one.name): one for one in read}


@requirement("N22")
@pytest.mark.parametrize("framework", RECORD)
def test_askback_accepts_the_version_that_a_framework_resolves_to_alone(framework: str) -> None:
    """`make neighbours` made the record: the versions of shared packages that the framework alone resolves to."""
    ours = requirements()
    mismatches = {
        name: (version, str(ours[name].specifier))
        for name, version in RECORD[framework]["shared"].items()
        if not ours[name].specifier.contains(version)
    }
    assert mismatches == {}, f"{framework} {RECORD[framework]['version']} would be held back"


UV = """#!/bin/sh
[ "$1" = --version ] && exit 0
read -r framework
read -r ours
cat > /dev/null
case "$framework ${ours:+beside}" in
"google-adk beside") echo google-adk==1.0 ;;
"crewai beside") echo "No solution found" >&2; exit 1 ;;
*) printf '%s==2.0\\npydantic==2.14.3\\n' "$framework" ;;
esac
"""


def test_the_check_names_each_framework_that_askback_holds_back_or_conflicts_with(tmp_path: Path) -> None:
    (tmp_path / "uv").write_text(UV)
    (tmp_path / "uv").chmod(0o755)
    finished_result = subprocess.run(
        [sys.executable, ROOT / "scripts" / "check_neighbours.py", "--record", tmp_path / "record.json"],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    rows = {line.split()[0]: line.split()[1:] for line in finished_result.stdout.splitlines()[1:]}
    assert finished_result.returncode == 1
    assert rows.pop("google-adk") == ["2.0", "1.0", "held", "back"]
    assert rows.pop("crewai") == ["2.0", "impossible", "held", "back"]
    assert rows == dict.fromkeys(RECORD.keys() - {"google-adk", "crewai"}, ["2.0", "2.0"])
    assert json.loads((tmp_path / "record.json").read_text())["langgraph"] == {
        "version": "2.0",
        "shared": {"pydantic": "2.14.3"},
    }
