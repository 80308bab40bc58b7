"""The form that a stored request asks, parsed again only when it is not one of the newest.

Most answers come soon after their question, and parsing a form costs more than checking an answer
against it. So the newest forms are kept, a fixed number of them, however many requests are open.
"""

from __future__ import annotations

from collections import OrderedDict

from pydantic import BaseModel, ConfigDict

from askback.domain.fields import Form
from askback.domain.record import Record

NEWEST = 512
LARGEST = 8_192
"""Bytes of the longest spec whose form is kept: what is kept has a size that nobody outside can choose."""


class _Spec(BaseModel):
    model_config = ConfigDict(extra="ignore")

    form: Form


class Forms:
    """The newest forms, by request and revision."""

    def __init__(self, *, newest: int = NEWEST) -> None:
        self._newest = newest
        self._forms: OrderedDict[tuple[str, int], Form] = OrderedDict()

    def keep(self, record: Record, form: Form) -> None:
        """Keep a form that was just checked, unless it is a large one, and let the oldest go."""
        if len(record.spec) > LARGEST:
            return
        self._forms[record.id, record.revision] = form
        if len(self._forms) > self._newest:
            self._forms.popitem(last=False)

    def of(self, record: Record) -> Form:
        """Return the form that `record` asks."""
        kept = self._forms.get((record.id, record.revision))
        return _Spec.model_validate_json(record.spec).form if kept is None else kept
