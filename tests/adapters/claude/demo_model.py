"""Run an example without a key: `python -m tests.adapters.claude.demo_model examples/frameworks/claude_agent.py`.

The model is the fake one. It asks which license the project shall have, and writes it. Claude Code keeps its sessions
in the folder `DEMO_HOME`, or nowhere.
"""

from __future__ import annotations

import os
import runpy
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.adapters.claude.cli_environment import cli_environment
from tests.adapters.claude.fake_model import Blocks, FakeModel, call, last_result

LICENSES = [
    {"label": "MIT", "description": "short and permissive"},
    {"label": "Apache-2.0", "description": "permissive, with a grant of patents"},
]
QUESTION = {"question": "Which license?", "header": "License", "options": LICENSES, "multiSelect": False}


def write_license(body: Mapping[str, Any]) -> Blocks:
    """Write the license that the person chose, which the last result of a call has."""
    license_name = next(item["label"] for item in LICENSES if f'="{item["label"]}"' in last_result(body))
    return [call("Bash", command=f"echo {license_name} > LICENSE")]


def play(model: FakeModel) -> None:
    """Make the model add a license."""
    model.play(
        "Add a license",
        [call("AskUserQuestion", questions=[QUESTION])],
        write_license,
        ["Added the license."],
    )


def main() -> None:
    """Run the example that is named, with its arguments."""
    with FakeModel() as model, tempfile.TemporaryDirectory() as folder:
        play(model)
        os.environ |= cli_environment(model.url, Path(os.environ.get("DEMO_HOME", folder)))
        del sys.argv[0]
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
