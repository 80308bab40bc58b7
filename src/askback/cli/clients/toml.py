"""Add a table to a TOML document, and remove it again; everything else keeps its bytes."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, cast

Json = dict[str, Any]


def table_of(text: str, names: Sequence[str]) -> Json:
    """Return a table, empty if there is none. Raises `ValueError` if the text is not TOML, or has a value there."""
    table: Any = _parse(text)
    for name in names:
        if not isinstance(table, dict):
            raise ValueError(f"`{name}` cannot be added to a value")
        table = cast("Json", table).get(name, {})
    return table


def add_table(text: str, names: Sequence[str], table: Mapping[str, Any]) -> str:
    """Return the document with the table at its end. Raises `ValueError` if that is not possible."""
    newline = "\r\n" if "\r\n" in text else "\n"
    block = write_table(names, table).replace("\n", newline)
    separator = "" if not text else newline if text.endswith("\n") else newline * 2
    result = f"{text}{separator}{block}"
    _parse(result)
    return result


def remove_table(text: str, names: Sequence[str], table: Mapping[str, Any]) -> str:
    """Return the document without the table, even if somebody has changed it. Raises `ValueError`."""
    if not table_of(text, names):
        return text
    for newline in ("\n", "\r\n"):
        block = write_table(names, table).replace("\n", newline)
        for table_text in (newline + block, block):
            without_table = text.replace(table_text, "", 1)
            if without_table != text and not table_of(
                without_table, names
            ):  # the client may have added tables in it
                return without_table
    result = "".join(_lines_without_table(text.splitlines(keepends=True), names))
    expected_document = deepcopy(_parse(text))
    parent_table: Any = expected_document
    for name in names[:-1]:
        parent_table = parent_table[name]
    del parent_table[names[-1]]
    remaining_document = _parse(result)
    if remaining_document != expected_document and {names[0]: {}, **remaining_document} != expected_document:
        raise ValueError(f"[{'.'.join(names)}] was changed and is not a separate table")
    return result


def write_table(names: Sequence[str], table: Mapping[str, Any]) -> str:
    """Return a table of strings and lists of strings, and the tables in it, as text."""
    plain_values = {key: value for key, value in table.items() if not isinstance(value, dict)}
    lines = [
        f"[{'.'.join(names)}]",
        *(f"{key} = {json.dumps(value)}" for key, value in plain_values.items()),
        "",
    ]
    inner = [write_table((*names, key), table[key]) for key in table if key not in plain_values]
    return "\n".join([*lines, *inner])


def _parse(text: str) -> Json:
    return tomllib.loads(text.removeprefix("\ufeff"))


def _lines_without_table(lines: Sequence[str], names: Sequence[str]) -> Sequence[str]:
    """Return the lines without those of a table and the tables in it; comments behind it stay."""
    parts = r"\s*\.\s*".join(rf"[\"']?{re.escape(name)}[\"']?" for name in names)
    table_header = re.compile(rf"\s*\[\s*{parts}\s*[\].]")
    kept_lines, pending_lines, is_in_table = list[str](), list[str](), False
    for line in lines:
        if line.lstrip().startswith("["):
            is_in_table = table_header.match(line) is not None
            kept_lines += [] if is_in_table else pending_lines
            pending_lines = []
        if not is_in_table:
            kept_lines.append(line)
        elif line.strip() and not line.lstrip().startswith("#"):
            pending_lines = []  # comments above belong to the removed table
        else:
            pending_lines.append(line)
    return [*kept_lines, *pending_lines]
