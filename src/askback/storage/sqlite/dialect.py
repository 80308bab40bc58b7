"""Rewrites the SQL of `storage.sql`, which is that of Postgres, for SQLite: each text once."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

import re
from functools import cache

_COLUMNS = r"unnest\(([^)]*)\)"
_REWRITES = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"= ANY \((\$\d+)::text\[\]\)", r"IN (SELECT value FROM json_each(\1))"),
        (r"<> ALL \((\$\d+)::text\[\]\)", r"NOT IN (SELECT value FROM json_each(\1))"),
        (r"([\w.]+)::json ->> '(\w+)'", r"json_extract(\1, '$.\2')"),
        (
            r"([\w.]+)::json -> '(\w+)' ->> (\$\d+)",
            r"(SELECT p.value FROM json_each(\1, '$.\2') AS p WHERE p.key = \3)",
        ),
        (r"::[a-z]+(\[\])?", ""),
        (r" FOR (NO KEY )?UPDATE( OF \w+)?( SKIP LOCKED)?", ""),
        (r"\bgreatest\(", "max("),
        (r"\bleast\(", "min("),
        (r"\bIS NOT DISTINCT FROM\b", "IS"),
        (r"= TRUE\b", "= 1"),
        (r"= FALSE\b", "= 0"),
        (r"\$(\d+)", r"?\1"),
    )
]


@cache
def rewrite(sql: str) -> str:
    """Return a statement for SQLite; an array is a parameter that is a JSON array."""
    for pattern, replacement in _REWRITES:
        sql = pattern.sub(replacement, sql)
    return sql


@cache
def rewrite_for_row(sql: str) -> str:
    """Return a statement of columns for SQLite: it takes one row, whose values stand where the arrays were."""
    sql = re.sub(r"= ANY \((\$\d+)::\w+\[\]\)", r"= \1", sql)
    for parameters, name, columns in re.findall(rf"{_COLUMNS}\s+AS (\w+) \(([^)]*)\)", sql):
        for column, parameter in zip(columns.split(", "), re.findall(r"\$\d+", parameters), strict=True):
            sql = re.sub(rf"\b{name}\.{column}\b", parameter, sql)
    sql = re.sub(rf"SELECT \* FROM {_COLUMNS}(?!\s+AS)", r"VALUES (\1)", sql)
    sql = re.sub(rf"JOIN {_COLUMNS}\s+AS \w+ \([^)]*\)\s+ON", "WHERE", sql)
    sql = re.sub(rf"USING {_COLUMNS}\s+AS \w+ \([^)]*\)", "", sql)
    return rewrite(re.sub(rf"{_COLUMNS}\s+AS (\w+) \([^)]*\)", r"(SELECT 1) AS \2", sql))
