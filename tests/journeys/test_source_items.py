"""The single requests of five source systems, on the wire and in the client, and after a restart.

The letters and numbers are those of two lists of requests that the model once could not express: of the
systems S000 to S002 (A) and of S003 and S004 (B). Cases with several steps are in `test_source_steps.py`.
Separate tests have validators of the server (B2: `test_server_validators.py`), pages that cannot answer (B14:
`transports/test_presence.py`), kinds of packages (A17, B18: `transports/test_kinds.py`), options from a
source (B19: `test_option_sources.py`), and checks that nobody ends (B23: `test_checks.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from askback import (
    ActionAsk,
    Agent,
    Approval,
    AsyncClient,
    Boolean,
    Checkbox,
    Condition,
    Datetime,
    File,
    Form,
    InputRequest,
    Number,
    Option,
    Row,
    Rows,
    Section,
    Select,
    Text,
    Textarea,
)
from askback.domain.fields import Messages
from tests.journeys.conftest import KillableServer
from tests.journeys.people import Person
from tests.journeys.test_bad_input import differences
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

LONG = "A line with *stars* and <tags>.\n" * 1000
MANY = [f"Option {number}" for number in range(5000)]


@dataclass(frozen=True)
class Item:
    """A request: the body on the wire, and the same for `client.requests.create`."""

    name: str
    body: Mapping[str, Any]
    client_ask: Any
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    shows: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Members that the server adds."""


def form(*fields: Mapping[str, Any], **extra: Any) -> dict[str, Any]:
    """Return the body of a form."""
    own = {name: extra.pop(name) for name in tuple(extra) if name in FORM}
    return {"kind": "form", "form": {"fields": list(fields), **own}, **extra}


FORM = {"title", "description", "format", "submit", "layout", "allow_skip", "initial_values"}
NOTE = {"id": "note", "type": "text", "label": "Note"}
NOTES = Text(id="note", label="Note")

