"""Find known dangers of a call, and what it may disclose, as sentences for the card.

They are hints, never the only reason to ask or to allow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from askback.domain.policy import files, operands, paths
from askback.domain.policy.calls import Call
from askback.domain.policy.own_data import why_own_data
from askback.domain.policy.read_scope import ReadScope
from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.programs import basename, is_interpreter
from askback.domain.policy.shell.reading import Reading

_ROOT = frozenset("sudo doas su pkexec".split())
_HALT = frozenset("shutdown reboot poweroff halt init telinit".split())
_KILL = frozenset("kill pkill killall xkill".split())
_DISK = frozenset(
    "dd mkfs mke2fs mkswap wipefs fdisk sfdisk parted sgdisk shred blkdiscard mount umount losetup".split()
)
_SYSTEM = frozenset(
    "iptables nft ufw crontab useradd usermod userdel passwd visudo systemctl service launchctl".split()
)
_HARMLESS_TARGETS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})
_LETTERS_LONG = 12
_SHOW = frozenset(
    """
    cat tac nl head tail less more bat batcat view vi vim nvim nano emacs sed awk gawk mawk grep egrep fgrep rgrep rg
    ag cut paste sort uniq strings od xxd hexdump base64 base32 openssl gpg age sops jq yq diff cmp comm tee dd
    curl wget scp sftp rsync nc ncat socat ssh http https tar zip 7z gzip zcat bzip2 xz zstd cp mv ln install split
    """.split()
)
"""Programs that show, copy or send the files among their arguments."""
_NO_FILES = ("http://", "https://", "ftp://", "ssh://", "/dev/")
_WILDCARDS = re.compile(r"[*?\[\]{}]")
_RUN = re.compile(r"ASKBACK_CREDENTIALS=\S+ (\S+ (?:-[EP] )*-m askback run .*)", re.DOTALL)
"""The command that `request_env_vars` gives to an agent."""
_OWN_DATA = {"own_data": Reason("danger_own_data"), "own_command": Reason("danger_own_command")}


def risks(call: Call) -> tuple[Reason, ...]:
    """Return a sentence for each known danger of a call."""
    reasons: list[Reason] = []
    reading = call.reading
    if reading is not None:
        for argv in reading.all_commands:
            reasons += command_risks(argv)
        reasons += [
            Reason("danger_writes", path=target)
            for target in reading.targets
            if target not in _HARMLESS_TARGETS and not target.isdecimal()
        ]
        if _pipes_into_interpreter(reading):
            reasons.append(Reason("danger_piped"))
    for path in call.written_paths:
        if paths.is_autorun_path(path):
            reasons.append(Reason("danger_steers", path=path))
        if paths.is_secret_path(path):
            reasons.append(Reason("danger_secret", path=path))
    return tuple(dict.fromkeys(reasons))


def disclosures(call: Call, read_scope: ReadScope) -> tuple[Reason, ...]:
    """Return a sentence for each known secret that a call may show to the agent.

    The policy does not decide by them: a rule that names a secret file allows to read it.
    """
    own_data = _why_own_data(call, read_scope)
    secrets = (
        Reason("danger_secret", path=path)
        for path in _read_paths(call)
        if not path.startswith(_NO_FILES) and any(map(read_scope.is_secret, {path, _WILDCARDS.sub("", path)}))
    )
    return (*(() if own_data is None else (_OWN_DATA[own_data.code],)), *dict.fromkeys(secrets))


def _why_own_data(call: Call, read_scope: ReadScope) -> Reason | None:
    """Say how a call reaches askback's data, other than by the command that runs a program with its secrets."""
    command = call.shell_input.text if call.is_shell else None
    if command and (run := _RUN.fullmatch(command)):
        call = Call("bash", {"command": run[1]}, call.cwd)
    return why_own_data(call, read_scope)


def _read_paths(call: Call) -> Iterator[str]:
    if call.may_read:
        yield from files.path_values(call.input)
    elif call.reading is not None:
        for argv in call.reading.all_commands:
            if basename(argv[0]) in _SHOW:
                yield from (path.removeprefix("@") for path in operands.file_operands(argv))
        yield from call.reading.inputs


def risky_texts(call: Call) -> tuple[str, ...]:
    """Return the dangerous words of a command as they may occur in its text, such as `rm -rf`, to mark them."""
    reading = call.reading
    if reading is None:
        return ()
    piped = _pipes_into_interpreter(reading)
    dangerous = [
        " ".join(_risky_words(argv))
        for argv in reading.all_commands
        if command_risks(argv) or (piped and _reads_a_program(argv))
    ]
    targets = [
        target for target in reading.targets if target not in _HARMLESS_TARGETS and not target.isdecimal()
    ]
    return tuple(dict.fromkeys([*dangerous, *targets]))


