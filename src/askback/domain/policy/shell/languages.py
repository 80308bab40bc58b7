"""Checks small languages in arguments: those of sed, printf, test, find, date, ps, tar, and Go templates."""

from __future__ import annotations

import re
from itertools import cycle

from askback.domain.policy import paths
from askback.domain.policy.reasons import Reason

_ADDRESS = r"(?:(?:\d+|\$|/(?:[^/\\\n]|\\[^\n])*/)(?:,(?:\d+|\$|/(?:[^/\\\n]|\\[^\n])*/))?!?)?"
_SUBSTITUTE = (
    r"s(?P<d>[/|,#:@])(?:(?!(?P=d))[^\\\n]|\\[^\n])*(?P=d)(?:(?!(?P=d))[^\\\n]|\\[^\n])*(?P=d)[gpI0-9]*"
)
_SED = re.compile(rf"{_ADDRESS} *(?:[pdqn=]|{_SUBSTITUTE}|y/[^/\\\\\n]*/[^/\\\\\n]*/)")
_NEXT = re.compile(r"[ \n]*(?:;[ \n]*)+|\n[ \n]*|\Z")
_BRACKET = re.compile(r"\[[^\]]*[/|,#:@;\n\[]")
_CONVERSION = r"%[-+ 0#]{0,4}\d{0,6}(?:\.\d{0,6})?([sdiuoxXcbqeEfgG])"
_CONVERSIONS = re.compile(rf"%%|{_CONVERSION}")
_PRINTF = re.compile(rf"(?:[^%]|%%|{_CONVERSION})*", re.DOTALL)
_PRINTED_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|0[xX][0-9a-fA-F]+)|['\"].?|", re.DOTALL)
_DATE = re.compile(r"\+.*", re.DOTALL)
_INTEGER = re.compile(r"-?\d+")
_TEST_ONE = frozenset("-f -d -e -r -w -x -s -L -h -z -n".split())
_TEST_TEXT = frozenset(("=", "==", "!="))
_TEST_NUMBER = frozenset("-eq -ne -lt -le -gt -ge".split())
FIND_TESTS = frozenset(
    """
    -name -iname -path -ipath -wholename -type -size -mtime -mmin -ctime -cmin -atime -amin -newer -maxdepth
    -mindepth -perm -user -group -regex -iregex -regextype -links
    """.split()
)
FIND_FLAGS = frozenset(
    """
    -print -print0 -prune -o -or -a -and -not ! ( ) -empty -ls -depth -xdev -mount -readable -writable
    -executable -nouser -nogroup -true -false -daystart -H -L -P
    """.split()
)
_PS_BSD = re.compile(r"[axufjlTwr]+|\d+")
_PS_COLUMNS = re.compile(r"[a-z%,=]+")
_PS_SECRET = re.compile(r"env")


def sed_script(script: str) -> Reason | None:
    """Accept commands that print, delete, quit or substitute, separated by `;`; not `w`, `e` or `r`."""
    unread_script = script.strip(" \n")
    if _BRACKET.search(unread_script) and len(_NEXT.findall(unread_script)) > 1:
        return Reason("unknown_value", value=script)  # programs disagree where it ends
    while unread_script:
        command = _SED.match(unread_script)
        next_command = _NEXT.match(unread_script, command.end()) if command else None
        if next_command is None:
            return Reason("unknown_value", value=script)
        unread_script = unread_script[next_command.end() :]
    return None


def printf_arguments(arguments: tuple[str, ...]) -> Reason | None:
    """Accept a format with ordinary conversions, and numbers for `%d` and the like.

    `-v` and `%n` run code in a subscript. So do zsh and ksh, which calculate what they print as a number.
    """
    if not arguments or arguments[0].startswith("-"):
        return Reason("unknown_value", value=arguments[0] if arguments else "printf")
    text, *values = arguments
    if not _PRINTF.fullmatch(text):
        return Reason("unknown_value", value=text)
    conversions = [match[1] for match in _CONVERSIONS.finditer(text) if match[1]]
    for value, conversion in zip(values, cycle(conversions), strict=False):
        if conversion not in "scbq" and not _PRINTED_NUMBER.fullmatch(value):
            return Reason("not_number", value=value)
    return None


def test_arguments(arguments: tuple[str, ...]) -> Reason | None:
    """Accept one simple test. `-v` and arithmetic run code in a subscript."""
    words = arguments[1:] if arguments[:1] == ("!",) else arguments
    if lively := next((word for word in words if "[" in word or "$" in word or "`" in word), None):
        return Reason("unknown_value", value=lively)  # a subscript can run code
    if len(words) == 2 and words[0] in _TEST_ONE:
        return None
    if len(words) == 3 and words[1] in _TEST_TEXT:
        return None
    if (
        len(words) == 3
        and words[1] in _TEST_NUMBER
        and _INTEGER.fullmatch(words[0])
        and _INTEGER.fullmatch(words[2])
    ):
        return None
    return Reason("not_simple_test")


def find_arguments(arguments: tuple[str, ...]) -> Reason | None:
    """Accept tests that only read; not `-delete`, `-exec`, `-ok`, `-fprint` or any other action."""
    unread_words = list(reversed(arguments))
    while unread_words:
        word = unread_words.pop()
        if word in FIND_TESTS:
            if not unread_words:
                return Reason("no_value", option=word)
            unread_words.pop()
        elif word not in FIND_FLAGS and word.startswith(("-", "!", "(", ")")):
            return Reason("unknown_value", value=word)
    return None


def date_operands(operands: list[str]) -> Reason | None:
    """Accept a format. Any other operand sets the clock."""
    bad_word = next((word for word in operands if not _DATE.fullmatch(word)), None)
    return Reason("sets_clock", value=bad_word) if bad_word else None


def ps_operands(operands: list[str]) -> Reason | None:
    """Accept BSD letters without `e`, which shows environments, and process numbers."""
    bad_word = next((word for word in operands if not _PS_BSD.fullmatch(word)), None)
    return Reason("unknown_value", value=bad_word) if bad_word else None


def ps_value(name: str, value: str) -> Reason | None:
    """Accept plain columns for `-o`."""
    if name in {"o", "format"} and (not _PS_COLUMNS.fullmatch(value) or _PS_SECRET.search(value)):
        return Reason("unknown_value", value=value)
    return None


_TAR_LETTERS = re.compile(r"-?[txcvzjJafpk]*f|-?[txcvzjJap]+")
_TAR_LONG = frozenset(
    """
    --list --extract --create --verbose --gzip --bzip2 --xz --zstd --auto-compress --exclude-vcs --totals
    --keep-old-files --no-same-owner --no-same-permissions --skip-old-files
    """.split()
)
_TAR_NUMBER = re.compile(r"--strip-components=\d+|--exclude=[^~]*")
_ARCHIVE = re.compile(r"[^:]+\.(?:tar|tgz|tbz2?|txz|zip|tar\.(?:gz|bz2|xz|zst|Z))", re.IGNORECASE)


def tar_arguments(arguments: tuple[str, ...]) -> Reason | None:
    """Accept listing, extracting into the folder, and packing its contents into a file named like an archive.

    The mode must come first, as in `tar tf` or `tar -xzf`. Options that run programs or write elsewhere are refused.
    """
    letters = arguments[0] if arguments else "tar"
    one_mode = _TAR_LETTERS.fullmatch(letters) and len({"t", "x", "c"} & set(letters)) == 1
    if not one_mode or not letters.endswith("f") or len(arguments) < 2:
        return Reason("unknown_value", value=letters)
    if not _ARCHIVE.fullmatch(arguments[1]) or paths.leaves_folder(arguments[1]):
        return Reason("not_archive", path=arguments[1])
    unread_words = list(reversed(arguments[2:]))
    while unread_words:
        word = unread_words.pop()
        if word in {"-C", "--directory"} and unread_words:
            word = unread_words.pop()
        elif word in _TAR_LONG or _TAR_NUMBER.fullmatch(word):
            continue
        if word.startswith("-") or paths.leaves_folder(word):
            return Reason("unknown_value", value=word)
    return None


_TEMPLATE = re.compile(r"(?:[^{}]|\{\{-? *(?:json|range|end|len|index|table|upper|lower)? *[.\w \"]*-?\}\})*")


def template(text: str) -> bool:
    """Return whether a Go template only prints fields, and no environment."""
    return bool(_TEMPLATE.fullmatch(text)) and not re.search(r"env|\.Config\b|json \.\}", text, re.IGNORECASE)
