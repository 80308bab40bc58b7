"""A probe: tests submitted secrets on the server before they are saved.

    class Crm:
        async def probe(self, secrets):
            reply = await ask_the_crm(secrets["CRM_KEY"].reveal())
            return HOLDS if reply.ok else fails({"CRM_KEY": "The CRM does not know this key."})

It is called once for each submission, with every name of the request, and cancelled after `limits.probe_s`. It is
never repeated automatically: if its result is lost, the person is asked to send the values again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, Protocol

from askback.domain.secrets.secret import Secret
from askback.domain.values import frozen


@frozen(slots=True)
class Verdict:
    """The result of a probe. `faults` are texts for the person by name, and never quote a value."""

    outcome: Literal["holds", "fails", "unverifiable"]
    faults: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        if (self.outcome == "fails") != bool(self.faults):
            raise ValueError("Only the outcome `fails` has faults: at least one.")


HOLDS = Verdict("holds")
"""The values work and are saved."""

UNVERIFIABLE = Verdict("unverifiable")
"""The service cannot be reached. The values are saved, and the answer says that they are unverified."""


def fails(faults: Mapping[str, str]) -> Verdict:
    """Return the verdict that the values do not work, so that the person is asked again.

    Raises `ValueError` without a fault.
    """
    return Verdict("fails", dict(faults))


class Probe(Protocol):
    """Tests values. An exception or a timeout counts as `UNVERIFIABLE`; only the type of the exception is logged."""

    async def probe(self, secrets: Mapping[str, Secret], /) -> Verdict:
        """Test the values of one submission, by name."""
        ...
