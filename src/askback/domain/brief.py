"""The brief form of a request: the fields of a list row."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any

from askback.domain.markdown import plain_line

_OMITTED_MEMBERS = frozenset(
    {
        "metadata",
        "traceparent",
        "escalation",
        "texts",
        "data",
        "answer",
        "submitted",
        "field_errors",
        "error_summary",
        "notified",
    }
)
_KEPT_MEMBERS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "approval": frozenset({"tool", "plan", "title", "reason", "quorum", "exclude_requester", "digest"}),
        "secret": frozenset({"names", "reason", "hide_names", "count"}),
        "action": frozenset({"title"}),
        "view": frozenset({"languages", "messages"}),
    }
)
"""The keys kept in each nested object."""
_TREES = ("approval.reason", "secret.reason")
"""The texts that a row shows without their Markdown."""
_LEVELS = ("risk", "agent_risk")
_PREVIEW = frozenset({"type", "headline", "headline_code"})


def brief(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the wire form of a request without long members. A form keeps its title and its number of `questions`."""
    members = {name: member for name, member in request.items() if name not in _OMITTED_MEMBERS}
    members |= {
        name: _select(selection, request[name])
        for name, selection in _KEPT_MEMBERS.items()
        if request.get(name)
    }
    markdown = request.get("view", {}).get("markdown", {})
    if trees := {path: tree for path, tree in markdown.items() if path.startswith(_TREES)}:
        members["view"] |= {"markdown": trees}
    if form := request.get("form"):
        members |= _brief_form(form)
    if approval := request.get("approval"):
        levels = {name: _select({"level"}, approval[name]) for name in _LEVELS if approval.get(name)}
        preview = approval.get("preview")
        members["approval"] |= levels | ({"preview": _select(_PREVIEW, preview)} if preview else {})
    return members


def _select(names: frozenset[str] | set[str], members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: member for name, member in members.items() if name in names}


def _plain_text(text: str | Mapping[str, str] | None) -> str | Mapping[str, str]:
    """Return a description, perhaps in several languages, without its Markdown."""
    if isinstance(text, Mapping):
        return {language: plain_line(item) for language, item in text.items()}
    return plain_line(text or "")


def _brief_form(form: Mapping[str, Any]) -> dict[str, Any]:
    """Return the title or its substitute (as `nameOf` in `web/src/core/form.ts`), and the number of questions."""
    sections = form.get("sections") or [form]
    fields = [field for section in sections for field in section["fields"]]
    around = sections[0]
    names = (form.get("title"), fields[0].get("label"), around.get("title"))
    descriptions = map(_plain_text, (around.get("description"), form.get("description")))
    title = next(filter(None, chain(names, descriptions)), "")
    locale = {"locale": form["locale"]} if form.get("locale") else {}
    return {"form": {"title": title, **locale}, "questions": len(fields)}
