"""The kinds of requests: form, approval, secret and action, and one for all kinds of packages.

A kind is pure; its use cases are in `service/requests/kinds.py`, under the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from askback.domain.kinds.action import ActionKind
from askback.domain.kinds.approval import ApprovalKind
from askback.domain.kinds.form import FormKind
from askback.domain.kinds.kind import RequestKind
from askback.domain.kinds.package import PackageKind
from askback.domain.kinds.secret import SecretKind
from askback.domain.record import Record

FORM, PACKAGE = FormKind(), PackageKind()
KINDS: Mapping[str, RequestKind] = MappingProxyType(
    {item.name: item for item in (FORM, ApprovalKind(), SecretKind(), ActionKind(), PACKAGE)}
)


def kind_of(record: Record) -> RequestKind:
    """Return the kind of a stored request."""
    return KINDS[record.kind]


BUILT_IN = tuple(name for name in KINDS if name != PACKAGE.name)
"""The kinds that every server has."""
