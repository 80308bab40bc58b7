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
    sourced = next(each for each in sourced_fields(record.spec.form) if each.field.id == field)
    _check_lengths(ctx, sourced, q, parent, cursor)
    query = OptionQuery(
        sourced.source.source,
        sourced.field.id,
        q=(q or "").strip(),
        parent=parent or None,
        limit=limit,
        cursor=cursor or None,
        user=principal.user,
        request=InputRequest.model_validate_json(record.wire),
    )
    return await ask_source(ctx, query, "field")


def _check_lengths(
    ctx: Services, field: SourcedField, q: str | None, parent: str | None, cursor: str | None
) -> None:
    limits = ctx.limits
    texts = (
        ("q", q, limits.option_query),
        ("parent", parent, limits.option_value),
        ("cursor", cursor, limits.option_cursor),
    )
    wrong = [fault(name, "too_long", max=limit) for name, text, limit in texts if text and len(text) > limit]
    if parent and not field.source.tree:
        wrong.append(fault("parent", "unknown_field.parameter"))
    if wrong:
        raise Faults(wrong)


async def with_known_options(ctx: Services, form: Form) -> Form:
    """Return a form with the options of the default and initial values of its fields with sources.

    Raises `Faults` for an unknown source, for one that fails, and for a value that the source does not have.
    """
    sourced = {each.path: each for each in sourced_fields(form)}
    if not sourced:
        return form
    unknown = [path for path, each in sourced.items() if each.source.source not in ctx.option_sources]
    if unknown:
        raise Faults(
            [fault(f"{path}.options_from.source", "unknown_value.option_source") for path in unknown]
        )
    offered: dict[str, list[Option]] = {}
    faults: list[Fault] = []
    for path, each in sourced.items():
        options, wrong = await _initial_options(ctx, form, path, each)
        offered[each.field.id] = options
        faults += wrong
    if faults:
        raise Faults(faults)
    return _with_options(form, offered)


async def _initial_options(
    ctx: Services, form: Form, path: str, sourced: SourcedField
) -> tuple[list[Option], list[Fault]]:
    """Return the options of a field's initial values, and the values that the source does not have."""
    field = sourced.field
    single = "invalid_default" if isinstance(field, Multiselect) else "default_not_in_options"
    initial = (form.initial_values or {}).get(field.id)
    places = (
        (f"{path}.default", single, field.default),
        (join_key("form.initial_values", field.id), "invalid_initial_value", initial),
    )
    values = list(dict.fromkeys(value for _, _, each in places for value in values_of(each)))
    resolved = (
        await look_up(ctx, sourced, values, f"{path}.options_from", user=None, request=None) if values else {}
    )
    faults = [
        fault(option_path, key)
        for option_path, key, each in places
        if any(value not in resolved for value in values_of(each))
    ]
    return [
        Option(value=each.value, label=each.label, description=each.description) for each in resolved.values()
    ], faults


def _with_options(form: Form, options: Mapping[str, list[Option]]) -> Form:
    def filled(fields: Sequence[AnyField]) -> list[AnyField]:
        return [
            each.model_copy(update={"options": options[each.id]}) if each.id in options else each
            for each in fields
        ]

    sections = form.sections and [
        section.model_copy(update={"fields": filled(section.fields)}) for section in form.sections
    ]
    fields = None if form.fields is None else filled(form.fields)
    return form.model_copy(update={"fields": fields, "sections": sections})
