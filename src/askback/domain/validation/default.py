"""The answer that a form declares by itself: what stands in it before anybody has typed."""

from __future__ import annotations

from typing import Any

from askback.domain.faults import Faults, fault
from askback.domain.fields import Form
from askback.domain.limits import DEFAULTS, Limits
from askback.domain.validation.answer import Cleaned, check_answer


def default_answer(form: Form, limits: Limits = DEFAULTS) -> Cleaned:
    """Return the initial values and the defaults, checked like any answer; raises `Faults` where they are none.

    A form that declares no value has no default answer, even if a person may submit it empty.
    """
    initial = form.initial_values or {}
    given: dict[str, Any] = {
        field.id: initial.get(field.id, getattr(field, "default", None)) for field in form.all_fields
    }
    answer = check_answer(
        form, {name: value for name, value in given.items() if value is not None}, limits=limits
    )
    if not answer.values:
        raise Faults([fault("values", "empty.values")])
    return answer
