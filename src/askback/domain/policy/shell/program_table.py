"""The tables of programs: their harmless options and operands. Each file is read when it is first needed.

One file for each program in `tables/`, in TOML. Its keys, also those of each subcommand (`[log]`, `["stash list"]`):

source            which manual the table was made from
options           the harmless options, blank between them; see below
operands          the kinds of what stands beside the options, in order: `text file*`; `name?` may be there, `*` repeats
                  the last one. Without this key there are none. A rule that names one of those that may be
                  repeated covers no more of them, unless the table only reads.
replaces_operand  options that take the place of the first operand: `grep -e PATTERN FILE`
harmless_words    a regular expression for whole arguments that are harmless as they are: `-[0-9]+`
style             `getopt` (default): clusters, attached values; `exact`: each option is its own word, also with `=`;
                  `go`: as `exact`, with one or two hyphens
after_dashes      what may stand behind `--`: `operands` and `options` in its own table; without it, more operands
required_words    how many words of a command a rule has to name; without it, the whole subcommand
last_wins         groups of options of which the last one counts: a rule that names one (`git pull --ff-only:*`) covers
                  no later one of its group (`--rebase`)
operands_fixed    true: a rule that names an operand covers no more of them: `make test:*` excludes `make test publish`
runs_command      true: the first operand begins another command, which its own table judges
read_only         true: it only looks, so a rule for the program alone covers it
runs_project      true: it runs code of the project
refusal           why no prefix rule is safe: one of `REFUSALS`
continues_as      the name of another table that judges what follows
check             a function of `languages.py` that judges all the arguments
version           options that show a version or help, beside `--version` and `--help`
groups            a table of options by name, for `@name`

An option is `-n`, `--name`, or several names of one: `-n,--name`; in the style `getopt`, `-abc` are three options.
`=KIND` behind it takes a value, `=KIND+KIND` two words, `?KIND` a value that may be missing and stands in the same
word. `{a|b}` is a kind: one of these words. `!` behind it takes part only where the rule names it. `@group` stands
for the options of a group in `[groups]`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from importlib.resources import files
from typing import Any, Literal, cast

from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell.value_kinds import VALUE_KINDS, ValueKind
from askback.domain.values import frozen

Style = Literal["getopt", "exact", "go"]
Path = tuple[str, ...]

_KEYS = frozenset(
    """
    source options operands replaces_operand harmless_words style after_dashes runs_command read_only runs_project
    refusal continues_as check groups version required_words operands_fixed last_wins
    """.split()
)
REFUSALS = frozenset(
    """
    runs_code runs_remotely changes_installed changes_machine changes_rights changes_infrastructure changes_data
    changes_service changes_later writes_files links_files deletes downloads sends_data publishes starts_server
    shows_secrets unknown_options
    """.split()
)
"""Why no prefix rule is safe for a program: codes of reasons with the parameter `program`."""
_FILE_SUFFIX = ".table.toml"
_OPTION = re.compile(r"(?P<names>[^=?!{]+)(?:(?P<sign>[=?])(?P<kinds>\{[^}]*\}|[a-z+-]+))?(?P<named>!)?")


@frozen(slots=True)
class ProgramOption:
    """One harmless option. `kinds` are the kinds of its values; `attached`: the value is optional, in the same word."""

    kinds: tuple[ValueKind, ...] = ()
    attached: bool = False
    named: bool = False


@frozen(slots=True)
class ProgramTable:
    """The arguments that a program, or one of its subcommands, may have under a prefix rule."""

    source: str = ""
    options: Mapping[str, ProgramOption] = field(default_factory=dict[str, ProgramOption])
    operands: tuple[ValueKind, ...] = ()
    repeats: bool = False
    replaces_operand: frozenset[str] = frozenset()
    harmless_words: re.Pattern[str] | None = None
    style: Style = "getopt"
    after_dashes: ProgramTable | None = None
    runs_command: bool = False
    read_only: bool = False
    runs_project: bool = False
    refusal: str | None = None
    continues_as: str | None = None
    check: str | None = None
    subcommands: Mapping[Path, ProgramTable] = field(default_factory=dict[Path, "ProgramTable"])
    required_words: int = 0
    operands_fixed: bool = False
    last_wins: tuple[frozenset[str], ...] = ()
    version: frozenset[str] = frozenset({"--version", "--help"})


def load_table(name: str) -> ProgramTable | None:
    """Return the table of a program by its name; None if there is none."""
    return _load(name) if name in programs() else None


@cache
def programs() -> frozenset[str]:
    """Return the names of all programs that have a table."""
    return frozenset(
        entry.name.removesuffix(_FILE_SUFFIX)
        for entry in _folder().iterdir()
        if entry.name.endswith(_FILE_SUFFIX)
    )


@cache
def _load(name: str) -> ProgramTable:
    return read_table(name, _folder().joinpath(f"{name}{_FILE_SUFFIX}").read_text("utf-8"))


def read_table(name: str, text: str) -> ProgramTable:
    """Return the table of a program from its TOML. Raises `ValueError` for unknown keys and values."""
    import tomllib  # imported here, to keep the start of the server fast

    body: dict[str, Any] = tomllib.loads(text)
    groups: Mapping[str, str] = body.get("groups", {})
    subs = {
        key: cast("dict[str, Any]", value)
        for key, value in body.items()
        if isinstance(value, dict) and key not in {"groups", "after_dashes"}
    }
    top = {key: value for key, value in body.items() if key not in subs}
    tables: dict[Path, ProgramTable] = {}
    for key, value in subs.items():
        shared_members = {k: top[k] for k in ("style",) if k in top}
        members = {**shared_members, **value}
        members["options"] = f"{top.get('options', '')} {members.get('options', '')}"
        table = _table(members, groups, name)
        tables.update({tuple(part.split()): table for part in key.split(",")})
    return _table(top, groups, name, tables)


def _folder():
    return files("askback.domain.policy.shell").joinpath("tables")


def _table(
    body: Mapping[str, Any],
    groups: Mapping[str, str],
    name: str,
    subcommands: Mapping[Path, ProgramTable] | None = None,
) -> ProgramTable:
    unknown_keys = set(body) - _KEYS
    if unknown_keys:
        raise ValueError(f"The table of {name} has unknown keys: {', '.join(sorted(unknown_keys))}")
    if body.get("refusal", "runs_code") not in REFUSALS:
        raise ValueError(f"The table of {name} has an unknown reason: {body['refusal']}")
    style = body.get("style", "getopt")
    kinds, repeats = _parse_operands(body.get("operands", ""))
    return ProgramTable(
        source=body.get("source", ""),
        options=_options(body.get("options", ""), groups, style),
        operands=kinds,
        repeats=repeats,
        replaces_operand=frozenset(body.get("replaces_operand", "").split()),
        harmless_words=re.compile(body["harmless_words"]) if "harmless_words" in body else None,
        style=style,
        after_dashes=_table({"style": style, **body["after_dashes"]}, groups, name)
        if "after_dashes" in body
        else None,
        runs_command=body.get("runs_command", False),
        read_only=body.get("read_only", False),
        runs_project=body.get("runs_project", False),
        refusal=body.get("refusal"),
        continues_as=body.get("continues_as"),
        check=body.get("check"),
        subcommands=subcommands or {},
        required_words=body.get("required_words", 0),
        operands_fixed=body.get("operands_fixed", False),
        last_wins=tuple(frozenset(group.split()) for group in body.get("last_wins", ())),
        version=frozenset(("--version --help " + body.get("version", "")).split()),
    )


def _options(text: str, groups: Mapping[str, str], style: str) -> dict[str, ProgramOption]:
    options: dict[str, ProgramOption] = {}
    for word in text.split():
        if word.startswith("@"):
            options.update(_options(groups[word[1:]], groups, style))
            continue
        match = _OPTION.fullmatch(word)
        if match is None:
            raise ValueError(f"The option {word} cannot be read")
        option = ProgramOption(
            _parse_value_kinds(match["kinds"]), match["sign"] == "?", match["named"] is not None
        )
        options.update(dict.fromkeys(_names(match["names"], style), option))
    return options


def _names(text: str, style: str) -> list[str]:
    if style == "getopt" and text[:1] == "-" and text[1:2] != "-" and "," not in text:
        return [f"-{letter}" for letter in text[1:]]
    return text.split(",")


def _parse_value_kinds(text: str | None) -> tuple[ValueKind, ...]:
    if text is None:
        return ()
    return (
        (_parse_choices(text),)
        if text.startswith("{")
        else tuple(VALUE_KINDS[kind] for kind in text.split("+"))
    )


def _parse_choices(text: str) -> ValueKind:
    choices = frozenset(text[1:-1].split("|"))
    return lambda value, _: None if value in choices else Reason("unknown_value", value=value)


def _parse_operands(text: str) -> tuple[tuple[ValueKind, ...], bool]:
    kinds = [word.rstrip("?*") for word in text.split()]
    return tuple(_parse_value_kinds(word)[0] for word in kinds), text.endswith("*")
