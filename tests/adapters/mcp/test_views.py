"""Hosts of MCP Apps: the view, the tools that only it calls, and what other clients see of them."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcp.client import advertise
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequestParams, ElicitResult

from askback import AsyncClient
from tests.adapters.mcp.conftest import KINDS, Connect, Kind, card

pytestmark = pytest.mark.anyio

URI = "ui://askback/request"
MIME = "text/html;profile=mcp-app"
SHOWS_VIEWS = {"extensions": [advertise("io.modelcontextprotocol/ui", {"mimeTypes": [MIME]})]}
SHOWN = {"ask_user", "request_approval", "request_env_vars"}
FORM = {
    "fields": [{"id": "a", "type": "number", "label": "A", "max": 9, "allow_skip": True, "required": True}]
}


async def test_a_host_of_views_gets_the_view_and_its_tools(kind: Kind, connect: Connect) -> None:
    async with connect(kind, options=SHOWS_VIEWS) as tools:
        listed = {tool.name: tool.meta for tool in (await tools.client.list_tools()).tools}
        [resource] = (await tools.client.list_resources()).resources
        [document] = (await tools.client.read_resource(URI)).contents
        with pytest.raises(MCPError, match="There is no resource"):
            await tools.client.read_resource("ui://askback/other")
    assert {name for name, meta in listed.items() if meta == {"ui": {"resourceUri": URI}}} == SHOWN
    hidden = {"ui": {"resourceUri": URI, "visibility": ["app"]}}
    assert {name for name, meta in listed.items() if meta == hidden} == {"read_in_view", "answer_in_view"}
    assert (str(resource.uri), resource.mime_type, document.mime_type) == (URI, MIME, MIME)
    text = document.text  # pyright: ignore[reportAttributeAccessIssue]
    assert text.startswith("<!doctype html>")
    assert "/static/" not in text.split("<script", 1)[0]
    assert text.count("<script") == 1


async def test_a_client_without_views_lists_no_resource(kind: Kind, connect: Connect) -> None:
    async with connect(kind) as tools:
        assert (await tools.client.list_resources()).resources == []


async def test_a_form_is_answered_in_the_view(
    kind: Kind, connect: Connect, person: AsyncClient, thread: str
) -> None:
    async with connect(kind, options=SHOWS_VIEWS) as tools:
        content = await tools.content("ask_user", form=FORM, thread_id=thread)
        id_ = content["request_id"]
        assert content["status"] == "pending"
        shown_content = await tools.content("read_in_view", request_id=id_)
        assert (shown_content["here"], shown_content["request"]["form"]["fields"][0]["label"]) == (True, "A")
        answer: dict[str, Any] = {"request_id": id_, "action": "answer", "key": "k1"}
        wrong = await tools.call("answer_in_view", **answer, body={"revision": 1, "values": {"a": 10}})
        refused_result = wrong.structured_content or {}
        assert (refused_result["status"], refused_result["error"]["field_errors"][0]["path"]) == (
            422,
            "values.a",
        )
        body = {"revision": 1, "values": {}, "skipped": ["a"]}
        finished_content = await tools.content("answer_in_view", **{**answer, "key": "k2"}, body=body)
        assert (finished_content["request"]["status"], finished_content["request"]["source"]) == (
            "answered",
            "client",
        )
        repeated_reply = await tools.call("answer_in_view", **{**answer, "key": "k3"}, body=body)
        assert (repeated_reply.structured_content or {})["status"] == 409
        assert (await tools.content("get_answer", request_id=id_))["status"] == "answered"


async def test_the_first_control_of_a_form_answers_in_the_view(connect: Connect, thread: str) -> None:
    flight = {"id": "flight", "type": "radio", "label": "Flight", "options": ["Early", "Late"]}
    form = {"title": "T", "submit": "first", "fields": [flight, {**flight, "id": "back", "label": "Back"}]}
    async with connect(KINDS[3], options=SHOWS_VIEWS) as tools:
        id_ = (await tools.content("ask_user", form=form, thread_id=thread))["request_id"]
        body = {"revision": 1, "values": {"flight": "Late"}, "control": "flight"}
        await tools.content("answer_in_view", request_id=id_, action="answer", body=body, key="k")
        assert (await tools.content("get_answer", request_id=id_))["answers"] == {"flight": "Late"}


async def test_a_dismissed_dialog_leaves_the_request_to_the_view(
    kind: Kind, connect: Connect, thread: str
) -> None:
    cancel = ElicitResult(action="cancel")
    with anyio.fail_after(30):  # less than a call waits without a view
        async with connect(kind, lambda _: cancel, options=SHOWS_VIEWS) as tools:
            content = await tools.content("ask_user", question="Which?", thread_id=thread)
    assert (content["status"], len(tools.dialogs)) == ("pending", 1)


async def test_the_call_waits_for_a_page_that_the_person_has_opened(
    kind: Kind, connect: Connect, person: AsyncClient, thread: str
) -> None:
    contents, opened = list[dict[str, Any]](), anyio.Event()

    def open_page(_params: ElicitRequestParams) -> ElicitResult:
        opened.set()
        return ElicitResult(action="accept")

    async with (
        connect(kind, open_page, options=SHOWS_VIEWS) as tools,
        anyio.create_task_group() as tasks,
    ):

        async def call() -> None:
            arguments = {"tool": "deploy", "input": {"to": "prod"}, "thread_id": thread}
            contents.append(await tools.content("request_approval", **arguments))

        tasks.start_soon(call)
        id_ = await card(person, thread)
        await opened.wait()
        await person.requests.decide(id_, "approve")
    assert [dialog.mode for dialog in tools.dialogs] == ["url"]
    assert [(content["status"], content["decision"]) for content in contents] == [("answered", "approve")]


async def test_a_form_is_declined_in_the_view(connect: Connect, thread: str) -> None:
    async with connect(KINDS[3], options=SHOWS_VIEWS) as tools:
        id_ = (await tools.content("ask_user", question="Which?", thread_id=thread))["request_id"]
        body = {"reason": "dismissed", "note": "later"}
        finished_content = await tools.content(
            "answer_in_view", request_id=id_, action="decline", body=body, key="k"
        )
    assert (finished_content["request"]["status"], finished_content["request"]["reason"]) == (
        "declined",
        "dismissed",
    )


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("request_approval", {"tool": "deploy", "input": {}}),
        ("request_env_vars", {"names": ["A_KEY"], "reason": "to deploy"}),
        ("ask_user", {"form": {"fields": [{"id": "f", "type": "file", "label": "F"}]}}),
    ],
)
async def test_approvals_secrets_and_files_are_answered_on_a_page(
    connect: Connect, thread: str, tool: str, arguments: dict[str, Any]
) -> None:
    async with connect(KINDS[3], options=SHOWS_VIEWS) as tools:
        id_ = (await tools.content(tool, **arguments, thread_id=thread))["request_id"]
        assert (await tools.content("read_in_view", request_id=id_))["here"] is False
        body = {"revision": 1, "values": {"decision": "approve"}, "decision": "approve"}
        reply = await tools.call("answer_in_view", request_id=id_, action="answer", body=body, key="k")
    assert reply.is_error
    assert (reply.structured_content or {})["status"] in {403, 409, 422}


async def test_other_clients_do_not_see_the_tools_of_views(kind: Kind, connect: Connect) -> None:
    async with connect(kind) as tools:
        listed_tools = (await tools.client.list_tools()).tools
    assert {tool.name for tool in listed_tools}.isdisjoint({"read_in_view", "answer_in_view"})
    assert {str(tool.meta) for tool in listed_tools} == {"None"}
