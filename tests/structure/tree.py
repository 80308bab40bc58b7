"""The repository's files for the structure tests."""

from __future__ import annotations

import ast
import io
import subprocess
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


UNKEPT = {
    ".git",
    ".hypothesis",
    ".venv",
    ".venvs",
    ".tools",
    "node_modules",
    "static",
    "build",
    "dist",
    "demo-output",
    "__pycache__",
}


@cache
def tracked_files() -> tuple[Path, ...]:
    """Every file of the repository: what git keeps or would add; without git all but what is made."""
    command = [
        "git",
        "-c",
        "safe.directory=*",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]
    try:
        listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return tuple(_walk(ROOT))
    return tuple(sorted(ROOT / name for name in set(listed.split("\0")) if name and (ROOT / name).is_file()))


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name in UNKEPT or path.name.endswith("_cache"):
            continue
        if path.is_dir():
            yield from _walk(path)
        elif path.suffix != ".pyc":
            yield path


def files(*suffixes: str, folders: tuple[str, ...] = ("",)) -> list[Path]:
    """The tracked files with one of the suffixes below one of the folders."""
    return [
        path
        for path in tracked_files()
        if path.suffix in suffixes and relative(path).startswith(tuple(folders))
    ]


def relative(path: Path) -> str:
    """The path as it is written in the repository."""
    return path.relative_to(ROOT).as_posix()


def lines(path: Path) -> int:
    """The number of lines of a text file."""
    return len(path.read_text(encoding="utf-8").splitlines())


def code_lines(path: Path) -> int:
    """The number of lines of code of a Python file: not those that are blank, a comment or a docstring."""
    text = path.read_text(encoding="utf-8")
    code = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in _NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                code -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            case _:
                pass
    return len(code)


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """The functions of a Python file, each with its length in lines, its docstring not counted."""
    file = relative(path)
    for node in _statements(ast.parse(path.read_bytes())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{file}:{node.lineno} {node.name}", _length(node)


_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements below a node: to walk through all expressions as well takes five times as long."""
    for name in _BLOCKS:
        block = getattr(node, name, None)
        for item in block if isinstance(block, list) else ():
            yield item
            yield from _statements(item)


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    total = (node.end_lineno or node.lineno) - node.lineno + 1
    first_body = node.body[0]
    if ast.get_docstring(node) and len(node.body) > 1:
        total -= (first_body.end_lineno or first_body.lineno) - first_body.lineno + 1
    return total
