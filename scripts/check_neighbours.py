"""Resolve each supported framework alone and beside askback, and compare the versions (N22).

A framework whose newest release caps a package below askback's lower bound makes an installer silently choose
an old release of the framework. `make neighbours` resolves again (it needs uv and a package index), prints
both versions, exits with 1 if they differ, and writes `tests/structure/neighbours.json`; a test compares
askback's requirements with that file, so CI needs no index.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import setup

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "tests/structure/neighbours.json"
SERVER = ("postgres", "files")
FRAMEWORKS = {
    "ag-ui-protocol": ["ag-ui"],
    "agent-framework-core": ["agent-framework"],
    "claude-agent-sdk": ["claude"],
    "crewai": ["crewai"],
    "fastmcp": [],
    "google-adk": ["adk"],
    "langchain": ["langgraph"],
    "langgraph": ["langgraph"],
    "mcp": ["mcp"],
    "openai-agents": ["openai-agents"],
    "pydantic-ai-slim": ["pydantic-ai"],
}
"""The extras of askback that a user of each framework installs."""
PYTHON = "3.12"


@dataclass(frozen=True)
class Neighbour:
    """A framework as uv resolves it; `version_with_askback` is None if it cannot be installed together with askback."""

    name: str
    latest_version: str
    version_with_askback: str | None
    shared: dict[str, str]
    """The versions, alone, of the packages that askback requires too."""

    @property
    def is_held_back(self) -> bool:
        """Whether an installer would choose another version, or none, beside askback."""
        return self.latest_version != self.version_with_askback


def requirements(extras: Iterable[str]) -> list[str]:
    """Return askback's requirements with some extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [
        *project["dependencies"],
        *(requirement for extra in extras for requirement in project["optional-dependencies"][extra]),
    ]


def name_of(requirement: str) -> str:
    """Return the normalized package name of a requirement or a pin."""
    return re.split(r"[^A-Za-z0-9._-]", requirement.strip(), maxsplit=1)[0].lower().replace("_", "-")


def resolve(requirements: list[str]) -> dict[str, str] | None:
    """Return the version of each package that uv chooses for some requirements, or None if it finds none."""
    options = ["pip", "compile", "-", "--quiet", "--no-header", "--no-annotate", "--python-version", PYTHON]
    process = subprocess.run(
        [setup.find_uv(), *options],
        input="\n".join(requirements),
        text=True,
        check=False,
        capture_output=True,
    )
    if process.returncode:
        print(process.stderr, file=sys.stderr)
        return None
    return dict(re.findall(r"^([a-z0-9._-]+)(?:\[[^\]]*\])?==(\S+)", process.stdout, re.MULTILINE))


def check_framework(framework: str) -> Neighbour:
    """Resolve a framework alone and beside askback; raises `SetupError` if it cannot be resolved even alone."""
    latest_version = resolve([framework])
    if latest_version is None:
        raise setup.SetupError(f"uv cannot resolve {framework}; is there a package index?")
    version_with_askback = resolve([framework, *requirements([*SERVER, *FRAMEWORKS[framework]])])
    shared = {name_of(requirement) for requirement in requirements(SERVER)} & latest_version.keys()
    return Neighbour(
        framework,
        latest_version[framework],
        None if version_with_askback is None else version_with_askback[framework],
        {name: latest_version[name] for name in sorted(shared)},
    )


def main() -> int:
    """Resolve, print, write the record, and return 1 if a framework is held back."""
    parser = argparse.ArgumentParser(description="Resolve agent frameworks alone and beside askback.")
    parser.add_argument("--record", type=Path, default=RECORD, help="the file to write")
    record: Path = parser.parse_args().record
    try:
        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(check_framework, FRAMEWORKS))
    except setup.SetupError as error:
        print(f"neighbours: {error}", file=sys.stderr)
        return 1
    versions = {
        result.name: {"version": result.latest_version, "shared": result.shared} for result in results
    }
    record.write_text(json.dumps(versions, indent=2) + "\n", "utf-8")
    print(f"{'framework':<22}{'alone':<12}beside askback")
    for result in results:
        note = "   held back" if result.is_held_back else ""
        print(
            f"{result.name:<22}{result.latest_version:<12}{result.version_with_askback or 'impossible'}{note}"
        )
    return int(any(result.is_held_back for result in results))


if __name__ == "__main__":
    sys.exit(main())
