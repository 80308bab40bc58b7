"""Why a prefix rule does not cover a certain command: an argument that does more than the rule's words say."""

from __future__ import annotations

import re
from collections.abc import Callable

from askback.domain.policy import paths
from askback.domain.policy.shell import git
from askback.domain.policy.shell import languages as lang
from askback.domain.policy.shell.options import Options
from askback.domain.policy.shell.programs import WRAPPERS, basename, runs_code
from askback.domain.policy.shell.tables import OPTIONS
from askback.domain.policy.wordlist import words

Argv = tuple[str, ...]

_TAR_LISTING = re.compile(r"-?(?=[a-zA-Z]*t)[tvzjJa]*f")
_SED = Options(
    flags="nErsuz",
    values="e",
    long="quiet silent regexp-extended posix sandbox unbuffered separate null-data",
    long_values="expression",
)
_AWK = Options(values="F", long_values="field-separator")
_JQ_ARGUMENTS = frozenset({"--arg", "--argjson"})
_DOCKER_RUN = Options(flags="it", long="rm interactive tty init read-only", long_values="name")
_GH_API = Options(
    flags="i",
    values="qt",
    long="paginate slurp include silent",
    long_values="jq template cache",
    operands=1,
    value_check=lambda n, v: lang.jq_filter(v) if n in {"q", "jq"} else None,
)
_RUNS_SOMETHING = words(
    """
    --exec -exec --eval -eval --command --shell --script-shell --pager --editor --plugin --require --import
    --loader --init-command --to-command --checkpoint-action --use-compress-program --compress-program --rsh
    --rsync-path --pre --node-options -toolexec -vettool --toolexec --config-env --preload
    --experimental-loader --hook
    """
)
_NPM_RUN = (
    "--prefix",
    "--script-shell",
    "--node-options",
    "-C",
    "--userconfig",
    "--globalconfig",
    "--shell",
    "--scripts-prepend",
    "--workspace",
    "-w",
)


def objection(argv: Argv, prefix: int) -> str | None:
    """Say why a rule for the first `prefix` words does not allow this command; None when it does.

    Only ever narrows: a rule that names every word is not asked about here.
    """
    name = basename(argv[0])
    if name in WRAPPERS:
        return f"`{name}` runs another command; only a rule that names every word allows it"
    return (
        runs_code(argv, prefix)
        or (None if name in {"echo", "printf"} else paths.sensitive(argv[1:]))
        or _table(name, argv, prefix)
    )


def _table(name: str, argv: Argv, prefix: int) -> str | None:
    special = _SPECIAL.get(name)
    if special:
        return special(argv, prefix)
    table = OPTIONS.get(name)
    return table.objection(argv[1:]) if table else _unknown(argv, prefix)


def _unknown(argv: Argv, prefix: int) -> str | None:
    """A program without a table: its options mean what they usually mean."""
    return next(
        (f"`{w}` may run a program" for w in argv[prefix:] if w.partition("=")[0] in _RUNS_SOMETHING), None
    )


def _sed(argv: Argv, _prefix: int) -> str | None:
    scripts: list[str] = []
    rest: list[str] = []

    def collect(_name: str, value: str) -> str | None:
        scripts.append(value)
        return None

    def operands(words: list[str]) -> str | None:
        rest.extend(words)
        return None

    wrong = _with(_SED, operands, collect).objection(argv[1:])
    if wrong:
        return wrong
    scripts += [] if scripts else rest[:1]
    return (
        next((odd for odd in map(lang.sed_script, scripts) if odd), None) if scripts else "there is no script"
    )


def _awk(argv: Argv, _prefix: int) -> str | None:
    def operands(words: list[str]) -> str | None:
        return lang.awk_program(words[0]) if words else "there is no program"

    return _with(_AWK, operands, None).objection(argv[1:])


def _jq(argv: Argv, _prefix: int) -> str | None:
    words = list(argv[1:])
    while words and words[0] in _JQ_ARGUMENTS and len(words) > 2:
        del words[:3]

    def operands(rest: list[str]) -> str | None:
        return lang.jq_filter(rest[0]) if rest else None

    return _with(OPTIONS["jq"], operands, None).objection(tuple(words))


def _with(
    table: Options, check: Callable[[list[str]], str | None], value: Callable[[str, str], str | None] | None
) -> Options:
    return Options(
        table.flags,
        table.values,
        table.long,
        table.long_values,
        table.words,
        table.operands,
        table.numeric,
        check,
        value,
    )


def _tar(argv: Argv, _prefix: int) -> str | None:
    words = argv[1:]
    if (
        len(words) == 2
        and _TAR_LISTING.fullmatch(words[0])
        and ":" not in words[1]
        and not words[1].startswith("-")
    ):
        return None
    return "only listing one archive (`tar tf FILE`) is known to be harmless"


def _docker(argv: Argv, prefix: int) -> str | None:
    if argv[1:2] != ("run",):
        return None
    words = argv[2:]
    image = next((i for i, word in enumerate(words) if not word.startswith("-")), len(words))
    if prefix < 2 + image + 1:
        return "the rule does not name the image"
    return _DOCKER_RUN.objection(words[:image])


def _gh(argv: Argv, prefix: int) -> str | None:
    if argv[1:2] != ("api",):
        return None if prefix > 1 else "the rule does not name gh's sub-command"
    wrong = _GH_API.objection(argv[2:])
    if wrong:
        return wrong
    graph = next((word for word in argv[2:] if "graphql" in word or "://" in word), None)
    return f"`{graph}` is not a plain read of the API" if graph else None


def _npm(argv: Argv, prefix: int) -> str | None:
    for word in argv[prefix:]:
        if word == "--":
            return None
        if word.startswith("-") and any(risky.startswith(word.partition("=")[0]) for risky in _NPM_RUN):
            return f"`{word}` changes what runs"
    return None


def _git(argv: Argv, prefix: int) -> str | None:
    return git.objection(argv, prefix)


_SPECIAL: dict[str, Callable[[Argv, int], str | None]] = {
    "git": _git,
    "sed": _sed,
    "awk": _awk,
    "gawk": _awk,
    "mawk": _awk,
    "nawk": _awk,
    "jq": _jq,
    "tar": _tar,
    "docker": _docker,
    "podman": _docker,
    "gh": _gh,
    "npm": _npm,
    "pnpm": _npm,
    "yarn": _npm,
    "find": lambda argv, _: lang.find_arguments(argv[1:]),
    "printf": lambda argv, _: lang.printf_arguments(argv[1:]),
    "test": lambda argv, _: lang.test_arguments(argv[1:]),
    "[": lambda argv, _: lang.test_arguments(argv[1:-1]) if argv[-1] == "]" else "there is no `]`",
    "echo": lambda _argv, _prefix: None,
}
