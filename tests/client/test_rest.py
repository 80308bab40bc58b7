"""Which REST call an operation of the WebSocket is."""

from __future__ import annotations

from askback.app import create_app
from askback.client.rest import ROUTES, RestCall, rest_call
from askback.transports.endpoint import Operation


def test_an_argument_is_a_step_of_the_path_or_a_part_of_the_query():
    assert rest_call({"id": 1, "op": "rules", "thread_id": "a/b", "limit": 5}) == RestCall(
        "GET", "/v1/rules", {"thread_id": "a/b", "limit": 5}
    )
    assert rest_call({"id": 1, "op": "thread", "thread_id": "a/b ä"}) == RestCall(
        "GET", "/v1/threads/a%2Fb%20%C3%A4", {}
    )
    assert rest_call(
        {"id": 1, "op": "create", "body": {"kind": "form"}, "key": "k", "wait": True}
    ) == RestCall("POST", "/v1/requests", {}, {"kind": "form"}, "k")


def test_every_call_is_one_that_the_server_has():
    def shape(path: str) -> str:
        return "/".join("{}" if step.startswith("{") else step for step in path.split("/"))

    served = {(o.method, shape(o.path)) for o in create_app().operations if isinstance(o, Operation)}
    assert {(method, shape(path)) for method, path in ROUTES.values()} <= served
