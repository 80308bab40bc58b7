"""What the writer thread does to secrets on their own; `along` has what comes with another change."""

from __future__ import annotations

import json
from collections.abc import Sequence

from askback.ports.policy import Along
from askback.storage.sqlite import secret_queries as queries
from askback.storage.sqlite.along import write_along
from askback.storage.sqlite.connection import Connection


def drop_secret(db: Connection, tenant: str, secret_id: str, along: Along) -> bool:
    """Erase a secret; False when there is none."""
    if db.execute(queries.DROP_SECRET, (secret_id, tenant)).fetchone() is None:
        return False
    write_along(db, along)
    return True


def rewrap(db: Connection, secret_id: str, *, sealed: str, instead: str) -> bool:
    """Replace a sealed text where it is: in its place, or still as a candidate."""
    row = (sealed, secret_id, instead)
    found = [db.execute(query, row).fetchone() for query in (queries.REWRAP_SECRET, queries.REWRAP_CANDIDATE)]
    return found != [None, None]


def set_agents(db: Connection, tenant: str, secret_id: str, agents: Sequence[str], along: Along) -> None:
    """Say which agents may use a secret, and take back the grants of all others."""
    db.execute(queries.LET_NOBODY_USE, (tenant, secret_id))
    for agent in agents:
        db.execute(queries.LET_USE, (tenant, secret_id, agent))
    if "*" not in agents:
        db.execute(queries.TAKE_BACK, (tenant, secret_id, json.dumps(agents)))
    write_along(db, along)


def grant(db: Connection, tenant: str, secret_id: str, agent: str, along: Along) -> None:
    """Let one agent use a secret too."""
    db.execute(queries.LET_USE, (tenant, secret_id, agent))
    write_along(db, along)


def revoke(db: Connection, tenant: str, secret_id: str, agent: str, along: Along) -> None:
    """Take a secret back from one agent, with its grants."""
    for query in (queries.LET_NO_MORE, queries.TAKE_BACK_ONE):
        db.execute(query, (tenant, secret_id, agent))
    write_along(db, along)