def _risky_words(argv: Argv) -> Argv:
    """Return the program, its subcommand if that decides about the danger, and the options after it."""
    options_start = 2 if len(argv) > 1 and (_git_risk(argv) or _remote_risk(argv)) else 1
    options_end = next(
        (index for index, word in enumerate(argv[options_start:], options_start) if not word.startswith("-")),
        len(argv),
    )
    return argv[:options_end]


def command_risks(argv: Argv) -> tuple[Reason, ...]:
    """Return a sentence for each known danger of one simple command."""
    return tuple(reason for check in _CHECKS if (reason := check(argv)))


def _pipes_into_interpreter(reading: Reading) -> bool:
    return any("|" in line for line in reading.lines) and any(map(_reads_a_program, reading.all_commands))


def _reads_a_program(argv: Argv) -> bool:
    return is_interpreter(argv[0]) and all(word.startswith("-") for word in argv[1:])


def letters(argv: Argv) -> set[str]:
    """Return the one-letter options of a command, also from clusters such as `-rf`."""
    return {
        c
        for word in argv[1:]
        if word[:1] == "-" and word[:2] != "--" and len(word) < _LETTERS_LONG
        for c in word[1:]
    }


def _removal_risk(argv: Argv) -> Reason | None:
    if basename(argv[0]) == "find" and "-delete" in argv:
        return Reason("danger_find")
    if basename(argv[0]) != "rm":
        return None
    if {"r", "R"} & letters(argv) or "--recursive" in argv:
        return Reason("danger_rm")
    return Reason("danger_rm_forced") if "f" in letters(argv) or "--force" in argv else None


def _git_risk(argv: Argv) -> Reason | None:
    if basename(argv[0]) != "git" or len(argv) < 2:
        return None
    subcommand, arguments, flags = argv[1], argv[2:], letters(argv[1:])
    if subcommand == "push" and (
        "f" in flags
        or any(argument.startswith(("--force", "--mirror", "--delete", "+")) for argument in arguments)
    ):
        return Reason("danger_remote")
    if (subcommand == "reset" and "--hard" in arguments) or (subcommand == "clean" and flags & {"f", "x"}):
        return Reason("danger_changes")
    if (subcommand == "branch" and flags & {"D", "M"}) or subcommand in {"filter-branch", "filter-repo"}:
        return Reason("danger_history")
    if (subcommand == "checkout" and "." in arguments) or (subcommand == "restore" and "." in arguments):
        return Reason("danger_changes")
    return (
        Reason("danger_stash") if subcommand == "stash" and arguments[:1] in {("drop",), ("clear",)} else None
    )


def _permission_risk(argv: Argv) -> Reason | None:
    name = basename(argv[0])
    if name in {"chmod", "chown", "chgrp"} and "R" in letters(argv):
        return Reason("danger_rights")
    if name == "chmod" and any(
        word in {"777", "0777", "a+rwx", "666"} or word.startswith(("u+s", "+s", "4")) for word in argv[1:]
    ):
        return Reason("danger_everybody")
    return Reason("danger_other_user") if name in _ROOT else None


def _system_risk(argv: Argv) -> Reason | None:
    name = basename(argv[0])
    if name in _HALT:
        return Reason("danger_halt")
    if name in _KILL:
        return Reason("danger_kill")
    if name in _DISK or name.startswith("mkfs."):
        return Reason("danger_disk")
    if name == "systemctl" and {"status", "is-active", "list-units"} & set(argv[1:2]):
        return None
    return Reason("danger_system") if name in _SYSTEM else None


def _remote_risk(argv: Argv) -> Reason | None:
    name, arguments = basename(argv[0]), argv[1:]
    if name in {"npm", "pnpm", "yarn", "cargo", "twine", "gem", "poetry", "uv"} and {
        "publish",
        "upload",
    } & set(arguments[:2]):
        return Reason("danger_publish")
    if name in {"terraform", "tofu", "pulumi"} and {"apply", "destroy", "up"} & set(arguments[:1]):
        return Reason("danger_infrastructure")
    if name in {"kubectl", "helm"} and {"delete", "uninstall", "drain"} & set(arguments[:2]):
        return Reason("danger_cluster")
    return (
        Reason("danger_containers")
        if name in {"docker", "podman"} and {"rm", "rmi", "prune"} & set(arguments[:2])
        else None
    )


def _code_risk(argv: Argv) -> Reason | None:
    if basename(argv[0]) == "eval":
        return Reason("danger_eval")
    if is_interpreter(argv[0]) and {"c", "e"} & letters(argv[:2]):
        return Reason("danger_code")
    return None


_CHECKS: tuple[Callable[[Argv], Reason | None], ...] = (
    _removal_risk,
    _git_risk,
    _permission_risk,
    _system_risk,
    _remote_risk,
    _code_risk,
)
