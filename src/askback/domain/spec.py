"""What a request asks, as JSON text and as the values that the server decides by.

The text is encoded once, when the request is created, and never changes within a revision. It holds objects that
others chose (a tool's input, a form), so only this module and `state.py` look into the texts of a request, and only by
decoding them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from pydantic_core import to_json

from askback.domain.actor import Actor
from askback.domain.approval import ShownApproval
from askback.domain.deadlines import Terms
from askback.domain.fields import Form
from askback.domain.secrets.asked import ShownSecret

_NAMES = frozenset({"names", "metadata", "present"})


class Facts(Terms):
    """The values that decide what the server does, for every kind; see `Envelope` and `Ask`."""

    requester: Actor
    delivery: Literal["block", "resume"] = "block"
    auto_resume: bool = True
    assignees: Sequence[str] | None = None
    validator: Literal["requester"] | None = None


class _WithForm(BaseModel):
    model_config = ConfigDict(extra="ignore")

    form: Form


@dataclass(frozen=True)
class Spec:
    """What a request asks: `text` is a JSON object, its values are decoded when they are first used."""

    text: str

    @classmethod
    def of_form(cls, text: str, form: Form) -> Spec:
        """Return the spec with this text, whose form is known and need not be decoded."""
        spec = cls(text)
        vars(spec)["form"] = form
        return spec

    @cached_property
    def facts(self) -> Facts:
        """What the server decides by."""
        return Facts.model_validate_json(self.text)

    @cached_property
    def form(self) -> Form:
        """The form of a request of that kind."""
        return _WithForm.model_validate_json(self.text).form

    @cached_property
    def sensitive(self) -> frozenset[str]:
        """The ids of the sensitive fields of a form."""
        return frozenset(field.id for field in self.form.all_fields if field.sensitive)

    @cached_property
    def approval(self) -> ShownApproval:
        """What a request for approval shows, without the preview: it is long, and nothing is decided by it."""
        shown = json.loads(self.text)["approval"]
        shown.pop("preview", None)
        return ShownApproval.model_validate(shown)

    @cached_property
    def secret(self) -> ShownSecret:
        """What a request for secrets shows."""
        return ShownSecret.model_validate(json.loads(self.text)["secret"])

    def with_form(self, form: Form, view: dict[str, Any] | None) -> Spec:
        """Return the same request with another form and its `view`."""
        asked: dict[str, Any] = json.loads(self.text)
        asked["form"] = form.model_dump(exclude_none=True)
        asked.pop("view", None)
        return Spec.of_form(to_json({**asked, "view": view} if view else asked).decode(), form)

    def without_names(self) -> Spec:
        """Return the spec of a request for secrets with `count` in place of the names and their metadata."""
        asked: dict[str, Any] = json.loads(self.text)
        secret: dict[str, Any] = asked["secret"]
        kept = {name: part for name, part in secret.items() if name not in _NAMES}
        shown: dict[str, Any] = {**kept, "names": [], "count": len(secret["names"])}
        return Spec(to_json({**asked, "secret": shown}).decode())
