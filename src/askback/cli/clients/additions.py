"""Add entries to the configuration of another program, and remove them even if the rest has changed since."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from askback.cli.clients import toml
from askback.cli.clients.jsonc import Node, NotJson, Part, insert, is_blank, parse, remove
from askback.client.discovery import CREDENTIALS
from askback.errors import AskbackError

Json = dict[str, Any]
NAME = "askback"
"""The name of the entries: an entry with this name is askback's, regardless of its contents."""

_ENTRY = "{path} has {entry} already. Remove it, and install again."


class CannotEdit(AskbackError):
    """A file does not have the documented format, so it has to be changed by hand; the message says how."""


@dataclass(frozen=True, slots=True)
class Addition:
    """Members to merge into the document of a file: objects are merged, and items are appended to lists."""

    path: Path
    members: Json

    def read(self) -> str:
        """Return the text of the file, empty if there is none. Raises `CannotEdit`."""
        if self.path.exists() and not self.path.is_file():
            raise self._error(f"{self.path} is not a file.")
        try:
            return self.path.read_bytes().decode() if self.path.exists() else ""
        except (OSError, UnicodeDecodeError) as error:
            raise self._error(f"{self.path} cannot be read: {error}.") from None

    def require_writable(self) -> None:
        """Raise `CannotEdit` for a file that somebody protects, or whose folder cannot be changed."""
        if (reason := reason_against_writing(self.path)) is not None:
            raise self._error(reason)

    def add_to(self, text: str) -> str:
        """Return the text of the file with the addition. Raises `CannotEdit`."""
        return self._apply(self._add_to_toml if self._is_toml else self._add_to_json, text)

    def remove_from(self, text: str, original_text: str) -> str:
        """Return the text without the addition, even if it was renamed or other parts have changed since.

        Raises `CannotEdit`.
        """
        if self._is_toml:
            return self._apply(self._remove_from_toml, text)
        return self._apply(lambda text: self._remove_from_json(text, original_text), text)

    @property
    def _is_toml(self) -> bool:
        return self.path.suffix == ".toml"

    @property
    def _table(self) -> tuple[tuple[str, str], Json]:
        [(outer_name, tables)] = self.members.items()
        [(name, table)] = tables.items()
        return (outer_name, name), table

    def _apply(self, edit: Callable[[str], str], text: str) -> str:
        try:
            return edit(text)
        except ValueError as error:
            raise self._error(f"{self.path} cannot be edited: {error}.") from None

    def _error(self, reason: str) -> CannotEdit:
        by_hand = toml.write_table(*self._table) if self._is_toml else _json(self.members)
        return CannotEdit(f"{reason} What askback adds, to change it by hand:\n{by_hand}")

    def _add_to_toml(self, text: str) -> str:
        names, table = self._table
        if toml.table_of(text, names):
            raise CannotEdit(_ENTRY.format(path=self.path, entry=f"[{'.'.join(names)}]"))
        return toml.add_table(text, names, table)

    def _remove_from_toml(self, text: str) -> str:
        (outer_name, name), table = self._table
        for other_name, other_table in toml.table_of(text, [outer_name]).items():
            if other_name == name or _is_renamed(other_table, table):
                text = toml.remove_table(text, (outer_name, other_name), table)
        return text

    def _add_to_json(self, text: str) -> str:
        if is_blank(text):
            newline = "\r\n" if "\r\n" in text else "\n"
            document = f"{text.rstrip()}{newline}" if text.strip("\ufeff \t\r\n") else ""
            return document + _json(self.members).replace("\n", newline) + newline
        if _has_entry(parse(text), self.members):
            raise CannotEdit(_ENTRY.format(path=self.path, entry=f"an entry `{NAME}`"))
        while (edit := _find_missing(parse(text), self.members)) is not None:
            text = insert(text, *edit)
        return text

    def _remove_from_json(self, text: str, original_text: str) -> str:
        if is_blank(text):
            return text
        original_value: Any = None if is_blank(original_text) else parse(original_text).value
        while (edit := _find_surplus(parse(text), self.members, original_value)) is not None:
            text = remove(text, *edit)
        return text


