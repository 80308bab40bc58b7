"""Describe the effect of a call in one line, with the same words in every list.

The words are ours (`headline.<code>` in the catalogue); the agent's text is in the parameters, on one line,
without hidden characters, and without quotation marks that would end the quotation.
"""

from __future__ import annotations

import json
import re
from typing import Self, cast

from askback.domain.approval import ReasonCode
from askback.domain.links import link_host
from askback.domain.policy.calls import READ_TOOLS, Call
from askback.domain.preview.escapes import escape_line
from askback.domain.preview.recognition import RecognizedCall, addresses, method_of
from askback.messages import TranslatableText

HEADLINE = 320
"""The maximum length of a headline in characters, in every language."""

_WORDS = 60
"""The maximum number of characters of our own words in a headline."""
_MAX_VALUE = HEADLINE - _WORDS
_MAX_NAME = 100
_TAIL = 120
_LINE_END = "↵"
_QUOTES = str.maketrans(dict.fromkeys('"“”„‟«»‹›〝〞', "'"))
_TITLES = frozenset("title name subject summary query".split())
_MAX_VALUES = 20
_URL_PATH = re.compile(r"[^/?#]*//[^/?#]*(?P<path>[^?#]*)")
_SERVER = re.compile(r"mcp(?:__|:)(?P<server>.+?)(?:__|:)(?P<tool>.+)")


class Headline(TranslatableText):
    """The English sentence; `data` is the same for other languages."""

    __slots__ = ("data",)
    data: ReasonCode

    def __new__(cls, code: str, **params: str) -> Self:
        """Fill in the English text of `headline.<code>`."""
        headline = super().__new__(cls, f"headline.{code}", params)
        headline.data = ReasonCode(code=code, params=dict(params))
        return headline


def command_headline(command: str) -> Headline:
    """Return the sentence for a shell command."""
    return Headline("command", command=_shorten(_join_lines(command)))


def edit_headline(path: str, *, added: int, removed: int, writes: bool) -> Headline:
    """Return the sentence for a change of a file; `writes`: the file is written whole, its old content is unknown."""
    lines = {"added": str(added), "removed": str(removed)}
    return Headline("write" if writes else "edit", path=_shorten(path), **lines)


def plan_headline(plan: str) -> Headline:
    """Return the sentence for a plan: its first line, without the mark of a heading."""
    first, *_ = plan[: 4 * HEADLINE].strip().split("\n", 1)
    return Headline("plan", plan=_shorten(first.strip("# ")))


def recognized_headline(call: Call, recognized_call: RecognizedCall) -> Headline:
    """Return the sentence for an email, an HTTP request or a database query."""
    values = {role: call.members[key] for role, key in recognized_call.keys.items()}
    if recognized_call.kind == "mail":
        recipients = [recipient for role in ("to", "cc", "bcc") for recipient in addresses(values.get(role))]
        other_count = len(recipients) - 1
        first = _shorten(recipients[0], _MAX_NAME) + (f" +{other_count}" if other_count else "")
        subject = str(values.get("subject") or "").strip()
        return (
            Headline("mail", subject=_quote(subject), to=first) if subject else Headline("mail_to", to=first)
        )
    if recognized_call.kind == "http":
        recipient, method = _shorten(_host_and_path(values["url"])), method_of(call, recognized_call)
        return (
            Headline("http_method", method=method, url=recipient)
            if method
            else Headline("http", url=recipient)
        )
    query = _shorten(" ".join(str(values["query"])[: 4 * HEADLINE].split()), _MAX_VALUE - _MAX_NAME)
    base = values.get("database")
    if isinstance(base, str) and base:
        return Headline("query_on", database=_quote(base), query=query)
    return Headline("query", query=query)


def tool_headline(call: Call) -> Headline:
    """Return the sentence for any other call: the file that it reads or changes, else its tool and its values."""
    if call.path is not None and (call.is_edit or (call.folded_name in READ_TOOLS and call.sole_path)):
        return Headline("change" if call.is_edit else "read", path=_shorten(call.path))
    server_tool = _SERVER.fullmatch(call.tool)
    tool = _shorten(server_tool["tool"] if server_tool else call.tool, _MAX_NAME)
    server = {"server": _shorten(server_tool["server"], _MAX_NAME // 2)} if server_tool else {}
    detail = _shorten(_brief_input(call), _MAX_VALUE - _MAX_NAME - _MAX_NAME // 2)
    code = ("tool_of" if server_tool else "tool") + ("_input" if detail else "")
    return Headline(code, tool=tool, **server, **({"input": detail} if detail else {}))


def _brief_input(call: Call) -> str:
    """Return the title of an input, then its other plain values with their names."""
    if not call.has_members:
        return "" if (text := _plain_text(call.input)) is None else _join_lines(text)
    keys = sorted(call.members, key=lambda key: key.casefold() not in _TITLES)
    texts = {key: text for key in keys if (text := _plain_text(call.members[key]))}
    detail = [
        text if key.casefold() in _TITLES else f"{key} {text}"
        for key, text in list(texts.items())[:_MAX_VALUES]
    ]
    return ", ".join(" ".join(text[: 2 * HEADLINE].split()) for text in detail)


def _plain_text(value: object) -> str | None:
    """Return the text of a plain value or of a list of such values; None for any other one, and for null."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        items = [
            _plain_text(item)
            for item in cast("list[object]", value)[:_MAX_VALUES]
            if not isinstance(item, list)
        ]
        return ", ".join(item for item in items if item)
    return json.dumps(value) if isinstance(value, bool | int | float) else None


def _host_and_path(url: str) -> str:
    """Return the host and the path of an address; all of it if that is not certain."""
    host, parts = link_host(url), _URL_PATH.match(url)
    return url if host is None or parts is None else f"{host}{parts['path'].rstrip('/')}"


def _quote(text: str) -> str:
    return _shorten(text.translate(_QUOTES), _MAX_NAME)


def _join_lines(text: str) -> str:
    """Write lines one after the other, with a sign between them that differs from an escape in the text."""
    return f" {_LINE_END} ".join(filter(None, (line.strip(" \t\r") for line in text.split("\n"))))


def _shorten(text: str, limit: int = _MAX_VALUE) -> str:
    """Write a text on one line; a longer one keeps its end, where a command may hide its effect."""
    escaped = escape_line(text[: limit + 1])
    if len(text) <= limit and len(escaped) <= limit:
        return escaped
    tail = min(_TAIL, limit // 3)
    return f"{escaped[: limit - tail - 1]}…{escape_line(text[-tail:])[-tail:]}"
