"""Every exception has its status, its code, and the headers that go with it."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from askback import errors
from askback.domain.events import EventDraft
from askback.domain.record import Record
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.store import Change, Claim, ClaimMismatch
from askback.ports.threads import Quota
from askback.server.app import create_app
from askback.transports.problems import HostNotAllowed, MethodNotAllowed, problem_reply
from tests.requirements import requirement
from tests.temporary_store import TemporaryStore
from tests.transports.conftest import Api, ask

REQUEST = {
    "id": "req_1",
    "kind": "form",
    "thread_id": "t1",
    "created_at": "2026-11-20T09:00:00.000Z",
    "status": "answered",
    "revision": 1,
}


@requirement("M1", "M2")
@pytest.mark.parametrize(
    ("error", "status", "code", "headers"),
    [
        (errors.Unauthorized("x"), 401, "unauthorized", {"www-authenticate": "Bearer"}),
        (errors.Forbidden("x"), 403, "forbidden", {}),
        (errors.Forbidden("x", code="locked"), 403, "locked", {}),
        (errors.NotFound("x"), 404, "not_found", {}),
        (MethodNotAllowed("GET"), 405, "method_not_allowed", {"allow": "GET"}),
        (errors.Conflict("x", request=REQUEST), 409, "already_settled", {}),
        (errors.Conflict("x", code="stale_revision", request=REQUEST), 409, "stale_revision", {}),
        (errors.Gone("x", request=REQUEST), 410, "expired", {}),
        (errors.TooLarge("x"), 413, "too_large", {}),
        (HostNotAllowed("x"), 421, "host_not_allowed", {}),
        (errors.Invalid("x", field_errors=[{"path": "a", "code": "b", "message": "c"}]), 422, "invalid", {}),
        (ClaimMismatch(), 422, "idempotency_mismatch", {}),
        (errors.RateLimited("x", retry_after=7), 429, "rate_limited", {"retry-after": "7"}),
        (errors.Unavailable("x"), 503, "unavailable", {"retry-after": "1"}),
        (KeyError("CANARY"), 500, "internal", {}),
    ],
)
def test_an_exception_becomes_one_shape(
    error: Exception, status: int, code: str, headers: Mapping[str, str]
) -> None:
    reply = problem_reply(error, {"headers": []})
    sent = {name.decode(): value.decode() for name, value in reply.headers}
    assert (reply.status, sent) == (status, {"content-type": "application/json", **headers})
    body = json.loads(reply.body)
    assert set(body) == {"error"}
    found_error = body["error"]
    assert found_error.keys() - {"field_errors", "request", "retry_after"} == {"code", "message"}
    assert found_error["code"] == code
    assert ("request" in found_error) == (status in (409, 410))
    assert ("field_errors" in found_error) == (code == "invalid")
    retry_after = headers.get("retry-after")
    assert found_error.get("retry_after") == (None if retry_after is None else int(retry_after))
    assert "CANARY" not in reply.body.decode()


class FullDisk(TemporaryStore):
    """A store that cannot write."""

    async def insert(
        self,
        record: Record,
        event: EventDraft,
        claim: Claim | None = None,
        effects: SideEffects = NOTHING,
        *,
        quota: Quota | None = None,
    ) -> Change:
        raise errors.Unavailable("The disk is full.")


@requirement("M2")
@pytest.mark.anyio
async def test_a_store_that_cannot_write_is_503_and_says_when_to_try_again(api: Api) -> None:
    app = create_app(store=FullDisk())
    async with app.running():
        broken_api = Api(app, api.clock)
        refusal = await (await broken_api.as_("requester")).post("/v1/requests", json=ask())
        assert (refusal.status_code, refusal.headers["retry-after"]) == (503, "1")
        assert refusal.json()["error"]["code"] == "unavailable"
        assert (await (await broken_api.as_("requester")).get("/v1/requests")).json()["requests"] == []
