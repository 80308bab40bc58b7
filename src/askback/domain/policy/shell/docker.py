"""What a value of `docker inspect` may be; see `kinds.py`. Without a template it prints environment variables."""

from __future__ import annotations

import re

from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell import languages
from askback.domain.policy.shell.lexer import Argv

_NAME = re.compile(r"\w[\w.:/@-]*")
_WHOLE = re.compile(r"(?<![\w\"])\.(?![A-Za-z])|\bConfig\b|ContainerConfig")
"""What prints a whole object with its environment: a dot without a field, and `Config`."""


def inspected(value: str, words: Argv) -> Reason | None:
    """The name of an object, in a call with a template."""
    if not any(word.startswith(("-f", "--format")) for word in words):
        return Reason("shows_secrets", program=words[0])
    if not _NAME.fullmatch(value) or ".." in value or "://" in value:
        return Reason("not_plain", value=value)
    return None


def template(value: str, _words: Argv) -> Reason | None:
    """A Go template that prints single fields; `json` and the empty one print everything."""
    if "{{" in value and languages.template(value) and not _WHOLE.search(value):
        return None
    return Reason("unknown_value", value=value)
