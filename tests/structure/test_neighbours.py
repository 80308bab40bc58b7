"""askback installs beside the newest release of each agent framework, and holds none of them back."""

from __future__ import annotations

import json
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
    extras = [one for extra in project["optional-dependencies"].values() for one in extra]
    read = [Requirement(one) for one in (*project["dependencies"], *extras)]
    return {canonicalize_name(one.name): one for one in read}


@requirement("N22")
@pytest.mark.parametrize("framework", RECORD)
def test_what_a_framework_resolves_to_alone_is_good_enough_for_askback(framework: str) -> None:
    """`make neighbours` made the record: the versions of shared packages that the framework alone resolves to."""
    ours = requirements()
    refused = {
        name: (version, str(ours[name].specifier))
        for name, version in RECORD[framework]["shared"].items()
        if not ours[name].specifier.contains(version)
    }
    assert refused == {}, f"{framework} {RECORD[framework]['version']} would be held back"
