"""Paths that hold secrets or decide what runs later; a rule that does not name one of them does not reach it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from askback.domain.policy.wordlist import words

_NAMES = words(
    """
    .ssh .gnupg .aws .azure .kube .docker .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials
    .vault-token .htpasswd .bash_history .zsh_history .python_history .psql_history .mysql_history
    .node_repl_history id_rsa id_dsa id_ecdsa id_ed25519 authorized_keys known_hosts credentials
    credentials.json .credentials secrets.json secrets.yaml secrets.yml secrets.toml .secrets .boto .s3cfg
    .terraformrc .dockercfg shadow gshadow sudoers sudoers.d keyrings environ .envrc .gitconfig terraform.tfvars secrets
    master.key wallet.dat
    service-account.json terraform.tfstate cookies.sqlite .password-store
    """
)
_START_UP = words(
    ".bashrc .bash_profile .bash_login .profile .zshrc .zprofile .zshenv .gitconfig .gitmodules .vimrc .inputrc crontab"
)
_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".asc", ".gpg")
_DOT_ENV = re.compile(r"\.env(?:\..+)?|.+\.env")
_EXAMPLES = (".example", ".sample", ".template", ".dist")
_SPLIT = re.compile(r"[=:@,]")
_SCHEME = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]*:")
_EXPANDED = re.compile(r"[$%\x00-\x1f]")
_IN_GIT = frozenset({(".git", "config"), (".git", "hooks"), (".git", "credentials")})
_PROC = frozenset({"cpuinfo", "meminfo", "version", "loadavg", "uptime"})


def parts(path: str) -> list[str]:
    """Return the components of a path in small letters, without `.` and with `..` taken back where it can be."""
    found: list[str] = []
    for part in path.casefold().replace("\\", "/").split("/"):
        if part == ".." and found and found[-1] != "..":
            found.pop()
        elif part not in {"", "."}:
            found.append(part)
    return found


def sensitive(words: Iterable[str]) -> str | None:
    """Say which of some arguments reaches a place that holds secrets; None when none does.

    An argument is also looked at behind `=`, `:`, `@` and `,`, where options and programs take paths.
    """
    for word in words:
        for piece in {word, *_SPLIT.split(word)}:
            if piece and secret_path(piece):
                return f"`{word}` reaches a place that may hold secrets"
    return None


def secret_path(path: str) -> bool:
    """Tell whether a path is a device, a process, or a file where secrets are usually kept."""
    names = parts(path)
    if not names:
        return False
    if path.startswith("/") and names[0] == "proc":
        return len(names) != 2 or names[1] not in _PROC
    if path.startswith("/") and names[0] == "dev":
        return names[1:] != ["null"]
    if names[:2] == ["etc", "passwd"]:
        return True
    if any(name in _NAMES for name in names):
        return True
    if any(pair in _IN_GIT for pair in pairwise(names)):
        return True
    last = names[-1]
    return last.endswith(_ENDINGS) or bool(_DOT_ENV.fullmatch(last) and not last.endswith(_EXAMPLES))


def steers(path: str) -> bool:
    """Tell whether writing a file changes what runs later: start-up files, hooks, configuration of tools."""
    names = parts(path)
    return any(
        name in _START_UP or name in {".git", ".ssh", ".github", ".vscode", ".husky"} for name in names
    )


def outside(path: str) -> bool:
    """Tell whether a path may lead out of the folder that it is relative to: up, to a root, a home, another scheme.

    A variable and a blank at an end count as well: what opens the path may expand the one and drop the other.
    """
    return (
        path.startswith(("/", "~", "\\"))
        or path != path.strip()
        or ".." in path.replace("\\", "/").split("/")
        or bool(_SCHEME.match(path) or _EXPANDED.search(path))
    )


def without_scheme(path: str) -> str:
    """Return the path of an address such as `file:///etc/hosts`, and what is behind the letter of a drive."""
    return _SCHEME.sub("", path, count=1)
