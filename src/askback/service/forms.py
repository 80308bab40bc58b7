"""Reads the form back out of a stored request."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from askback.domain.fields import Form
from askback.domain.record import Record


class _Spec(BaseModel):
    model_config = ConfigDict(extra="ignore")

    form: Form


def form_of(record: Record) -> Form:
    """Parse the form that `record` asks; nothing is kept in memory for it between ask and answer."""
    return _Spec.model_validate_json(record.spec).form
