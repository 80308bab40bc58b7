"""M9: the reasons for cancelling of each role, over HTTP and over a WebSocket."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from askback.domain.lifecycle import CANCELLED_BY
from askback.wire.bodies import CancelBody
from tests.requirements import requirement
from tests.transports.conftest import Api, ask, create_request
from tests.transports.sockets import Socket

pytestmark = pytest.mark.anyio

ROLE_REASONS = [(role, reason) for role in ("requester", "admin") for reason in sorted(CANCELLED_BY)]


async def over_http(api: Api, role: str, request_id: str, body: dict[str, Any]) -> dict[str, Any]:
    return (await (await api.as_(role)).post(f"/v1/requests/{request_id}/cancel", json=body)).json()


async def cancel_over_websocket(api: Api, role: str, request_id: str, body: dict[str, Any]) -> dict[str, Any]:
    await api.as_(role)
    headers = {"Authorization": f"Bearer {api.tokens[role]}"}
    socket = Socket(api.app, headers=headers, subprotocols=["askback.v1"])
    assert (await socket.message())["type"] == "websocket.accept"
    result = await socket.call("cancel_request", request_id=request_id, body=body)
    await socket.leave()
    return {"error": result} if "code" in result else result


@requirement("M9")
@pytest.mark.parametrize("transport", [over_http, cancel_over_websocket])
@pytest.mark.parametrize(("role", "reason"), ROLE_REASONS)
async def test_a_role_gives_its_own_reasons_and_no_other(
    shared_api: Api, transport: Any, role: str, reason: str
) -> None:
    thread = f"{transport.__name__} {role} {reason}"
    request = await create_request(shared_api, thread_id=thread)
    ended_request = await transport(shared_api, role, request["id"], {"reason": reason})
    events = await shared_api.app.services.store.thread_events("default", thread, after=1)
    if role in CANCELLED_BY[reason]:
        assert (ended_request["status"], ended_request["reason"]) == ("cancelled", reason)
        assert [(event.type, f'"reason":"{reason}"' in event.text) for event in events] == [
            ("request.cancelled", True)
        ]
    else:
        error = ended_request["error"]
        assert (error["code"], [item["path"] for item in error["field_errors"]]) == ("invalid", ["reason"])
        assert events == []


@requirement("M9")
@pytest.mark.parametrize("transport", [over_http, cancel_over_websocket])
@pytest.mark.parametrize(("role", "reason"), [("requester", "agent_aborted"), ("admin", "admin")])
async def test_without_a_reason_it_is_that_of_the_role(
    api: Api, transport: Any, role: str, reason: str
) -> None:
    request = await create_request(api)
    assert (await transport(api, role, request["id"], {}))["reason"] == reason


@requirement("M9")
async def test_reasons_of_the_server_cannot_be_sent_by_a_client(api: Api) -> None:
    body = {
        reason for item in get_args(CancelBody.model_fields["reason"].annotation) for reason in get_args(item)
    }
    assert body == {reason for reason, givers in CANCELLED_BY.items() if givers != {"server"}}
    agent = await api.as_("requester")
    single_body = (await agent.post("/v1/requests", json=ask(require_client="fail_fast"))).json()
    assert (single_body["status"], single_body["reason"]) == ("cancelled", "not_shown")
    first_request = await create_request(api, exclusive_key="one")
    await create_request(api, exclusive_key="one")
    await (await api.as_("admin")).post("/v1/threads/t1/archive")
    requests = (await agent.get("/v1/requests", params={"thread_id": "t1"})).json()["requests"]
    assert [request["reason"] for request in requests] == ["thread_archived", "superseded", "not_shown"]
    assert requests[1]["id"] == first_request["id"]
