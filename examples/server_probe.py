"""A server that tries a key of the CRM itself before it counts, for every agent that asks with `probe="crm"`."""

from collections.abc import Mapping

from askback.app import create_app
from askback.domain.secrets.secret import Secret
from askback.ports.probe import HOLDS, UNVERIFIABLE, Verdict, fails


class Crm:
    """The probe; an object with this one method."""

    async def probe(self, secrets: Mapping[str, Secret], /) -> Verdict:
        """Try the values of one submission."""
        try:
            known = await knows(secrets["CRM_KEY"].reveal())
        except OSError:
            return UNVERIFIABLE
        return HOLDS if known else fails({"CRM_KEY": "The CRM does not know this key."})


async def knows(key: str) -> bool:
    """Ask the CRM; here it knows every key that has 16 characters."""
    return len(key) == 16


app = create_app(probes={"crm": Crm()})  # an ASGI app; `askback serve` finds the probes of installed packages
