"""Agor's widgets: refusals and their errors, and values that are never shown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.requirements import requirement
from tests.transports.conftest import Api, api, shared_api

pytestmark = pytest.mark.anyio
PATH = "/compat/agor"
TOOLS = f"{PATH}/sessions/s1/tools/agor_widgets_request"
ENV = {"names": ["HUBSPOT_API_KEY"], "reason": "To read contacts."}
CONFIRM = {"title": "Ship?", "options": [{"id": "y", "label": "Yes"}, {"id": "n", "label": "No"}]}
SERVERS = {"reason": "Which?", "servers": [{"id": "m1", "name": "Notion"}, {"id": "m2", "name": "Linear"}]}
FILES = {"reason": "Which?", "files": ["a.py", "b.py"]}
CANARY = "canary-6f1d"
__all__ = ["api", "shared_api"]


async def ask(api: Api, tool: str, arguments: dict[str, Any]) -> str:
    """Ask with a tool, and return the id of the widget."""
    agent = await api.as_("requester")
    reply = await agent.post(f"{TOOLS}_{tool}", json=arguments)
    assert reply.status_code == 200, reply.text
    assert reply.json() == {"widget_id": reply.json()["widget_id"], "status": "requested"}
    return reply.json()["widget_id"]


async def is_empty(api: Api) -> bool:
    """Return whether no request was stored."""
    person = await api.as_("responder")
    return (await person.get("/v1/requests")).json()["requests"] == []


@requirement("E1", "E2", "E3")
@pytest.mark.parametrize(
    ("tool", "changes", "path", "code"),
    [
        ("env_vars", {"reason": None}, "reason", "wrong_type"),
        ("env_vars", {"names": []}, "names", "too_few"),
        ("env_vars", {"names": [f"K{n}" for n in range(11)]}, "names", "too_many"),
        ("env_vars", {"names": ["A", "A"]}, "names[1]", "duplicate_name"),
        ("env_vars", {"names": ["a-b"]}, "names[0]", "invalid_name"),
        ("env_vars", {"names": ["B", "LD_PRELOAD"]}, "names[1]", "reserved_name"),
        ("env_vars", {"names": ["AGOR_MASTER_SECRET"]}, "names[0]", "reserved_name"),
        ("env_vars", {"names": "A"}, "names", "wrong_type"),
        ("env_vars", {"reason": ""}, "reason", "empty"),
        ("env_vars", {"reason": "a\u202eb"}, "reason", "control_chars"),
        ("env_vars", {"reason": "x" * 501}, "reason", "too_long"),
        ("env_vars", {"instructions": "x" * 2001}, "instructions", "too_long"),
        ("env_vars", {"default_scope": "Global"}, "default_scope", "invalid_scope"),
        ("env_vars", {"default_scope": "project"}, "default_scope", "invalid_scope"),
        ("env_vars", {"default_scope": 1}, "default_scope", "wrong_type"),
        ("env_vars", {"auto_resume": "yes"}, "auto_resume", "wrong_type"),
        ("env_vars", {"values": {"HUBSPOT_API_KEY": CANARY}}, "values", "unknown_field"),
        ("env_vars", {"variable_metadata": {"X": {}}}, "variable_metadata.X", "metadata_unknown"),
        (
            "env_vars",
            {"variable_metadata": {"HUBSPOT_API_KEY": {"placeholder": "x" * 121}}},
            "variable_metadata.HUBSPOT_API_KEY.placeholder",
            "too_long",
        ),
        ("confirmation", {"title": ""}, "title", "empty"),
        ("confirmation", {"title": "x" * 121}, "title", "too_long"),
        ("confirmation", {"body": "x" * 2001}, "body", "too_long"),
        ("confirmation", {"options": CONFIRM["options"][:1]}, "options", "too_few"),
        (
            "confirmation",
            {"options": [{"id": f"{n}", "label": f"{n}"} for n in range(6)]},
            "options",
            "too_many",
        ),
        (
            "confirmation",
            {"options": [{"id": "y", "label": "A"}, {"id": "y", "label": "B"}]},
            "options[1].id",
            "duplicate_option",
        ),
        (
            "confirmation",
            {"options": [{"id": "y", "label": ""}, {"id": "n", "label": "B"}]},
            "options[0].label",
            "empty",
        ),
        (
            "confirmation",
            {"options": [{"id": "y"}, {"id": "n", "label": "B"}]},
            "options[0].label",
            "missing_required",
        ),
        (
            "confirmation",
            {"options": [{"id": "y", "label": "A", "style": "red"}, {"id": "n", "label": "B"}]},
            "options[0].style",
            "unknown_value",
        ),
        ("mcp_servers", {"servers": []}, "servers", "option_required"),
        (
            "mcp_servers",
            {"servers": [{"id": "a", "name": "A"}, {"id": "a", "name": "B"}]},
            "servers[1].id",
            "duplicate_option",
        ),
        ("mcp_servers", {"servers": [{"id": "a", "name": "A\x00"}]}, "servers[0].name", "control_chars"),
        ("mcp_servers", {"multiple": 1}, "multiple", "wrong_type"),
        ("files", {"files": []}, "files", "option_required"),
        ("files", {"files": ["a", "a"]}, "files[1]", "duplicate_option"),
        ("files", {"files": ["a", 1]}, "files[1]", "wrong_type"),
        ("files", {"reason": "x" * 501}, "reason", "too_long"),
    ],
)
async def test_arguments_are_refused_with_their_place(
    shared_api: Api, tool: str, changes: dict[str, Any], path: str, code: str
):
    good = {"env_vars": ENV, "confirmation": CONFIRM, "mcp_servers": SERVERS, "files": FILES}[tool]
    agent = await shared_api.as_("requester")
    reply = await agent.post(f"{TOOLS}_{tool}", json={**good, **changes})
    body = reply.json()
    assert (reply.status_code, body["name"], body["code"]) == (422, "Unprocessable", 422), body
    assert [(issue["path"], issue["code"]) for issue in body["data"]["issues"]] == [(path, code)]
    assert list(body["errors"]) == [path]
    assert CANARY not in reply.text
    assert await is_empty(shared_api)


BAD_SUBMISSIONS: list[tuple[object, dict[str, Any]]] = [
    ({}, {"values": "This key is required. Add it."}),
    (
        {"values": {}},
        {"HUBSPOT_API_KEY": "Required value or saved global value selection missing"},
    ),
    (
        {"values": {}, "use_existing": []},
        {"HUBSPOT_API_KEY": "Required value or saved global value selection missing"},
    ),
    (
        {"values": {}, "scope": "global"},
        {"HUBSPOT_API_KEY": "Required value or saved global value selection missing"},
    ),
    ({"values": {"HUBSPOT_API_KEY": CANARY, "X": CANARY}}, {"X": "This env var was not requested"}),
    ({"values": {"HUBSPOT_API_KEY": CANARY, "PATH": CANARY}}, {"PATH": "Blocked by allow-list"}),
    ({"values": {"HUBSPOT_API_KEY": "x", CANARY: "x"}}, {"values": "This env var was not requested"}),
    (
        {"use_existing": ["HUBSPOT_API_KEY"]},
        {"HUBSPOT_API_KEY": "No saved value is set for this env var"},
    ),
    (
        {"values": {"HUBSPOT_API_KEY": CANARY}, "use_existing": ["HUBSPOT_API_KEY"]},
        {"HUBSPOT_API_KEY": "Cannot both submit and use existing value for HUBSPOT_API_KEY"},
    ),
    ({"values": {"HUBSPOT_API_KEY": f"{CANARY}\0"}}, {"HUBSPOT_API_KEY": ...}),
    ({"values": {"HUBSPOT_API_KEY": " \t"}}, {"HUBSPOT_API_KEY": ...}),
    ({"values": {"HUBSPOT_API_KEY": CANARY * 1000}}, {"HUBSPOT_API_KEY": ...}),
    ({"values": {"HUBSPOT_API_KEY": [CANARY]}}, {"HUBSPOT_API_KEY": ...}),
    ({"values": CANARY}, {"values": ...}),
    ({"values": None}, {"values": ...}),
    ({"values": {"HUBSPOT_API_KEY": CANARY}, "scope": "everyone"}, {"scope": ...}),
    ({"values": {"HUBSPOT_API_KEY": CANARY}, "scope": "project"}, {"scope": ...}),
    ({"secrets": {"HUBSPOT_API_KEY": CANARY}}, {"": ...}),
    ({"values": {"HUBSPOT_API_KEY": CANARY}, "revision": 1}, {"": ...}),
    ([CANARY], {"": ...}),
    (CANARY, {"": ...}),
]


@requirement("E5", "E6")
async def test_submitted_values_are_refused_by_name_and_never_repeated(
    api: Api, caplog: pytest.LogCaptureFixture
):
    widget = await ask(api, "env_vars", ENV)
    person = await api.as_("responder")
    for body, errors in BAD_SUBMISSIONS:
        with caplog.at_level("DEBUG"):
            reply = await person.post(f"{PATH}/widgets/{widget}/submit", json=body)
        error_body = reply.json()
        assert (reply.status_code, error_body["name"], error_body["code"]) == (422, "Unprocessable", 422), (
            body,
            error_body,
        )
        assert error_body["message"].startswith("Invalid submit payload: ")
        assert error_body["errors"].keys() == errors.keys()
        assert all(text in (..., error_body["errors"][name]) for name, text in errors.items()), error_body
        places = {name if name in {"", "scope", "values"} else f"values.{name}" for name in errors}
        assert {issue["path"] for issue in error_body["data"]["issues"]} == places
        message_reply = await person.get(f"{PATH}/messages/{widget}")
        assert message_reply.json()["metadata"]["widget"]["status"] == "pending"
        assert (await person.get("/v1/secrets")).json()["secrets"] == []
        assert CANARY not in reply.text + message_reply.text + caplog.text


async def test_the_page_gets_the_arguments_of_the_tool(api: Api):
    help_ = {"description": "A private app", "placeholder": "pat-…", "input_type": "text"}
    arguments = {**ENV, "variable_metadata": {"HUBSPOT_API_KEY": help_}, "default_scope": "session"}
    widget = await ask(api, "env_vars", arguments)
    reply = await (await api.as_("responder")).get(f"{PATH}/messages/{widget}")
    assert reply.json()["metadata"]["widget"]["params"] == arguments


async def test_a_session_that_cannot_be_is_refused_with_its_place(api: Api):
    agent = await api.as_("requester")
    reply = await agent.post(f"{PATH}/sessions/{'s' * 300}/tools/agor_widgets_request_env_vars", json=ENV)
    assert (reply.status_code, list(reply.json()["errors"])) == (422, ["session_id"])


@pytest.mark.parametrize(
    ("tool", "arguments", "body", "path"),
    [
        ("confirmation", CONFIRM, {}, "option_id"),
        ("confirmation", CONFIRM, {"option_id": ["y"]}, "option_id"),
        ("confirmation", CONFIRM, {"option_id": "Yes"}, "option_id"),
        ("confirmation", CONFIRM, {"option_id": "y", "note": "x"}, "note"),
        ("confirmation", CONFIRM, ["y"], ""),
        ("mcp_servers", SERVERS, {"server_ids": []}, "server_ids"),
        ("mcp_servers", SERVERS, {"server_ids": ["m1", "m2"]}, "server_ids"),
        ("mcp_servers", SERVERS, {"server_ids": "m1"}, "server_ids"),
        ("mcp_servers", {**SERVERS, "multiple": True}, {"server_ids": ["m1", "m3"]}, "server_ids"),
        ("mcp_servers", {**SERVERS, "multiple": True}, {"server_ids": ["m1", "m1"]}, "server_ids"),
        ("files", FILES, {"files": ["c.py"]}, "files"),
        ("files", FILES, {"files": [{"path": "a.py"}]}, "files"),
        ("files", FILES, {"files": None}, "files"),
    ],
)
async def test_choices_are_refused_with_their_place(
    api: Api, tool: str, arguments: dict[str, Any], body: object, path: str
):
    widget = await ask(api, tool, arguments)
    person = await api.as_("responder")
    reply = await person.post(f"{PATH}/widgets/{widget}/submit", json=body)
    assert reply.status_code == 422, reply.text
    assert [name.partition("[")[0] for name in reply.json()["errors"]] == [path]
    shown_body = (await person.get(f"{PATH}/messages/{widget}")).json()
    assert shown_body["metadata"]["widget"]["status"] == "pending"


async def test_the_sentences_of_refusals(api: Api):
    widget = await ask(api, "env_vars", ENV)
    nobody, agent, person = api.client(), await api.as_("requester"), await api.as_("responder")

    async def refusal_of(client: Any, path: str, body: object = None) -> tuple[int, str, str]:
        reply = await client.post(f"{PATH}{path}", json=body or {})
        assert reply.json()["code"] == reply.status_code
        return reply.status_code, reply.json()["name"], reply.json()["message"]

    assert await refusal_of(nobody, f"/widgets/{widget}/submit") == (
        401,
        "NotAuthenticated",
        "Authentication required to resolve a widget",
    )
    assert (await refusal_of(agent, f"/widgets/{widget}/submit"))[:2] == (403, "Forbidden")
    assert await refusal_of(person, "/widgets/none/dismiss") == (404, "NotFound", "Widget none not found")
    approval = {"kind": "approval", "thread_id": "s1", "approval": {"tool": "t", "input": {}}}
    other = (await agent.post("/v1/requests", json=approval)).json()["id"]
    text = f"Message {other} is not a widget request"
    assert await refusal_of(person, f"/widgets/{other}/dismiss") == (404, "NotFound", text)
    assert await refusal_of(agent, "/sessions/s1/tools/agor_widgets_request_poem") == (
        404,
        "NotFound",
        "Widget type 'poem' is not registered on this daemon. Update the daemon or use a known widget type.",
    )
    assert (await refusal_of(person, "/nothing"))[:2] == (404, "NotFound")
    assert (await refusal_of(person, "/messages/x"))[:2] == (405, "MethodNotAllowed")
    reply = await agent.post(f"{TOOLS}_env_vars", content="{")
    assert (reply.status_code, reply.json()["errors"].keys()) == (422, {""})


@requirement("K3")
async def test_a_view_only_person_gets_an_error_that_names_the_required_access(api: Api):
    widget = await ask(api, "env_vars", ENV)
    viewer = await api.as_("responder/viewer")
    access = {"owner": "ada", "others": "view"}
    finished_reply = await (await api.as_("admin")).put("/v1/threads/s1/access", json=access)
    assert finished_reply.status_code == 200, finished_reply.text
    for action in ("submit", "dismiss"):
        reply = await viewer.post(
            f"{PATH}/widgets/{widget}/{action}",
            json={"values": {"HUBSPOT_API_KEY": CANARY}} if action == "submit" else {},
        )
        assert reply.json() == {
            "name": "Forbidden",
            "message": "You need to be the session creator, a worktree owner, or have 'prompt' permission on the "
            "worktree to resolve this widget.",
            "code": 403,
        }


@requirement("E5")
async def test_a_value_is_in_no_reply_event_or_resume(api: Api):
    widget = await ask(api, "env_vars", ENV)
    agent, person = await api.as_("requester"), await api.as_("responder")
    seen_items = [
        (
            await person.post(f"{PATH}/widgets/{widget}/submit", json={"values": {"HUBSPOT_API_KEY": CANARY}})
        ).text
    ]
    for path in (
        f"{PATH}/messages/{widget}",
        f"{PATH}/messages?session_id=s1",
        "/v1/threads/s1",
        "/v1/secrets",
    ):
        seen_items.append((await person.get(path)).text)
    seen_items.append((await agent.get("/v1/threads/s1/resumes")).text)
    assert "HUBSPOT_API_KEY" in seen_items[1]
    assert CANARY not in json.dumps(seen_items)
