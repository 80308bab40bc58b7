"""Setup and build report missing parts instead of making something broken."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hatchling.metadata.core import ProjectMetadata

from scripts.build_hook import UiPresent
from tests.structure.tree import ROOT


def build_hook(root: Path) -> UiPresent:
    return UiPresent(str(root), {}, None, ProjectMetadata(str(root), None), str(root / "dist"), "wheel")


def environment_with(folder: Path, **programs: str) -> dict[str, str]:
    """An environment whose PATH has only these programs, each printing its version."""
    for name, version in programs.items():
        program = folder / name
        program.write_text(f"#!/bin/sh\necho {version}\n")
        program.chmod(0o755)
    return {**os.environ, "PATH": str(folder)}


def _set_up_ui(environment: dict[str, str]) -> tuple[int, str]:
    command = [sys.executable, str(ROOT / "scripts" / "setup.py"), "--ui"]
    finished_result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return finished_result.returncode, finished_result.stderr


def test_a_build_without_the_ui_fails_and_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="`make ui`"):
        build_hook(tmp_path).initialize("standard", {})


def test_an_editable_install_needs_no_ui(tmp_path: Path) -> None:
    build_hook(tmp_path).initialize("editable", {})


def test_a_build_with_the_ui_goes_on(tmp_path: Path) -> None:
    static = tmp_path / "src" / "askback" / "static"
    (static / "assets").mkdir(parents=True)
    (static / "index.html").touch()
    (static / "assets" / "index.js").touch()
    build_hook(tmp_path).initialize("standard", {})


def test_setup_without_node_says_what_to_install(tmp_path: Path) -> None:
    status, text = _set_up_ui(environment_with(tmp_path))
    assert (status, "Node is not installed" in text) == (1, True)


def test_setup_with_an_old_node_names_both_versions(tmp_path: Path) -> None:
    status, text = _set_up_ui(environment_with(tmp_path, node="v18.19.0"))
    assert (status, "Node 18.19.0 is too old" in text, "20.19 or later" in text) == (1, True, True)


def test_setup_without_npm_says_so(tmp_path: Path) -> None:
    status, text = _set_up_ui(environment_with(tmp_path, node="v22.1.0"))
    assert (status, "npm is not installed" in text) == (1, True)


@pytest.mark.parametrize("version", ["(3, 10, 4)", "(3, 15, 0)"])
def test_setup_with_an_unsupported_python_names_the_supported_versions(version: str) -> None:
    run_setup = f"import runpy, sys; sys.version_info = {version}; runpy.run_path('scripts/setup.py', None, '__main__')"
    result = subprocess.run(
        [sys.executable, "-c", run_setup], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (result.returncode, "3.11 to 3.14" in result.stdout + result.stderr) == (1, True)
