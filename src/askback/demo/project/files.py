"""All files of a project, by path: those of its language, and the common ones."""

from __future__ import annotations

import itertools
from pathlib import Path
from string import Template
from types import ModuleType

from askback.demo.project import javascript, python, rust
from askback.demo.project.plan import Plan, licence_text

LANGUAGES: dict[str, ModuleType] = {"python": python, "javascript": javascript, "rust": rust}

_README = Template("""\
# $name

$description

Started on $start. Licence: $licence.

## Test it

    $test
$run""")

_CI = Template("""\
name: test
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
$setup      - run: $test
""")

_SETUP = {
    "python": "      - uses: actions/setup-python@v5\n        with:\n          python-version: '3.12'\n",
    "javascript": "      - uses: actions/setup-node@v4\n        with:\n          node-version: '20'\n",
    "rust": "",
}

_DOCKERFILE = {
    "python": "FROM python:3.12-slim\nWORKDIR /app\nCOPY . .\nCMD {command}\n",
    "javascript": "FROM node:20-slim\nWORKDIR /app\nCOPY . .\nCMD {command}\n",
    "rust": "FROM rust:1-slim\nWORKDIR /app\nCOPY . .\nRUN cargo build --release\nCMD {command}\n",
}

_IGNORED = {
    "python": "__pycache__/\n*.egg-info/\nbuild/\ndist/\n.venv/\n",
    "javascript": "node_modules/\n",
    "rust": "target/\n",
}

_EDITORCONFIG = """\
root = true

[*]
charset = utf-8
end_of_line = lf
insert_final_newline = true
trim_trailing_whitespace = true
indent_style = space
indent_size = 4

[*.{js,json,yml}]
indent_size = 2
"""


def project_files(plan: Plan) -> dict[str, str]:
    """Return every file of the project as text by its path, in the order to write them."""
    language = LANGUAGES[plan.language]
    files = {"README.md": _readme(plan), "LICENSE": licence_text(plan), ".gitignore": _IGNORED[plan.language]}
    files |= language.files(plan)
    if "editorconfig" in plan.features:
        files[".editorconfig"] = _EDITORCONFIG
    if "ci" in plan.features:
        files[".github/workflows/test.yml"] = _CI.substitute(
            setup=_SETUP[plan.language], test=language.TEST_COMMAND
        )
    if "docker" in plan.features:
        files["Dockerfile"] = _DOCKERFILE[plan.language].format(command=_run(plan) or language.TEST_COMMAND)
        files[".dockerignore"] = f".git/\n{_IGNORED[plan.language]}"
    return files


def test_command(plan: Plan) -> str:
    """Return the command that runs the project's own tests, in its folder."""
    return LANGUAGES[plan.language].TEST_COMMAND


def _readme(plan: Plan) -> str:
    run = _run(plan)
    return _README.substitute(
        name=plan.name,
        description=plan.description.strip(),
        start=plan.start.isoformat(),
        licence=plan.licence,
        test=test_command(plan),
        run=f"\n## Run it\n\n    {run}\n" if run else "",
    )


def _run(plan: Plan) -> str | None:
    if "cli" not in plan.features:
        return None
    return LANGUAGES[plan.language].RUN_COMMAND.format(module=plan.module, package=plan.package)


def new_folder(parent: Path, name: str) -> Path:
    """Create `parent/name`, or `name-2`, `name-3` … if it exists, also because of another agent."""
    parent.mkdir(parents=True, exist_ok=True)
    for folder_name in itertools.chain([name], (f"{name}-{n}" for n in itertools.count(2))):
        try:
            (parent / folder_name).mkdir()
        except FileExistsError:
            continue
        return parent / folder_name
    raise AssertionError("there is no last number")


def write_file(folder: Path, path: str, text: str) -> None:
    """Write one file of a project atomically, so that a killed agent leaves no partial file."""
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    new_file = target.with_name(f".{target.name}.new")
    new_file.write_text(text, encoding="utf-8", newline="\n")
    new_file.replace(target)
