"""A fault: one broken rule, at one place, as data. Texts are made from it by `askback.messages`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Fault:
    """One broken rule.

    `path` is where (`form.fields[0].options[1].label`; empty for the whole body), `code` the
    stable word for programs, `key` the entry of the message catalogue (`code`, or
    `code.variant` where one code needs several sentences), `params` what the sentence names.
    A fault never carries the value that was refused.
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


class Faults(ValueError):
    """A body breaks one rule or several; `faults` has every one, in the order of the body."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("; ".join(f"{each.path or '(body)'}: {each.key}" for each in faults))
        self.faults = list(faults)
