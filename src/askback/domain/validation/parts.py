"""Builds the valid parts of a form whose structure is partly wrong, so that its other faults are found too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

from pydantic import BaseModel, TypeAdapter

from askback.domain.condition import Condition
from askback.domain.deadlines import EscalationStep
from askback.domain.fields import AnyField, CompletedView, Form, Section
from askback.domain.request import Agent, Ask
from askback.domain.validation.structure import Steps
from askback.domain.values import frozen

_FIELD_ADAPTER: TypeAdapter[AnyField] = TypeAdapter(AnyField)
AnyModel = TypeVar("AnyModel", bound=BaseModel)


@frozen(slots=True)
class InvalidField:
    """A field whose structure is wrong; its id and a missing label still count."""

    id: str | None
    label: object


class SoundParts:
    """Builds the valid parts of a body; `faulty` are the places whose structure is wrong.

    A field with any fault becomes `InvalidField`. Elsewhere only the faulty key is left out and becomes None; a key
    that was not sent has its default.
    """

    def __init__(self, faulty_steps: set[Steps]) -> None:
        self.touched = {steps[:length] for steps in faulty_steps for length in range(len(steps) + 1)}

    def ask(self, raw: object) -> Ask | None:
        """Return the request without its form; None if it is not an object."""
        keys = self._sound_keys(raw, (), without=("form", "agent", "escalation"))
        if keys is None:
            return None
        agent = cast("Mapping[str, Any]", raw).get("agent")
        if agent is not None and ("agent",) not in self.touched:
            keys["agent"] = Agent.model_validate({"name": agent} if isinstance(agent, str) else agent)
        steps = cast("Mapping[str, Any]", raw).get("escalation")
        if steps is not None and ("escalation",) not in self.touched:
            keys["escalation"] = [EscalationStep.model_validate(step) for step in steps]
        return _build(Ask, keys)

    def form(self, raw: object, steps: Steps) -> Form | None:
        """Return the form at `steps`; None if it is not an object."""
        keys = self._sound_keys(
            raw, steps, without=("fields", "sections", "initial_values", "completed_view")
        )
        if keys is None:
            return None
        members = cast("Mapping[str, Any]", raw)
        keys["fields"] = self._fields(members.get("fields"), (*steps, "fields"))
        keys["sections"] = self._sections(members.get("sections"), (*steps, "sections"))
        keys["initial_values"] = self._sound_keys(members.get("initial_values"), (*steps, "initial_values"))
        view = self._sound_keys(members.get("completed_view"), (*steps, "completed_view"))
        keys["completed_view"] = None if view is None else _build(CompletedView, view)
        return _build(Form, keys)

    def _fields(self, raw: object, steps: Steps) -> list[AnyField | InvalidField] | None:
        if not isinstance(raw, (list, tuple)):
            return None
        items = cast("Sequence[object]", raw)
        return [self._field(item, (*steps, index)) for index, item in enumerate(items)]

    def _field(self, raw: object, steps: Steps) -> AnyField | InvalidField:
        if steps not in self.touched:
            return _FIELD_ADAPTER.validate_python(raw)
        members: Mapping[str, object] = cast("Mapping[str, object]", raw) if isinstance(raw, Mapping) else {}
        id_ = members.get("id")
        is_known = bool(members) and (*steps, "type") not in self.touched
        return InvalidField(id_ if isinstance(id_, str) else None, members.get("label") if is_known else "")

    def _sections(self, raw: object, steps: Steps) -> list[Section] | None:
        if not isinstance(raw, (list, tuple)):
            return None
        items = cast("Sequence[object]", raw)
        return [self._section(item, (*steps, index)) for index, item in enumerate(items)]

    def _section(self, raw: object, steps: Steps) -> Section:
        keys = self._sound_keys(raw, steps, without=("fields",)) or {}
        if keys.get("visible_if") is not None:
            keys["visible_if"] = Condition.model_validate(keys["visible_if"], by_name=False)
        fields = cast("Mapping[str, object]", raw).get("fields") if isinstance(raw, Mapping) else None
        return _build(Section, {**keys, "fields": self._fields(fields, (*steps, "fields"))})

    def _sound_keys(
        self, raw: object, steps: Steps, *, without: tuple[str, ...] = ()
    ) -> dict[str, Any] | None:
        if not isinstance(raw, Mapping):
            return None
        members = cast("Mapping[str, Any]", raw)
        return {k: v for k, v in members.items() if k not in without and (*steps, k) not in self.touched}


def _build(model: type[AnyModel], keys: dict[str, Any]) -> AnyModel:
    required = {name: None for name, info in model.model_fields.items() if info.is_required()}
    return model.model_construct(**{**required, **keys})
