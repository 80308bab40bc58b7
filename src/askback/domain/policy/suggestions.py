"""Suggests what a person can store with a decision: a rule for the call, or a folder to grant.

Also says why no rule can be stored, and why a stored rule allows nothing.
"""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace

from askback.domain.approval import ChoiceKind, RuleChoice
from askback.domain.links import link_host
from askback.domain.policy import files, hard_limits, operands, paths, read_tools
from askback.domain.policy.argument_patterns import ADDRESSES, RECIPIENTS
from askback.domain.policy.calls import READ_TOOLS, Call
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.read_scope import ReadScope, normalize_path
from askback.domain.policy.reasons import Reason
from askback.domain.policy.risks import command_risks
from askback.domain.policy.rules import Rule, RuleError, exact_rule_text, parse_rule, shell_rule_text
from askback.domain.policy.searches import looks_like_file
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.literal import check_literal_argv
from askback.domain.policy.shell.prefix_check import prefix_fault, runs_project, why_not_allowed
from askback.domain.policy.shell.programs import basename


def exact_rule(call: Call) -> Rule | None:
    """Return the narrowest rule that would have allowed this call; None if none should be stored.

    For a shell command: its text and its folder, if it is clear what it runs. For a file tool with one path and
    contents: the path. For everything else: exactly the same input.
    """
    try:
        if hard_limits.broken_limit(call):
            return None
        return next((rule for text in _texts(call) if (rule := _parse_if_exact(text, call))), None)
    except Exception:  # noqa: BLE001 - a call that cannot be checked is approved once, if at all
        return None


def why_no_rule(call: Call) -> Reason:
    """Return why `exact_rule` finds no rule for a call that breaks no hard limit."""
    if call.is_shell and call.reading is not None:
        reason = call.reading.incomplete or call.shell_input.literal.why_not
        return reason or Reason("no_exact_rule")
    secret = next(filter(paths.is_secret_path, call.possible_paths), None) if call.is_edit else None
    return Reason("no_exact_rule") if secret is None else Reason("secret_place", path=secret)


def runs_project_code(call: Call) -> bool:
    """Return whether a call runs code of the project, as `npm test` and `make` do."""
    return call.is_shell and call.reading is not None and any(map(runs_project, call.reading.commands))


def called_scripts(call: Call) -> tuple[str, ...]:
    """Return the files that a shell command passes to an interpreter; a rule cannot cover their later contents."""
    return tuple(dict.fromkeys(call.shell_input.literal.scripts)) if call.is_shell else ()


def rule_scripts(rule: Rule) -> tuple[str, ...]:
    """Return the files that a rule for a shell command passes to an interpreter; see `called_scripts`."""
    if rule.input is not None:
        return called_scripts(Call(rule.tool, json.loads(rule.input)))
    return tuple(dict.fromkeys(check_literal_argv(rule.words).scripts)) if rule.words else ()


def why_rule_unclear(rule: Rule) -> Reason | None:
    """Return why it is not clear what an exact rule would run; None if it is."""
    if rule.effect != "allow" or not rule.words or rule.prefix or not rule.tool:
        return None
    reason = check_literal_argv(rule.words).why_not
    return reason and Reason("rule_unsaid", why=reason)


def concerns(rule: Rule, call: Call) -> bool:
    """Return whether a rule may have a part in the decision about a call: it matches the call, or a command in it."""
    if not call.is_shell or call.reading is None or rule.input is not None:
        return rule.covers(call)
    return any(rule.matches_words(argv) or rule.denies(argv) for argv in call.reading.all_commands)


def matching_calls(rule: Rule, calls: list[Call]) -> list[Call]:
    """Return the calls that a rule matches."""
    return [call for call in calls if _matches(rule, call)]


def _matches(rule: Rule, call: Call) -> bool:
    if not call.is_shell or call.reading is None or rule.input is not None:
        return rule.covers(call)
    if rule.effect != "allow":
        return rule.applies_in_folder(call) and any(map(rule.denies, call.reading.all_commands))
    applies = rule.applies_in_folder(call) and not call.reading.unclear
    return applies and all(
        rule.matches_words(argv) and rule.why_not_allowed(argv) is None for argv in call.reading.commands
    )


def _texts(call: Call) -> Iterator[str]:
    """Return the possible texts of a rule for just this call, the best first."""
    if call.is_shell:
        yield from _command_choices(call)
        return
    if call.is_edit:
        if any(paths.is_secret_path(path) for path in call.possible_paths):
            return
        if call.sole_path is not None:
            yield f"{call.name}({call.path_key}={call.path})"
    yield exact_rule_text(call.name, call.canonical_input)


def _command_choices(call: Call) -> Iterator[str]:
    if call.reading is None or call.reading.incomplete or call.shell_input.literal.why_not:
        return
    folder = "" if call.folder is None else f" in {call.folder}"
    yield f"{shell_rule_text(call)}{folder}"
    yield f"{exact_rule_text(*call.exact_call)}{folder}"


def _parse_if_exact(text: str, call: Call) -> Rule | None:
    """Return the rule of a text if the text means exactly this call."""
    try:
        rule = parse_rule(text)
    except RuleError:
        return None
    return rule if rule.text == text and rule.is_literal and _matches(rule, call) else None


