"""Read JSON with comments and trailing commas, with the position of each value, so that a text can be edited in place.

VS Code, Cursor and Gemini CLI read such files. An edit keeps comments, spaces, line ends and the order of all else.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

_SPACE = re.compile(r"(?:[\s\ufeff]|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_COMMENT = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/(?=[ \t]*[\r\n]))")
_SCALAR = re.compile(r"[-+.\w]+")
_DEEPEST = 200
_DECODER = json.JSONDecoder()


class NotJson(ValueError):
    """The text is not JSON with comments; the message says where."""


@dataclass
class Node:
    """A value and its place in the text."""

    text: str
    start: int
    end: int
    value: Any

    @cached_property
    def parts(self) -> list[Part]:
        """The members of an object or the items of a list."""
        return _Reader(self.text).read_parts(self.start)[0]

    def member(self, name: str) -> Part | None:
        """Return a member; if a name is repeated, the last one counts, as in every reader."""
        return next((part for part in reversed(self.parts) if part.name == name), None)


@dataclass(slots=True)
class Part:
    """A member or an item, whose text begins with its name; `comma` is the place of the comma behind it."""

    start: int
    name: str | None
    node: Node
    comma: int | None = None

    @property
    def end(self) -> int:
        """The place behind it and its comma."""
        return self.node.end if self.comma is None else self.comma + 1


def parse(text: str) -> Node:
    """Return the value of a text. Raises `NotJson`."""
    reader = _Reader(text)
    node = reader.read(_skip_blanks(text, 0))
    if (end := _skip_blanks(text, node.end)) != len(text):
        raise reader.fault(end, "the end of the file")
    return node


def is_blank(text: str) -> bool:
    """Return whether a text has no value, but at most spaces and comments."""
    return _skip_blanks(text, 0) == len(text)


def insert(text: str, container: Node, name: str | None, value: Any) -> str:
    """Return the text with a member or an item at the end of an object or a list, in the style of the rest."""
    newline = "\r\n" if "\r\n" in text else "\n"
    last_part = container.parts[-1] if container.parts else None
    outer_indent, inner_indent = _indents(text, container, last_part)
    member_text = json.dumps(
        value,
        ensure_ascii=False,
        indent=None if inner_indent is None else inner_indent[len(outer_indent) :] or "  ",
    )
    if inner_indent is not None:
        member_text = member_text.replace("\n", newline + inner_indent)
    if name is not None:
        member_text = f"{json.dumps(name, ensure_ascii=False)}: {member_text}"
    if last_part is None:
        text_before_end = text[: container.end - 1].rstrip()  # with a comment, if there is one
        end = f"{newline}{outer_indent}{text[container.end - 1 :]}"
        return f"{text_before_end}{newline}{inner_indent}{member_text}{end}"
    position, comma, text_after = last_part.node.end, ",", ""
    if last_part.comma is not None:  # a list that ends with a comma keeps its trailing comma
        position, comma, text_after = last_part.comma + 1, "", ","
    if inner_indent is None:
        return f"{text[:position]}{comma} {member_text}{text_after}{text[position:]}"
    comment = _COMMENT.match(text, position)  # a comment behind the last part stays behind it
    line_end = position if comment is None else comment.end()
    inserted = f"{newline}{inner_indent}{member_text}{text_after}"
    return f"{text[:position]}{comma}{text[position:line_end]}{inserted}{text[line_end:]}"


def remove(text: str, container: Node, part: Part) -> str:
    """Return the text without a member or an item."""
    index = container.parts.index(part)
    text_before, text_after = text[: part.start].rstrip(), text[part.end :]
    blanks_before = text[len(text_before) : part.start]
    if index == len(container.parts) - 1 and part.comma is None and index:
        comma = container.parts[index - 1].comma
        assert comma is not None
        text_before = text_before[:comma] + text_before[comma + 1 :]
    if (
        len(container.parts) == 1
        and text_before.endswith(("{", "["))
        and text_after.lstrip()[:1] in ("}", "]")
    ):
        return text_before + text_after.lstrip()
    if "\n" in blanks_before and text_after[:1] not in ("\r", "\n"):  # the rest keeps the line
        return text_before + blanks_before + text_after.lstrip(" ")
    return text_before + text_after


def _indents(text: str, container: Node, last_part: Part | None) -> tuple[str, str | None]:
    """Return the indentation of the line of a container and of its parts; None for parts on the same line."""
    outer_indent = _indent_of_line(text, container.start)
    if last_part is None:
        return outer_indent, outer_indent + _indent_unit(text)
    line = text.rfind("\n", 0, last_part.start) + 1
    space = text[line : last_part.start]
    return outer_indent, space if line > container.start and not space.strip() else None


def _indent_of_line(text: str, position: int) -> str:
    line = text.rfind("\n", 0, position) + 1
    line_text = text[line:]
    return line_text[: len(line_text) - len(line_text.lstrip(" \t"))]


def _indent_unit(text: str) -> str:
    match = re.search(r"^[ \t]+(?=[\"\[{])", text, re.MULTILINE)
    return match[0] if match else "  "


def _skip_blanks(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    assert match is not None
    return match.end()


@dataclass(slots=True)
class _Reader:
    text: str

    def fault(self, position: int, expected: str) -> NotJson:
        line = self.text.count("\n", 0, position) + 1
        return NotJson(f"line {line}: expected {expected}")

    def read(self, position: int, depth: int = 0) -> Node:
        with suppress(ValueError, RecursionError):  # fast; it has no comments and no trailing commas
            value, end = _DECODER.raw_decode(self.text, position)
            return Node(self.text, position, end, value)
        character = self.text[position : position + 1]
        if depth > _DEEPEST:
            raise self.fault(position, f"at most {_DEEPEST} levels")
        if character in ("{", "["):
            parts, end = self.read_parts(position, depth)
            values = [part.node.value for part in parts]
            value = {part.name: part.node.value for part in parts} if character == "{" else values
            return Node(self.text, position, end, value)
        match = (_STRING if character == '"' else _SCALAR).match(self.text, position)
        try:
            if match is not None:
                return Node(self.text, position, match.end(), json.loads(match[0]))
        except ValueError:
            pass
        raise self.fault(position, "a value")

    def read_parts(self, start: int, depth: int = 0) -> tuple[list[Part], int]:
        """Return the members or items of the object or list at a place, and the place behind it."""
        text, parts, position = self.text, list[Part](), start + 1
        is_object = text[start] == "{"
        closing_bracket = "}" if is_object else "]"
        while text[(position := _skip_blanks(text, position)) : position + 1] != closing_bracket:
            if parts and parts[-1].comma is None:
                raise self.fault(position, f"a comma or {closing_bracket}")
            item_start, name = position, None
            if is_object:
                key = _STRING.match(text, position)
                colon = _skip_blanks(text, key.end()) if key else position
                if key is None or text[colon : colon + 1] != ":":
                    raise self.fault(position, 'a name in quotes and ":"')
                name, position = str(json.loads(key[0])), _skip_blanks(text, colon + 1)
            part = Part(item_start, name, self.read(position, depth + 1))
            position = _skip_blanks(text, part.node.end)
            if text[position : position + 1] == ",":
                part.comma, position = position, position + 1
            parts.append(part)
        return parts, position + 1
