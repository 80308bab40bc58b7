"""Additions to the configuration of another program: made, and taken out again where the rest has changed since."""

from __future__ import annotations

import json
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from askback.errors import AskbackError

Json = dict[str, Any]


class CannotEdit(AskbackError):
    """A file is not as this program writes it, so it has to be changed by hand; the message says how."""


@dataclass(frozen=True)
class Addition(ABC):
    """Something to add to a file."""

    path: Path

    @abstractmethod
    def add_to(self, text: str) -> str:
        """Return the text of the file with the addition; `text` is empty for a new file. Raises `CannotEdit`."""

    @abstractmethod
    def remove_from(self, text: str) -> str:
        """Return the text without the addition, whatever else has changed. Raises `CannotEdit`."""


@dataclass(frozen=True)
class AddToJson(Addition):
    """Members to merge into an object: objects are merged, and items are appended to lists."""

    members: Json

    def add_to(self, text: str) -> str:
        """Return the document with the members."""
        document = self._read(text)
        _merge(document, self.members, self.path)
        return _write(document, like=text)

    def remove_from(self, text: str) -> str:
        """Return the document without these entries and without the objects that become empty."""
        document = self._read(text)
        _take_out(document, self.members)
        return _write(document, like=text)

    def _read(self, text: str) -> Json:
        try:
            document = json.loads(text or "{}")
        except ValueError as error:
            raise CannotEdit(
                f"{self.path} is not plain JSON ({error}). Change it by hand: {self._by_hand}"
            ) from None
        if not isinstance(document, dict):
            raise CannotEdit(f"{self.path} holds no object. Change it by hand: {self._by_hand}")
        return cast("Json", document)

    @property
    def _by_hand(self) -> str:
        return json.dumps(self.members, ensure_ascii=False)


@dataclass(frozen=True)
class AddToToml(Addition):
    """A table of strings, lists of strings and one inner table, to append to a document."""

    table: tuple[str, ...]
    members: Json

    def add_to(self, text: str) -> str:
        """Return the document with the table at its end."""
        try:
            found: Any = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise CannotEdit(f"{self.path} is not TOML ({error}). Add by hand:\n{self._block}") from None
        for key in self.table:
            found = found.get(key, {})
        if found:
            raise CannotEdit(
                f"{self.path} has [{'.'.join(self.table)}] already. Remove it, and install again."
            )
        return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{self._block}"

    def remove_from(self, text: str) -> str:
        """Return the document without the table, if it stands there as it was written."""
        if self._block not in text:
            raise CannotEdit(f"[{'.'.join(self.table)}] in {self.path} was changed. Remove it by hand.")
        return text.replace(self._block, "", 1)

    @property
    def _block(self) -> str:
        tables: dict[str, Json] = {".".join(self.table): {}}
        for key, value in self.members.items():
            if isinstance(value, dict):
                tables[".".join((*self.table, key))] = cast("Json", value)
            else:
                tables[".".join(self.table)][key] = value
        lines = ["", *(line for name, table in tables.items() for line in _table(name, table))]
        return "\n".join(lines)


def _table(name: str, members: Json) -> list[str]:
    return [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in members.items()), ""]


def _merge(document: Json, members: Mapping[str, Any], path: Path) -> None:
    for name, value in members.items():
        known = document.get(name)
        if isinstance(value, dict) and isinstance(known, dict):
            if name == "askback":
                raise CannotEdit(f"{path} has an entry `askback` already. Remove it, and install again.")
            _merge(cast("Json", known), cast("Json", value), path)
        elif isinstance(value, list) and isinstance(known, list):
            document[name] = [*cast("list[Any]", known), *cast("list[Any]", value)]
        elif known is None:
            document[name] = value
        else:
            raise CannotEdit(
                f"`{name}` in {path} is not what its program documents. Correct it, and install again."
            )


def _take_out(document: Json, members: Mapping[str, Any]) -> None:
    for name, value in members.items():
        known = document.get(name)
        if known == value:
            del document[name]
            continue
        if isinstance(value, dict) and isinstance(known, dict):
            _take_out(cast("Json", known), cast("Json", value))
        elif isinstance(value, list) and isinstance(known, list):
            document[name] = [each for each in cast("Sequence[Any]", known) if each not in value]
        if name in document and not document[name]:
            del document[name]


def _write(document: Json, *, like: str) -> str:
    """Return a document with the indentation of the text that it replaces."""
    second = next((line for line in like.splitlines()[1:] if line.strip()), "  ")
    indent = second[: len(second) - len(second.lstrip())] or "  "
    return json.dumps(document, indent=indent, ensure_ascii=False) + (
        "\n" if not like or like.endswith("\n") else ""
    )
