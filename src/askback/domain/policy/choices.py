"""The rules that a card offers ready-made for a call: exactly this call, or a little more where it is safe."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from askback.domain.approval import ChoiceKind, RuleChoice
from askback.domain.policy import files
from askback.domain.policy.calls import Call
from askback.domain.policy.narrow import would_match
from askback.domain.policy.rules import Rule, RuleError, parse_rule
from askback.domain.policy.shell.hazards import objection
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.programs import basename
from askback.domain.policy.wordlist import words as wordlist

_SUBCOMMAND = re.compile(r"[a-z][a-z0-9:_-]*")
_MOST_WORDS = 3
_TAKES_TARGETS = wordlist("make gmake just task rake ninja gulp grunt invoke")
_NO_OPTION = "--no-such-option"


def ready_choices(call: Call, exact: Rule) -> Iterator[tuple[Rule, RuleChoice]]:
    """Go through the rules that may be offered for a call, the narrowest first, which is `exact`."""
    yield exact, RuleChoice(rule=exact.text, kind="exact")
    for text, kind, subject in (*_with_options(call), *_in_folder(call)):
        try:
            rule = parse_rule(text)
        except RuleError:
            continue
        if rule.text != exact.text and would_match(rule, [call]):
            yield rule, RuleChoice(rule=rule.text, kind=kind, subject=subject)


def _with_options(call: Call) -> Iterator[tuple[str, ChoiceKind, str]]:
    """Offer any safe options for a program, or its sub-command, of which the safe options are known."""
    words = call.shell_input.words if call.shell else None
    if not words or call.reading is None or call.reading.unclear:
        return
    folder = "" if call.folder is None else f" in {call.folder}"
    for count in range(min(_leading(words), _MOST_WORDS), 0, -1):
        if count == 1 and basename(words[0]) in _TAKES_TARGETS:
            return
        known = objection((*words[:count], _NO_OPTION), count) is not None
        if known and objection(words, count) is None:
            named = shlex.join(words[:count])
            yield f"bash({named}:*){folder}", "options", named
            return


def _leading(words: Argv) -> int:
    """Count the words that name the program and its sub-command."""
    return next((at for at, word in enumerate(words) if at and not _SUBCOMMAND.fullmatch(word)), len(words))


def _in_folder(call: Call) -> Iterator[tuple[str, ChoiceKind, str]]:
    """Offer the files beside the one that is written."""
    path, name = call.only_path, call.path_name
    folder, slash, _ = (path or "").rpartition("/")
    if call.edits and slash and folder and name is not None and files.is_path(name):
        yield f"{call.name}({name}={folder}/**)", "folder", f"{folder}/"
