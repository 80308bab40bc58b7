"""Group E: a person submits values. Exactly the requested names are accepted, and values are stored unchanged."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from tests.journeys.people import Person, Team, faults, leased_values, refusal, request_of, texts
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

MOST = 10_240
"""Bytes of a value."""

MISSING = "Enter a value."


@requirement("E5", "E6")
async def test_a_submission_is_visible_only_by_its_names(team: Team, thread: str) -> None:
    request = request_of(await team.agent.need(thread, "B_KEY", "A_KEY"))
    reply = await team.ada.hand_over(request["id"], {"A_KEY": "one", "B_KEY": "two"}, scope="global")
    assert reply.status_code == 200, reply.text
    settled_body = reply.json()
    members = ("status", "source", "answer", "revision")
    assert {name: settled_body[name] for name in members} == {
        "status": "answered",
        "source": "responder",
        "answer": {"names": ["A_KEY", "B_KEY"], "scope": "global", "existing": []},
        "revision": 1,
    }
    for person in (team.agent, team.bob, team.admin):
        assert await person.get(request["id"]) == settled_body
    events = [event async for event in team.bob.events(thread, until=2)]
    assert [event["type"] for event in events] == ["request.created", "request.answered"]
    assert leased_values(await team.agent.lease(thread, "A_KEY", "B_KEY")) == {"A_KEY": "one", "B_KEY": "two"}


OPTIONAL = {"metadata": {"B_KEY": {"optional": True}}}


@requirement("E6", "E9")
async def test_an_optional_name_may_be_left_out_and_is_then_not_in_the_answer(
    team: Team, thread: str
) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", "B_KEY", **OPTIONAL))
    none = await team.ada.hand_over(request["id"], {})
    assert texts(none) == {"secrets.A_KEY": MISSING}
    settled_request = (await team.ada.hand_over(request["id"], {"A_KEY": "one"})).json()
    assert settled_request["answer"] == {"names": ["A_KEY"], "scope": "session", "existing": []}
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": "one"}
    assert (await team.agent.lease(thread, "B_KEY")).status_code == 404
    second_request = (await team.agent.need(thread, "A_KEY", "B_KEY", **OPTIONAL)).json()
    assert (second_request["status"], second_request["source"], second_request["answer"]["names"]) == (
        "answered",
        "existing",
        ["A_KEY"],
    )


@requirement("E6")
async def test_at_least_one_of_several_optional_names_is_required(team: Team, thread: str) -> None:
    all_optional = {"metadata": {"A_KEY": {"optional": True}, "B_KEY": {"optional": True}}}
    request = request_of(await team.agent.need(thread, "A_KEY", "B_KEY", **all_optional))
    assert request["status"] == "pending"
    none = await team.ada.hand_over(request["id"], {})
    assert texts(none) == {"secrets.A_KEY": MISSING, "secrets.B_KEY": MISSING}
    settled_request = (await team.ada.hand_over(request["id"], {"B_KEY": "two"})).json()
    assert settled_request["answer"]["names"] == ["B_KEY"]


@requirement("E6")
@pytest.mark.parametrize(
    ("secrets", "errors"),
    [
        ({"A_KEY": "x"}, {"secrets.B_KEY": MISSING}),
        ({}, {"secrets.A_KEY": MISSING, "secrets.B_KEY": MISSING}),
        (None, {"secrets.A_KEY": MISSING, "secrets.B_KEY": MISSING}),
        ({"A_KEY": "x", "B_KEY": "y", "C_KEY": "z"}, {"secrets": "This env var was not requested"}),
        ({"A_KEY": "", "B_KEY": "y"}, {"secrets.A_KEY": "Enter a value that is not blank."}),
        ({"A_KEY": " \t\r\n", "B_KEY": "y"}, {"secrets.A_KEY": "Enter a value that is not blank."}),
        ({"A_KEY": "\u00a0\u2003", "B_KEY": "y"}, {"secrets.A_KEY": "Enter a value that is not blank."}),
        ({"A_KEY": "x\0", "B_KEY": "y"}, {"secrets.A_KEY": "A value cannot contain a NUL character."}),
        ({"A_KEY": 5, "B_KEY": "y"}, {"secrets.A_KEY": "A value must be a string."}),
        ({"A_KEY": None, "B_KEY": "y"}, {"secrets.A_KEY": "A value must be a string."}),
        ({"A_KEY": ["x"], "B_KEY": {"y": "z"}}, dict.fromkeys(("secrets.A_KEY", "secrets.B_KEY"), "A value must be a string.")),
    ],
)  # fmt: skip
async def test_an_invalid_submission_is_refused_at_its_names_and_the_request_stays_open(
    team: Team, thread: str, secrets: Any, errors: dict[str, str]
) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", "B_KEY"))
    assert texts(await team.ada.hand_over(request["id"], secrets)) == errors
    assert await team.ada.get(request["id"]) == request
    assert await team.ada.list_secrets() == []
    assert refusal(await team.agent.lease(thread, "A_KEY")) == (404, "not_granted")


@requirement("E6")
@pytest.mark.parametrize("value", ["x", "x" * MOST, "é" * (MOST // 2), "\U0001f511" * (MOST // 4)])
async def test_a_value_may_have_from_one_byte_to_the_limit(team: Team, thread: str, value: str) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY"))
    assert (await team.ada.hand_over(request["id"], {"A_KEY": value})).status_code == 200
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": value}


@requirement("E6")
@pytest.mark.parametrize("value", ["x" * (MOST + 1), "é" * (MOST // 2) + "x"])
async def test_a_value_of_one_byte_more_is_refused(team: Team, thread: str, value: str) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY"))
    assert faults(await team.ada.hand_over(request["id"], {"A_KEY": value})) == [
        ("secrets.A_KEY", "too_long")
    ]
    assert faults(await team.ada.keep("A_KEY", value)) == [("value", "too_long")]
    assert await team.ada.list_secrets() == []


@requirement("E6")
@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({"revision": 2}, (409, "stale_revision")),
        ({"revision": "1"}, ("revision", "wrong_type")),
        ({"revision": True}, ("revision", "wrong_type")),
        ({"scope": "everywhere"}, ("scope", "unknown_value")),
        ({"scope": ["global"]}, ("scope", "unknown_value")),
        ({"values": {}}, ("", "unknown_field")),
        ({"existing": "A_KEY"}, ("use_existing", "wrong_type")),
    ],
)  # fmt: skip
async def test_other_members_of_a_submission_are_checked_too(
    team: Team, thread: str, more: dict[str, Any], found: tuple[Any, str]
) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY"))
    reply = await team.ada.hand_over(request["id"], {"A_KEY": "x"}, **more)
    assert (refusal(reply) if found[0] == 409 else faults(reply)[0]) == found
    assert await team.ada.get(request["id"]) == request
    assert await team.ada.list_secrets() == []


PADDED = "The value begins or ends with a space or a line break, which is kept."


def warnings_of(reply: Any) -> list[tuple[str, str, str]]:
    assert reply.status_code in (200, 201), reply.text
    return [(warning["path"], warning["code"], warning["message"]) for warning in reply.json()["warnings"]]


@requirement("E6", "E7")
@pytest.mark.parametrize("value", ["key\n", "  key", "\tkey\r\n", "\ufeffkey"])
async def test_white_space_around_a_value_is_kept_with_a_warning_for_the_person_only(
    team: Team, thread: str, value: str
) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", "B_KEY"))
    reply = await team.ada.hand_over(request["id"], {"A_KEY": value, "B_KEY": "in ner"})
    assert warnings_of(reply) == [("secrets.A_KEY", "secret_padded", PADDED)]
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": value}
    assert "warnings" not in (await team.ada.http.get(f"/v1/requests/{request['id']}")).json()
    stored = {"name": "C_KEY", "value": value, "scope": "thread", "thread_id": thread}
    assert warnings_of(await team.ada.http.post("/v1/secrets", json=stored)) == [
        ("value", "secret_padded", PADDED)
    ]
    form = {"fields": [{"id": "pin", "type": "text", "label": "Pin", "sensitive": True}]}
    asked_request = request_of(await team.agent.ask(thread, form))
    reply = await team.ada.answer(asked_request["id"], {"pin": f"{value}".strip("\r\n") + " "})
    assert warnings_of(reply) == [("values.pin", "secret_padded", PADDED)]


@requirement("E6", "H4")
async def test_one_of_many_concurrent_submissions_is_stored_completely(team: Team, thread: str) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", "B_KEY"))
    replies: list[tuple[int, str]] = []

    async def submit(person: Person, n: int) -> None:
        reply = await person.hand_over(request["id"], {"A_KEY": f"a{n}", "B_KEY": f"b{n}"})
        replies.append((reply.status_code, f"{n}"))
        assert reply.json()["error"]["code"] == "already_settled" if reply.status_code != 200 else True

    async with anyio.create_task_group() as hands:
        for n in range(12):
            hands.start_soon(submit, (team.ada, team.bob, team.carol)[n % 3], n)
    assert sorted(status for status, _ in replies) == [200] + [409] * 11
    [winner] = [n for status, n in replies if status == 200]
    values = leased_values(await team.agent.lease(thread, "A_KEY", "B_KEY"))
    assert values == {"A_KEY": f"a{winner}", "B_KEY": f"b{winner}"}
    assert {item["version"] for item in await team.ada.list_secrets()} == {1}


@requirement("E6", "M4")
async def test_a_submission_sent_again_with_its_key_is_kept_once(team: Team, thread: str) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY"))
    first_reply, second_reply = [
        await team.ada.hand_over(request["id"], {"A_KEY": "x"}, key="k1") for _ in range(2)
    ]
    assert (first_reply.status_code, second_reply.status_code) == (200, 200)
    assert second_reply.json() == {**first_reply.json(), "submission": "accepted"}
    late_reply = await team.ada.hand_over(request["id"], {"A_KEY": "y"}, key="k2")
    assert refusal(late_reply) == (409, "already_settled")
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": "x"}
    assert [item["version"] for item in await team.ada.list_secrets()] == [1]


@requirement("E11")
@pytest.mark.parametrize(
    ("suggested_scope", "chosen_scope", "kept_scope"),
    [
        ("global", "session", "session"),
        ("session", "global", "global"),
        ("session", "project", "project"),
        ("project", None, "project"),
        ("thread", None, "session"),
        ("global", "thread", "session"),
    ],
)
async def test_the_person_chooses_the_scope_and_the_agent_only_suggests(
    team: Team, thread: str, suggested_scope: str, chosen_scope: str | None, kept_scope: str
) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", default_scope=suggested_scope, project="web"))
    extra = {} if chosen_scope is None else {"scope": chosen_scope}
    settled_request = (await team.ada.hand_over(request["id"], {"A_KEY": "x"}, **extra)).json()
    assert settled_request["answer"]["scope"] == kept_scope
    [secret] = await team.ada.list_secrets()
    subject = {"session": {"thread_id": thread}, "project": {"project": "web"}, "global": {}}[kept_scope]
    assert {name: secret[name] for name in ("scope", "thread_id", "project") if name in secret} == {
        "scope": kept_scope,
        **subject,
    }


@requirement("K4")
async def test_the_person_who_typed_a_value_is_recorded_and_the_agent_of_the_thread_uses_it(
    team: Team, thread: str
) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY"))
    settled_request = (await team.bob.hand_over(request["id"], {"A_KEY": "x"})).json()
    bob = (await team.bob.http.get("/v1/session")).json()["principal"]
    assert settled_request["settled_by"] == {"id": bob["id"], "name": "bob"}
    [secret] = await team.ada.list_secrets()
    assert (secret["set_by"], secret["request_id"]) == (settled_request["settled_by"], request["id"])
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": "x"}
    entries, _ = await team.admin.audit()
    changes = [entry for entry in entries if entry["action"] != "secret.agents"]
    assert [(change["action"], change["actor"]["name"], change["names"]) for change in changes] == [
        ("decide", "bob", ["A_KEY"]),
        ("secret.lease", "agent", ["A_KEY"]),
    ]


@requirement("K5")
async def test_only_assignees_may_submit_secrets(team: Team, thread: str) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", assignees=[team.ada.id]))
    for other in (team.bob, team.admin):
        assert refusal(await other.hand_over(request["id"], {"A_KEY": "x"})) == (403, "not_assigned")
        assert refusal(await other.decline(request["id"], "dismissed")) == (403, "not_assigned")
    assert await team.bob.get(request["id"]) == request
    assert await team.admin.list_secrets() == []
    assert (await team.ada.hand_over(request["id"], {"A_KEY": "x"})).status_code == 200


@requirement("E19")
async def test_secrets_are_listed_replaced_and_erased_and_never_read(team: Team, thread: str) -> None:
    reply = await team.ada.keep("A_KEY", "one")
    assert reply.status_code == 201, reply.text
    body = reply.json()
    ada = (await team.ada.http.get("/v1/session")).json()["principal"]
    assert {name: part for name, part in body.items() if name not in ("id", "set_at")} == {
        "name": "A_KEY",
        "scope": "global",
        "version": 1,
        "set_by": {"id": ada["id"], "name": "ada"},
    }
    second_body = (await team.bob.keep("A_KEY", "two")).json()
    assert (second_body["id"], second_body["version"], second_body["set_by"]["name"]) == (
        body["id"],
        2,
        "bob",
    )
    in_thread = (await team.ada.keep("A_KEY", "three", "session", thread_id=thread)).json()
    newest, oldest = ({**item, "agents": "all"} for item in (in_thread, second_body))
    assert await team.carol.list_secrets() == [newest, oldest]
    assert (await team.ada.erase(second_body["id"])).status_code == 204
    assert refusal(await team.ada.erase(second_body["id"])) == (404, "not_found")
    assert await team.carol.list_secrets() == [newest]
    entries, _ = await team.admin.audit()
    changes = [entry for entry in entries if entry["action"] != "secret.agents"]
    assert [(change["action"], change["actor"]["name"], change["names"]) for change in changes] == [
        ("secret.set", "ada", ["A_KEY"]),
        ("secret.set", "bob", ["A_KEY"]),
        ("secret.set", "ada", ["A_KEY"]),
        ("secret.drop", "ada", ["A_KEY"]),
    ]


@requirement("E19")
async def test_a_list_of_many_secrets_comes_in_pages(team: Team) -> None:
    names = [f"KEY_{n}" for n in range(5)]
    for name in names:
        assert (await team.ada.keep(name, "x")).status_code == 201
    findings: list[str] = []
    cursor: str | None = None
    for _ in range(3):
        params = {"limit": 2} if cursor is None else {"limit": 2, "cursor": cursor}
        page = (await team.ada.http.get("/v1/secrets", params=params)).json()
        findings += [secret["name"] for secret in page["secrets"]]
        cursor = page["next_cursor"]
    assert (findings, cursor) == (names[::-1], None)
