"""What the person decided, and the names that follow from it."""

from __future__ import annotations

import keyword
import sys
from dataclasses import dataclass
from datetime import date

_RUST_KEYWORDS = """
abstract as async await become box break const continue crate do dyn else enum extern false final fn
for gen if impl in let loop macro match mod move mut override priv pub ref return self static struct
super trait true try type typeof unsafe unsized use virtual where while yield
"""
RESERVED = frozenset({"alloc", "core", "proc-macro", "std", "tests", *_RUST_KEYWORDS.split()})
"""Names that Rust has taken, and the folder of the tests."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One project.

    `language` is python, javascript or rust; `features` are of cli, ci, docker and editorconfig.
    """

    name: str
    language: str
    features: frozenset[str]
    licence: str
    start: date
    description: str

    @property
    def package(self) -> str:
        """The name as a package may have it: never one that its own language has taken."""
        return f"{self.name}-app" if _taken(self.name) else self.name

    @property
    def module(self) -> str:
        """The package's name as an identifier of Python and Rust."""
        return self.package.replace("-", "_")

    @property
    def summary(self) -> str:
        """The description on one line."""
        return " ".join(self.description.split())


def _taken(name: str) -> bool:
    return name in RESERVED or name in sys.stdlib_module_names or keyword.iskeyword(name)
