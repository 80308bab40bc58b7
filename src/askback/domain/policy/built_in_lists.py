"""Built-in lists of rules, by name.

`default` reads only, and only below the agent's roots (ADR 0032). It includes the read-only commands of git, which
must run in a root itself (ADR 0033); the list `git` has only those. `nebo` is the list of Nebo, read by our
matcher, without `env` and `printenv` (they show secrets) and `type` (it reads what the shell defines).
"""

from __future__ import annotations

from dataclasses import replace

from askback.domain.policy.rules import Rule, parse_rule

READ_ONLY_TOOLS = tuple(
    f"tool:{name}"
    for name in sorted(
        frozenset(
            """
    Read NotebookRead Glob Grep LS Ls read_file read_many_files list_files list_directory list_dir glob glob_file_search
    file_search grep grep_search grep_files search_files search_file_content read view_file view ls list find_path
    list_code_definition_names view_image str_replace_editor str_replace_based_edit_tool file_editor
    """.split()
        )
    )
)
"""Tools that read files; a path that may hold secrets still needs approval.

For editors this means only their command `view`: a built-in list never allows a call that edits.
"""

GROUPS: dict[str, str] = {
    "files": """
    ls:* | cat:* | head:* | tail:* | wc:* | nl:* | tac:* | tree:* | file:* | stat:* | du:* | df:* | find:* | fd:*
    | bat:* | basename:* | dirname:* | realpath:* | readlink:* | hexdump:* | od:* | xxd:* | strings:* | zcat:*
    | unzip -l:* | zipinfo:* | tar:* | cksum:* | md5sum:* | sha1sum:* | sha256sum:* | sha512sum:* | b2sum:*
    | shasum:*""",
    "search": "grep:* | egrep:* | fgrep:* | rg:*",
    "text": """
    sort:* | uniq:* | cut:* | tr:* | comm:* | diff:* | cmp:* | jq:* | yq:* | sed:* | awk:* | column:* | rev:*
    | paste:* | fold:* | fmt:* | expand:* | join:* | numfmt:* | echo:* | printf:* | seq:* | true | false | test:*
    | [:* | sleep:*""",
    "system": """
    pwd | whoami | id:* | groups | hostname | uname:* | arch | lscpu | uptime | nproc | free:* | ps:* | date:*
    | which:*""",
    "versions": """
    pip list | pip list --format=json | pip show:* | pip freeze | pip3 list | pip3 list --format=json | pip3 show:*
    | pip3 freeze | ruby -v | cmake --version | psql --version | sqlite3 --version | curl --version
    | node --version | node -v | npm --version | npm -v
    | python --version | python3 --version | python -V | python3 -V | pip --version | pip3 --version | go version
    | java -version | java --version | ruby --version | php --version | gcc --version | make --version
    | docker --version | uv --version | bash --version | bun --version | deno --version | dotnet --version
    | gh --version
    | php -v""",
    "git": """
    git status:* | git diff:* | git log:* | git show:* | git blame:* | git grep:* | git ls-files:* | git rev-parse:*
    | git branch:* | git tag:* | git shortlog:* | git describe:* | git ls-tree:* | git merge-base:* | git rev-list:*
    | git name-rev:* | git count-objects:* | git reflog:* | git stash list:* | git worktree list:* | git check-ignore:*
    | git show-ref:* | git cat-file:* | git for-each-ref:* | git config --get:* | git --version""",
}
"""The rules of the list `default`, grouped by subject."""

_NEBO = """
    ls:* | pwd | cat:* | head:* | tail:* | grep:* | find:* | which:* | jq:* | cut:* | sort:* | uniq:* | wc:* | echo:*
    | date:* | git status:* | git log:* | git diff:* | git branch:* | git show:*
    | go version | node --version | python --version"""


def _parse_rules(text: str) -> tuple[str, ...]:
    return tuple(rule.strip() for rule in text.split("|"))


LISTS: dict[str, tuple[str, ...]] = {
    "default": _parse_rules(" | ".join(GROUPS.values())),
    "git": _parse_rules(GROUPS["git"]),
    "nebo": _parse_rules(_NEBO),
    "read-only-tools": READ_ONLY_TOOLS,
    "none": (),
}


def built_in_rules(name: str) -> tuple[Rule, ...]:
    """Return the rules of a list. Raises KeyError for an unknown name."""
    return tuple(replace(parse_rule(text), built_in=True) for text in LISTS[name])


def built_in_groups() -> dict[str, tuple[Rule, ...]]:
    """Return the rules of all lists, grouped by subject: `GROUPS`, and the tools that read."""
    rules_by_group = {name: tuple(map(parse_rule, _parse_rules(text))) for name, text in GROUPS.items()}
    return {**rules_by_group, "tools": built_in_rules("read-only-tools")}


BUILT_IN_TEXTS = frozenset(rule.text for rules in built_in_groups().values() for rule in rules)
"""The canonical texts of the rules of all lists."""


PLAN_MODE_RULES = (
    *(replace(rule, built_in=False) for rule in built_in_rules("default")),
    *built_in_rules("default"),
)
"""Plan mode runs a call that one of them allows if the policy does, too. Only built-in rules read extended syntax."""
