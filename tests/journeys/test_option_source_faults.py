"""Groups F and N: a failing source of options, and forms with wrong settings for one (ADR 65)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import anyio
import pytest

from askback.delivery.option_sources import MAX_CONCURRENT, FunctionSource, SourceBusy, SourceFunction
from askback.domain.limits import DEFAULTS
from askback.domain.sources import OptionQuery
from askback.domain.verdict import Accept
from tests.journeys.sourcing import FILE, REPOSITORIES, REPOSITORY, SEVERAL, Body, faults, run_source_server
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

QUICK = replace(DEFAULTS, option_source_s=1)


async def raise_error(_: OptionQuery) -> Any:
    raise RuntimeError("4711")


async def hang(_: OptionQuery) -> Any:
    await anyio.sleep_forever()


async def return_number(_: OptionQuery) -> Any:
    return 5


async def _is_cancelled(_: OptionQuery) -> Any:
    raise TimeoutError


@requirement("F9", "N3")
@pytest.mark.parametrize("source", [raise_error, hang, return_number, _is_cancelled])
async def test_without_a_source_nothing_is_searched_or_answered_and_the_request_stays_open(
    tmp_path: Path, source: SourceFunction, caplog: pytest.LogCaptureFixture
) -> None:
    async with run_source_server(tmp_path, sources={"repositories": source}, limits=QUICK) as source_server:
        request = await source_server.ask_form(REPOSITORY)
        assert faults(await source_server.search(request, field="repo")) == [("field", "source_unavailable")]
        refusal = await source_server.answer(request, repo=1)
        assert faults(refusal) == [("values.repo", "source_unavailable")]
        assert refusal.json()["error"]["field_errors"][0]["message"].startswith(
            "The options cannot be loaded right now."
        )
        started = await source_server.ask({**REPOSITORY, "default": 1})
        assert faults(started) == [("form.fields[0].options_from", "source_unavailable")]
        [stored_request] = (await source_server.person.get("/v1/requests")).json()["requests"]
        assert (stored_request["id"], stored_request["status"], stored_request["revision"]) == (
            request["id"],
            "pending",
            1,
        )
    assert "4711" not in caplog.text


@requirement("F9", "N5")
async def test_a_retry_with_its_key_gets_its_request_when_the_source_has_failed_since(tmp_path: Path) -> None:
    failed_event = Event()

    async def fails_later(query: OptionQuery) -> Any:
        if failed_event.is_set():
            raise RuntimeError
        return query.page(REPOSITORIES)

    async with run_source_server(tmp_path, sources={"repositories": fails_later}) as source_server:
        source_server.agent.headers["Idempotency-Key"] = "k1"
        first = await source_server.ask_form({**REPOSITORY, "default": 1})
        failed_event.set()
        second_request = await source_server.ask({**REPOSITORY, "default": 1})
        assert (second_request.status_code, second_request.json()["id"]) == (201, first["id"])
        other = await source_server.ask({**REPOSITORY, "default": 2})
        assert other.json()["error"]["code"] == "idempotency_mismatch"
        source_server.agent.headers["Idempotency-Key"] = "k2"
        assert (await source_server.ask({**REPOSITORY, "default": 1})).status_code == 422


@requirement("F9", "N3")
async def test_options_of_a_source_that_cannot_be_shown_are_left_out(tmp_path: Path) -> None:
    async def careless(_: OptionQuery) -> Any:
        return {
            "options": [
                "plain", {"value": "", "label": "Empty"}, {"value": "a", "label": " "}, {"label": "Named"}, 5, None,
                {"value": True, "label": "Yes"}, {"value": 2**60, "label": "Large"}, {"value": "b", "label": "x\u202ey"},
                {"value": "c", "label": "C", "secret": "4711"}, {"value": "c", "label": "Again"}, {"value": float("nan"), "label": "?"},
            ],
            "next_cursor": "x" * 1001,
        }  # fmt: skip

    async with run_source_server(tmp_path, sources={"repositories": careless}) as source_server:
        request = await source_server.ask_form(REPOSITORY)
        result = (await source_server.search(request, field="repo")).json()
    assert result == {
        "options": [
            {"value": "plain", "label": "plain"},
            {"value": "Named", "label": "Named"},
            {"value": "c", "label": "C"},
        ]
    }


@requirement("F9")
async def test_initial_values_are_looked_up(tmp_path: Path) -> None:
    async with run_source_server(tmp_path) as source_server:
        initial = {"initial_values": {"file": "/src/b.py"}}
        request = await source_server.ask_form(
            {**SEVERAL, "default": [2, 1]}, {**FILE, "readonly": True}, form=initial
        )
        fields = request["form"]["fields"]
        assert fields[0]["options"] == [{**item, "recommended": False} for item in REPOSITORIES]
        assert fields[1]["options"] == [{"value": "/src/b.py", "label": "b.py", "recommended": False}]
        ended_body = (await source_server.answer(request, repo=[2, 1])).json()
        assert ended_body["answer"] == {
            "values": {"repo": [2, 1], "file": "/src/b.py"},
            "shown": {"options": {"repo": ["web", "api"], "file": ["b.py"]}},
        }


@requirement("F3", "F9")
@pytest.mark.parametrize(
    ("changes", "path", "code"),
    [
        ({"default": 3}, "default", "default_not_in_options"),
        ({"type": "multiselect", "default": [1, 3]}, "default", "invalid_default"),
        ({"options_from": {"source": "REPOSITORIES"}}, "options_from.source", "unknown_value"),
        ({"options_from": {"source": " "}}, "options_from.source", "empty"),
        ({"options_from": {}}, "options_from.source", "missing_required"),
        ({"options_from": {"source": "files", "url": "http://x"}}, "options_from.url", "unknown_field"),
        ({"options_from": {"source": "files", "tree": 1}}, "options_from.tree", "wrong_type"),
        ({"options_from": "files"}, "options_from", "wrong_type"),
        ({"options": ["a"]}, "options", "constraint_not_allowed"),
        ({"sensitive": True}, "sensitive", "constraint_not_allowed"),
        ({"allow_other": True}, "allow_other", "constraint_not_allowed"),
        ({"widget": "buttons"}, "widget", "constraint_not_allowed"),
        ({"type": "multiselect", "max_choices": 201}, "max_choices", "above_max"),
        ({"type": "text"}, "options_from", "constraint_not_allowed"),
    ],
)
async def test_a_bad_source_is_refused_with_its_path(
    tmp_path: Path, changes: Body, path: str, code: str
) -> None:
    async with run_source_server(tmp_path) as source_server:
        refusal = await source_server.ask({**REPOSITORY, **changes})
        assert faults(refusal) == [(f"form.fields[0].{path}", code)]
        assert (await source_server.person.get("/v1/requests")).json()["requests"] == []
        in_section = {
            "fields": None,
            "sections": [{"id": "s", "title": "S", "fields": [{**REPOSITORY, **changes}]}],
        }
        assert faults(await source_server.ask(form=in_section)) == [
            (f"form.sections[0].fields[0].{path}", code)
        ]


@requirement("F3")
async def test_rows_have_no_sources(tmp_path: Path) -> None:
    rows = {
        "id": "r",
        "type": "rows",
        "label": "R",
        "rows": [{"id": "a", "label": "A", "fields": [REPOSITORY]}],
    }
    async with run_source_server(tmp_path) as source_server:
        refusal = await source_server.ask(rows)
    assert faults(refusal) == [("form.fields[0].rows[0].fields[0].options_from", "constraint_not_allowed")]


@requirement("F9")
async def test_a_choice_beside_a_sensitive_field_is_checked_too(tmp_path: Path) -> None:
    async with run_source_server(tmp_path) as source_server:
        request = await source_server.ask_form(
            REPOSITORY, {"id": "key", "type": "text", "label": "Key", "sensitive": True}
        )
        assert faults(await source_server.answer(request, repo=3, key="s3cret")) == [
            ("values.repo", "value_not_in_options")
        ]
        ended_body = (await source_server.answer(request, repo=1, key="s3cret")).json()
        assert (ended_body["answer"]["values"]["repo"], ended_body["answer"]["shown"]) == (
            1,
            {"options": {"repo": ["api"]}},
        )


@requirement("F9", "F13")
@pytest.mark.parametrize(("value", "status"), [(2, "answered"), (3, "pending")])
async def test_a_choice_changed_by_a_validator_is_checked(tmp_path: Path, value: int, status: str) -> None:
    validators = {"stock": lambda _: Accept(values={"repo": value})}
    async with run_source_server(tmp_path, validators=validators) as source_server:
        request = await source_server.ask_form(REPOSITORY, validator="stock")
        assert (await source_server.answer(request, repo=1)).json()["status"] == "resolving"
        ended_reply = await source_server.person.get(
            f"/v1/requests/{request['id']}", params={"wait": 20, "revision": 1}
        )
    assert ended_reply.json()["status"] == status
    if status == "answered":
        assert ended_reply.json()["answer"] == {
            "values": {"repo": 2},
            "shown": {"options": {"repo": ["web"]}},
        }


@requirement("F9", "F16")
async def test_a_form_that_is_changed_keeps_its_source(tmp_path: Path) -> None:
    async with run_source_server(tmp_path) as source_server:
        request = await source_server.ask_form({"id": "note", "type": "text", "label": "Note"})
        url = f"/v1/requests/{request['id']}"
        for field, expected in (
            ({**REPOSITORY, "options_from": {"source": "none"}}, [("form.fields[0].options_from.source", "unknown_value")]),
            ({**REPOSITORY, "default": 3}, [("form.fields[0].default", "default_not_in_options")]),
        ):  # fmt: skip
            assert (
                faults(await source_server.agent.patch(url, json={"form": {"title": "T", "fields": [field]}}))
                == expected
            )
        form = {"title": "Where?", "fields": [{**REPOSITORY, "default": 2}]}
        changed = (await source_server.agent.patch(url, json={"form": form})).json()
        assert changed["form"]["fields"][0]["options"] == [REPOSITORIES[1]]
        assert (await source_server.answer(changed, repo=2)).json()["status"] == "answered"


@requirement("F9")
async def test_a_decline_carries_no_choice_that_nobody_checked(tmp_path: Path) -> None:
    async with run_source_server(tmp_path) as source_server:
        note = {"id": "note", "type": "text", "label": "Note"}
        request = await source_server.ask_form(REPOSITORY, note, validator="requester", hooks=["decline"])
        url = f"/v1/requests/{request['id']}"
        body = {"reason": "dismissed", "values": {"repo": 3, "note": "Hi"}}
        held_body = (await source_server.person.post(f"{url}/decline", json=body)).json()
        assert held_body["submitted"]["values"] == {"note": "Hi"}


@requirement("F9")
async def test_the_same_question_twice_is_the_same_request_whatever_the_source_says_now(
    tmp_path: Path,
) -> None:
    labels: Iterator[str] = iter(["one", "two"])

    async def renamed(query: OptionQuery) -> Sequence[Body]:
        return [{"value": 1, "label": next(labels)}]

    async with run_source_server(tmp_path, sources={"repositories": renamed}) as source_server:
        field = {**REPOSITORY, "default": 1}
        first = await source_server.ask_form(field, external_id="x-1")
        assert (await source_server.ask(field, external_id="x-1")).json() == first
        assert next(labels) == "two"


@requirement("N3")
async def test_a_plain_function_that_hangs_takes_no_more_than_its_threads() -> None:
    free_event, call_count = Event(), 0

    def stuck(_: OptionQuery) -> Sequence[str]:
        nonlocal call_count
        call_count += 1
        free_event.wait(120)
        return []

    source = FunctionSource(stuck)
    query = OptionQuery("s", "f")

    async def give_up() -> None:
        with anyio.move_on_after(0.2):
            await source(query)

    try:
        async with anyio.create_task_group() as calls:
            for _ in range(MAX_CONCURRENT):
                calls.start_soon(give_up)
        with pytest.raises(SourceBusy):
            await source(query)
        assert call_count == MAX_CONCURRENT
    finally:
        free_event.set()


@requirement("F9")
async def test_a_source_receives_the_searching_person_and_the_query(tmp_path: Path) -> None:
    queries: list[OptionQuery] = []

    async def heard(query: OptionQuery) -> Sequence[str]:
        queries.append(query)
        return ["api"]

    async with run_source_server(tmp_path, sources={"repositories": heard}) as source_server:
        request = await source_server.ask_form({**REPOSITORY, "default": "api"}, metadata={"team": 5})
        await source_server.search(request, field="repo", q=" a ", limit=7, cursor="next")
        await source_server.answer(request, repo="api")
    started, searched, answer_query = queries
    assert (started.values, started.request, started.user) == (("api",), None, None)
    assert (searched.q, searched.limit, searched.cursor, searched.values, searched.user) == (
        "a",
        7,
        "next",
        None,
        "ada",
    )
    assert searched.request is not None
    assert (searched.request.id, searched.request.metadata) == (request["id"], {"team": 5})
    assert (answer_query.values, answer_query.user) == (("api",), "ada")


def test_a_query_filters_a_list_and_pages_it() -> None:
    all_items = [f"item {n}" for n in range(5)]
    first = OptionQuery("s", "f", q="ITEM", limit=2).page(all_items)
    assert ([option.value for option in first.options], first.next_cursor) == (["item 0", "item 1"], "2")
    last = OptionQuery("s", "f", limit=2, cursor="4").page(all_items)
    assert json.loads(last.model_dump_json(exclude_defaults=True)) == {
        "options": [{"value": "item 4", "label": "item 4"}]
    }
    assert OptionQuery("s", "f", values=("item 3", "x")).page(all_items).options[0].value == "item 3"
