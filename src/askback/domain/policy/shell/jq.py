"""Checks jq filters: only those are accepted that just read their input, with every part known to be harmless.

Not accepted: the environment (`env`, `$ENV`, also as `$ ENV`, which jq 1.6 reads alike), modules, comments, names
of input files, and variables that neither the filter nor an option defines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from askback.domain.policy.reasons import Reason

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n]+)
    |(?P<field>\.[A-Za-z_]\w*)
    |(?P<dots>\.\.|\.)
    |(?P<variable>\$[A-Za-z_]\w*)
    |(?P<format>@(?:base64d?|base32d?|csv|tsv|html|uri|urid|sh|json|text)\b)
    |(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign>\?//|//=|\|=|[+*/%-]=|[=!<>]=|//|[\[\]{}(),:;|=<>+*/%?-])""",
    re.VERBOSE,
)
_BOUND = re.compile(r"\b(?:as|label|def)\b([^|]*)")
_DEFINED = re.compile(r"\bdef[ \t\r\n]+([A-Za-z_]\w*)")
_VARIABLE = re.compile(r"\$([A-Za-z_]\w*)")
_KEYWORDS = frozenset("if then elif else end as def reduce foreach try catch label and or not break".split())
_FUNCTIONS = frozenset(
    """
    length utf8bytelength keys keys_unsorted values has in map map_values path paths leaf_paths del getpath setpath
    delpaths to_entries from_entries with_entries select empty error add any all flatten range floor ceil round sqrt
    pow log log10 log2 exp tostring tonumber type infinite nan isinfinite isnan isnormal isvalid sort sort_by group_by
    min max min_by max_by unique unique_by reverse contains inside startswith endswith combinations ltrimstr rtrimstr
    trim ltrim rtrim trimstr explode implode split splits join ascii_downcase ascii_upcase ascii while repeat until
    recurse recurse_down walk transpose first last nth limit skip indices index rindex tojson fromjson todate fromdate
    now mktime gmtime strftime strptime date dateadd datesub test match capture scan sub gsub ascii input inputs
    null true false arrays objects iterables booleans numbers strings nulls scalars tojson abs toarray pick have_literal
    bsearch splits significand getpath min_by fabs trunc tostream fromstream truncate_stream limit isempty
    ascii_downcase group_by unique_by add
    """.split()
)

_PARAMETERS = re.compile(r"\bdef\s+\w+\(([^()]*)\)")
_LOCAL_NAME = re.compile(r"[a-z]{1,2}|(?:my|_)\w*")
_KEY = re.compile(r"[ \t\r\n]*[:,}]")
_OPENING = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_OPENING.values())


def why_not_allowed(program: str, *, names: Sequence[str] = ()) -> Reason | None:
    """Return why a filter is not known to be harmless; None if it is. `names` may define variables, as `--arg` does."""
    part = _unknown_part(program, frozenset(names))
    if part == "":
        return Reason("not_closed", text=program)
    return Reason("unknown_part", part=part, text=program) if part else None


def _unknown_part(program: str, names: frozenset[str]) -> str | None:
    """Return the first unknown part; empty if a bracket is not closed."""
    names_of_program = _Names(program, names)
    position, open_brackets, interpolated, previous = 0, list[str](), list[int](), ""
    while position < len(program):
        is_end_of_interpolation = (
            interpolated and program[position] == ")" and len(open_brackets) == interpolated[-1]
        )
        if is_end_of_interpolation or program[position] == '"':
            if is_end_of_interpolation:
                interpolated.pop()
                open_brackets.pop()
            position, is_interpolated = _string(program, position + 1)
            if is_interpolated:
                open_brackets.append("(")
                interpolated.append(len(open_brackets))
            if position < 0:
                return ""
            previous = '"'
            continue
        match = _TOKEN.match(program, position)
        if match is None:
            return program[position]
        part, kind, position = match[0], match.lastgroup, match.end()
        key = open_brackets[-1:] == ["{"] and previous in {"{", ","} and _KEY.match(program, position)
        if kind == "variable" and part[1:] not in names_of_program.variables:
            return part
        if kind == "name" and not key and part not in names_of_program.functions:
            return part
        if part in _OPENING:
            open_brackets.append(part)
        elif part in _CLOSING and (not open_brackets or _OPENING[open_brackets.pop()] != part):
            return part
        previous = previous if kind == "blank" else part
    return "" if interpolated or open_brackets else None


class _Names:
    """The names that a filter may use: jq's harmless ones, and those that it defines itself.

    The scope of its own names is ignored. So none of them may have a name that jq gives to something else.
    """

    def __init__(self, program: str, arguments: frozenset[str]) -> None:
        bound = {name for part in _BOUND.findall(program) for name in _VARIABLE.findall(part)} | arguments
        self.variables = {name for name in bound if name != "ENV" and not name.startswith("__")} | {"__loc__"}
        defined_names = set(_DEFINED.findall(program))
        for parameters in _PARAMETERS.findall(program):
            defined_names.update(re.split(r"[;\s]+", parameters))
        self.functions = (
            _FUNCTIONS | _KEYWORDS | {name for name in defined_names if _LOCAL_NAME.fullmatch(name)}
        )


def _string(program: str, position: int) -> tuple[int, bool]:
    """Return the position after a string, or after the start of an interpolation; -1 if it does not end."""
    while position < len(program):
        if program[position] == "\\":
            if program[position + 1 : position + 2] == "(":
                return position + 2, True
            position += 2
        elif program[position] == '"':
            return position + 1, False
        else:
            position += 1
    return -1, False
