"""Whether a request is spelt the way it is stored and shown: options and agents as objects, nothing null.

A body that is can be stored as it was sent, instead of being written anew from the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def is_spelt_out(body: Mapping[str, Any], encoded: bytes) -> bool:
    """Whether a body that `check_ask` has accepted needs no rewriting; `encoded` is its JSON."""
    if b"null" in encoded or isinstance(body.get("agent"), str):
        return False
    form: Mapping[str, Any] = body["form"]
    if "fields" in form:
        return _all_spelt_out(form["fields"])
    return all(_all_spelt_out(section["fields"]) for section in form["sections"])


def _all_spelt_out(fields: Sequence[Mapping[str, Any]]) -> bool:
    for field in fields:
        options = field.get("options")
        if options is None:
            if field["type"] == "select":
                return False  # a confirm that was given its options just now
        elif not options or any(type(option) is not dict or "value" not in option for option in options):
            return False
    return True
