"""The names of uploaded files, and the files that a field accepts.

The sender's data about a file is not trusted: its name is cleaned, and its type is detected from its bytes
(`filetypes.py`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, cast

from askback.domain.faults import Faults, fault
from askback.domain.fields import File, Form
from askback.domain.filetypes import BY_EXTENSION, extension
from askback.domain.values import frozen

ACCEPT = re.compile(r"\.[a-z0-9][a-z0-9.+_-]{0,31}|[a-z0-9]+/(?:\*|[a-z0-9][a-z0-9.+-]{0,99})", re.IGNORECASE)
"""The items of `accept`: an extension (`.pdf`), a type (`application/pdf`), or all types of a group (`image/*`)."""

_UNSHOWN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that are removed from a name: control characters, bidirectional marks, line ends."""


@frozen(slots=True)
class UploadedFile:
    """A file that the server has stored; `type` is detected from its bytes, `field` is where it was uploaded."""

    id: str
    field: str
    name: str
    size: int
    type: str
    sha256: str

    @property
    def value(self) -> dict[str, Any]:
        """The file as a value of an answer."""
        return {"id": self.id, "name": self.name, "size": self.size, "type": self.type, "sha256": self.sha256}


Uploads = Mapping[str, UploadedFile]
"""By id: the files that an answer may name."""

NO_UPLOADS: Uploads = {}


def uploads_in(form: Form, values: Mapping[str, Any]) -> Uploads:
    """Return the files that values name as whole objects, as the server has written them."""
    uploads: dict[str, UploadedFile] = {}
    for field in form.all_fields:
        value = values.get(field.id) if isinstance(field, File) else None
        for item in cast("list[Any]", value if isinstance(value, list) else [value]):
            if isinstance(item, dict):
                file = cast("dict[str, Any]", item)
                uploads[file["id"]] = UploadedFile(field=field.id, **file)
    return uploads


def most_files(field: File) -> int:
    """Return how many files an answer may have for a field."""
    return field.max_files or 1


def clean_name(name: str | None, *, longest: int) -> str:
    """Return the last part of a name, cleaned for display and storage; raises `Faults` at `name`."""
    base_name = re.split(r"[/\\]", unicodedata.normalize("NFC", name or ""))[-1]
    visible = "".join(item for item in base_name if unicodedata.category(item) not in _UNSHOWN).strip()
    if not visible.strip("."):
        raise Faults([fault("name", "missing_required" if name is None else "empty")])
    if len(visible) > longest:
        raise Faults([fault("name", "too_long", max=longest)])
    return visible


def is_accepted(field: File, name: str, type_: str) -> bool:
    """Return whether a field accepts a file of this name and type. A known extension needs its type as well."""
    return not field.accept or any(_matches(item.lower(), name, type_) for item in field.accept)


def _matches(accepted: str, name: str, type_: str) -> bool:
    if not accepted.startswith("."):
        kind, _, subtype = accepted.partition("/")
        return type_ == accepted or (subtype == "*" and type_.startswith(f"{kind}/"))
    return name.lower().endswith(accepted) and BY_EXTENSION.get(extension(accepted), type_) == type_
