"""Reads a subset of bash completely: simple commands of literal words, joined by `&&`, `||`, `|`, `;`.

These tokens must cover a command line from its first to its last byte; otherwise it is refused with the reason. So
nothing that bash would expand, redirect into a file or run in the background is taken for text.
"""

from __future__ import annotations

import re

from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell import limits
from askback.domain.policy.shell.characters import why_deceptive
from askback.domain.values import frozen

Argv = tuple[str, ...]

PLAIN = r"[A-Za-z0-9_@%+=:,./^~#\-\u0080-\U0010ffff]+"
DOUBLE = r'''"(?:[^"\\$`!]|\\[^\n]|\$(?=["\ |)/])|!(?=["\ ]))*"'''
# Not before a letter: a program before the shell may read `\t` as a tab, and then other words would run.
ESCAPED = r"\\[\ !\"#$&'()*;<=>?\[\\\]^`{|}~]"
_WORD_PART = rf"{PLAIN}|'[^']*'|{DOUBLE}|{ESCAPED}"
_END = r"(?=[ \t\n;|&]|\Z)"
_TOKEN = re.compile(
    rf"""(?P<blank>[ \t]+)
    |(?P<redirect>[0-2]?>&[12]{_END}|(?:[0-2]?>>?|&>>?|0?<)[ \t]*/dev/null{_END})
    |(?P<join>&&|\|\||\|)
    |(?P<end>;|\n)
    |(?P<word>(?:{_WORD_PART})+|[\[\]]{_END})""",
    re.VERBOSE,
)
_SIMPLE = re.compile(r"[A-Za-z0-9_@%+,./\-][A-Za-z0-9_@%+=:,./^#\-]*")
_WORD_PARTS = re.compile(
    r"(?P<quoted>'[^']*')|(?P<double>\"(?:[^\"\\]|\\.)*\")|(?P<escaped>\\.)|(?P<plain>[^'\"\\]+)"
)
_IN_DOUBLE = re.compile(r'\\([\\"$`])')
_HOME = re.compile(r"(?:\A|[=:'\"])~")
# zsh, in which some agents run what they call bash, replaces `=name` by the path of that program.
_PROGRAM_PATH = re.compile(r"=(?![=~]?\Z)")

RESERVED = frozenset(
    "if then elif else fi for while until do done case esac select in function coproc time ! { } [[ ]]".split()
)
_NAMES = {
    "$": "expansion",
    "`": "substitution",
    "&": "background",
    "!": "exclamation",
    "'": "open_quote",
    '"': "double_quotes",
    "\\": "backslash",
    **dict.fromkeys("()", "parenthesis"),
    **dict.fromkeys("<>", "redirection"),
    **dict.fromkeys("*?[]", "pattern"),
    **dict.fromkeys("{}", "brace"),
}


class NotUnderstood(Exception):
    """The command is outside the subset; `why`, the message, names the part."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.why = reason


def require_understood(is_understood: bool) -> None:
    """Raise `NotUnderstood` with the reason `uncertain` unless `is_understood`."""
    if not is_understood:
        raise NotUnderstood(Reason("uncertain"))


@frozen(slots=True)
class Word:
    """One word: the text that the program gets, and how it was written."""

    text: str
    raw: str


def split_commands(text: str, *, posix: bool = False) -> tuple[Argv, ...]:
    """Split a command line into the argument vectors of its simple commands, in order.

    `posix` accepts only what dash and bash read alike. Raises NotUnderstood for everything outside the subset.
    """
    commands: list[Argv] = []
    command: list[Word] = []
    expects_command = False
    for kind, part, has_no_blank_before in tokens(text):
        if kind == "word":
            command.append(decode_word(part, first=not command))
        elif kind == "redirect":
            _check_redirection(part, command, has_no_blank_before=has_no_blank_before, posix=posix)
        elif command:
            commands.append(_argv_of(command))
            command, expects_command = [], kind == "join"
        elif part != "\n":
            raise NotUnderstood(Reason("nothing_before", part=part))
    if command:
        commands.append(_argv_of(command))
    elif expects_command:
        raise NotUnderstood(Reason("nothing_behind"))
    if not commands:
        raise NotUnderstood(Reason("empty_command"))
    if len(commands) > limits.COMMANDS:
        raise NotUnderstood(Reason("too_many_commands", max=str(limits.COMMANDS)))
    return tuple(commands)


def split_words(text: str) -> Argv:
    """Read exactly one simple command: the words of a rule. Raises NotUnderstood."""
    command: list[Word] = []
    for kind, part, _ in tokens(text):
        if kind != "word":
            raise NotUnderstood(Reason("joins_commands", part=part))
        command.append(decode_word(part, first=not command))
    if not command:
        raise NotUnderstood(Reason("empty_command"))
    return tuple(item.text for item in command)


def _check_redirection(part: str, command: list[Word], *, has_no_blank_before: bool, posix: bool) -> None:
    if posix and part[0] == "&":
        raise NotUnderstood(Reason("not_in_sh"))
    # Digits before the operator are a descriptor: `echo 10>/dev/null` prints nothing.
    if not command or (has_no_blank_before and command[-1].raw.isdigit()):
        raise NotUnderstood(Reason("odd_redirection", part=part))


def tokens(text: str) -> list[tuple[str, str, bool]]:
    """Return (kind, text, whether it touches the word before it) for all tokens except blanks."""
    result: list[tuple[str, str, bool]] = []
    position, size, previous = 0, len(text), "blank"
    while position < size:
        match = _TOKEN.match(text, position)
        if match is None:
            reason = Reason(_NAMES.get(text[position], "unusual"))
            raise NotUnderstood(Reason("at_position", what=reason, position=str(position + 1)))
        kind = match.lastgroup or ""
        if kind == "word" and previous in {"word", "redirect"}:
            raise NotUnderstood(Reason("at_position", what=Reason("unusual"), position=str(position + 1)))
        if kind != "blank":
            result.append((kind, match[0], previous == "word"))
        position, previous = match.end(), kind
    return result


def decode_word(raw: str, *, first: bool) -> Word:
    """Decode one word; `first` is true where a command begins. Raises NotUnderstood."""
    if _SIMPLE.fullmatch(raw):
        text = raw
    else:
        if raw[0] == "#":
            raise NotUnderstood(Reason("comment"))
        if _PROGRAM_PATH.match(raw) and not first:
            raise NotUnderstood(Reason("uncertain"))
        text = _decode(raw)
    if first and (raw in RESERVED or text in RESERVED):
        raise NotUnderstood(Reason("shell_language", word=text))
    if first and "=" in raw:
        raise NotUnderstood(Reason("sets_variable"))
    return Word(text, raw)


def _decode(raw: str) -> str:
    parts: list[str] = []
    decoded = ""
    for piece in _WORD_PARTS.finditer(raw):
        part = piece[0]
        if piece.lastgroup == "quoted":
            parts.append(part[1:-1])
        elif piece.lastgroup == "double":
            parts.append(_IN_DOUBLE.sub(r"\1", part[1:-1]))
        elif piece.lastgroup == "escaped":
            parts.append(part[1])
        else:
            if _HOME.search(decoded + part):
                raise NotUnderstood(Reason("home_folder"))
            deceptive = why_deceptive(part)
            if deceptive:
                raise NotUnderstood(deceptive)
            parts.append(part)
        decoded = part[-1]
    return "".join(parts)


def _argv_of(command: list[Word]) -> Argv:
    argv = tuple(item.text for item in command)
    if not argv[0]:
        raise NotUnderstood(Reason("empty_command"))
    return argv
