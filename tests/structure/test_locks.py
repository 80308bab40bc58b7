"""The locks contain the requirements of pyproject.toml, each file with a hash and none with an address."""

from __future__ import annotations

import json
import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.structure.tree import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)(.*)$", re.MULTILINE)


def pinned_versions(lock: str) -> dict[str, str]:
    return {
        canonicalize_name(name): version for name, version, _ in PINNED.findall((ROOT / lock).read_text())
    }


def declared_requirements(lock: str) -> list[Requirement]:
    groups = PROJECT["dependency-groups"]
    runtime = PROJECT["project"]["dependencies"]
    extras = [
        text for extra in ("postgres", "files") for text in PROJECT["project"]["optional-dependencies"][extra]
    ]
    names = {
        "requirements.lock": runtime,
        "requirements-dev.lock": runtime + extras + groups["dev"],
        "requirements-tools.lock": groups["tools"],
    }
    return [Requirement(text) for text in names[lock]]


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock", "requirements-tools.lock"])
def test_a_lock_pins_the_dependencies_of_the_project(lock: str) -> None:
    pins = pinned_versions(lock)
    unmet = [
        str(r)
        for r in declared_requirements(lock)
        if not r.specifier.contains(pins.get(canonicalize_name(r.name), "0"))
    ]
    assert unmet == []


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock", "requirements-tools.lock"])
def test_a_lock_has_a_hash_for_each_package_and_no_address(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert all("--hash=sha256:" in block for block in re.split(r"\n(?=[a-z])", text.strip()))
    assert "://" not in text


def test_tests_run_on_the_versions_that_users_get() -> None:
    runtime, dev = pinned_versions("requirements.lock"), pinned_versions("requirements-dev.lock")
    assert {name: dev.get(name) for name in runtime} == runtime


@pytest.mark.parametrize("folder", ["web", "examples/frameworks/typescript"])
def test_an_npm_lock_has_hashes_and_no_address(folder: str) -> None:
    text = (ROOT / folder / "package-lock.json").read_text("utf-8")
    assert "://" not in text
    locked = {name: entry for name, entry in json.loads(text)["packages"].items() if "node_modules/" in name}
    assert [name for name, entry in locked.items() if not {"integrity", "link"} & entry.keys()] == []
    assert [name for name, entry in locked.items() if "resolved" in entry and "link" not in entry] == []