ITEMS = (
    Item(
        "A4 B1: ids and data of the asker",
        form(NOTE, external_id="5f3c", tool_call_id="toolu_1", run_id="r1", metadata={"header": "Auth", "preview": [1]}),
        Form(fields=[NOTES]),
        {"external_id": "5f3c", "tool_call_id": "toolu_1", "run_id": "r1", "metadata": {"header": "Auth", "preview": [1]}},
    ),
    Item(
        "A5: a long plain prompt, and a label of several lines",
        form({**NOTE, "label": "One\nTwo"}, title="Plan", description=LONG, format="plain"),
        Form(title="Plan", description=LONG, format="plain", fields=[Text(id="note", label="One\nTwo")]),
    ),
    Item(
        "A6 A7: the number of a question, and the limit of one tool",
        form(NOTE, agent={"name": "Bot", "tool": "ask_user"}, question_limit={"max": 10, "text": "No more."}),
        Form(fields=[NOTES]),
        {"agent": Agent(name="Bot", tool="ask_user"), "question_limit": {"max": 10, "text": "No more."}},
        {"ordinal": 1, "of": 10},
    ),
    Item(
        "A8: a message for each rule of any type",
        form({"id": "n", "type": "number", "label": "N", "min": 1, "messages": {"min": "At least one.", "type": "A number."}}),
        Form(fields=[Number(id="n", label="N", min=1, messages=Messages(min="At least one.", type="A number."))]),
    ),
    Item(
        "A9: texts in several languages",
        form({**NOTE, "label": {"en": "Town", "de": "Ort"}}, title={"en": "Where?", "de": "Wo?"}),
        Form(title={"en": "Where?", "de": "Wo?"}, fields=[Text(id="note", label={"en": "Town", "de": "Ort"})]),
    ),
    Item(
        "A11: several widgets, each with a button of its own",
        form(NOTE, {"id": "ok", "type": "boolean", "label": "Go on?"}, submit="each"),
        Form(submit="each", fields=[NOTES, Boolean(id="ok", label="Go on?")]),
    ),
    Item(
        "A11: the first widget that is used answers all",
        form(NOTE, {"id": "ok", "type": "boolean", "label": "Go on?"}, submit="first"),
        Form(submit="first", fields=[NOTES, Boolean(id="ok", label="Go on?")]),
    ),
    Item(
        "A12: a widget without a label",
        form({"id": "note", "type": "text"}, title="What should I do?"),
        Form(title="What should I do?", fields=[Text(id="note")]),
    ),
    Item(
        "A16: an input that is no object",
        {"kind": "approval", "approval": {"tool": "deploy", "input": [1, "a", None]}},
        Approval(tool="deploy", input=[1, "a", None]),
    ),
    Item(
        "A17: an action",
        {"kind": "action", "action": {"title": "Install it", "url": "https://shop.example/a"}},
        ActionAsk(title="Install it", url="https://shop.example/a"),
    ),
    Item(
        "A17: rows that are accepted or declined, with details",
        form({"id": "r", "type": "rows", "label": "Hire?", "rows": [{"id": "ann", "label": "Ann", "fields": [NOTE]}, {"id": "bob", "label": "Bob"}]}),
        Form(fields=[Rows(id="r", label="Hire?", rows=[Row(id="ann", label="Ann", fields=[NOTES]), Row(id="bob", label="Bob")])]),
    ),
    Item(
        "A18: skip one question of several",
        form({**NOTE, "required": True, "allow_skip": True}, {"id": "ok", "type": "boolean", "label": "Go on?"}),
        Form(fields=[Text(id="note", label="Note", required=True, allow_skip=True), Boolean(id="ok", label="Go on?")]),
    ),
    Item("A19: ask again what was refused", form(NOTE, repeat="ask"), Form(fields=[NOTES]), {"repeat": "ask"}),
    Item(
        "B3 B4: decide about a decline and a deadline before they count",
        form(NOTE, validator="requester", hooks=["decline", "timeout"], timeout_s=600, on_timeout="cancel"),
        Form(fields=[NOTES]),
        {"validator": "requester", "hooks": ["decline", "timeout"], "timeout_s": 600, "on_timeout": "cancel"},
    ),
    Item(
        "B6: errors with the first asking",
        form(NOTE, field_errors=[{"path": "values.note", "message": "It is taken."}]),
        Form(fields=[NOTES]),
        {"errors": {"note": "It is taken."}},
        {"field_errors": [{"path": "values.note", "message": "It is taken."}]},
    ),
    *(
        Item(f"B10: {mode}", form(NOTE, presentation=mode), Form(fields=[NOTES]), {"presentation": mode})
        for mode in ("standalone", "composer")
    ),
    Item(
        "B10: a condition, a file, and a field to read",
        form(
            {"id": "more", "type": "checkbox", "label": "More?"},
            {**NOTE, "visible_if": {"field": "more", "is": True}},
            {"id": "scan", "type": "file", "label": "Scan", "accept": [".pdf"], "max_files": 2},
            {"id": "user", "type": "text", "label": "User", "readonly": True, "default": "ada"},
        ),
        Form(
            fields=[
                Checkbox(id="more", label="More?"),
                Text(id="note", label="Note", visible_if=Condition(field="more", is_=True)),
                File(id="scan", label="Scan", accept=[".pdf"], max_files=2),
                Text(id="user", label="User", readonly=True, default="ada"),
            ]
        ),
    ),
    Item(
        "B11: a time without a zone",
        form({"id": "at", "type": "datetime", "label": "At", "floating": True, "min": "2026-01-01T10:00", "default": "2026-02-01T09:30"}),
        Form(fields=[Datetime(id="at", label="At", floating=True, min="2026-01-01T10:00", default="2026-02-01T09:30")]),
    ),
    Item(
        "B13: equal labels, an empty and a numeric value",
        form({"id": "o", "type": "select", "label": "O", "options": [{"label": "Same", "value": ""}, {"label": "Same", "value": 2}, {"label": "x" * 400, "value": "c"}]}),
        Form(fields=[Select(id="o", label="O", options=[Option(label="Same", value=""), Option(label="Same", value=2), Option(label="x" * 400, value="c")])]),
    ),
    Item(
        "B13: five thousand options",
        form({"id": "o", "type": "select", "label": "O", "options": MANY}),
        Form(fields=[Select(id="o", label="O", options=MANY)]),
    ),
    Item(
        "B15: three texts and more",
        {"kind": "form", "form": {"title": "T", "description": "P", "sections": [{"id": "s", "title": "S", "description": "D", "fields": [{**NOTE, "description": "F"}]}]}},
        Form(title="T", description="P", sections=[Section(id="s", title="S", description="D", fields=[Text(id="note", label="Note", description="F")])]),
    ),
    Item(
        "B16: steps, and an optional one with a button text of its own",
        {"kind": "form", "form": {"layout": "steps", "sections": [{"id": "a", "submit_label": "Next", "fields": [NOTE]}, {"id": "b", "optional": True, "fields": [{"id": "t", "type": "textarea", "label": "T"}]}]}},
        Form(layout="steps", sections=[Section(id="a", submit_label="Next", fields=[NOTES]), Section(id="b", optional=True, fields=[Textarea(id="t", label="T")])]),
    ),
)  # fmt: skip

