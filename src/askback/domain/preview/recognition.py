"""Recognize tool calls that send an email or an HTTP request or query a database.

A tool has to say so by its name, and its input by its keys, so that no other call is described as one of these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, cast

from askback.domain.approval import Role
from askback.domain.policy.calls import Call
from askback.domain.policy.files import fold_key
from askback.domain.values import frozen

_MAIL = frozenset("mail email gmail smtp outlook sendgrid mailgun postmark".split())
_SENDING_VERBS = frozenset("send sends sendmail reply forward".split())
_HTTP = frozenset("http https fetch request requests curl api webhook rest".split())
_METHODS = frozenset("get head post put patch delete options".split())
_DATABASE = frozenset(
    "sql query db database postgres postgresql mysql mariadb sqlite bigquery snowflake clickhouse duckdb".split()
)
_SQL = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/|\()*+(?:select|insert|update|delete|with|create|alter|drop|truncate|merge|replace"
    r"|grant|revoke|explain|show|describe|begin|vacuum|analyze|pragma|call|copy|set|values)\b",
    re.IGNORECASE | re.DOTALL,
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_MAIL_KEYS: Mapping[Role, str] = {
    "from": "from sender fromemail fromaddress",
    "to": "to recipient recipients toemail toemails toaddress toaddresses torecipients",
    "cc": "cc ccemails ccrecipients",
    "bcc": "bcc bccemails bccrecipients",
    "subject": "subject",
    "body": "body text content message html bodytext bodyhtml htmlbody textbody",
}
_HTTP_KEYS: Mapping[Role, str] = {
    "method": "method verb httpmethod",
    "url": "url uri endpoint",
    "headers": "headers",
    "body": "body data json payload",
}
_QUERY_KEYS: Mapping[Role, str] = {
    "database": "database db databasename dbname connection datasource",
    "query": "sql query statement",
    "parameters": "params parameters args bindings values",
}

Kind = Literal["mail", "http", "query"]


@frozen(slots=True)
class RecognizedCall:
    """The type of a call, and the keys of its input by their roles, in the order in which they are shown."""

    kind: Kind
    keys: Mapping[Role, str]


def recognize(call: Call) -> RecognizedCall | None:
    """Return the type of a call; None for any other call."""
    if not call.has_members:
        return None
    words = {word.casefold() for word in _WORDS.findall(call.name)}
    return _mail(call, words) or _http(call, words) or _query(call, words)


def addresses(value: object) -> list[str]:
    """Return the recipients that a member of an email names."""
    if isinstance(value, str):
        return [value]
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [item for item in items if isinstance(item, str)]


def _mail(call: Call, words: set[str]) -> RecognizedCall | None:
    if not (words & _MAIL and words & _SENDING_VERBS) and call.folded_name not in {
        "mail",
        "email",
        "sendmail",
    }:
        return None
    keys = _keys(call.members, _MAIL_KEYS)
    says = [call.members[keys[role]] for role in ("subject", "body") if role in keys]
    has_text = bool(says) and all(isinstance(text, str) for text in says)
    recipients = [call.members[keys[role]] for role in ("to", "cc", "bcc") if role in keys]
    are_addresses = all(recipient is None or isinstance(recipient, str | list) for recipient in recipients)
    is_addressed = "to" in keys and bool(addresses(call.members[keys["to"]]))
    return RecognizedCall("mail", keys) if has_text and are_addresses and is_addressed else None


def _http(call: Call, words: set[str]) -> RecognizedCall | None:
    keys = _keys(call.members, _HTTP_KEYS)
    url = call.members.get(keys.get("url", ""))
    method = call.members.get(keys.get("method", ""), "")
    if not (isinstance(url, str) and url.casefold().startswith(("http://", "https://"))):
        return None
    has_method = "method" in keys and isinstance(method, str) and method.casefold() in _METHODS
    return (
        RecognizedCall("http", keys)
        if has_method or ("method" not in keys and words & (_HTTP | _METHODS))
        else None
    )


def method_of(call: Call, recognized_call: RecognizedCall) -> str | None:
    """Return the method of an HTTP request, by its input or else by the name of its tool."""
    if "method" in recognized_call.keys:
        return str(call.members[recognized_call.keys["method"]]).upper()
    methods = [word for word in _WORDS.findall(call.name.casefold()) if word in _METHODS]
    return methods[0].upper() if len(methods) == 1 else None


def _query(call: Call, words: set[str]) -> RecognizedCall | None:
    keys = _keys(call.members, _QUERY_KEYS)
    query = call.members.get(keys.get("query", ""))
    if not (words & _DATABASE and isinstance(query, str) and _SQL.match(query)):
        return None
    return RecognizedCall("query", keys)


def _keys(members: Mapping[str, Any], names_by_role: Mapping[Role, str]) -> dict[Role, str]:
    """Return the key of each role; an ambiguous role is left out, except the text and HTML of a body."""
    roles: dict[Role, str] = {}
    for role, names in names_by_role.items():
        keys = [key for key in members if fold_key(key) in names.split()]
        if len(keys) == 1 or (keys and role == "body"):
            roles[role] = keys[0]
    return roles
