"""Forbidden content: catch-all modules, loose ends, names of machines and hosts."""

from __future__ import annotations

import re
from functools import cache

from tests.structure.tree import files, relative, tracked_files

BUCKETS = {"utils", "util", "common", "helpers", "helper", "types", "misc"}
# With brackets, so that this file does not find itself.
LOOSE_ENDS = re.compile(r"\b(?:T[O]DO|FIX[M]E|X{3}|HA[C]K)\b")
DOCSTRING = re.compile(r'(?:#.*\n)*r?"""\s*[^\s"]')
HOSTS = re.compile(r"py[p]i[.]org|python[h]osted|npm[j]s|yarn[p]kg|/simpl[e]/", re.IGNORECASE)
PLACES = re.compile(r"(?<![^\s\"'`=(:])/(?:root|work|home/\w+|Users/\w+)/")
BINARY = {".png", ".jpg", ".ico", ".woff2", ".webp"}


@cache
def _texts() -> list[tuple[str, str]]:
    paths = [path for path in tracked_files() if path.suffix not in BINARY]
    return [(relative(path), path.read_text(encoding="utf-8")) for path in paths]


def match_places(pattern: re.Pattern[str], name: str, text: str) -> list[str]:
    places = (text.count("\n", 0, match.start()) + 1 for match in pattern.finditer(text))
    return [f"{name}:{line}" for line in places]


def test_no_module_is_a_bucket() -> None:
    code = files(".py", ".ts", folders=("src/", "web/src/", "tests/", "bench/", "scripts/"))
    parts = {relative(path): {*relative(path).split("/"), path.stem} for path in code}
    assert [name for name, words in parts.items() if words & BUCKETS] == []


def test_every_module_has_a_docstring() -> None:
    modules = files(".py", folders=("src/", "scripts/", "bench/"))
    texts = {relative(path): path.read_text(encoding="utf-8") for path in modules}
    assert [name for name, text in texts.items() if not DOCSTRING.match(text)] == []


def test_no_loose_ends_are_left_in_the_code() -> None:
    code = [
        (n, t) for n, t in _texts() if n.endswith((".py", ".ts", ".css", ".sql", ".mjs", ".toml", ".yaml"))
    ]
    assert [location for name, text in code for location in match_places(LOOSE_ENDS, name, text)] == []


def test_nothing_names_a_package_host() -> None:
    assert [location for name, text in _texts() for location in match_places(HOSTS, name, text)] == []


def test_nothing_names_a_place_on_somebodys_machine() -> None:
    assert [location for name, text in _texts() for location in match_places(PLACES, name, text)] == []
