"""Checks awk programs: only those are accepted that compute and print, with every part known to be harmless.

Not accepted: pipes, redirections, `getline`, `system`, `close`, gawk's `@load`, `@include` and indirect calls, the
environment (`ENVIRON`, `PROCINFO`, `SYMTAB`), and `ARGV`, which names more files to read.
"""

from __future__ import annotations

import re

from askback.domain.policy.reasons import Reason

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\n]+)
    |(?P<string>"(?:[^"\\\n]|\\[^\n])*")
    |(?P<number>\d+(?:\.\d+)?)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<slash>/)
    |(?P<sign>\|\||&&|[=!<>+*%^-]=|\+\+|--|!~|[{}()\[\];,$!~<>=+*%^?:-])""",
    re.VERBOSE,
)
_REGEX = re.compile(r"/(?:[^/\\\n\[\]]|\\[^\n]|\[\^?\]?[^\]\n/\\]*\])+/")
_KNOWN_NAMES = frozenset(
    """
    BEGIN END NR NF FNR FS OFS ORS RS FILENAME RSTART RLENGTH SUBSEP if else for while do in next exit print printf
    length substr index split sub gsub match tolower toupper sprintf int sqrt log exp sin cos atan2 rand delete break
    continue
    """.split()
)
_FUNCTIONS = frozenset(
    """
    length substr index split sub gsub match tolower toupper sprintf int sqrt log exp sin cos atan2 rand if for
    while print printf in exit
    """.split()
)
_REFUSED_NAMES = frozenset(
    """
    system getline close fflush function func return srand systime strftime mktime gensub patsplit asort asorti
    include load namespace nextfile switch case default and or xor not eval
    """.split()
)
_BEFORE_REGEX = frozenset({"", "{", "}", ";", ",", "(", "!", "~", "!~", "&&", "||", "\n"})


def why_not_allowed(program: str) -> Reason | None:
    """Return why a program is not known to be harmless; None if it is."""
    part = _unknown_part(program)
    return Reason("unknown_part", part=part, text=program) if part else None


def _unknown_part(program: str) -> str | None:
    """Return the first unknown part."""
    position, previous, open_braces, open_parentheses = 0, "", 0, 0
    while position < len(program):
        match = _TOKEN.match(program, position)
        if match is None:
            return program[position]
        part, kind = match[0], match.lastgroup
        position = match.end()
        if kind == "slash":
            end = _regex_end(program, position - 1, previous)
            if end is None:
                return "/"
            position, previous = end, "/"
            continue
        if kind == "blank":
            previous = "\n" if "\n" in part else previous
            continue
        if kind == "name" and (unknown_name := _unknown_name(part, program[position:].lstrip(" \t")[:1])):
            return unknown_name
        open_braces += (part == "{") - (part == "}")
        open_parentheses += (part == "(") - (part == ")")
        if part in {">", ">="} and open_braces and not open_parentheses:
            return part  # it may write a file; some versions read `print a >= "b"` as a redirection
        previous = part
    return None


def _regex_end(program: str, position: int, previous: str) -> int | None:
    """Return the position after a regular expression or a division; None if it is ambiguous."""
    if previous in _BEFORE_REGEX:
        match = _REGEX.match(program, position)
        return match.end() if match else None
    return position + 1 if "/" not in program[position + 1 :] else None


def _unknown_name(word: str, next_character: str) -> str | None:
    """Return an unknown name, unless it is a variable in lower case that is not called."""
    if word in _REFUSED_NAMES:
        return word
    if word in _KNOWN_NAMES:
        return None if next_character != "(" or word in _FUNCTIONS else f"{word}("
    return None if word.islower() and next_character != "(" else word
