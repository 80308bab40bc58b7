"""Gobby's chat: what the golden conversations of `vectors/compat/gobby` do not show."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askback.compat.claude_questions import (
    AskedQuestion,
    CardQuestion,
    card_of,
    form_of,
    read_answers,
    write_answers,
)
from askback.domain.faults import Faults
from askback.domain.fields import Form
from askback.domain.validation.structure import parse
from tests.requirements import requirement
from tests.transports import sockets
from tests.transports.conftest import Api, api, ask, shared_api

pytestmark = pytest.mark.anyio
PATH = "/compat/gobby"
__all__ = ["api", "shared_api"]

words = st.sampled_from(["A", "B", "A, B", "B, A", '"A, B"', "A,B", "C, A, D", "x"])


def question(labels: list[str], *, multiple: bool, text: str = "Which?") -> dict[str, Any]:
    """Return a question in Claude's shape."""
    options = [{"label": label, "description": ""} for label in labels]
    return {"question": text, "header": "One", "options": options, "multiSelect": multiple}


def card(*questions: dict[str, Any]) -> list[CardQuestion]:
    """Return the card of questions."""
    form = parse(Form, form_of([AskedQuestion.model_validate(item) for item in questions]))
    shown_card_questions = card_of(form)
    assert shown_card_questions is not None
    return shown_card_questions


@requirement("C8", "C11")
@given(st.lists(words, min_size=2, max_size=4, unique=True), st.data())
def test_every_choice_of_labels_comes_back(labels: list[str], data: st.DataObject):
    chosen_labels = data.draw(st.lists(st.sampled_from(labels), min_size=1, unique=True))
    shown_card_questions = card(question(labels, multiple=True), question(labels, multiple=True))
    values = {"q1": chosen_labels, "q2": labels[:1]}
    written = write_answers(shown_card_questions, values)
    assert list(written) == ["Which?", "Which? (2)"]
    assert read_answers(shown_card_questions, written) == values


@requirement("C11")
def test_texts_of_questions_are_separated():
    texts = ["Q", "Q", "Q (2)", "Q (2)", "Q"]
    shown_card_questions = card(*(question(["A", "B"], multiple=False, text=text) for text in texts))
    assert [item.text for item in shown_card_questions] == ["Q", "Q (3)", "Q (2)", "Q (2) (2)", "Q (4)"]


def test_a_form_with_options_of_a_source_is_no_card():
    field = {"id": "repo", "type": "select", "label": "Which?", "options_from": {"source": "repositories"}}
    assert card_of(parse(Form, {"fields": [field]})) is None


@given(
    st.dictionaries(
        st.text(max_size=8), st.recursive(st.none() | st.integers() | st.text(max_size=8), st.lists)
    )
)
def test_answers_of_any_shape_are_values_or_faults(answers: dict[str, Any]):
    try:
        read_answers(card(question(["A", "B"], multiple=True)), answers)
    except Faults as error:
        paths = {fault.path for fault in error.faults}
    else:
        paths = {"answers"}
    assert paths == {"answers"}


class Page:
    """A page of Gobby."""

    def __init__(self, socket: sockets.Socket) -> None:
        self._socket = socket

    def send(self, **frame: Any) -> None:
        """Send a frame."""
        self._socket.raw(json.dumps(frame))

    async def frame(self) -> dict[str, Any]:
        """Return the next frame."""
        return await self._socket.frame()

    async def leave(self) -> None:
        """End the connection."""
        await self._socket.leave()


async def open_page(api: Api) -> Page:
    """Connect a page; its greeting has come."""
    await api.as_("responder")
    headers = {"Authorization": f"Bearer {api.tokens['responder']}"}
    socket = sockets.Socket(api.app, headers=headers, path=f"{PATH}/ws")
    assert (await socket.message())["type"] == "websocket.accept"
    page = Page(socket)
    assert (await page.frame())["type"] == "connection_established"
    return page


