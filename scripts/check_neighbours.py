"""Resolve each supported framework alone and beside askback, and record the versions that the two share (N22).

A framework whose newest release caps a package below askback's lower bound makes an installer choose an old release of
the framework without a word. `make neighbours` resolves anew (it needs uv and a package index) and writes
`tests/structure/neighbours.json`; a test holds askback's requirements against that file, so CI needs no index for it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import setup

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "tests/structure/neighbours.json"
FRAMEWORKS = (
    "ag-ui-protocol",
    "agent-framework-core",
    "claude-agent-sdk",
    "crewai",
    "fastmcp",
    "google-adk",
    "langchain",
    "langgraph",
    "mcp",
    "openai-agents",
    "pydantic-ai-slim",
)
PYTHON = "3.12"


def requirements() -> list[str]:
    """Return what askback requires, with its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [one for extra in project["optional-dependencies"].values() for one in extra]
    return [*project["dependencies"], *extras]


def name_of(requirement: str) -> str:
    """Return the normalised name of the package that a requirement or a pin is about."""
    return re.split(r"[^A-Za-z0-9._-]", requirement.strip(), maxsplit=1)[0].lower().replace("_", "-")


def resolved(wanted: list[str]) -> dict[str, str]:
    """Return the version of each package that uv chooses for some requirements; raises `CalledProcessError`."""
    options = ["pip", "compile", "-", "--quiet", "--no-header", "--no-annotate", "--python-version", PYTHON]
    done = subprocess.run(
        [setup.find_uv(), *options], input="\n".join(wanted), text=True, check=True, capture_output=True
    )
    return dict(re.findall(r"^([a-z0-9._-]+)(?:\[[^\]]*\])?==(\S+)", done.stdout, re.MULTILINE))


def look(framework: str) -> tuple[str, str, dict[str, str]]:
    """Return the framework's version alone, its version beside askback, and the versions of shared packages alone."""
    ours = requirements()
    alone, beside = resolved([framework]), resolved([framework, *ours])
    shared = {name_of(one) for one in ours} & alone.keys()
    return alone[framework], beside[framework], {name: alone[name] for name in sorted(shared)}


def main() -> int:
    """Resolve, write the record, and return 1 where a framework is held back."""
    with ThreadPoolExecutor(4) as pool:
        found = dict(zip(FRAMEWORKS, pool.map(look, FRAMEWORKS), strict=True))
    record = {name: {"version": alone, "shared": shared} for name, (alone, _, shared) in found.items()}
    RECORD.write_text(json.dumps(record, indent=2) + "\n", "utf-8")
    held_back = {name: (alone, beside) for name, (alone, beside, _) in found.items() if alone != beside}
    for name, (alone, beside) in held_back.items():
        print(f"{name}: {alone} alone, {beside} beside askback")
    return 1 if held_back else 0


if __name__ == "__main__":
    sys.exit(main())
