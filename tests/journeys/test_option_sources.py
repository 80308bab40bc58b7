"""Group F: options of a field come from a source of the server, which also checks the answer (ADR 65)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from askback import AsyncClient, Form, OptionsFrom, Select
from tests.journeys.sourcing import FILE, REPOSITORIES, REPOSITORY, SEVERAL, Body, faults, run_source_server
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@requirement("F9")
async def test_a_person_searches_and_the_answer_has_the_label_beside_the_value(tmp_path: Path) -> None:
    async with run_source_server(tmp_path) as source_server:
        request = await source_server.ask_form(REPOSITORY, delivery="resume")
        assert request["form"]["fields"][0]["options"] == []
        result = await source_server.search(request, field="repo", q="WEB pag")
        assert result.json() == {"options": [REPOSITORIES[1]]}
        first = (await source_server.search(request, field="repo", limit=50)).json()
        rest = (
            await source_server.search(request, field="repo", limit=50, cursor=first["next_cursor"])
        ).json()
        assert [item["value"] for item in first["options"] + rest["options"]] == [1, 2, *range(10, 80)]
        assert "next_cursor" not in rest
        ended_body = (await source_server.answer(request, repo=2)).json()
        assert ended_body["answer"] == {"values": {"repo": 2}, "shown": {"options": {"repo": ["web"]}}}
        read_request = (await source_server.agent.get(f"/v1/requests/{request['id']}")).json()
        assert read_request["answer"] == ended_body["answer"]
        [resume] = (await source_server.agent.get("/v1/resumes")).json()["resumes"]
        assert '"Repository" (repo): "web" (2)' in resume["text"]


@requirement("F9")
async def test_an_answer_as_a_message_has_the_label(tmp_path: Path) -> None:
    async with run_source_server(tmp_path) as source_server:
        request = await source_server.ask_form(SEVERAL)
        await source_server.agent.patch("/v1/threads/t1", json={"answers_as_messages": True})
        await source_server.answer(request, repo=[2, 1])
        [message] = (await source_server.person.get("/v1/threads/t1")).json()["messages"]
        assert message["content"] == [{"type": "text", "text": "web, api"}]


@requirement("F9")
async def test_a_tree_is_walked_and_a_folder_cannot_be_chosen(tmp_path: Path) -> None:
    async with run_source_server(tmp_path) as source_server:
        request = await source_server.ask_form(FILE)
        [folder, _] = (await source_server.search(request, field="file")).json()["options"]
        assert folder == {"value": "/src", "label": "src", "has_children": True, "disabled": True}
        below = (await source_server.search(request, field="file", parent="/src")).json()
        assert below == {"options": [{"value": "/src/b.py", "label": "b.py"}]}
        assert faults(await source_server.answer(request, file="/src")) == [
            ("values.file", "value_not_in_options")
        ]
        assert (await source_server.answer(request, file="/src/b.py")).json()["status"] == "answered"


@requirement("F9", "M1")
@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        (REPOSITORY, 3, [("values.repo", "value_not_in_options")]),
        (REPOSITORY, "1", [("values.repo", "value_not_in_options")]),
        (REPOSITORY, "", [("values", "empty"), ("values.repo", "required_missing")]),
        (REPOSITORY, True, [("values.repo", "wrong_type")]),
        (REPOSITORY, 1e300, [("values.repo", "value_not_in_options")]),
        (REPOSITORY, "x" * 501, [("values.repo", "value_not_in_options")]),
        ({**REPOSITORY, "messages": {"options": "Not one of ours."}}, 3, [("values.repo", "value_not_in_options")]),
        (SEVERAL, [1, 3, 2, 4], [("values.repo[1]", "value_not_in_options"), ("values.repo[3]", "value_not_in_options")]),
        (SEVERAL, [1, 1], [("values.repo[1]", "duplicate_selection")]),
        (SEVERAL, list(range(201)), [("values.repo", "too_many")]),
        ({**SEVERAL, "min_choices": 2}, [1], [("values.repo", "too_few")]),
    ],
)  # fmt: skip
async def test_a_value_that_the_source_lacks_is_refused(
    tmp_path: Path, field: Body, value: Any, expected: list[tuple[str, str]]
) -> None:
    async with run_source_server(tmp_path) as source_server:
        request = await source_server.ask_form({**field, "required": value == ""})
        refusal = await source_server.answer(request, **({} if value == "" else {"repo": value}))
        assert faults(refusal) == expected
        own = field.get("messages", {}).get("options")
        assert own is None or refusal.json()["error"]["field_errors"][0]["message"] == own
        assert (await source_server.search(request, field="repo")).status_code == 200  # still open


@requirement("F9")
async def test_a_source_decides_for_each_person(tmp_path: Path) -> None:
    async with run_source_server(tmp_path) as source_server:
        request = await source_server.ask_form(FILE)
        ada, source_server.person = source_server.person, await source_server.client("responder", "bob")
        assert faults(await source_server.answer(request, file="/a.md")) == [
            ("values.file", "value_not_in_options")
        ]
        source_server.person = ada
        assert (await source_server.answer(request, file="/a.md")).json()["status"] == "answered"


@requirement("F9")
async def test_only_people_who_may_answer_search_while_it_is_pending(tmp_path: Path) -> None:
    async with run_source_server(tmp_path) as source_server:
        request = await source_server.ask_form(REPOSITORY, assignees=["ada"])
        url = f"/v1/requests/{request['id']}/options?field=repo"
        bob = await source_server.client("responder", "bob")
        assert (await bob.get(url)).status_code in (403, 404)
        assert (await source_server.agent.get(url)).status_code == 403
        await source_server.answer(request, repo=1)
        late_reply = await source_server.person.get(url)
        assert (late_reply.status_code, late_reply.json()["error"]["code"]) == (409, "already_settled")


@requirement("F9", "M1")
async def test_a_bad_search_names_its_parameter(tmp_path: Path) -> None:
    async with run_source_server(tmp_path) as source_server:
        request = await source_server.ask_form(REPOSITORY, {"id": "note", "type": "text", "label": "Note"})
        for query, expected in (
            ({}, ("field", "missing_required")),
            ({"field": "note"}, ("field", "unknown_value")),
            ({"field": "nothing"}, ("field", "unknown_value")),
            ({"field": "repo", "q": "x" * 201}, ("q", "too_long")),
            ({"field": "repo", "cursor": "x" * 1001}, ("cursor", "too_long")),
            ({"field": "repo", "parent": "1"}, ("parent", "unknown_field")),
            ({"field": "repo", "limit": "0"}, ("limit", "below_min")),
            ({"field": "repo", "values": "1"}, ("values", "unknown_field")),
        ):
            assert faults(await source_server.search(request, **query)) == [expected], query
        odd = await source_server.search(request, field="repo", cursor="-1", q="\x00")
        assert odd.json() == {"options": []}


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """The settings of a server on each database."""
    if request.param == "sqlite":
        yield {}
        return
    postgres = request.getfixturevalue("postgres")
    name = asyncio.run(postgres.new())
    yield {"ASKBACK_DATABASE_URL": postgres.database(name).url, "ASKBACK_MASTER_KEYS": "off"}
    asyncio.run(postgres.drop(name))


@requirement("F9")
async def test_another_server_searches_checks_and_keeps_the_label(
    tmp_path: Path, database: dict[str, str]
) -> None:
    async with AsyncExitStack() as running_exit_stack:
        first = await running_exit_stack.enter_async_context(run_source_server(tmp_path / "first", database))
        last = (
            await running_exit_stack.enter_async_context(run_source_server(tmp_path / "last", database))
            if database
            else first
        )
        request = await first.ask_form(REPOSITORY, FILE, delivery="resume")
        result = await last.search(request, field="repo", q="WEB pag")
        assert result.json() == {"options": [REPOSITORIES[1]]}
        below = (await last.search(request, field="file", parent="/src")).json()
        assert below == {"options": [{"value": "/src/b.py", "label": "b.py"}]}
        refusal = await last.answer(request, repo=3, file="/src")
        assert faults(refusal) == [
            ("values.repo", "value_not_in_options"),
            ("values.file", "value_not_in_options"),
        ]
        ended_body = (await last.answer(request, repo=2, file="/src/b.py")).json()
        labels = {"options": {"repo": ["web"], "file": ["b.py"]}}
        assert ended_body["answer"] == {"values": {"repo": 2, "file": "/src/b.py"}, "shown": labels}
        [resume] = (await first.agent.get("/v1/resumes")).json()["resumes"]
        assert '"Repository" (repo): "web" (2)' in resume["text"]
    async with run_source_server(tmp_path / "first", database) as source_server:
        read_request = (await source_server.person.get(f"/v1/requests/{request['id']}")).json()
        assert read_request["answer"] == ended_body["answer"]


@requirement("F9")
async def test_the_client_asks_searches_and_answers(tmp_path: Path) -> None:
    async with run_source_server(tmp_path) as source_server:
        token = await source_server.app.token("responder", name="ada", user="ada")
        async with (
            AsyncClient(app=source_server.app) as agent,
            AsyncClient(app=source_server.app, token=token) as person,
        ):
            field = Select(id="repo", label="Repository", options_from=OptionsFrom(source="repositories"))
            request = await agent.requests.create(Form(title="Where?", fields=[field]), thread_id="t1")
            result = await person.options.search(request, "repo", q="web")
            assert [(option.value, option.label) for option in result.options] == [(2, "web")]
            await person.requests.answer(request, {"repo": 2})
            answer = (await agent.wait(request.id)).answer
    assert answer is not None
    assert answer.shown is not None
    assert (answer.values, answer.shown.options) == ({"repo": 2}, {"repo": ["web"]})
