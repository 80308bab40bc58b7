"""Ready-made lists of rules, by name.

`default` only looks, and leaves git out: what a repository configures (a file-system monitor, a text converter, a
pager) runs when `git status` or `git diff` does. `nebo` is the list that users of Nebo know, read by our matcher,
without `env` and `printenv` (they show secrets) and `type` (a builtin that reads what the shell defines).
`git` adds git's looking sub-commands for repositories that are trusted.
"""

from __future__ import annotations

from askback.domain.policy.rules import Rule, parse_rule

READ_ONLY_TOOLS = (
    "tool:Read",
    "tool:Glob",
    "tool:Grep",
    "tool:Ls",
    "tool:LS",
    "tool:read_file",
    "tool:list_files",
)
"""Tools that look at files; a path that may hold secrets is asked all the same."""

_DEFAULT = """
    ls:* | cat:* | head:* | tail:* | wc:* | grep:* | rg:* | sort:* | uniq:* | cut:* | tr:* | nl:* | tac:* | comm:*
    | diff:* | cmp:* | tree:* | file:* | stat:* | du:* | df:* | find:* | basename:* | dirname:* | realpath:*
    | readlink:* | pwd | whoami | id:* | hostname | uname:* | uptime | nproc | date:* | echo:* | printf:* | seq:*
    | which:* | jq:* | sed:* | awk:* | md5sum:* | sha1sum:* | sha256sum:* | true | false | test:* | sleep:*"""
_GIT = """
    git status:* | git diff:* | git log:* | git show:* | git blame:* | git grep:* | git ls-files:* | git rev-parse:*
    | git branch:* | git tag:*"""
_NEBO = """
    ls:* | pwd | cat:* | head:* | tail:* | grep:* | find:* | which:* | jq:* | cut:* | sort:* | uniq:* | wc:* | echo:*
    | date:* | git status:* | git log:* | git diff:* | git branch:* | git show:*
    | go version | node --version | python --version"""


def _rules(text: str) -> tuple[str, ...]:
    return tuple(rule.strip() for rule in text.split("|"))


LISTS: dict[str, tuple[str, ...]] = {
    "default": _rules(_DEFAULT),
    "git": _rules(_GIT),
    "nebo": _rules(_NEBO),
    "read-only-tools": READ_ONLY_TOOLS,
    "none": (),
}


def rules_of(name: str) -> tuple[Rule, ...]:
    """Return the rules of a list. Raises KeyError for a name that there is not."""
    return tuple(parse_rule(text) for text in LISTS[name])


LOOKING = (*rules_of("default"), *rules_of("git"))
"""What plan mode lets run, when a rule of the policy allows it too."""
