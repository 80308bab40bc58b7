"""Clients that differ from the protocol, known by their names: Codex, Copilot CLI, Gemini CLI and VS Code."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcp_types import Implementation

from askback import AsyncClient
from tests.adapters.conftest import Server
from tests.adapters.mcp.conftest import (
    CANCEL,
    DECLINE,
    LEGACY,
    MODERN,
    Connect,
    Kind,
    accept,
    card,
    connect_client,
    text_of,
)
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

KINDS = [Kind("stdio", LEGACY), Kind("http", LEGACY)]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.transport)
def kind(request: pytest.FixtureRequest) -> Kind:
    """Each transport, with the version that these clients speak."""
    return request.param


def named(client: str) -> dict[str, Any]:
    return {"client_info": Implementation(name=client, version="1")}


CODEX, GEMINI = named("codex-mcp-client"), named("gemini-cli-mcp-client")
CHOICE = {"id": "lake", "type": "radio", "label": "Lake", "options": ["Ahorn", "Birke"], "required": True}


@requirement("E1")
async def test_a_refusal_that_codex_makes_by_itself_leaves_the_request_to_the_inbox(
    kind: Kind, connect: Connect, person: AsyncClient, thread: str
) -> None:
    contents = list[dict[str, Any]]()
    async with (
        connect(kind, lambda _: DECLINE, options=CODEX) as tools,
        anyio.create_task_group() as tasks,
    ):

        async def call() -> None:
            contents.append(await tools.content("ask_user", form={"fields": [CHOICE]}, thread_id=thread))

        tasks.start_soon(call)
        await person.requests.answer(await card(person, thread), {"lake": "Birke"})
    assert len(tools.dialogs) == 1
    assert (contents[0]["status"], contents[0]["answers"]) == ("answered", {"lake": "Birke"})


@requirement("E1")
@pytest.mark.parametrize("mode", [LEGACY, MODERN])
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_refusal_that_copilot_makes_by_itself_leaves_the_request_to_the_inbox(
    transport: str, mode: str, connect: Connect, person: AsyncClient, thread: str
) -> None:
    contents = list[dict[str, Any]]()
    async with (
        connect(Kind(transport, mode), lambda _: DECLINE, options=named("copilot-cli")) as tools,
        anyio.create_task_group() as tasks,
    ):

        async def call() -> None:
            contents.append(await tools.content("ask_user", form={"fields": [CHOICE]}, thread_id=thread))

        tasks.start_soon(call)
        await person.requests.answer(await card(person, thread), {"lake": "Birke"})
    assert len(tools.dialogs) == 1
    assert (contents[0]["status"], contents[0]["answers"]) == ("answered", {"lake": "Birke"})


@requirement("E1")
@pytest.mark.parametrize(("mode", "dialogs"), [(LEGACY, ["url"]), (MODERN, [])])
async def test_copilot_gets_no_page_in_the_version_in_which_it_cannot_read_one(
    mode: str, dialogs: list[str], connect: Connect, thread: str
) -> None:
    call = {"tool": "deploy", "input": {"to": "prod"}, "wait_s": 0.2, "thread_id": thread}
    async with connect(Kind("stdio", mode), lambda _: CANCEL, options=named("copilot-cli")) as tools:
        content = await tools.content("request_approval", **call)
    assert ([dialog.mode for dialog in tools.dialogs], content["status"]) == (dialogs, "pending")


@requirement("E1")
async def test_codex_gets_a_form_without_texts_that_may_stay_empty(
    kind: Kind, connect: Connect, thread: str
) -> None:
    form = {"title": "Which lake?", "fields": [{**CHOICE, "allow_other": True}]}
    async with connect(kind, lambda _: accept(lake="Birke"), options=CODEX) as tools:
        content = await tools.content("ask_user", form=form, thread_id=thread)
    [dialog] = tools.dialogs
    schema = dialog.model_dump(by_alias=True)["requestedSchema"]
    assert (list(schema["properties"]), schema["required"]) == (["lake"], ["lake"])
    assert dialog.message.startswith("Which lake?\n\nTo answer in your own words, open http://127.0.0.1:")
    assert dialog.message.endswith(content["request_id"])
    assert content["answers"] == {"lake": "Birke"}


@requirement("E1")
@pytest.mark.parametrize(
    "field",
    [
        {"type": "multiselect", "options": ["a", "b"]},
        {"type": "number", "required": True},
        {"type": "text"},
    ],
)
async def test_codex_gets_no_form_that_it_cannot_send(
    connect: Connect, thread: str, field: dict[str, Any]
) -> None:
    form = {"fields": [CHOICE, {"id": "more", "label": "More", **field}]}
    async with connect(KINDS[0], lambda _: DECLINE, options=CODEX) as tools:
        result = await tools.call("ask_user", form=form, wait_s=0.2, thread_id=thread)
    assert [dialog.mode for dialog in tools.dialogs] == ["url"]  # which Codex refuses by itself
    content = result.structured_content or {}
    assert content["status"] == "pending"
    assert content["message"] == text_of(result)  # its model reads only the structured content


@requirement("E1")
async def test_gemini_has_a_name_of_its_own_for_the_tool_that_it_would_refuse(
    kind: Kind, connect: Connect, person: AsyncClient, thread: str
) -> None:
    async with connect(kind, options=GEMINI) as tools:
        listed = {tool.name: tool.description or "" for tool in (await tools.client.list_tools()).tools}
        assert "ask_person for questions" in (tools.client.instructions or "")
        call = {"question": "Which?", "wait_s": 0.2, "wait_for_previous": True, "thread_id": thread}
        content = await tools.content("ask_person", **call)
    assert "ask_person" in listed
    assert not {"ask_user", "approval_prompt"} & listed.keys()
    assert not [name for name, text in listed.items() if "ask_user" in text]
    assert (content["status"], "message" in content) == ("pending", False)
    assert (await person.requests.get(content["request_id"])).kind == "form"


@requirement("E1")
@pytest.mark.parametrize("name", ["Visual Studio Code", "Visual Studio Code - Insiders", "code-server"])
async def test_vs_code_asks_people_without_a_permission_for_each_question(
    connect: Connect, thread: str, name: str
) -> None:
    async with connect(KINDS[0], options=named(name)) as tools:
        listed_tools = (await tools.client.list_tools()).tools
        result = await tools.call("ask_user", question="Which?", wait_s=0.2, thread_id=thread)
        found_content = await tools.content("list_requests", thread_id=thread)
    assert "approval_prompt" not in {tool.name for tool in listed_tools}
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in listed_tools)
    assert (result.structured_content or {})["message"] == text_of(result)  # its model reads nothing else
    assert [*found_content] == ["requests"]


@requirement("E1")
async def test_vs_code_shows_a_text_that_is_no_markdown_as_it_is(connect: Connect, thread: str) -> None:
    form = {"format": "plain", "title": "Delete *.log?", "fields": [CHOICE]}
    other_form = {"title": "Release", "description": "**Now**?", "fields": [CHOICE]}
    async with connect(
        KINDS[0], lambda _: accept(lake="Birke"), options=named("Visual Studio Code")
    ) as tools:
        for item in (form, other_form):
            await tools.content("ask_user", form=item, thread_id=thread)
    assert [dialog.message for dialog in tools.dialogs] == ["Delete \\*.log?", "Release\n\n**Now**?"]


@requirement("E1")
async def test_vs_code_shows_the_label_of_an_option_once(connect: Connect, thread: str) -> None:
    options = [{"label": "Ahorn", "description": "cold"}, {"label": "Birke"}, {"value": "c", "label": "Cham"}]
    async with connect(KINDS[0], lambda _: accept(answer="c"), options=named("Visual Studio Code")) as tools:
        await tools.content("ask_user", question="Which?", options=options, thread_id=thread)
    [dialog] = tools.dialogs
    schema = dialog.model_dump(by_alias=True)["requestedSchema"]
    titles = {item["const"]: item["title"] for item in schema["properties"]["answer"]["oneOf"]}
    assert titles == {"Ahorn": "cold", "Birke": "Birke", "c": "Cham"}


@requirement("E1")
async def test_vs_code_shows_the_whole_call_that_it_asks_about(
    trusting_server: Server, kind: Kind, thread: str
) -> None:
    call = {"tool": "note", "input": {"text": "[docs](http://a.example) <!-- x -->"}, "reason": "*"}
    options = named("Visual Studio Code")
    async with connect_client(
        trusting_server, kind, lambda _: accept(decision="approve"), options=options
    ) as tools:
        await tools.content("request_approval", **call, thread_id=thread)
    [dialog] = tools.dialogs
    assert dialog.message == (
        'May the tool "note" run?\n\n'
        r'\{"text": "\[docs\]\(http://a.example\) \<\!\-\- x \-\-\>"\}'
        '\n\nThe agent says: "\\*"'
    )


async def test_other_clients_may_not_add_arguments(connect: Connect, thread: str) -> None:
    async with connect(KINDS[0]) as tools:
        call = {"question": "Which?", "wait_for_previous": True, "thread_id": thread}
        result = await tools.call("ask_user", **call)
    assert result.is_error
    assert "wait_for_previous" in text_of(result)
