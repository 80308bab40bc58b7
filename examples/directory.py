"""An app that looks groups up where the host keeps them, each time somebody answers what is for a group."""

from askback.app import create_app
from askback.ports.store import Principal

ON_CALL = {"ops": {"ada", "bob"}}


class Rota:
    """Who is on call, by today's rota."""

    async def groups(self, principal: Principal) -> frozenset[str]:
        """Return the groups of a person."""
        return frozenset(name for name, people in ON_CALL.items() if principal.user in people)


app = create_app(directory=Rota())
