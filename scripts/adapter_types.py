"""Check the types of an adapter, its examples and its tests, beside the framework that they use.

The configuration in `pyproject.toml` leaves these files out, since their frameworks are not in `.venv`, and pyright
leaves them out even when its command line names them. So each check has a configuration of its own, and it counts the
files that pyright read.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).resolve().parent.parent
PYRIGHT = ROOT / ".venv" / "bin" / "pyright"


Mode = Literal["basic", "strict"]


def check_types(sources: Sequence[Path], environment: Path, *, mode: Mode = "strict") -> list[str]:
    """Return the complaints of pyright about files and packages, one line each.

    `environment` is the virtual environment with the packages that they import.
    """
    files = [file for source in sources for file in (source.rglob("*.py") if source.is_dir() else [source])]
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "pyrightconfig.json"
        project.write_text(json.dumps(_configuration(sources, environment, Path(folder), mode)), "utf-8")
        command = [PYRIGHT, "--outputjson", "--project", project]
        process = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    try:
        report = json.loads(process.stdout)
    except json.JSONDecodeError:
        return [f"pyright ended with {process.returncode}: {process.stdout}{process.stderr}"]
    return [*_type_errors(report, len(files))]


def _configuration(sources: Sequence[Path], environment: Path, folder: Path, mode: Mode) -> dict[str, Any]:
    return {
        # pyright ignores absolute paths here.
        "include": [os.path.relpath(source.resolve(), folder.resolve()) for source in sources],
        "exclude": ["**/node_modules"],
        "typeCheckingMode": mode,
        "reportMissingTypeStubs": False,
        "pythonVersion": "3.11",
        "venvPath": str(environment.parent),
        "venv": environment.name,
        "extraPaths": [str(ROOT)],
    }


def _type_errors(report: dict[str, Any], expected: int) -> Iterator[str]:
    for diagnostic in report["generalDiagnostics"]:
        if diagnostic["severity"] == "error":
            start, rule = diagnostic["range"]["start"], diagnostic.get("rule", "syntax")
            path = os.path.relpath(diagnostic["file"], ROOT)
            # The types of a framework can be pages long.
            message = "\n".join(line[:300] for line in diagnostic["message"].splitlines())
            yield f"{path}:{start['line'] + 1}:{start['character'] + 1}: {message} ({rule})"
    if (read := report["summary"]["filesAnalyzed"]) != expected:
        yield f"pyright read {read} files instead of {expected}"
