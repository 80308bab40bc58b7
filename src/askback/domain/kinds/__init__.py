"""The kinds of requests: what differs between a form, an approval and a request for secrets, one value each.

A kind is pure: what it does with the store stands in `service/kinds.py`, under the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from askback.domain.kinds.approval import ApprovalKind
from askback.domain.kinds.form import FormKind
from askback.domain.kinds.kind import Kind
from askback.domain.kinds.secret import SecretKind
from askback.domain.record import Record

FORM = FormKind()
KINDS: Mapping[str, Kind] = MappingProxyType(
    {each.name: each for each in (FORM, ApprovalKind(), SecretKind())}
)


def kind_of(record: Record) -> Kind:
    """Return the kind of a stored request."""
    return KINDS[record.kind]