_SUBCOMMAND = re.compile(r"[a-z][a-z0-9:_-]*")
_MAX_WORDS = 3
_TAKES_TARGETS = frozenset("make gmake just task rake ninja gulp grunt invoke".split())
_NO_OPTION = "--no-such-option"


def rule_choices(call: Call, exact_rule: Rule) -> Iterator[tuple[Rule, RuleChoice]]:
    """Return the rules that may be offered for a call, the narrowest first, which is `exact`."""
    yield exact_rule, RuleChoice(rule=exact_rule.text, kind="exact")
    for text, kind, subject in (*_with_options(call), *_folder_choices(call), *_rules_by_subject(call)):
        try:
            rule = parse_rule(text)
        except RuleError:
            continue
        if rule.text != exact_rule.text and matching_calls(rule, [call]):
            yield rule, RuleChoice(rule=rule.text, kind=kind, subject=subject)


def _with_options(call: Call) -> Iterator[tuple[str, ChoiceKind, str]]:
    """Offer a rule for a program or subcommand with any safe arguments, if those are known."""
    words = call.shell_input.words if call.is_shell else None
    if not words or call.reading is None or call.reading.unclear:
        return
    folder = "" if call.folder is None else f" in {call.folder}"
    for count in range(min(_count_program_words(words), _MAX_WORDS), 0, -1):
        if count == 1 and basename(words[0]) in _TAKES_TARGETS:
            return
        refuses_options = why_not_allowed((*words[:count], _NO_OPTION), count) is not None
        if refuses_options and why_not_allowed(words, count) is None:
            prefix = shlex.join(words[:count])
            yield f"bash({prefix}:*){folder}", "options", prefix
            return


def _count_program_words(words: Argv) -> int:
    """Count the words that name the program and its subcommand."""
    return next(
        (index for index, word in enumerate(words) if index and not _SUBCOMMAND.fullmatch(word)), len(words)
    )


def _folder_choices(call: Call) -> Iterator[tuple[str, ChoiceKind, str]]:
    """Offer a rule for the files in the folder of the written one."""
    path, name = call.sole_path, call.path_key
    folder, slash, _ = (path or "").rpartition("/")
    if call.is_edit and slash and folder and name is not None and files.is_path_key(name):
        yield f"{call.name}({name}={folder}/**)", "folder", f"{folder}/"


_PLAIN_VALUE = re.compile(r"[^\s,()*?]+")


def _rules_by_subject(call: Call) -> Iterator[tuple[str, ChoiceKind, str]]:
    """Offer rules for the same recipient, the same site, and any input of the tool."""
    if call.is_shell or call.may_write or call.is_edit or call.reading is not None:
        return
    for name, value in call.members.items():
        if not isinstance(value, str) or not _PLAIN_VALUE.fullmatch(value):
            continue
        if files.fold_key(name) in RECIPIENTS:
            yield f"{call.name}({name}={value})", "recipient", value
        if files.fold_key(name) in ADDRESSES and link_host(value):
            site = "/".join(value.split("/", 3)[:3])
            yield f"{call.name}({name}={site}/**)", "site", f"{site}/"
    if call.folded_name not in READ_TOOLS:
        yield call.name, "tool", call.name


def grantable_folder(call: Call, policy: Policy) -> str | None:
    """Return a folder that would let the call run without approval if it were a root; None if there is none.

    Never a home folder, a hidden one, or one above a root or above askback's own data.
    """
    read_scope = policy.read_scope(call)
    for folder in dict.fromkeys(_candidate_folders(call, read_scope)):
        extended_policy = replace(policy, roots=(*policy.roots, folder))
        if read_scope.is_named_folder(folder) and decide(call, extended_policy).decision == "allow":
            return folder
    return None


def _candidate_folders(call: Call, read_scope: ReadScope) -> Iterator[str]:
    if read_scope.folder is not None and read_scope.folder.startswith("/"):
        yield normalize_path(read_scope.folder)
    for path in _paths(call):
        absolute_path = read_scope.resolve(path)
        if absolute_path is not None and absolute_path.startswith("/"):
            yield posixpath.dirname(absolute_path) if looks_like_file(absolute_path) else absolute_path


def _paths(call: Call) -> Iterator[str]:
    if call.is_shell and call.reading is not None:
        for argv in call.reading.commands:
            yield from operands.file_operands(argv)
    elif call.is_edit:
        yield from (call.path,) if call.path else ()
    else:
        yield from read_tools.search_folders(call.members)


def why_allows_nothing(rule: Rule) -> Reason | None:
    """Return why an allow rule covers no command, and what to write instead; None if it may cover one.

    An older version may have stored such a rule: it stays in the list, and its commands need approval.
    """
    if rule.effect != "allow" or not rule.prefix or rule.any_arguments or not rule.words:
        return None
    risks = command_risks(rule.words)
    reason = Reason("dangerous") if risks else prefix_fault(rule.words)
    return reason and Reason("rule_allows_nothing", words=shlex.join(rule.words), why=reason)


def prefix_rule_fault(text: str, effect: str) -> Reason | None:
    """Return `why_allows_nothing` for the text of a stored rule; None as well if the rule cannot be read."""
    try:
        return why_allows_nothing(parse_rule(text)) if effect == "allow" else None
    except RuleError:
        return None
