"""Set the project up: a virtual environment with locked packages, and the built web UI.

Needs Python 3.11 to 3.14, Node (the version that web/package.json names) and npm. Nothing is done twice:
each step stores a digest of its inputs and is skipped while that is unchanged.

    python3 scripts/setup.py            everything
    python3 scripts/setup.py --python   the virtual environment only
    python3 scripts/setup.py --ui       the web UI only
    python3 scripts/setup.py --browser  Debian's Chromium for the end-to-end tests, where that is possible
    python3 scripts/setup.py --browsers Debian's Firefox and WebKitGTK for the smoke tests, where that is possible

Standard library only, and no syntax newer than Python 3.8: an old Python must reach the sentence that
says so.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
TOOLS = ROOT / ".tools"
WEB = ROOT / "web"
STATIC = ROOT / "src" / "askback" / "static"


class SetupError(Exception):
    """Something is missing; the message says what to install."""


def print_progress(text: str) -> None:
    """Print one line of progress at once."""
    print("setup: " + text, flush=True)


def run(*command: object, cwd: Path = ROOT) -> None:
    """Run a command; a failure ends the setup with the command's name."""
    words = [str(word) for word in command]
    process = subprocess.run(words, cwd=str(cwd), check=False)
    if process.returncode:
        raise SetupError("this command failed: " + " ".join(words))


