"""`askback` itself: its list of commands, and that a command does not import what it does not need."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version

import pytest

from askback.cli.main import COMMANDS
from tests.cli.conftest import ENVIRONMENT, start
from tests.cli.scripts import complete

HEAVY = {"askback.server.app", "askback.service", "askback.storage", "starlette", "uvicorn"}
LOADED = """
import json, sys
from askback.cli.main import main
try:
    main()
except SystemExit:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments", [["--help"], ["ask", "--timeout", "1", "Which one?"], ["run", "--help"]]
)
def test_the_ask_command_imports_no_server(tmp_path: object, arguments: list[str]) -> None:
    finished_result = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments],
        env={**ENVIRONMENT, "ASKBACK_DATA_DIR": str(tmp_path)}, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert HEAVY & set(json.loads(finished_result.stderr.splitlines()[-1])) == set()


@pytest.mark.parametrize(
    ("arguments", "unused"),
    [
        (["--version"], {"pydantic", "rich", "askback.client", "askback.domain"}),
        (
            ["serve", "--port", "0", "--database-url", "sqlite:////dev/null/x"],
            {
                "rich",
                "httpx2",
                "markdown_it",
                "tree_sitter",
                "askback.client",
                "askback.domain.preview",
                "askback.domain.policy.shell",
                "askback.service.approvals.create",
            },
        ),
    ],
)
def test_a_command_imports_only_its_own_dependencies(
    tmp_path: object, arguments: list[str], unused: set[str]
) -> None:
    finished_result = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments],
        env={**ENVIRONMENT, "ASKBACK_DATA_DIR": str(tmp_path)}, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert unused & set(json.loads(finished_result.stderr.splitlines()[-1])) == set()


NOT_ON_WINDOWS = ("serve", "inbox", "run")
ON_WINDOWS = """
import sys
sys.modules.update(dict.fromkeys(['fcntl', 'termios', 'resource']))
from askback.cli.main import main
for command in sys.argv[1:]:
    sys.argv = ["askback", command]
    try:
        main()
    except SystemExit as ended:
        print(ended.code)
"""


def test_a_command_that_windows_cannot_run_names_the_alternatives() -> None:
    finished_result = subprocess.run(
        [sys.executable, "-c", ON_WINDOWS, *NOT_ON_WINDOWS], env=ENVIRONMENT, capture_output=True, text=True, timeout=120, check=True
    )  # fmt: skip
    assert finished_result.stdout == "1\n" * len(NOT_ON_WINDOWS)
    assert finished_result.stderr.splitlines() == [
        f"askback: `askback {command}` needs Linux or macOS. "
        "On Windows, run it in WSL; the Python client works on Windows."
        for command in NOT_ON_WINDOWS
    ]


def test_the_client_needs_nothing_that_windows_lacks() -> None:
    program = (
        "import sys; sys.modules.update(dict.fromkeys(['fcntl', 'termios', 'resource', 'pwd', 'grp']))\n"
    )
    subprocess.run(
        [sys.executable, "-c", f"{program}import askback, askback.client.gate"], timeout=120, check=True
    )


def test_the_version_is_that_of_the_installed_package() -> None:
    status, out, _ = complete(start("--version"))
    assert (status, out) == (0, f"askback {version('askback')}\n")


def test_the_help_lists_every_command() -> None:
    status, out, _ = complete(start("--help", COLUMNS="120"))
    assert status == 0
    width = max(map(len, COMMANDS))
    for name, line in COMMANDS.items():
        assert f"│ {name:<{width}}  {line} " in out


def test_the_help_of_a_command_keeps_brackets_and_fills_the_lines() -> None:
    status, out, _ = complete(start("run", "--help", COLUMNS="300"))
    help_text = (
        "in its output each is replaced by [secret:NAME]. The command gets none of askback's own variables."
    )
    assert (status, help_text in " ".join(out.split("\n")[:8])) == (0, True)
