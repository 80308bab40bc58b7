"""What readers do about secrets: each function takes a connection and returns values of the port."""

from __future__ import annotations

from collections.abc import Sequence

from askback.ports.secrets import Grant, Place, SecretRecord
from askback.storage import rows
from askback.storage.sqlite import secret_queries as queries
from askback.storage.sqlite.connection import Connection


def read_secret(db: Connection, tenant: str, secret_id: str) -> SecretRecord | None:
    """Read one secret."""
    row = db.execute(queries.SECRET, (secret_id, tenant)).fetchone()
    return None if row is None else SecretRecord(*row)


def read_secrets_at(
    db: Connection, tenant: str, owner: str, places: Sequence[Place], names: Sequence[str]
) -> Sequence[SecretRecord]:
    """Read those of `names` that are set in any of `places`."""
    if not places or not names:
        return []
    at = dict.fromkeys(places)  # a place that is named twice is read once
    sql = queries.secrets_at(places=len(at), names=len(names))
    parameters = [part for place in at for part in (tenant, owner, place.scope, place.subject, *names)]
    return [SecretRecord(*row) for row in db.execute(sql, parameters).fetchall()]


def read_secrets(
    db: Connection, tenant: str, *, person: str | None, before: str | None, limit: int
) -> Sequence[SecretRecord]:
    """Read one page of secrets, newest first."""
    sql = queries.list_secrets(person=person is not None, before=before is not None)
    chosen = [person, person, person, before]
    parameters = [tenant, *(value for value in chosen if value is not None), limit]
    return [SecretRecord(*row) for row in db.execute(sql, parameters).fetchall()]


def read_candidates(db: Connection, tenant: str, request_id: str) -> Sequence[SecretRecord]:
    """Read the values of a request that are being tried."""
    return [SecretRecord(*row) for row in db.execute(queries.CANDIDATES, (tenant, request_id)).fetchall()]


def read_granted(
    db: Connection, tenant: str, thread_id: str, names: Sequence[str], *, requester: str | None
) -> Sequence[tuple[Grant, SecretRecord | None]]:
    """Read the newest grant of each name, with its secret."""
    if not names:
        return []
    sql = queries.granted(names=len(names), requester=requester is not None)
    of = [] if requester is None else [requester]
    return [rows.granted(row) for row in db.execute(sql, [tenant, thread_id, *names, *of]).fetchall()]


def read_sealed_after(
    db: Connection, secret_id: str, *, tenant: str | None, limit: int
) -> Sequence[SecretRecord]:
    """Read every text of the next ids, of a tenant or of all."""
    begin = (tenant, secret_id)
    (last,) = db.execute(queries.LAST_OF_PAGE, (*begin, *begin, limit)).fetchone()
    span = (*begin, last)
    return [SecretRecord(*row) for row in db.execute(queries.SEALED, (*span, *span)).fetchall()]
