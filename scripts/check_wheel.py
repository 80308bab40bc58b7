"""Build the wheel and check its contents: the web UI, the messages, the types marker, no tests.

Then install it, with the locked runtime packages only, into an empty environment and run it there, to check
that it declares everything that it imports.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from setup import find_uv

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
REQUIRED_FILES = (
    "askback/__init__.py",
    "askback/py.typed",
    "askback/messages/en.json",
    "askback/messages/de.json",
    "askback/static/manifest.json",
    "askback/static/*.html",
    "askback/static/assets/*.js",
    "askback/storage/sqlite/migrations/*.sql",
)
UNWANTED = ("tests/*", "web/*", "bench/*", "*.map", "*.pyc", "*.db")


def build() -> Path:
    """Build one wheel from the working tree and return it."""
    shutil.rmtree(DIST, ignore_errors=True)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(DIST), str(ROOT)]
    process = subprocess.run(command, check=False, capture_output=True, text=True)
    if process.returncode:
        sys.exit(process.stdout + process.stderr)
    return next(DIST.glob("*.whl"))


def faults(wheel: Path) -> list[str]:
    """List missing and unexpected files of the wheel."""
    names = [Path(name) for name in zipfile.ZipFile(wheel).namelist()]
    missing = [
        f"lacks {pattern}" for pattern in REQUIRED_FILES if not any(name.match(pattern) for name in names)
    ]
    extra = [f"holds {name}" for name in names if any(name.match(pattern) for pattern in UNWANTED)]
    return missing + extra


def check_installation(wheel: Path) -> str | None:
    """Install the wheel into a new environment and run it; return the errors."""
    uv = str(find_uv())
    with tempfile.TemporaryDirectory() as folder:
        python = f"{folder}/bin/python"
        install = [uv, "pip", "install", "--quiet", "--python", python]
        for command in (
            [uv, "venv", "--quiet", "--no-python-downloads", "--python", sys.executable, folder],
            [*install, "--require-hashes", "-r", str(ROOT / "requirements.lock")],
            [*install, "--no-deps", str(wheel)],
            [f"{folder}/bin/askback", "--help"],
            [python, "-I", "-c", "from askback import *; import askback.server.app, askback.testing"],
        ):
            process = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder)
            if process.returncode:
                return f"`{' '.join(command)}` failed:\n{process.stdout}{process.stderr}"
    return None


def main() -> None:
    """Build, check, and print the result."""
    wheel = build()
    problems = faults(wheel) or list(filter(None, [check_installation(wheel)]))
    if problems:
        sys.exit(f"{wheel.name}:\n  " + "\n  ".join(problems))
    print(f"{wheel.name}: {wheel.stat().st_size // 1024} KiB, carries the UI and runs on what it declares")


if __name__ == "__main__":
    main()
