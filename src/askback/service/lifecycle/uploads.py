"""The files of a request: which ones an answer may name, and which remain when it ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from askback.domain.files import NO_UPLOADS, Uploads
from askback.domain.kinds import kind_of
from askback.domain.lifecycle import TERMINAL, Status, Transition
from askback.domain.record import Record
from askback.ports.files import FileClaim, StoredFile
from askback.ports.store import Principal
from askback.service.access import roles
from askback.service.context import Services


def is_usable(principal: Principal | None, file: StoredFile) -> bool:
    """Return whether the caller may read a file and name it in an answer: their own upload, or one that was named."""
    if file.state == "claimed":
        return True
    if principal is None:
        return False
    if not file.request_id:
        return file.person == principal.id
    return roles.is_person(principal) and file.person == principal.user


async def uploads_of(ctx: Services, principal: Principal | None, record: Record) -> Uploads:
    """Return the files that an answer of the caller may name."""
    if not kind_of(record).file_fields(record.spec):
        return NO_UPLOADS
    files = await ctx.store.files_of_request(record.tenant, record.id)
    return {file.id: file.upload for file in files if is_usable(principal, file)}


def file_claims(
    record: Record, transition: Transition, status: Status, outcome: Mapping[str, Any]
) -> tuple[FileClaim, ...]:
    """Return the file changes of a step to `status`, if the request has file fields.

    The answer, or the submission that is checked, claims the files that it names. The end drops all others.
    """
    if transition is Transition.NOTE or status is Status.PENDING:
        return ()
    if not (fields := kind_of(record).file_fields(record.spec)):
        return ()
    answer: Mapping[str, Any] = outcome.get("answer") or outcome.get("submitted") or {}
    ids = _file_ids(answer.get("values", {}), fields)
    return (FileClaim(record.tenant, record.id, tuple(dict.fromkeys(ids)), status in TERMINAL),)


def _file_ids(values: Mapping[str, Any], fields: Iterable[str]) -> Iterable[str]:
    for name in fields:
        value: Any = values.get(name) or []
        file_values = cast("list[Any]", value if isinstance(value, list) else [value])
        yield from (item["id"] for item in file_values)
