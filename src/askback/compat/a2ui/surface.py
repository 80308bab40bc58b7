"""Writes a form as the messages that draw it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, NamedTuple

from askback.compat.a2ui.actions import CANCEL, OTHER_SUFFIX, SUBMIT
from askback.compat.a2ui.components import Json, draw_field
from askback.compat.a2ui.paths import pointer
from askback.compat.translation import Loss, NotExpressible, Problem, language_losses, missing_part
from askback.domain.faults import join
from askback.domain.fields import AnyField, File, Form, Multiselect, Radio, Rows, Section, Select
from askback.domain.validation.value import fixed_value
from askback.messages import DEFAULT_LOCALE, translate
from askback.messages.languages import LocalText, choose

VERSION = "v0.9"
BASIC_CATALOG = "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json"

"""What A2UI has no component for, by type."""


class WrittenSurface(NamedTuple):
    """The messages that draw a form, in order, and the features that the surface lacks."""

    messages: list[Json]
    losses: tuple[Loss, ...]


def write_surface(
    form: Form,
    *,
    surface_id: str,
    context: Mapping[str, str | int] | None = None,
    catalog_id: str = BASIC_CATALOG,
) -> WrittenSurface:
    """Return a form as a surface. `context` comes back with each action, such as a request's id and revision.

    Raises `NotExpressible` for a sensitive field, whose value a renderer would see, and for a name in `context` that is
    also a field's id.
    """
    context = context or {}
    problems = [
        Problem(("fields", field.id), "A renderer would see a secret: use an askback page.")
        for field in form.all_fields
        if field.sensitive
    ]
    names = {name for field in form.all_fields for name in (field.id, f"{field.id}{OTHER_SUFFIX}")}
    problems += [Problem(("context", name), "A field has this id.") for name in context if name in names]
    problems += [
        Problem(("fields", field.id), f"A2UI has no {missing_component}: ask on an askback page.")
        for field in form.all_fields
        if field.required and (missing_component := missing_part(field)) is not None
    ]
    if problems:
        raise NotExpressible(problems)
    writer = _Writer(form)
    writer.write(context)
    created = {"surfaceId": surface_id, "catalogId": catalog_id}
    return WrittenSurface(
        [
            _message("createSurface", **created),
            _message("updateDataModel", surfaceId=surface_id, path="/", value=writer.model),
            _message("updateComponents", surfaceId=surface_id, components=writer.components),
        ],
        tuple(writer.losses),
    )


def write_errors(surface_id: str, field_errors: Mapping[str, str], *, summary: str = "") -> list[Json]:
    """Return the messages that show the errors, below the fields and at the top, instead of earlier ones."""
    return [
        _message("updateDataModel", surfaceId=surface_id, path="/errors", value=dict(field_errors)),
        _message("updateDataModel", surfaceId=surface_id, path="/summary", value=summary),
    ]


def close_surface(surface_id: str) -> Json:
    """Return the message that removes a surface."""
    return _message("deleteSurface", surfaceId=surface_id)


def _message(name: str, **members: Any) -> Json:
    return {"version": VERSION, name: members}


class _Writer:
    """The components of one surface and its data model."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.locale = form.locale or DEFAULT_LOCALE
        self.names = {id_: choose(name, [self.locale]) for id_, name in form.names.items()}
        self.components: list[Json] = []
        self.model: Json = {"values": {}, "other": {}, "errors": {}, "summary": ""}
        self.losses = [*language_losses(form)]
        self.numbers = count()

    def write(self, context: Mapping[str, str | int]) -> None:
        """Write everything: the prompt, the fields in their sections, and the buttons."""
        children = [
            *self.text("title", self.form.title, "h3"),
            *self.text("description", self.form.description, "body"),
            self.put("summary", {"component": "Text", "text": {"path": "/summary"}, "variant": "body"}),
        ]
        for index, section in enumerate(self.form.sections or ()):
            children += self.section(index, section)
        for field in self.form.fields or ():
            children += self.field(field, required=field.required)
        children.append(self.buttons(context))
        self.put("root", {"component": "Column", "children": children})

    def section(self, index: int, section: Section) -> list[str]:
        """Write a section: its texts, and its fields below them."""
        id_ = f"section-{index}"
        if section.visible_if is not None:
            self.losses.append(
                Loss(
                    join("sections", section.id),
                    "It is always shown; its values count only where `visible_if` holds.",
                )
            )
        children = self.text(f"{id_}-title", section.title, "h4")
        children += self.text(f"{id_}-description", section.description, "body")
        is_free = section.optional or section.visible_if is not None
        for field in section.fields:
            children += self.field(field, required=field.required and not is_free)
        return children

    def field(self, field: AnyField, *, required: bool) -> list[str]:
        """Write a field: its description, the input, a text of one's own, and the error."""
        id_, label = f"field-{next(self.numbers)}", self.names[field.id]
        initial_values = self.form.initial_values or {}
        initial_value = initial_values.get(field.id, field.default)
        children = self.text(f"{id_}-description", field.description, "caption")
        if field.readonly:
            return [*children, *self.text(id_, f"{label}: {fixed_value(field, initial_values)}", "body")]
        missing_component = missing_part(field)
        if missing_component is not None or isinstance(field, File | Rows):
            reason = f"A2UI has no {missing_component}: it is left out."
            self.losses.append(Loss(join("fields", field.id), reason))
            return []
        must_be_filled = required and not field.allow_skip and field.visible_if is None
        drawn_field = draw_field(field, label, initial_value, required=must_be_filled, locale=self.locale)
        losses = list(drawn_field.losses)
        if field.visible_if is not None:
            losses.append("It is always shown; its value counts only where `visible_if` holds.")
        if field.placeholder is not None:
            losses.append("A2UI has no placeholders.")
        self.losses += [Loss(join("fields", field.id), reason) for reason in losses]
        self.model["values"][field.id] = drawn_field.value
        self.model["errors"][field.id] = ""
        children.append(self.put(id_, drawn_field.component))
        if isinstance(field, Select | Radio | Multiselect) and field.allow_other:
            self.model["other"][field.id] = ""
            own_text_component = {
                "component": "TextField",
                "label": f"{label}: {translate('ui.other', self.locale)}",
            }
            children.append(
                self.put(
                    f"{id_}-other", {**own_text_component, "value": {"path": pointer("other", field.id)}}
                )
            )
        error = {"component": "Text", "text": {"path": pointer("errors", field.id)}, "variant": "caption"}
        return [*children, self.put(f"{id_}-error", error)]

    def buttons(self, context: Mapping[str, str | int]) -> str:
        """Write the buttons; the values go with the submit button's action."""
        values: Json = {id_: {"path": pointer("values", id_)} for id_ in self.model["values"]}
        values |= {f"{id_}{OTHER_SUFFIX}": {"path": pointer("other", id_)} for id_ in self.model["other"]}
        submit = choose(self.form.submit_label, [self.locale]) or translate("ui.submit", self.locale)
        cancel = choose(self.form.cancel_label, [self.locale]) or translate("ui.cancel", self.locale)
        children = [
            self.button("submit", submit, SUBMIT, {**context, **values}, variant="primary"),
            self.button("cancel", cancel, CANCEL, dict(context), variant="default"),
        ]
        return self.put("buttons", {"component": "Row", "children": children})

    def button(self, id_: str, label: str, event: str, context: Json, *, variant: str) -> str:
        """Write a button and its text."""
        child = self.put(f"{id_}-label", {"component": "Text", "text": label})
        action = {"event": {"name": event, "context": context}}
        return self.put(id_, {"component": "Button", "child": child, "variant": variant, "action": action})

    def text(self, id_: str, text: LocalText | None, variant: str) -> list[str]:
        """Write a text in the language of the form, if there is one."""
        if not text:
            return []
        return [self.put(id_, {"component": "Text", "text": choose(text, [self.locale]), "variant": variant})]

    def put(self, id_: str, component: Json) -> str:
        """Add a component and return its id."""
        self.components.append({"id": id_, **component})
        return id_
