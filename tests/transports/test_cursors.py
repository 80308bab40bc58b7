"""The cursors of lists: a text that no page returned is refused, and a cursor of a deleted item still continues its list."""

from __future__ import annotations

from typing import Any

import pytest

from askback.wire.operation import Operation
from askback.wire.operations import OPERATIONS
from tests.transports.conftest import ANSWER, Api, create_request
from tests.transports.sockets import Socket

pytestmark = pytest.mark.anyio

ANY_TEXT = {"list_options", "list_people"}
"""Lists whose cursor is a text of somebody else: of the source of the options, the id of a person."""
LISTS = [
    operation
    for operation in OPERATIONS.values()
    if any((parameter.name, parameter.type) == ("cursor", "text") for parameter in operation.parameters)
    and operation.name not in ANY_TEXT
]
MALFORMED = [
    "x",
    "-1",
    "1.5",
    "9" * 30,
    "",
    "\0",
    "req_",
    f"req_{'0' * 26}x",
    "agt_1",
    " ",
    "2026 req_0",
    "½",
]


async def connect(api: Api, role: str) -> Socket:
    await api.as_(role)
    socket = Socket(
        api.app, headers={"Authorization": f"Bearer {api.tokens[role]}"}, subprotocols=["askback.v1"]
    )
    assert (await socket.message())["type"] == "websocket.accept"
    return socket


def fault_of(error: dict[str, Any]) -> tuple[str, str]:
    [fault] = error["field_errors"]
    return fault["path"], fault["code"]


@pytest.mark.parametrize("operation", LISTS, ids=lambda operation: operation.name)
async def test_a_malformed_cursor_is_refused_by_every_list(api: Api, operation: Operation) -> None:
    admin, socket = await api.as_("admin"), await connect(api, "admin")
    path = operation.path.replace("{thread_id}", "t1").replace("{webhook_id}", "whk_1")
    arguments = dict.fromkeys(operation.path_parameters, "t1")
    for cursor in MALFORMED:
        reply = await admin.get(path, params={"cursor": cursor})
        assert (reply.status_code, fault_of(reply.json()["error"])) == (422, ("cursor", "invalid_cursor"))
        assert fault_of(await socket.call(operation.name, **arguments, cursor=cursor)) == (
            "cursor",
            "invalid_cursor",
        )
    await socket.leave()


async def test_a_malformed_cursor_of_a_preview_is_refused(api: Api) -> None:
    for cursor in MALFORMED:
        reply = await (await api.as_("admin")).post(
            "/v1/rules/preview", json={"rule": {"rule": "make test"}, "cursor": cursor}
        )
        assert (reply.status_code, fault_of(reply.json()["error"])) == (422, ("cursor", "invalid_cursor"))


@pytest.mark.parametrize("path", ["/v1/requests", "/v1/history"])
async def test_a_list_continues_after_a_deleted_item(api: Api, path: str) -> None:
    admin, person = await api.as_("admin"), await api.as_("responder")
    requests = [await create_request(api, thread_id=f"t{number}") for number in range(3)]
    for request in requests:
        api.clock.advance(seconds=1)
        assert (await person.post(f"/v1/requests/{request['id']}/answer", json=ANSWER)).status_code == 200
    page = (await admin.get(path, params={"limit": 2})).json()
    assert [item["id"] for item in page["requests"]] == [requests[2]["id"], requests[1]["id"]]
    assert (await admin.delete("/v1/threads/t1")).status_code in {200, 204}
    rest = (await admin.get(path, params={"cursor": page["next_cursor"]})).json()
    assert ([item["id"] for item in rest["requests"]], rest["next_cursor"]) == ([requests[0]["id"]], None)
