"""The REST call of each WebSocket operation."""

from __future__ import annotations

from askback.client.rest import RestCall, rest_call


def test_an_argument_is_a_step_of_the_path_or_a_part_of_the_query():
    assert rest_call({"id": 1, "op": "list_rules", "thread_id": "a/b", "limit": 5}) == RestCall(
        "GET", "/v1/rules", {"thread_id": "a/b", "limit": 5}
    )
    assert rest_call({"id": 1, "op": "get_thread", "thread_id": "a/b ä"}) == RestCall(
        "GET", "/v1/threads/a%2Fb%20%C3%A4", {}
    )
    assert rest_call(
        {"id": 1, "op": "create_request", "body": {"kind": "form"}, "key": "k", "wait": True}
    ) == RestCall("POST", "/v1/requests", {}, {"kind": "form"}, "k")
