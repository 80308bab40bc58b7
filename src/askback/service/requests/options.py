"""Search the options of a source for a person, and look up the initial options of a form (ADR 65)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askback.domain.faults import Fault, Faults, fault
from askback.domain.fields import AnyField, Form, Multiselect
from askback.domain.kinds import kind_of
from askback.domain.lifecycle import Status
from askback.domain.options import Option
from askback.domain.request import InputRequest
from askback.domain.sources import OptionPage, OptionQuery, SourcedField, sourced_fields, values_of
from askback.domain.validation.report import join_key
from askback.ports.store import Principal
from askback.service.access import roles
from askback.service.access.assignees import require_can_answer
from askback.service.context import Services
from askback.service.lifecycle.option_sources import ask_source, look_up
from askback.service.lifecycle.read import get_request
from askback.service.lifecycle.settle import already_settled


async def list_options(
    ctx: Services,
    principal: Principal,
    request_id: str,
    *,
    field: str | None,
    q: str | None = None,
    parent: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> OptionPage:
    """Search the options of a field of a pending request.

    Raises `Faults`; `Conflict` or `Gone` if the request is not pending; `Forbidden` for people who may not answer;
    `NotFound`; `RateLimited`. A source that fails is a fault at `field`.
    """
    await roles.require(ctx, principal, "list_options", request_id)
    ctx.rate_limiter.count_search(principal, clock=ctx.clock)
    record = await get_request(ctx, principal, request_id)
    await require_can_answer(ctx, principal, record)
    if record.status is not Status.PENDING:
        raise already_settled(record)
    if field is None:
        raise Faults([fault("field", "missing_required")])
    if field not in kind_of(record).sourced_fields(record.spec):
        raise Faults([fault("field", "unknown_value.option_field")])
    sourced_field = next(item for item in sourced_fields(record.spec.form) if item.field.id == field)
    _check_lengths(ctx, sourced_field, q, parent, cursor)
    query = OptionQuery(
        sourced_field.source.source,
        sourced_field.field.id,
        q=(q or "").strip(),
        parent=parent or None,
        limit=limit,
        cursor=cursor or None,
        user=principal.user,
        request=InputRequest.model_validate_json(record.wire),
    )
    return await ask_source(ctx, query, "field")


def _check_lengths(
    ctx: Services, field: SourcedField, search_text: str | None, parent: str | None, cursor: str | None
) -> None:
    limits = ctx.limits
    texts = (
        ("q", search_text, limits.option_query),
        ("parent", parent, limits.option_value),
        ("cursor", cursor, limits.option_cursor),
    )
    faults = [fault(name, "too_long", max=limit) for name, text, limit in texts if text and len(text) > limit]
    if parent and not field.source.tree:
        faults.append(fault("parent", "unknown_field.parameter"))
    if faults:
        raise Faults(faults)


async def with_known_options(ctx: Services, form: Form) -> Form:
    """Return a form with the options of the default and initial values of its fields with sources.

    Raises `Faults` for an unknown source, for one that fails, and for a value that the source does not have.
    """
    fields_by_path = {field.path: field for field in sourced_fields(form)}
    if not fields_by_path:
        return form
    paths_without_source = [
        path for path, item in fields_by_path.items() if item.source.source not in ctx.option_sources
    ]
    if paths_without_source:
        raise Faults(
            [
                fault(f"{path}.options_from.source", "unknown_value.option_source")
                for path in paths_without_source
            ]
        )
    options_by_path: dict[str, list[Option]] = {}
    faults: list[Fault] = []
    for path, sourced_field in fields_by_path.items():
        options, option_faults = await _initial_options(ctx, form, path, sourced_field)
        options_by_path[sourced_field.field.id] = options
        faults += option_faults
    if faults:
        raise Faults(faults)
    return _with_options(form, options_by_path)


async def _initial_options(
    ctx: Services, form: Form, path: str, sourced_field: SourcedField
) -> tuple[list[Option], list[Fault]]:
    """Return the options of a field's initial values, and the values that the source does not have."""
    field = sourced_field.field
    default_fault = "invalid_default" if isinstance(field, Multiselect) else "default_not_in_options"
    initial_value = (form.initial_values or {}).get(field.id)
    default_places = (
        (f"{path}.default", default_fault, field.default),
        (join_key("form.initial_values", field.id), "invalid_initial_value", initial_value),
    )
    values = list(dict.fromkeys(value for _, _, item in default_places for value in values_of(item)))
    known_options = (
        await look_up(ctx, sourced_field, values, f"{path}.options_from", user=None, request=None)
        if values
        else {}
    )
    faults = [
        fault(option_path, key)
        for option_path, key, item in default_places
        if any(value not in known_options for value in values_of(item))
    ]
    return [
        Option(value=option.value, label=option.label, description=option.description)
        for option in known_options.values()
    ], faults


def _with_options(form: Form, options: Mapping[str, list[Option]]) -> Form:
    def filled(fields: Sequence[AnyField]) -> list[AnyField]:
        return [
            field.model_copy(update={"options": options[field.id]}) if field.id in options else field
            for field in fields
        ]

    sections = form.sections and [
        section.model_copy(update={"fields": filled(section.fields)}) for section in form.sections
    ]
    fields = None if form.fields is None else filled(form.fields)
    return form.model_copy(update={"fields": fields, "sections": sections})