def reason_against_writing(path: Path) -> str | None:
    """Return why a file cannot be made or replaced: it or its folder is protected; None if it can be."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        return f"{path} cannot be read: the link leads to itself."
    folder = next(parent for parent in target.parents if parent.exists())
    if not folder.is_dir():
        return f"{folder} is not a folder."
    for item in (target, folder):
        # Also for root, who could write it all the same.
        if item.exists() and not (item.stat().st_mode & stat.S_IWUSR and os.access(item, os.W_OK)):
            return f"{item} is read-only."
    return None


def _json(members: Json) -> str:
    return json.dumps(members, indent=2, ensure_ascii=False)


def _has_entry(node: Node, members: Mapping[str, Any]) -> bool:
    nodes = {name: node.member(name) for name in members}
    return (NAME in members and nodes[NAME] is not None) or any(
        _has_entry(part.node, members[name])
        for name, part in nodes.items()
        if part is not None and isinstance(members[name], dict)
    )


def _find_missing(
    node: Node, members: Mapping[str, Any], path: str = "the document"
) -> tuple[Node, str | None, Any] | None:
    """Return the next entry to insert, and its place; None if nothing is missing. Raises `NotJson`."""
    if not isinstance(node.value, dict):
        raise NotJson(f"{path} is not an object")
    for name, value in members.items():
        part = node.member(name)
        if part is None:
            return node, name, value
        if isinstance(value, dict):
            if (missing_in_member := _find_missing(part.node, cast("Json", value), f"`{name}`")) is not None:
                return missing_in_member
        elif not isinstance(part.node.value, type(value)):
            raise NotJson(f"`{name}` is not what its program documents")
        elif isinstance(value, list):
            for item in cast("list[Any]", value):
                if item not in part.node.value:
                    return part.node, None, item
    return None


def _find_surplus(node: Node, members: Mapping[str, Any], original_value: Any) -> tuple[Node, Part] | None:
    """Return the next entry to remove, and its place; None if no added entry remains.

    The entries of the value before the installation stay.
    """
    original_members = cast("Json", original_value) if isinstance(original_value, dict) else {}
    for name, value in members.items():
        part = node.member(name)
        if part is None and name == NAME:
            others = (other for other in node.parts if other.name not in original_members)
            part = next((other for other in others if _is_renamed(other.node.value, value)), None)
        if part is None:
            continue
        original_member = original_members.get(name)
        if name == NAME:
            return node, part
        if isinstance(value, dict):
            if (
                surplus_in_member := _find_surplus(part.node, cast("Json", value), original_member)
            ) is not None:
                return surplus_in_member
        elif isinstance(value, list):
            for item in part.node.parts:
                if item.node.value not in (original_member or []) and (
                    surplus_in_member := _surplus_of_item(part.node, item, cast("list[Any]", value))
                ):
                    return surplus_in_member
        if not part.node.value and original_member is None:
            return node, part
    return None


def _surplus_of_item(container: Node, item: Part, added: Sequence[Any]) -> tuple[Node, Part] | None:
    """Return what to remove of an item: all of it if it was added, also with other keys; the part with our command."""
    value = item.node.value
    for added_value in added:
        added_commands, present_commands = {*_commands(added_value)}, {*_commands(value)}
        if value == added_value or (added_commands and added_commands == present_commands):
            return container, item
        if isinstance(added_value, dict) and isinstance(value, dict) and added_commands & present_commands:
            return _find_surplus(item.node, cast("Json", added_value), None)
    return None


def _is_renamed(value: Any, added_value: Json) -> bool:
    """Return whether an entry of another name is askback's: it names the same credentials."""
    credentials = _credentials(value)
    return credentials is not None and credentials == _credentials(added_value)


def _credentials(value: Any) -> Any:
    env = cast("Json", value).get("env") if isinstance(value, dict) else None
    return cast("Json", env).get(CREDENTIALS) if isinstance(env, dict) else None


def _commands(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, item in cast("Json", value).items():
            if name == "command" and isinstance(item, str):
                yield item
            yield from _commands(item)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _commands(item)
