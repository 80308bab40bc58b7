"""Ask the sources of options, and check the choices of an answer with them (ADR 65)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import anyio

from askback.domain.faults import Fault, Faults, fault, join
from askback.domain.fields import AnyField, Multiselect
from askback.domain.options import OptionValue
from askback.domain.record import Record
from askback.domain.request import InputRequest
from askback.domain.rows import value_path
from askback.domain.sources import (
    OptionPage,
    OptionQuery,
    SourcedField,
    SourceOption,
    read_page,
    sourced_fields,
    values_of,
)
from askback.domain.validation.value import own_message
from askback.service.context import Services

_log = logging.getLogger(__name__)


async def check_chosen(
    ctx: Services, record: Record, values: Mapping[str, Any], *, user: str | None
) -> dict[str, list[str]]:
    """Return the labels of an answer's choices from sources, by field id.

    Raises `Faults` for values that a source does not have for this person, and if the source fails.
    """
    labels: dict[str, list[str]] = {}
    faults: list[Fault] = []
    for sourced_field in sourced_fields(record.spec.form):
        field = sourced_field.field
        chosen_values = values_of(values.get(field.id))
        if not chosen_values:
            continue
        by_value = await _labels(ctx, record, sourced_field, chosen_values, user)
        faults += [
            _unknown_option(field, index)
            for index, value in enumerate(chosen_values)
            if value not in by_value
        ]
        labels[field.id] = [by_value.get(value, "") for value in chosen_values]
    if faults:
        raise Faults(faults)
    return labels


async def _labels(
    ctx: Services, record: Record, field: SourcedField, chosen_values: Sequence[OptionValue], user: str | None
) -> Mapping[OptionValue, str]:
    """Return the labels of those of the values that this person may choose."""
    if field.field.readonly:
        return {option.value: str(option.label) for option in field.field.options}
    request = InputRequest.model_validate_json(record.wire)
    path = value_path(field.field.id)
    options = await look_up(ctx, field, chosen_values, path, user=user, request=request)
    return {value: item.label for value, item in options.items() if not item.disabled}


def _unknown_option(field: AnyField, index: int) -> Fault:
    """Return the fault for a value that the source does not have."""
    path, is_multiselect = value_path(field.id), isinstance(field, Multiselect)
    option_path = join(path, index) if is_multiselect else path
    key = "value_not_in_options.item" if is_multiselect else "value_not_in_options"
    message = own_message(field, key)
    return fault(option_path, key) if message is None else fault(option_path, key, message=message)


async def look_up(
    ctx: Services,
    field: SourcedField,
    values: Sequence[OptionValue],
    path: str,
    *,
    user: str | None,
    request: InputRequest | None,
) -> dict[OptionValue, SourceOption]:
    """Return those options of the source of a field that have one of the values. Raises `Faults` at `path`."""
    query = OptionQuery(
        field.source.source,
        field.field.id,
        limit=len(values),
        values=tuple(values),
        user=user,
        request=request,
    )
    page = await ask_source(ctx, query, path)
    return {option.value: option for option in page.options if option.value in values}


async def ask_source(ctx: Services, query: OptionQuery, path: str) -> OptionPage:
    """Ask a source. Raises `Faults` at `path` if it fails; the fault does not quote its error or its result."""
    source = ctx.option_sources.get(query.source)
    if source is None:
        _log.warning("this server has no source of options %r; another one asked for it", query.source)
        raise Faults([fault(path, "source_unavailable")])
    try:
        with anyio.fail_after(ctx.limits.option_source_s):
            reply = await source(query)
        page, skipped_count = read_page(reply, limit=query.limit, limits=ctx.limits)
    except Exception as error:  # noqa: BLE001 - whatever fails has answered nothing
        # The text of the error could contain what the person typed.
        _log.warning("the source of options %r failed with %s", query.source, type(error).__name__)
        raise Faults([fault(path, "source_unavailable")]) from None
    if skipped_count:
        _log.warning("the source of options %r returned %d that are left out", query.source, skipped_count)
    return page