_OWN = {"id", "created_at", "expires_at", "thread_id", "external_id", "ordinal", "traceparent"}
"""Members that differ between two equal requests."""


def common_members(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the common members of two requests, with every default."""
    request_json = InputRequest.model_validate(request).model_dump(mode="json")
    request_json["on_timeout"] = request_json["on_timeout"] or "expire"
    return {name: value for name, value in request_json.items() if name not in _OWN}


async def read(agent: Person, ids: list[str]) -> list[dict[str, Any]]:
    return [(await agent.http.get(f"/v1/requests/{id_}")).json() for id_ in ids]


@requirement("A9", "A15", "A21", "A22", "B8", "C10", "D7", "D8", "D18", "F20", "F27", "F28", "F33")
async def test_each_item_is_one_request_on_the_wire_and_in_the_client_and_lasts(
    killable_server: KillableServer,
) -> None:
    async with killable_server.team() as team:
        listed_items, ids = [], list[str]()
        async with AsyncClient(killable_server.server.url, team.agent.token) as client:
            for number, item in enumerate(ITEMS):
                wire = await team.agent.http.post(
                    "/v1/requests", json={"thread_id": f"wire-{number}", **item.body}
                )
                if wire.status_code != 201:
                    listed_items.append((item.name, 201, wire.text[:300]))
                    continue
                request = await client.requests.create(
                    item.client_ask, thread_id=f"client-{number}", **item.options
                )
                [one, other] = await read(team.agent, [wire.json()["id"], request.id])
                ids += [one["id"], other["id"]]
                listed_items.append((item.name, common_members(one), common_members(other)))
                stored = {**item.body.get(one["kind"], {}), **item.body, **item.shows}
                shown_content = one.get(one["kind"], {})
                expected_members = {**(shown_content if isinstance(shown_content, dict) else {}), **one}
                expected_answer = {name: expected_members.get(name) for name in stored if name not in UNSHOWN}
                listed_items.append(
                    (item.name, {name: stored[name] for name in expected_answer}, expected_answer)
                )
        assert differences(listed_items) == ""
        before = await read(team.agent, ids)
        await killable_server.dies_and_returns()
        assert await read(team.agent, ids) == before


UNSHOWN = {"kind", "form", "approval", "action", "fields", "sections", "question_limit", "repeat"}
"""Members that are compared as a whole, or only matter on creation."""
