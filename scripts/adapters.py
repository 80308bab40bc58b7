"""Test the adapters of agent frameworks, each in its own environment, since some conflict.

An adapter `NAME` is `src/askback/adapters/NAME.py` (or a package), its extra in `pyproject.toml` has the same name,
further packages of its tests are in the dependency group `test-NAME` (which may be absent), its tests in
`tests/adapters/NAME/`, and the versions in `locks/NAME.lock`. The environments are `.venvs/NAME`.

The examples in TypeScript are the name `typescript`: their packages are in `examples/frameworks/typescript`, and their
tests run in `.venv`.

    python3 scripts/adapters.py test [NAME ...]   run the tests and the type check; all adapters when none is named
    python3 scripts/adapters.py lock [NAME ...]   choose new versions and write the locks
    python3 scripts/adapters.py example NAME ...  run `examples/frameworks/NAME_agent.py` with its own server
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import setup
from adapter_types import check_types

ROOT = setup.ROOT
LOCKS = ROOT / "locks"
TESTS = ROOT / "tests" / "adapters"
EXAMPLES = ROOT / "examples" / "frameworks"
NODE = "typescript"


def names() -> list[str]:
    """Return the adapters that have tests."""
    return sorted(folder.name for folder in TESTS.iterdir() if any(folder.glob("test_*.py")))


def lock(name: str) -> None:
    """Write `locks/NAME.lock` with the newest versions that fit; raises `SetupError`."""
    if name == NODE:
        setup.run("npm", "run", "lock", cwd=EXAMPLES / NODE)
        return
    LOCKS.mkdir(exist_ok=True)
    group = f"test-{name}"
    groups = [
        "adapters",
        *([group] if f"\n{group} = [" in (ROOT / "pyproject.toml").read_text("utf-8") else []),
    ]
    setup.run(
        *(setup.find_uv(), "pip", "compile", "pyproject.toml", "--extra", name.replace("_", "-")),
        *(word for group in groups for word in ("--group", group)),
        *("--upgrade", "--quiet", "--universal", "--generate-hashes", "--no-header", "--no-emit-index-url"),
        *("--no-emit-find-links", "--python-version", "3.11", "--output-file", LOCKS / f"{name}.lock"),
    )


def make_environment(name: str) -> Path:
    """Create or update `.venvs/NAME` from its lock and return its Python; raises `SetupError`."""
    if name == NODE:
        return make_node_environment()
    uv = setup.find_uv()
    venv = ROOT / ".venvs" / name
    python = venv / "bin" / "python"
    lock = LOCKS / f"{name}.lock"

    def install() -> None:
        setup.run(uv, "venv", "--quiet", "--clear", "--no-python-downloads", "--python", sys.executable, venv)
        pip_install = (uv, "pip", "install", "--quiet", "--python", python)
        setup.run(*pip_install, "--require-hashes", "-r", lock)
        setup.run(*pip_install, "--no-deps", "--no-build-isolation", "-e", ROOT)

    setup.step(
        f"installing the locked packages of the adapter {name}",
        stamp=venv / "askback.stamp",
        inputs=[lock, ROOT / "pyproject.toml"],
        path=python,
        do=install,
    )
    return python


def make_node_environment() -> Path:
    """Install the locked npm packages of the examples in TypeScript, and return the Python of their tests."""
    folder = EXAMPLES / NODE
    setup.step(
        "installing the locked npm packages of the examples in TypeScript",
        stamp=folder / "node_modules" / ".askback-installed",
        inputs=[folder / "package.json", folder / "package-lock.json"],
        path=folder / "node_modules",
        do=lambda: setup.run("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error", cwd=folder),
    )
    return setup.VENV_PYTHON


def test(name: str, options: Sequence[str]) -> bool:
    """Check the types of an adapter and run its tests; print their output, and return whether both succeeded."""
    python = make_environment(name)
    adapters = ROOT / "src" / "askback" / "adapters"
    paths = (adapters / f"{name}.py", adapters / name, *EXAMPLES.glob(f"{name}_*.py"))
    sources = [path for path in paths if path.exists()]
    setup.print_progress(f"testing the adapter {name}")
    environment = python.parent.parent
    complaints = check_types(sources, environment) if sources else []
    complaints += check_types([TESTS / name], environment, mode="basic")
    command = [python, "-m", "pytest", "-q", *options, TESTS / name]
    process = subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    # In one call, because other adapters are tested at the same time.
    types = "".join(f"{complaint}\n" for complaint in complaints)
    output = process.stdout.decode(errors="replace")
    print(f"{types}{output}adapters: tested the adapter {name}", flush=True)
    return not complaints and process.returncode == 0


def test_all(frameworks: Sequence[str], options: Sequence[str]) -> list[str]:
    """Test adapters, one per core at a time, and return the failed ones; raises `SetupError`."""
    setup.find_uv()  # two must not install it at the same time
    with ThreadPoolExecutor(os.cpu_count()) as cores:
        results = list(cores.map(lambda name: test(name, options), frameworks))
    return [name for name, has_passed in zip(frameworks, results, strict=True) if not has_passed]


def example(name: str) -> bool:
    """Run the example of an adapter against a new server, which ends with it; return whether it succeeded."""
    python = make_environment(name)
    with tempfile.TemporaryDirectory() as folder:
        serve = [python, "-m", "askback", "serve", "--port", "0", "--data-dir", folder, "--ready-json"]
        with subprocess.Popen([str(word) for word in serve], stdout=subprocess.PIPE) as server:
            assert server.stdout is not None
            server_values = json.loads(server.stdout.readline())
            setup.print_progress(f"answer at {server_values['login_url']}")
            environment = {
                "ASKBACK_URL": server_values["url"],
                "ASKBACK_TOKEN": server_values["requester_token"],
            }
            start = ["npm", "start", "--silent"] if name == NODE else [python, EXAMPLES / f"{name}_agent.py"]
            folder_of = EXAMPLES / NODE if name == NODE else ROOT
            process = subprocess.run(start, cwd=folder_of, env={**os.environ, **environment}, check=False)
            server.terminate()
    return process.returncode == 0


def main() -> int:
    """Run the command line and return the exit status."""
    parser = argparse.ArgumentParser(description="Test the adapters; see the module's text.")
    parser.add_argument("verb", choices=["test", "lock", "example"])
    parser.add_argument("names", nargs="*")
    arguments, options = parser.parse_known_args()
    frameworks: list[str] = arguments.names or names()
    try:
        if arguments.verb == "lock":
            for name in frameworks:
                lock(name)
            return 0
        if arguments.verb == "example":
            failed_names = [name for name in frameworks if not example(name)]
        else:
            failed_names = test_all(frameworks, options)
    except setup.SetupError as error:
        print(f"adapters: {error}.", file=sys.stderr)
        return 1
    print(
        "adapters: "
        + (f"failed: {', '.join(failed_names)}" if failed_names else f"all passed: {', '.join(frameworks)}")
    )
    return bool(failed_names)


if __name__ == "__main__":
    sys.exit(main())
