"""The npm package for agents, packed and installed into an empty project."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "clients" / "typescript"
WEB = ROOT / "web"
PROGRAMS = Path(__file__).parent / "programs"
EXAMPLES = ROOT / "examples" / "typescript"


class Project:
    """An empty project with the package in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        assert (PACKAGE / "dist" / "index.js").exists(), "Run `make setup`, which builds the package."
        packed = _run(PACKAGE, "npm", "pack", "--json", "--pack-destination", str(folder))
        result = json.loads(packed)
        # npm 11 lists the packages, npm 12 has them by name.
        self.contents = (result if isinstance(result, list) else list(result.values()))[0]
        (folder / "package.json").write_text('{"name": "empty", "private": true, "type": "module"}')
        archive = folder / self.contents["filename"]
        _run(folder, "npm", "install", "--offline", "--no-audit", "--no-fund", str(archive))

    def check_types(self, *sources: Path, expect: int = 0) -> str:
        """Compile programs in strict mode, and return the compiler's output."""
        options = json.loads((EXAMPLES / "tsconfig.json").read_text("utf-8"))
        options["compilerOptions"] |= {
            "typeRoots": [str(WEB / "node_modules" / "@types")],
            "outDir": str(self.folder),
            "rootDir": str(self.folder),
        }
        copied = [self.folder / source.name for source in sources]
        for source, copy in zip(sources, copied, strict=True):
            copy.write_text(source.read_text("utf-8"), "utf-8")
        config = self.folder / "tsconfig.json"
        config.write_text(json.dumps({**options, "files": [str(copy) for copy in copied]}))
        compiler = WEB / "node_modules" / "typescript" / "bin" / "tsc"
        finished_result = subprocess.run(
            ["node", str(compiler), "-p", str(config)], capture_output=True, text=True, check=False
        )
        assert finished_result.returncode == expect, finished_result.stdout
        return finished_result.stdout

    def start(self, program: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Start a program of the project."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("ASKBACK_")}
        return subprocess.Popen(
            ["node", str(self.folder / program), *arguments],
            cwd=self.folder,
            env={**inherited, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def _run(folder: Path, *command: str) -> str:
    finished_result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert finished_result.returncode == 0, finished_result.stderr
    return finished_result.stdout
