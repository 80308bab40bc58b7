"""Checks for values of single programs: revisions of git, objects of docker, web URLs. See `value_kinds.py`."""

from __future__ import annotations

import ipaddress
import re

from askback.domain.policy import paths
from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell import languages
from askback.domain.policy.shell.lexer import Argv

_LABEL = re.compile(r"[\w.+-]+")
_REFERENCE = re.compile(r"[\w.@{}^~/-]+")
_BRANCH = re.compile(
    r"-|(?:origin/|upstream/)?(?:main|master|develop|dev|trunk|staging|(?:feature|feat|fix|bugfix|hotfix|chore|release)s?/[\w./-]+)"
    r"|HEAD(?:~\d+|\^+)?|v\d+(?:\.\d+)*|[0-9a-f]{7,40}"
)
_SETTING = re.compile(
    r"user\.(?:name|email)|(?:core|branch|init|pull|push|merge|rebase|color|diff|commit|tag)\.[\w./-]+",
    re.IGNORECASE,
)
_PATTERN_START = re.compile(r":(?:[!^/]|\([a-z,!]+\))?")


def git_reference(value: str, _words: Argv) -> Reason | None:
    """A branch, a tag or a commit, without `:` or `+`, which have a meaning for push and fetch."""
    if value == "-":
        return None
    if not _REFERENCE.fullmatch(value) or value.startswith(("/", "-", "..", "~")):
        return Reason("not_plain", value=value)
    return None


def git_remote(value: str, _words: Argv) -> Reason | None:
    """A remote by its name: an address or a path may run a program (`ext::`)."""
    return None if _LABEL.fullmatch(value) and set(value) != {"."} else Reason("not_plain", value=value)


def git_branch(value: str, _words: Argv) -> Reason | None:
    """A name that is clearly a branch, a tag or a commit, and no path."""
    return None if _BRANCH.fullmatch(value) else Reason("may_be_path", value=value)


def git_setting(value: str, _words: Argv) -> Reason | None:
    """A git setting that holds no secret; the URL of a remote may contain a token."""
    return None if _SETTING.fullmatch(value) else Reason("secret_place", path=value)


def git_tracked(value: str, _words: Argv) -> Reason | None:
    """A revision, or a path in the repository; `REV:PATH` names a file of that revision."""
    pathspec = _PATTERN_START.sub("", value, count=1) if value.startswith(":") else value
    for part in (value, *pathspec.split(":")):
        if part and paths.is_secret_path(part):
            return Reason("secret_place", path=value)
    last = pathspec.rpartition(":")[2]
    if last.startswith(("/", "~", "../", "..\\")) or last == ".." or "/../" in last or last.endswith("/.."):
        return Reason("leads_out", path=value)
    return None


def git_pretty(value: str, _words: Argv) -> Reason | None:
    """A git format; `%G` runs the signature program that the repository configures."""
    if "%G" in value or "%(signature" in value or ("%(trailers" in value and "cmd" in value):
        return Reason("unknown_value", value=value)
    return None


_NAME = re.compile(r"\w[\w.:/@-]*")
_SENSITIVE_TEMPLATE = re.compile(r"(?<![\w\"])\.(?![A-Za-z])|\bConfig\b|ContainerConfig")
"""Template parts that print a whole object with its environment: a dot without a field, and `Config`."""


def docker_object(value: str, words: Argv) -> Reason | None:
    """The name of an object, in a call with a template. Without one, docker prints environment variables."""
    if not any(word.startswith(("-f", "--format")) for word in words):
        return Reason("shows_secrets", program=words[0])
    if not _NAME.fullmatch(value) or ".." in value or "://" in value:
        return Reason("not_plain", value=value)
    return None


def docker_template(value: str, _words: Argv) -> Reason | None:
    """A Go template that prints single fields; `json` and the empty one print everything."""
    if "{{" in value and languages.template(value) and not _SENSITIVE_TEMPLATE.search(value):
        return None
    return Reason("unknown_value", value=value)


_URL = re.compile(
    r"(?:https?://)?(?P<host>[A-Za-z0-9._-]+|\[::1\])(?::\d{1,5})?(?:[/?#][^\s{}\[\]\\]*)?", re.IGNORECASE
)
_NUMERIC_PART = re.compile(r"(?:0x[0-9a-f]*|\d+)", re.IGNORECASE)
_DOTTED_ADDRESS = re.compile(r"(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}")
_METADATA_HOST = re.compile(r"metadata|instance-data|169[.-]254|a9-?fea9fe|2852039166", re.IGNORECASE)
_SERVICES = ("169.254.0.0/16", "100.100.100.200/32", "192.0.0.192/32", "168.63.129.16/32")
_NETWORKS = tuple(ipaddress.ip_network(network) for network in _SERVICES)


def web_address(address: str) -> Reason | None:
    """Return why a URL is not an ordinary one; None for http and https URLs of ordinary hosts.

    Never a cloud's metadata service: a numeric host must be written as four decimals, because `2852039166`,
    `0xA9FEA9FE` and `0251.0376.0251.0376` are that service as well.
    """
    match = _URL.fullmatch(address)
    host = match["host"].rstrip(".") if match else ""
    if not host or "@" in address.partition("?")[0].split("#")[0].partition("//")[2].partition("/")[0]:
        return Reason("not_web_address", value=address)
    return Reason("metadata_service", value=address) if _unusual_host(host) else None


def _unusual_host(host: str) -> bool:
    if host == "[::1]":
        return False
    if _METADATA_HOST.search(host):
        return True
    if not _NUMERIC_PART.fullmatch(host.rpartition(".")[2]):
        return False
    if not _DOTTED_ADDRESS.fullmatch(host):
        return True
    try:
        address = ipaddress.IPv4Address(host)
    except ValueError:
        return True
    return any(address in network for network in _NETWORKS)