async def test_forms_of_other_agents_are_cards_if_they_are_choices_and_texts(api: Api):
    agent, page = await api.as_("requester"), await open_page(api)
    confirm = {
        "title": "Deploy?",
        "fields": [{"id": "go", "type": "select", "widget": "confirm", "required": True}],
    }
    number = {"fields": [{"id": "n", "type": "number", "label": "How many?"}]}
    for form in (number, confirm):
        assert (await agent.post("/v1/requests", json=ask(form=form))).status_code == 201
    shown_frame = await page.frame()
    assert shown_frame["arguments"]["questions"] == [
        {
            "question": "Deploy?",
            "header": "",
            "options": [{"label": "Yes", "description": ""}, {"label": "No", "description": ""}],
            "multiSelect": False,
        }
    ]
    page.send(
        type="ask_user_response",
        conversation_id="t1",
        tool_call_id=shown_frame["tool_call_id"],
        answers={"Deploy?": "Yes"},
    )
    assert (await page.frame())["status"] == "completed"
    await page.leave()


async def test_a_card_that_was_changed_is_shown_again_and_the_old_one_is_not_answered(api: Api):
    agent, page, other_page = await api.as_("requester"), await open_page(api), await open_page(api)
    radio = {"id": "c", "type": "radio", "label": "Which?", "options": ["A", "B"], "required": True}
    body = (await agent.post("/v1/requests", json=ask(form={"fields": [radio]}, tool_call_id="T1"))).json()
    await page.frame()
    changed = {"form": {"fields": [{**radio, "options": ["A", "C"]}]}}
    assert (await agent.patch(f"/v1/requests/{body['id']}", json=changed)).status_code == 200
    second_frame = await page.frame()
    assert [option["label"] for option in second_frame["arguments"]["questions"][0]["options"]] == ["A", "C"]
    page.send(type="ask_user_response", conversation_id="t1", tool_call_id="T1", answers={"Which?": "C"})
    assert (await page.frame())["result"] == {"content": {"answers": {"Which?": "C"}}}
    for item in (page, other_page):
        await item.leave()


@requirement("B23")
async def test_with_several_open_plans_the_plan_has_to_be_named(api: Api):
    page = await open_page(api)
    for person in ("requester", "requester/second"):
        agent = await api.as_(person)
        body = {
            "kind": "approval",
            "thread_id": "t1",
            "approval": {"plan": person},
            "tool_call_id": person[-6:],
        }
        reply = await agent.post("/v1/requests", json=body)
        if reply.status_code == 403:  # the thread belongs to the first agent until it shares it
            first_client = await api.as_("requester")
            second = (await agent.get("/v1/session")).json()["principal"]["id"]
            assert (
                await first_client.put("/v1/threads/t1/access", json={"agents": [second]})
            ).status_code == 200
            assert (await agent.post("/v1/requests", json=body)).status_code == 201
        await page.frame()
        await page.frame()
    decision = {"type": "plan_approval_response", "conversation_id": "t1", "decision": "approve"}
    page.send(**decision)
    assert "tool_call_id" in (await page.frame())["message"]
    page.send(**decision, tool_call_id="second")
    assert (await page.frame())["status"] == "completed"
    await page.leave()


@requirement("C2")
async def test_a_revoked_approval_is_reported_as_a_denial(api: Api):
    agent, person = await api.as_("requester"), await api.as_("responder")
    use = {"tool_name": "Bash", "input": {"command": "git push"}, "tool_use_id": "T1"}
    path = f"{PATH}/api/conversations/t1/can_use_tool"
    body = {
        "kind": "approval",
        "thread_id": "t1",
        "external_id": "T1",
        "tool_call_id": "T1",
        "timeout_s": 300,
        "approval": {"tool": "Bash", "input": {"command": "git push"}},
    }
    made_body = (await agent.post("/v1/requests", json=body)).json()
    fault_path = f"/v1/requests/{made_body['id']}"
    decided_reply = await person.post(f"{fault_path}/answer", json={"revision": 1, "decision": "approve"})
    assert decided_reply.status_code == 200
    assert (await person.post(f"{fault_path}/revoke", json={})).status_code == 200
    with anyio.fail_after(120):
        reply = await agent.post(path, json=use)
    assert reply.json()["behavior"] == "deny"


VALUES = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("C1")
NAMES = st.sampled_from(
    ["conversation_id", "tool_call_id", "answers", "decision", "feedback", "mode", "events", "x"]
)
TYPES = st.sampled_from(
    [
        "ask_user_response",
        "tool_approval_response",
        "plan_approval_response",
        "set_mode",
        "subscribe",
        "ping",
        "",
        "\x00",
    ]
)


