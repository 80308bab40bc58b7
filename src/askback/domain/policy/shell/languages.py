"""Small languages inside arguments: what sed, awk, jq, printf, test and find may be told to do."""

from __future__ import annotations

import re

from askback.domain.policy.wordlist import words

_ADDRESS = r"(?:(?:\d+|\$|/(?:[^/\\\n]|\\[^\n])*/)(?:,(?:\d+|\$|/(?:[^/\\\n]|\\[^\n])*/))?!?)?"
_SUBSTITUTE = (
    r"s(?P<d>[/|,#:@])(?:(?!(?P=d))[^\\\n]|\\[^\n])*(?P=d)(?:(?!(?P=d))[^\\\n]|\\[^\n])*(?P=d)[gpI0-9]*"
)
_SED = re.compile(rf"{_ADDRESS} *(?:[pdq=]|{_SUBSTITUTE})")
_FIELD = r"(?:\$(?:\d+|NF)|NR|NF|\"[^\"\\]*\")"
_AWK = re.compile(
    r"(?:/(?:[^/\\\n]|\\[^\n])*/|(?:NR|NF|\$\d+) *[<>=!]=? *(?:\d+|\"[^\"\\]*\"))?"
    rf" *(?:\{{ *print(?: +{_FIELD}(?: *(?:, *)?{_FIELD})*)? *\}})?"
)
_JQ_REACHES_OUT = re.compile(
    r"\$ENV|\$__prog|\b(?:env|include|import|input_filename|modulemeta|get_search_list|halt_error|debug|stderr)\b"
)
_PRINTF = re.compile(r"(?:[^%]|%%|%[-+ 0#]{0,4}\d{0,6}(?:\.\d{0,6})?[sdiuoxXcbqeEfgG])*", re.DOTALL)
_DATE = re.compile(r"\+.*", re.DOTALL)
_INTEGER = re.compile(r"-?\d+")
_TEST_ONE = words("-f -d -e -r -w -x -s -L -h -z -n")
_TEST_TEXT = frozenset(("=", "==", "!="))
_TEST_NUMBER = words("-eq -ne -lt -le -gt -ge")
_FIND_TESTS = words(
    """
    -name -iname -path -ipath -wholename -type -size -mtime -mmin -ctime -cmin -atime -amin -newer -maxdepth
    -mindepth -perm -user -group -regex -iregex -regextype -links
    """
)
_FIND_FLAGS = words(
    """
    -print -print0 -prune -o -or -a -and -not ! ( ) -empty -ls -depth -xdev -mount -readable -writable
    -executable -nouser -nogroup -true -false -daystart -H -L -P
    """
)
_PS_BSD = re.compile(r"[axufjlTwr]+|\d+")
_PS_COLUMNS = re.compile(r"[a-z%,=]+")
_PS_SECRET = re.compile(r"env")
_URL = re.compile(r"https?://(?P<host>[A-Za-z0-9._-]+)(?::\d+)?(?:[/?#][^\s{}\[\]]*)?", re.IGNORECASE)
_METADATA = re.compile(r"169\.254\.|metadata|100\.100\.100\.200", re.IGNORECASE)


def sed_script(script: str) -> str | None:
    """Accept one command that prints, deletes, quits or substitutes; not `w`, `e`, `r` or a script of several."""
    return (
        None
        if _SED.fullmatch(script.strip(" "))
        else f"the sed script `{script}` is not known to be harmless"
    )


def awk_program(program: str) -> str | None:
    """Accept a pattern and one `print` of fields; no function, no redirection, no pipe."""
    return (
        None
        if _AWK.fullmatch(program.strip(" "))
        else f"the awk program `{program}` is not known to be harmless"
    )


def jq_filter(program: str) -> str | None:
    """Accept a filter that reads neither the environment nor another file."""
    found = _JQ_REACHES_OUT.search(program)
    return f"the filter uses `{found[0]}`" if found else None


def printf_arguments(arguments: tuple[str, ...]) -> str | None:
    """Accept a format with ordinary conversions. `-v` and `%n` run code that is hidden in a subscript."""
    if not arguments or arguments[0].startswith("-"):
        return "`printf` takes a format first"
    return (
        None
        if _PRINTF.fullmatch(arguments[0])
        else f"the format `{arguments[0]}` is not known to be harmless"
    )


def test_arguments(arguments: tuple[str, ...]) -> str | None:
    """Accept one simple test. `-v` and arithmetic run code that is hidden in a subscript."""
    words = arguments[1:] if arguments[:1] == ("!",) else arguments
    if any("[" in word or "$" in word or "`" in word for word in words):
        return "a subscript can run code"
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
    return "only one simple test of a file, a text or whole numbers is known to be harmless"


def find_arguments(arguments: tuple[str, ...]) -> str | None:
    """Accept tests that look; not `-delete`, `-exec`, `-ok`, `-fprint` or any other action."""
    left = list(reversed(arguments))
    while left:
        word = left.pop()
        if word in _FIND_TESTS:
            if not left:
                return f"`{word}` has no value"
            left.pop()
        elif word not in _FIND_FLAGS and word.startswith(("-", "!", "(", ")")):
            return f"`{word}` is not known to be harmless"
    return None


def date_operands(operands: list[str]) -> str | None:
    """Accept a format. Any other operand sets the clock."""
    wrong = next((word for word in operands if not _DATE.fullmatch(word)), None)
    return f"`{wrong}` sets the clock" if wrong else None


def ps_operands(operands: list[str]) -> str | None:
    """Accept the BSD letters without `e`, which shows environments, and process numbers."""
    wrong = next((word for word in operands if not _PS_BSD.fullmatch(word)), None)
    return f"`{wrong}` is not known to be harmless" if wrong else None


def ps_value(name: str, value: str) -> str | None:
    """Accept plain columns for `-o`."""
    if name in {"o", "format"} and (not _PS_COLUMNS.fullmatch(value) or _PS_SECRET.search(value)):
        return f"the columns `{value}` are not known to be harmless"
    return None


def web_addresses(operands: list[str]) -> str | None:
    """Accept http and https addresses of ordinary hosts, without curl's own patterns."""
    for word in operands:
        match = _URL.fullmatch(word)
        if match is None or _METADATA.match(match["host"]):
            return f"`{word}` is not an ordinary web address"
    return None


def header_value(name: str, value: str) -> str | None:
    """Accept a header that is spelled out, not one from a file."""
    return f"`-{name} {value}` reads a file" if value.startswith("@") else None
