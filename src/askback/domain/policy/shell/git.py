"""The options of git's looking sub-commands that are known to be harmless.

Left out on purpose: what writes a file (`--output`), runs a program (`--ext-diff`, `--textconv`, `-O`,
`--show-signature` and `%G` run gpg), or leaves the repository (`--no-index`).
"""

from __future__ import annotations

from askback.domain.policy.shell.options import Options

_DIFF = """stat shortstat numstat dirstat summary name-only name-status patch no-patch raw color no-color color-words
word-diff minimal patience histogram ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines
ignore-cr-at-eol find-renames find-copies find-copies-harder no-renames check full-index binary abbrev text exit-code
quiet unified function-context pickaxe-regex pickaxe-all relative no-relative no-ext-diff no-textconv no-prefix
compact-summary patch-with-stat cc no-color-moved color-moved inter-hunk-context ignore-submodules submodule"""
_DIFF_VALUES = "diff-filter diff-algorithm"
_DIFF_FLAGS = "pusRwbzaBMCDmcW"
_LOG = """oneline graph all branches tags remotes decorate no-decorate merges no-merges first-parent reverse follow
full-history simplify-merges topo-order date-order author-date-order abbrev-commit no-abbrev-commit parents children
left-right cherry-pick cherry-mark boundary relative-date regexp-ignore-case extended-regexp fixed-strings perl-regexp
all-match invert-grep show-notes no-notes source dense sparse ancestry-path walk-reflogs clear-decorations
no-walk mailmap use-mailmap no-mailmap format pretty min-parents max-parents"""
_LOG_VALUES = """max-count skip since after until before author committer grep date glob
decorate-refs encoding"""


def _format(name: str, value: str) -> str | None:
    if name in {"format", "pretty"} and "%G" in value:
        return "`%G` runs the signature program of the repository's configuration"
    return None


def _inside(operands: list[str]) -> str | None:
    """Two paths of which one is outside make `git diff` read files outside the repository."""
    outside = next((word for word in operands if word.startswith(("/", "../", "..\\")) or word == ".."), None)
    return f"`{outside}` is outside the repository" if outside else None


def _listing(operands: list[str]) -> str | None:
    return f"`{operands[0]}` would be created or changed" if operands else None


_LOG_OPTIONS = Options(
    flags=_DIFF_FLAGS + "giEFP",
    values="nSGUL",
    long=f"{_DIFF} {_LOG}",
    long_values=f"{_DIFF_VALUES} {_LOG_VALUES}",
    words="-1",
    numeric=True,
    check=_inside,
    value_check=_format,
)

SUBCOMMANDS: dict[str, Options] = {
    "status": Options(
        flags="sbuvz",
        long="""short branch show-stash porcelain long verbose untracked-files ignored renames no-renames
        ahead-behind no-ahead-behind column no-column""",
        words="-uno -uall -unormal",
        check=_inside,
    ),
    "diff": Options(
        flags=_DIFF_FLAGS,
        values="SGU",
        long=f"{_DIFF} cached staged merge-base ours theirs base",
        long_values=_DIFF_VALUES,
        check=_inside,
    ),
    "log": _LOG_OPTIONS,
    "show": _LOG_OPTIONS,
    "shortlog": Options(
        flags="nsec",
        long="numbered summary email all no-merges",
        long_values="since until author group",
        check=_inside,
    ),
    "grep": Options(
        flags="nilcwvEFPqLHhIaWop",
        values="eABCm",
        long="""line-number ignore-case files-with-matches count word-regexp cached untracked name-only
        heading break and or not color no-color column show-function function-context
        full-name extended-regexp fixed-strings perl-regexp""",
        long_values="max-count max-depth context",
        check=_inside,
    ),
    "blame": Options(
        flags="swMCeflntp",
        values="L",
        long="porcelain line-porcelain show-email root color-lines",
        long_values="since",
        check=_inside,
    ),
    "rev-parse": Options(
        long="""abbrev-ref short show-toplevel verify is-inside-work-tree git-dir symbolic-full-name
        show-prefix show-cdup""",
        flags="q",
    ),
    "ls-files": Options(
        flags="cdmosutvz",
        long="""cached deleted modified others stage exclude-standard full-name error-unmatch unmerged""",
    ),
    "ls-tree": Options(flags="rtdlz", long="name-only name-status full-tree full-name long abbrev"),
    "describe": Options(
        long="tags all always long dirty abbrev contains", long_values="match exclude candidates"
    ),
    "branch": Options(
        flags="arvliq",
        long="""all remotes list show-current verbose no-color color ignore-case no-abbrev abbrev column
        no-column""",
        long_values="sort format",
        check=_listing,
        value_check=_format,
    ),
    "tag": Options(
        flags="ln",
        long="list column no-column ignore-case",
        long_values="sort format",
        check=_listing,
        value_check=_format,
    ),
    "remote": Options(flags="v", long="verbose", check=_listing),
    "reflog": Options(values="n", long="oneline", numeric=True, check=_listing),
    "merge-base": Options(flags="a", long="all is-ancestor octopus fork-point independent"),
    "rev-list": Options(
        long="count all max-parents no-merges merges left-right oneline reverse",
        values="n",
        long_values="max-count since until",
    ),
    "cat-file": Options(flags="ptse"),
    "name-rev": Options(long="name-only tags all always"),
    "count-objects": Options(flags="vH", operands=0),
}
"""What each looking sub-command may be given."""

_EXECUTES = (
    "--exec",
    "--upload-pack",
    "--receive-pack",
    "--upload-archive",
    "--config",
    "--template",
    "--ext-diff",
    "--textconv",
    "--output",
    "--open-files-in-pager",
    "--extcmd",
    "--gpg-sign",
    "--to-cmd",
    "--cc-cmd",
    "--smtp-server",
    "--sendmail-cmd",
    "--separate-git-dir",
    "--remote",
    "--reference",
    "--recurse-submodules",
    "--file",
    "--edit",
    "--no-verify",
    "--force",
    "--hard",
    "--mirror",
    "--delete",
    "--prune",
    "--all-tags",
)
_EXECUTES_SHORT = frozenset({"-c", "-C", "-u", "-x", "-O", "-F", "-i", "-f", "-D", "-d"})
_REMOTE_CODE = ("ext::", "fd::")


def objection(argv: tuple[str, ...], prefix: int) -> str | None:
    """Say what in a git command its prefix rule does not cover.

    The rule has to name the sub-command: before it stand options that choose another repository or run programs,
    and an unknown one may be an alias. For sub-commands that change things, options that run programs or overwrite
    are asked unless the rule names them.
    """
    if len(argv) < 2 or argv[1].startswith("-"):
        return (
            None
            if argv[1:] in {("--version",), ("--help",)}
            else "options before git's sub-command change what runs"
        )
    known = SUBCOMMANDS.get(argv[1])
    if known:
        return known.objection(argv[2:])
    if prefix < 2:
        return f"the rule does not name git's sub-command `{argv[1]}`"
    for word in argv[prefix:]:
        # Abbreviations are options too: `--upl=x` is `--upload-pack=x`.
        name = word.partition("=")[0]
        if len(name) > 2 and name.startswith("--") and any(risky.startswith(name) for risky in _EXECUTES):
            return f"`{word}` can run a program or overwrite what is there"
        if name[:2] in _EXECUTES_SHORT or word.startswith(_REMOTE_CODE):
            return f"`{word}` can run a program or overwrite what is there"
    return None
