"""Faults: validation errors as data. `askback.messages` makes texts from them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from askback.domain.values import frozen
from askback.messages.languages import choose


@frozen(slots=True)
class Fault:
    """One validation error.

    `path` is the place (`form.fields[0].options[1].label`; empty for the whole body), `code` the stable code for
    programs, `key` the entry of the message catalogue (`code`, or `code.variant` if one code needs several sentences),
    and `params` the values for its placeholders. A fault never contains the refused value.
    """

    path: str
    code: str
    key: str
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])


def fault(path: str, key: str, **params: Any) -> Fault:
    """Make a fault; the code is the part of `key` before the first dot."""
    return Fault(path, key.partition(".")[0], key, params)


def join(path: str, step: str | int) -> str:
    """Extend `path`: an index as `[0]`, a name as `.name`, an odd name quoted as `["a b"]`."""
    if isinstance(step, int):
        return f"{path}[{step}]"
    if not step.replace("_", "a").replace("-", "a").isalnum() or not step.isascii():
        quoted = step.replace("\\", "\\\\").replace('"', '\\"')
        return f'{path}["{quoted}"]'
    return f"{path}.{step}" if path else step


PathTable = Sequence[tuple[str, str]]
"""Rows of a pattern for the beginning of a path and its replacement; the first match applies."""


def rename_path(path: str, table: PathTable) -> str:
    """Replace the beginning of `path` by the first row of `table` that matches it."""
    for pattern, replacement in table:
        new_path, replacements = re.subn(f"^(?:{pattern})", replacement, path)
        if replacements:
            return new_path
    return path


class Faults(ValueError):
    """A body breaks at least one rule; `faults` has all of them, in the order of the body."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("; ".join(f"{item.path or '(body)'}: {item.key}" for item in faults))
        self.faults = list(faults)

    def for_reader(self, languages: Sequence[str]) -> Faults:
        """Return the same faults, with the agent's own sentences in the best language for a reader of `languages`."""
        if not languages:
            return self
        return Faults([_choose_message(item, languages) for item in self.faults])

    def with_paths(self, table: PathTable) -> Faults:
        """Return the same faults with other paths (`rename_path`); faults with the same path and code are merged."""
        faults = [replace(item, path=rename_path(item.path, table)) for item in self.faults]
        return Faults(list({(item.path, item.code): item for item in faults}.values()))


def require(condition: object, path: str, key: str, **params: Any) -> None:
    """Raise `Faults` with one fault unless a condition holds."""
    if not condition:
        raise Faults([fault(path, key, **params)])


def _choose_message(fault: Fault, languages: Sequence[str]) -> Fault:
    own_message = fault.params.get("message")
    if own_message is None:
        return fault
    return replace(fault, params={**fault.params, "message": choose(own_message, languages)})
