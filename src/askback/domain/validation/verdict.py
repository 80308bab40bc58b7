"""Check the verdict about an answer: errors for the person, and the values and result of an accepted answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet

from askback.domain.faults import join
from askback.domain.limits import Limits
from askback.domain.request import FieldFault
from askback.domain.validation.report import Report
from askback.domain.validation.structure import encode_body, report_surrogates
from askback.domain.validation.text_check import TextCheck

_MAX_LISTED_PATHS = 20
"""The maximum number of places that a sentence names."""


def check_errors(
    field_errors: Sequence[FieldFault] | None,
    error_summary: str | None,
    places: AbstractSet[str],
    text_check: TextCheck,
    limits: Limits,
) -> None:
    """Report errors that name no place of the request, or that nobody could read."""
    report = text_check.report
    faults = field_errors or ()
    if len(faults) > limits.fields:
        report.add("field_errors", "too_many", max=limits.fields)
    for index, fault in enumerate(faults[: limits.fields]):
        item_path = join("field_errors", index)
        if fault.path not in places:
            report.add(join(item_path, "path"), "unknown_value", allowed=_list_places(places, limits))
        text_check.line(item_path, "message", fault.message, limits.title)
    text_check.line("", "error_summary", error_summary, limits.title)


def _list_places(paths: Collection[str], limits: Limits) -> str:
    """Return the first places as a text; an id that is itself too long is left out."""
    short_paths = sorted(path for path in paths if len(path) <= 2 * limits.field_id)
    return ", ".join(
        [*short_paths[:_MAX_LISTED_PATHS], *(["…"] if len(short_paths) > _MAX_LISTED_PATHS else [])]
    )


def check_result(result: object, message: str | None, limits: Limits) -> None:
    """Raise `Faults` for a result that is larger than the limit, or a sentence that nobody could read."""
    report = Report()
    text = encode_body(result)
    if text is None:
        report_surrogates(result, report, path="result")
    elif len(text) > limits.result_bytes:
        report.add("result", "too_long.bytes", max=limits.result_bytes)
    TextCheck(report, suspicious=True).line("", "message", message, limits.title)
    report.finish()
