"""The projects that the sample agent writes: complete, runnable, and never over something else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from askback.demo.project.files import LANGUAGES, new_folder, project_files, write_file
from askback.demo.project.plan import Plan

EVERYTHING = frozenset({"cli", "ci", "docker", "editorconfig"})
ODD = 'A "quoted" \\ back-slash, ${x} `tick` {brace} $dollar, ünï and 🎉'
PLAN = Plan("hello-world", "python", EVERYTHING, "MIT", date(2024, 2, 29), ODD)
TOOLS = {
    "python": [sys.executable, "-m", "unittest", "-v"],
    "javascript": ["node", "--test"],
    "rust": ["cargo", "test", "--offline", "--quiet"],
}
RUNS = {
    "python": [sys.executable, "-m", "hello_world"],
    "javascript": ["node", "bin/hello-world.js"],
    "rust": ["cargo", "run", "--offline", "--quiet"],
}


def written(plan: Plan, parent: Path) -> Path:
    folder = new_folder(parent, plan.name)
    for path, text in project_files(plan).items():
        write_file(folder, path, text)
    return folder


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_written_project_passes_its_own_tests_and_runs(language: str, tmp_path: Path) -> None:
    tool = TOOLS[language]
    if shutil.which(tool[0]) is None:
        pytest.skip(f"{tool[0]} is not installed")
    folder = written(replace(PLAN, language=language), tmp_path)

    tests = subprocess.run(tool, cwd=folder, capture_output=True, text=True, timeout=100)
    assert tests.returncode == 0, tests.stdout + tests.stderr
    assert "Ran 3 tests" in tests.stderr if language == "python" else True

    run = subprocess.run(
        RUNS[language], cwd=folder, capture_output=True, text=True, timeout=100, encoding="utf-8"
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(f"hello-world: {ODD} (")


@pytest.mark.parametrize("name", ["class", "test", "http", "core", "self", "unittest", "tests"])
def test_a_reserved_name_still_makes_a_working_package(name: str, tmp_path: Path) -> None:
    folder = written(replace(PLAN, name=name), tmp_path)
    finished_result = subprocess.run(TOOLS["python"], cwd=folder, capture_output=True, text=True, timeout=120)
    assert finished_result.returncode == 0, finished_result.stderr
    assert folder.name == name


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("licence", ["MIT", "Apache-2.0", "GPL-3.0-or-later", 'My "own" licence'])
def test_manifests_parse_and_name_the_licence(language: str, licence: str) -> None:
    files = project_files(replace(PLAN, language=language, licence=licence))
    known = not licence.startswith("My")
    if language == "javascript":
        manifest = json.loads(files["package.json"])
        assert manifest["description"] == ODD
        assert manifest["license"] == (licence if known else "SEE LICENSE IN LICENSE")
    else:
        name, table = ("pyproject.toml", "project") if language == "python" else ("Cargo.toml", "package")
        manifest = tomllib.loads(files[name])[table]
        assert manifest["description"] == ODD
        assert ("license-file" in manifest) if language == "rust" and not known else manifest["license"]
    assert licence in files["LICENSE"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_features_decide_which_files_there_are(language: str) -> None:
    plain_stored_secret = set(project_files(replace(PLAN, language=language, features=frozenset())))
    full_stored_secret = set(project_files(replace(PLAN, language=language)))
    assert {"README.md", "LICENSE", ".gitignore"} <= plain_stored_secret
    extra = full_stored_secret - plain_stored_secret
    assert {"Dockerfile", ".dockerignore", ".editorconfig", ".github/workflows/test.yml"} < extra
    assert len(extra) == 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_generated_file_names_a_host(language: str) -> None:
    for path, text in project_files(replace(PLAN, language=language)).items():
        assert not re.search(r"https?://|\b[\w-]+\.(org|io|com|dev)\b", text), path


def test_an_existing_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "hello-world").mkdir()
    (tmp_path / "hello-world-2").symlink_to(tmp_path / "nowhere")
    assert new_folder(tmp_path, "hello-world") == tmp_path / "hello-world-3"