async def test_any_frame_gets_an_answer_and_ends_nothing(api: Api):
    page = await open_page(api)

    @given(
        st.builds(lambda kind, rest: {**rest, "type": kind}, TYPES | VALUES, st.dictionaries(NAMES, VALUES))
    )
    def collect(frame: dict[str, Any]) -> None:
        frames.append(frame)

    frames: list[dict[str, Any]] = []
    collect()
    for frame in frames:
        page.send(**frame)
        page.send(type="ping")
        while (reply := await page.frame())["type"] != "pong" and frame["type"] != "ping":
            assert reply["type"] in {"error", "subscribe_success"}
            assert reply.get("code") != "INTERNAL", frame
        if frame["type"] == "ping":
            await page.frame()
    await page.leave()


PARTS = st.recursive(
    VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner)
)
OPTIONS = st.lists(st.fixed_dictionaries({"label": PARTS, "description": PARTS}) | PARTS, max_size=5)
QUESTIONS = st.fixed_dictionaries({"question": PARTS, "header": PARTS, "options": OPTIONS}) | PARTS
USES = st.fixed_dictionaries(
    {
        "tool_name": st.sampled_from(["AskUserQuestion", "ExitPlanMode", "Bash"]) | PARTS,
        "input": st.fixed_dictionaries({"questions": st.lists(QUESTIONS, max_size=5), "plan": PARTS}) | PARTS,
        "tool_use_id": st.uuids().map(str) | PARTS,
    },
    optional={"agent_id": PARTS, "pre_tool_use": PARTS, "x": PARTS},
)


async def test_any_body_is_decided_or_refused_with_places_in_it(api: Api):
    agent = await api.as_("requester")
    bodies: list[Any] = []

    @given(USES | PARTS)
    def collect(body: Any) -> None:
        bodies.append(body)

    collect()
    for body in bodies:
        path = f"{PATH}/api/conversations/t1/can_use_tool?require_client=fail_fast"
        reply = await agent.post(path, content=json.dumps(body).encode())
        assert reply.status_code in {200, 409, 422}, (body, reply.text)
        if reply.status_code == 200:
            assert reply.json()["behavior"] in {"allow", "deny"}
        for fault in reply.json().get("error", {}).get("field_errors", ()):
            assert not fault["path"].startswith(("form", "approval", "agent.", "external_id")), (body, fault)


async def test_a_refusal_names_the_member_that_was_sent(api: Api):
    agent, page = await api.as_("requester"), await open_page(api)
    plan = {"tool_name": "ExitPlanMode", "tool_use_id": "T1", "input": {"plan": "a\0b"}}
    reply = await agent.post(f"{PATH}/api/conversations/t1/can_use_tool", json=plan)
    assert [error["path"] for error in reply.json()["error"]["field_errors"]] == ["input.plan"]
    body = {
        "kind": "approval",
        "thread_id": "t1",
        "approval": {"tool": "Bash", "input": {}},
        "tool_call_id": "T2",
    }
    assert (await agent.post("/v1/requests", json=body)).status_code == 201
    await page.frame()
    approve = {"type": "tool_approval_response", "tool_call_id": "T2", "decision": "approve"}
    for frame, path in (
        ({"type": "set_mode", "conversation_id": "a\0b", "mode": "plan"}, "conversation_id"),
        ({**approve, "conversation_id": "t1", "request_id": "a\0b"}, "request_id"),
    ):
        page.send(**frame)
        assert [error["path"] for error in (await page.frame())["field_errors"]] == [path]
    await page.leave()


@pytest.mark.parametrize("text", ["\\u0000", "\\u001b", "\\u202e"])
@pytest.mark.parametrize(
    "field_name", ["question", "header", "label", "tool_use_id", "agent_id", "tool_name"]
)
async def test_characters_that_cannot_be_shown_are_refused_where_they_are(
    shared_api: Api, field_name: str, text: str
):
    question_input = question(["@label", "B"], multiple=False, text="@question") | {"header": "@header"}
    use = {
        "tool_name": "AskUserQuestion",
        "input": {"questions": [question_input]},
        "tool_use_id": "@tool_use_id",
    }
    if field_name == "tool_name":
        use |= {"tool_name": "@tool_name"}
    body = json.dumps({**use, "agent_id": "@agent_id"}).replace(f"@{field_name}", text)
    agent = await shared_api.as_("requester")
    reply = await agent.post(f"{PATH}/api/conversations/t1/can_use_tool", content=body.encode())
    assert reply.status_code == 422, reply.text
    [path] = {fault["path"] for fault in reply.json()["error"]["field_errors"]}
    assert path.endswith(field_name)
