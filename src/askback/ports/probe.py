"""A probe: tries on the server what a person handed over, before it counts.

    class Crm:
        async def probe(self, secrets):
            reply = await ask_the_crm(secrets["CRM_KEY"].reveal())
            return HOLDS if reply.ok else fails({"CRM_KEY": "The CRM does not know this key."})

It is called once for each submission, with every name of the request, and given up after `limits.probe_s`. What it
does is never done again by itself: where nobody knows how it ended, the person is asked to send the values again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from askback.domain.secrets.secret import Secret


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a trial. `faults` say by name what is wrong, in words for the person, and never quote a value."""

    outcome: Literal["holds", "fails", "unverifiable"]
    faults: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        if (self.outcome == "fails") != bool(self.faults):
            raise ValueError("What fails has a fault for at least one name, and nothing else has any.")


HOLDS = Verdict("holds")
"""The values work; they count from now on."""

UNVERIFIABLE = Verdict("unverifiable")
"""Nobody can tell now, since the service cannot be reached. The values are kept, and the answer says so."""


def fails(faults: Mapping[str, str]) -> Verdict:
    """The values do not work: the person is asked again. Raises `ValueError` without a fault."""
    return Verdict("fails", dict(faults))


class Probe(Protocol):
    """Tries values. What it raises counts as `UNVERIFIABLE`, as does running out of time; only its type is logged."""

    async def probe(self, secrets: Mapping[str, Secret], /) -> Verdict:
        """Try the values of one submission, by name."""
        ...
