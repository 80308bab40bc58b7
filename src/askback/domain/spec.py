"""The question of a request, as JSON text and as typed values.

The text is encoded once, when the request is created, and does not change within a revision. It contains
objects from outside (a tool's input, a form), so only this module and `state.py` look into the texts of a
request, and only by decoding them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter
from pydantic_core import from_json, to_json

from askback.domain import jsontext
from askback.domain.access import Actor
from askback.domain.action import ShownAction
from askback.domain.approval import ShownApproval
from askback.domain.build_view import languages_of
from askback.domain.deadlines import TimeoutSettings
from askback.domain.fields import AnyField, Form
from askback.domain.secrets.request import ShownSecret
from askback.domain.values import frozen

_NAMES = frozenset({"names", "metadata", "present"})
_NAMING = (
    ("form", "title"),
    ("approval", "tool"),
    ("approval", "preview", "headline"),
    ("approval", "title"),
    ("action", "title"),
    ("secret", "names"),
    ("summary",),
    ("agent", "name"),
    ("requester", "name"),
)
"""The paths of a request's names and its agent's name."""


_KEPT_PROPERTIES = frozenset({"is_durable", "form", "languages"})
"""Cached properties that a copy with a number keeps."""

REQUESTER = "requester"
"""The `validator` of a form whose answers its requester checks; any other is a validator of the server."""


class Facts(TimeoutSettings):
    """The values of any kind that control the server; see `Envelope` and `Ask`."""

    requester: Actor
    delivery: Literal["block", "resume"] = "block"
    auto_resume: bool = True
    assignees: Sequence[str] | None = None
    validator: str | None = None
    hooks: Sequence[str] = ()


_FIELDS_ADAPTER = TypeAdapter(list[AnyField])
CACHED_FORMS = 256
"""The number of forms whose fields a cache keeps."""
MAX_CACHED_FIELDS = 8_192
"""The size in bytes of the longest JSON of fields that is cached."""


class AskedPackage(BaseModel):
    """The question of a kind of a package."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    kind: str
    data: dict[str, JsonValue]


@frozen()
class Spec:
    """The question of a request: `text` is a JSON object; its values are decoded on first use."""

    text: str

    @classmethod
    def asked(
        cls, text: str, *, is_durable: bool, form: Form | None = None, languages: Sequence[str] | None = None
    ) -> Spec:
        """Return the spec with this text and these values, which then need not be decoded; None is not known."""
        spec = cls(text)
        added_members = {"is_durable": is_durable, "form": form, "languages": languages}
        vars(spec).update({name: value for name, value in added_members.items() if value is not None})
        return spec

    @cached_property
    def facts(self) -> Facts:
        """The values that control the server."""
        return Facts.model_validate_json(self.text)

    @cached_property
    def is_durable(self) -> bool:
        """Whether the delivery is `resume`: the agent has ended its turn."""
        return self.facts.delivery == "resume"

    @property
    def tool(self) -> str | None:
        """The tool that the agent names."""
        members: dict[str, Any] = json.loads(self.text)
        agent: dict[str, Any] = members.get("agent") or {}
        return agent.get("tool")

    @cached_property
    def form(self) -> Form:
        """The form of a request of that kind; forms with the same fields share them."""
        members: dict[str, Any] = from_json(self.text)["form"]
        if "fields" in members:
            encoded = to_json(members["fields"])
            read_fields = (
                _cached_fields if len(encoded) <= MAX_CACHED_FIELDS else _FIELDS_ADAPTER.validate_json
            )
            members["fields"] = read_fields(encoded)
        return Form.model_validate(members, by_name=False)

    @cached_property
    def languages(self) -> Sequence[str]:
        """The languages of the texts of a form that have several."""
        return languages_of(self.form.texts)

    @cached_property
    def sensitive(self) -> frozenset[str]:
        """The ids of the sensitive fields of a form."""
        return frozenset(field.id for field in self.form.all_fields if field.sensitive)

    @cached_property
    def approval(self) -> ShownApproval:
        """The approval without its preview, which is long and decides nothing."""
        approval = json.loads(self.text)["approval"]
        approval.pop("preview", None)
        return ShownApproval.model_validate(approval)

    @cached_property
    def secret(self) -> ShownSecret:
        """The request for secrets."""
        return ShownSecret.model_validate(json.loads(self.text)["secret"])

    @cached_property
    def action(self) -> ShownAction:
        """The action."""
        return ShownAction.model_validate(json.loads(self.text)["action"])

    @cached_property
    def package(self) -> AskedPackage:
        """The question of a kind of a package."""
        return AskedPackage.model_validate_json(self.text)

    @property
    def names(self) -> Sequence[str]:
        """The names of the request and its agent: texts, or JSON texts of translations and lists."""
        members: dict[str, Any] = json.loads(self.text)
        names = [_member(members, path) for path in _NAMING]
        return [
            name if isinstance(name, str) else json.dumps(name, ensure_ascii=False) for name in names if name
        ]

    @property
    def unclosed_text(self) -> str:
        """The text without its last brace: the database adds the number of a question."""
        return self.text[:-1]

    def with_ordinal(self, ordinal: int, of: int | None) -> Spec:
        """Return the spec of a new form with its number among the questions of its thread, and their limit."""
        numbers = {"ordinal": ordinal} if of is None else {"ordinal": ordinal, "of": of}
        numbered = Spec(jsontext.with_members(self.text, **numbers))
        vars(numbered).update({name: value for name, value in vars(self).items() if name in _KEPT_PROPERTIES})
        return numbered

    def with_form(self, form: Form, view: dict[str, Any] | None) -> Spec:
        """Return the same request with another form and its `view`."""
        members: dict[str, Any] = json.loads(self.text)
        members["form"] = form.model_dump(exclude_unset=True, exclude_none=True)
        members.pop("view", None)
        text = to_json({**members, "view": view} if view else members).decode()
        return Spec.asked(text, is_durable=self.is_durable, form=form)

    def with_timeout(self, timeout_s: float | None) -> Spec:
        """Return the same request with another deadline."""
        members: dict[str, Any] = json.loads(self.text)
        members.pop("timeout_s", None)
        return Spec(to_json(members if timeout_s is None else {**members, "timeout_s": timeout_s}).decode())

    def without_names(self) -> Spec:
        """Return the spec of a request for secrets with `count` instead of the names and their metadata."""
        members: dict[str, Any] = json.loads(self.text)
        secret: dict[str, Any] = members["secret"]
        public = {name: part for name, part in secret.items() if name not in _NAMES}
        redacted: dict[str, Any] = {**public, "names": [], "count": len(secret["names"])}
        return Spec(to_json({**members, "secret": redacted}).decode())


@lru_cache(maxsize=CACHED_FORMS)
def _cached_fields(encoded: bytes) -> list[AnyField]:
    """Read fields; most agents repeat those of their forms, and to read them takes most of the time of a form."""
    return _FIELDS_ADAPTER.validate_json(encoded)


def _member(members: Mapping[str, Any], path: Sequence[str]) -> Any:
    value: Any = members
    for name in path:
        value = cast("Mapping[str, Any]", value).get(name) if isinstance(value, Mapping) else None
    return value
