"""Make an environment for each peer: its pinned packages conflict with ours and with each other's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / "build" / "bench"


def python(peer: str) -> Path:
    """Return the Python of a peer's environment, which is made if it is missing or its packages have changed."""
    requirements = Path(__file__).with_name(f"{peer}.txt")
    folder = PLACE / peer
    stamp = folder / "made-from.txt"
    if not stamp.exists() or stamp.read_text() != requirements.read_text():
        print(f"bench: making the environment of {peer}", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        quietly = ["--quiet", "--disable-pip-version-check", "--requirement", requirements]
        subprocess.run([folder / "bin" / "python", "-m", "pip", "install", *quietly], check=True)
        stamp.write_text(requirements.read_text())
    return folder / "bin" / "python"