def can_run(*command: object) -> bool:
    """Return whether a command can be run and exits with 0; its output is not shown."""
    try:
        process = subprocess.run(
            [str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        )
    except OSError:
        return False
    return process.returncode == 0


def digest(paths: Iterable[Path]) -> str:
    """One digest over files and all files in folders, this Python and this place (scripts name both)."""
    files: list[Path] = []
    for path in paths:
        files += [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    files = [file for file in files if "__pycache__" not in file.parts]
    total = hashlib.sha256(f"{ROOT}\0{sys.version}\0".encode())
    for file in files:
        total.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes() + b"\0")
    return total.hexdigest()


def step(name: str, *, stamp: Path, inputs: Sequence[Path], path: Path, do: Callable[[], None]) -> None:
    """Do a step unless `made` exists and `stamp` has the digest of the inputs."""
    inputs_digest = digest(inputs)
    if path.exists() and stamp.is_file() and stamp.read_text() == inputs_digest:
        return
    print_progress(name)
    do()
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(inputs_digest)


def apt_install(*packages: str) -> bool:
    """Install Debian packages if possible (root, apt-get); return whether it was done."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    print_progress("installing with apt-get: " + " ".join(packages))
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    for command in (install, ["apt-get", "update", "-qq"], install):
        process = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
        if command is install and process.returncode == 0:
            return True
    return False


# --- Python --------------------------------------------------------------------------------------


def find_uv() -> Path:
    """Return uv: the one on the PATH, else one of our own in .tools, installed at the first use."""
    on_path = shutil.which("uv")
    if on_path and can_run(on_path, "--version"):
        return Path(on_path)
    own_uv = TOOLS / "bin" / "uv"
    if not can_run(own_uv, "--version"):
        install_uv(own_uv)
    return own_uv


def install_uv(own_path: Path) -> None:
    """Install uv into .tools by the first method that works; the version and hashes are locked."""
    print_progress("installing uv into .tools")
    lock = str(ROOT / "requirements-tools.lock")
    requirements = [
        "--quiet",
        "--disable-pip-version-check",
        "--root-user-action=ignore",
        "--require-hashes",
        "-r",
        lock,
    ]
    pip = [sys.executable, "-m", "pip"]
    if not can_run(sys.executable, "-m", "ensurepip", "--version") and not can_run(*pip, "--version"):
        apt_install("python3-venv")
    if can_run(sys.executable, "-m", "venv", "--clear", TOOLS):
        run(TOOLS / "bin" / "python", "-m", "pip", "install", *requirements)
    elif can_run(*pip, "--version"):
        run(*pip, "install", "--target", TOOLS, "--upgrade", *requirements)
    if not can_run(own_path, "--version"):
        raise SetupError("uv could not be installed; install uv, or the Debian package python3-venv")


def make_venv(uv: Path) -> None:
    """Create .venv with this Python, unless a working one of the same version exists."""
    version = tuple(sys.version_info[:2])
    if can_run(VENV_PYTHON, "-c", f"import sys; sys.exit(sys.version_info[:2] != {version})"):
        return
    print_progress("creating .venv")
    run(uv, "venv", "--quiet", "--clear", "--no-python-downloads", "--python", sys.executable, VENV)


def set_up_python() -> None:
    """Create .venv with the locked packages and this project (editable)."""
    uv = find_uv()
    make_venv(uv)
    lock = ROOT / "requirements-dev.lock"

    def install() -> None:
        pip_install = [uv, "pip", "install", "--quiet", "--python", VENV_PYTHON]
        run(*pip_install, "--require-hashes", "-r", lock)
        run(*pip_install, "--no-deps", "--no-build-isolation", "-e", ROOT)

    step(
        "installing the locked Python packages",
        stamp=VENV / "askback.stamp",
        inputs=[lock, ROOT / "pyproject.toml"],
        path=VENV / "bin" / "askback",
        do=install,
    )


# --- the web UI ----------------------------------------------------------------------------------


def version_of(command: str) -> Sequence[int] | None:
    """The version that `command --version` prints, as numbers; None when it cannot be run."""
    path = shutil.which(command)
    if not path:
        return None
    text = subprocess.run([path, "--version"], stdout=subprocess.PIPE, check=False).stdout.decode()
    match = re.search(r"(\d+)\.(\d+)\.(\d+)", text)
    return [int(part) for part in match.groups()] if match else None


def check_node() -> None:
    """Raise SetupError, with instructions, unless Node is new enough and npm is installed."""
    engines = json.loads((WEB / "package.json").read_text())["engines"]["node"]
    required = re.sub(r"[^\d.]", "", engines)
    minimum = [int(part) for part in required.split(".")]
    version = version_of("node")
    if version is None:
        raise SetupError(
            f"Node is not installed; building the web UI needs Node {required} or later, with npm"
        )
    if list(version) < minimum:
        have = ".".join(str(part) for part in version)
        raise SetupError(f"Node {have} is too old; building the web UI needs Node {required} or later")
    if version_of("npm") is None:
        raise SetupError("npm is not installed; it comes with Node, or as the Debian package npm")


def set_up_ui() -> None:
    """Install the locked npm packages and build the UI into src/askback/static."""
    check_node()
    modules = WEB / "node_modules"
    step(
        "installing the locked npm packages",
        stamp=modules / ".askback-installed",
        inputs=[WEB / "package.json", WEB / "package-lock.json"],
        path=modules,
        do=lambda: run("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error", cwd=WEB),
    )
    names = ("src", "pages", "layout.html", "scripts", "examples.json", "package-lock.json", "vite.config.ts")
    sources = [
        *(WEB / name for name in (*names, "tsconfig.client.json")),
        ROOT / "src" / "askback" / "messages",
    ]
    step(
        "building the web UI",
        stamp=modules / ".askback-built",
        inputs=[path for path in sources if path.exists()],
        path=STATIC / "manifest.json",
        do=lambda: run("npm", "run", "--silent", "build", cwd=WEB),
    )


# --- the browser of the end-to-end tests ---------------------------------------------------------


def set_up_browser() -> None:
    """Install Chromium if none is installed and apt-get may be used; without it those tests are skipped."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    if any(map(shutil.which, names)) or any(map(apt_install, names[:2])):
        return
    print_progress("no Chromium found and none could be installed; the end-to-end tests will be skipped")


def set_up_browsers() -> None:
    """Install Firefox and WebKitGTK, with a virtual screen, if they are missing and apt-get may be used."""
    packages = {"firefox-esr": "firefox-esr", "WebKitWebDriver": "webkit2gtk-driver", "Xvfb": "xvfb"}
    missing_packages = [package for command, package in packages.items() if not shutil.which(command)]
    if missing_packages and not apt_install(*missing_packages):
        print_progress(
            "these packages could not be installed, their tests will be skipped: "
            + " ".join(missing_packages)
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the requested steps; return the exit status."""
    parser = argparse.ArgumentParser(description="Set the project up; see the module's text.")
    parser.add_argument("--python", action="store_true", help="only the virtual environment")
    parser.add_argument("--ui", action="store_true", help="only the web UI")
    parser.add_argument("--browser", action="store_true", help="only a Chromium for the end-to-end tests")
    parser.add_argument(
        "--browsers", action="store_true", help="only Firefox and WebKitGTK for the smoke tests"
    )
    options = parser.parse_args(arguments)
    steps = {"python": set_up_python, "ui": set_up_ui, "browser": set_up_browser, "browsers": set_up_browsers}
    steps_to_run = [name for name in steps if getattr(options, name)] or ["python", "ui"]
    try:
        version = sys.version_info[:2]
        if not (3, 11) <= version <= (3, 14):  # some locked packages have no builds for later versions
            raise SetupError(
                "Python {}.{} does not work here, 3.11 to 3.14 do: make PYTHON=python3.14".format(*version)
            )
        for name in steps_to_run:
            steps[name]()
    except SetupError as error:
        print(f"setup: {error}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
