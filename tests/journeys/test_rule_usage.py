"""Group B: the usage of rules, the built-in rules, and the effect of draft rules."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.journeys.conftest import KillableServer
from tests.journeys.people import Person, Team, faults, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


async def create_rule(person: Person, rule: str, **terms: Any) -> dict[str, Any]:
    """Create a rule."""
    reply = await person.http.post("/v1/rules", json={"rule": rule, **terms})
    assert reply.status_code in {200, 201}, reply.text
    return reply.json()


async def usage(person: Person, rule_id: str) -> dict[str, Any]:
    """The usage of a rule in the list."""
    [found] = [rule for rule in await person.rules() if rule["id"] == rule_id]
    return found.get("usage") or {"count": 0}


async def try_draft_rule(
    person: Person, rule: Any = None, command: str | None = None, **extra: Any
) -> dict[str, Any]:
    """Try a draft rule on a command."""
    call = None if command is None else {"tool": "bash", "input": {"command": command}}
    body = {"rule": {"rule": rule} if isinstance(rule, str) else rule, "call": call, **extra}
    reply = await person.http.post("/v1/rules/try", json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def preview_draft_rule(person: Person, rule: str, **terms: Any) -> list[dict[str, Any]]:
    """The calls that a draft rule would decide differently, from all pages."""
    calls: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        body = {"rule": {"rule": rule, **terms}, "cursor": cursor}
        page = (await person.http.post("/v1/rules/preview", json=body)).json()
        calls += page["calls"]
        cursor = page["next_cursor"]
        if cursor is None:
            return calls


@requirement("B11", "B28")
async def test_each_decision_of_a_rule_is_counted_once_with_its_request(team: Team, thread: str) -> None:
    make, push = (
        await create_rule(team.ada, "make test"),
        await create_rule(team.ada, "git push:*", effect="ask"),
    )
    await asyncio.gather(*(team.agent.bash(thread, "make test") for _ in range(5)))
    last_request = (await team.agent.bash(thread, "make test && git status")).json()
    await team.agent.bash(thread, "make testing")
    request = request_of(await team.agent.bash(thread, "git push origin"))
    rule_usage = await usage(team.ada, make["id"])
    assert (rule_usage["count"], rule_usage["request_id"], rule_usage["thread_id"]) == (
        6,
        last_request["id"],
        thread,
    )
    assert (await usage(team.ada, push["id"]))["request_id"] == request["id"]
    # Using the approved call is not a second decision.
    await team.agent.consume(last_request["id"], "exe_1")
    assert (await usage(team.ada, make["id"]))["count"] == 6
    built_in = (await team.ada.http.get("/v1/rules/built-in")).json()
    [status] = [
        rule for g in built_in["groups"] for rule in g["rules"] if rule["rule"] == "bash(git status:*)"
    ]
    assert (status["usage"]["count"], status["active"]) == (1, True)


@requirement("B11")
async def test_a_repeated_call_of_the_same_key_is_not_counted_again(team: Team, thread: str) -> None:
    rule = await create_rule(team.ada, "make test")
    for _ in range(3):
        await team.agent.bash(thread, "make test", key="k")
    assert (await usage(team.ada, rule["id"]))["count"] == 1


@requirement("B11")
async def test_a_deny_rule_that_stops_a_late_approval_and_a_shadow_rule_are_counted(
    team: Team, thread: str
) -> None:
    shadow = await create_rule(team.ada, "make all", shadow=True)
    request = request_of(await team.agent.bash(thread, "make all"))
    assert (await usage(team.ada, shadow["id"]))["count"] == 1
    deny = await create_rule(team.ada, "make:*", effect="deny")
    refused_request = (await team.ada.decide(request["id"], "approve")).json()
    assert refused_request["answer"]["decision"] == "deny"
    assert (await usage(team.ada, deny["id"]))["request_id"] == request["id"]


@requirement("B11", "K1")
async def test_the_uses_of_a_rule_are_listed_only_for_people_who_may_view_them(
    team: Team, thread: str
) -> None:
    rule = await create_rule(team.ada, "make test")
    await team.agent.bash(thread, "make test")
    access = {"owner": "nobody", "people": {}, "others": "none"}
    assert (await team.admin.http.put(f"/v1/threads/{thread}/access", json=access)).status_code == 200
    assert set(await usage(team.ada, rule["id"])) == {"count", "last_at"}
    assert (await usage(team.admin, rule["id"]))["thread_id"] == thread
    assert await preview_draft_rule(team.ada, "make test", effect="deny") == []
    assert len(await preview_draft_rule(team.admin, "make test", effect="deny")) == 1


@requirement("B11")
async def test_uses_survive_a_server_that_is_killed(killable_server: KillableServer, thread: str) -> None:
    async with killable_server.team() as team:
        rule = await create_rule(team.ada, "make test")
        await team.agent.bash(thread, "make test")
        await killable_server.dies_and_returns()
        assert (await usage(team.ada, rule["id"]))["count"] == 1


@requirement("B21")
async def test_built_in_rules_are_listed_by_subject_with_the_hard_limits(team: Team) -> None:
    found_rule = (await team.ada.http.get("/v1/rules/built-in")).json()
    assert [group["name"] for group in found_rule["groups"]] == [
        "files", "search", "text", "system", "versions", "git", "tools",
    ]  # fmt: skip
    cat = found_rule["groups"][0]["rules"][1]
    assert cat == {
        "rule": "bash(cat:*)",
        "description": {"form": "options", "subject": "cat"},
        "active": True,
        "usage": None,
    }
    assert "limit_home" in found_rule["limits"]
    await team.admin.http.post("/v1/policy", json={"lists": ["git"]})
    changed_rule = (await team.ada.http.get("/v1/rules/built-in")).json()
    active = {
        group["name"] for group in changed_rule["groups"] if all(rule["active"] for rule in group["rules"])
    }
    assert (changed_rule["lists"], active) == (["git"], {"git"})


# Drafts


@requirement("B9")
async def test_a_draft_is_tried_on_a_call_and_says_why_it_does_not_cover_it(team: Team) -> None:
    matching_trial = await try_draft_rule(team.ada, "make test:*", "make test -k")
    assert (matching_trial["rule"], matching_trial["covers"], matching_trial["why"]) == (
        "bash(make test:*)",
        True,
        [],
    )
    assert (matching_trial["now"]["decision"], matching_trial["then"]["decision"]) == ("ask", "allow")
    assert matching_trial["description"] == {"form": "options", "subject": "make test"}
    chained_command_trial = await try_draft_rule(team.ada, "make test:*", "make test && curl evil")
    assert (chained_command_trial["covers"], chained_command_trial["why"]) == (
        False,
        ["No rule allows `curl evil`."],
    )
    assert chained_command_trial["why_codes"] == [{"code": "no_rule", "params": {"command": "curl evil"}}]
    denied = await try_draft_rule(team.ada, {"rule": "curl:*", "effect": "deny"}, "make test; curl evil")
    assert (denied["covers"], denied["then"]["decision"]) == (True, "deny")
    limit = await try_draft_rule(team.ada, {"rule": "rm -rf /"}, "rm -rf /")
    assert (limit["covers"], limit["then"]["decision"]) == (False, "deny")
    assert await team.ada.rules() == []


@requirement("B9")
async def test_a_draft_that_covers_a_call_may_still_be_overruled(team: Team) -> None:
    await create_rule(team.admin, "make:*", effect="ask", locked=True)
    result = await try_draft_rule(team.ada, "make test", "make test")
    assert (result["covers"], result["now"]["decision"], result["then"]["decision"]) == (True, "ask", "ask")
    assert result["then"]["rules"] == ["bash(make:*)"]


@requirement("B9")
async def test_the_trial_of_an_invalid_draft_returns_its_errors(team: Team) -> None:
    result = await try_draft_rule(team.ada, "bash(make 'test)", "make test")
    assert (result["rule"], result["covers"], result["now"]["decision"]) == (None, None, "ask")
    assert [(problem["path"], problem["code"]) for problem in result["problems"]] == [
        ("rule", "invalid_rule")
    ]
    unknown = await try_draft_rule(team.ada, {"rule": "make", "agent": "agt_nobody"})
    assert [problem["code"] for problem in unknown["problems"]] == ["unknown_agent"]
    german = await team.ada.http.post(
        "/v1/rules/try", json={"rule": {"rule": "make", "agent": "agt_x"}}, headers={"Accept-Language": "de"}
    )
    assert german.json()["problems"][0]["message"].startswith("Es gibt keinen Agenten")


async def test_a_trial_without_a_draft_returns_the_current_decision(team: Team) -> None:
    result = await try_draft_rule(team.ada, None, "git status")
    assert (result["now"]["decision"], result["then"], result["covers"]) == ("allow", None, None)
    for body in ({}, {"rule": None, "call": None}):
        refusal = await team.ada.http.post("/v1/rules/try", json=body)
        assert (refusal.status_code, faults(refusal)) == (422, [("rule", "missing_required")])


async def test_a_rule_draft_for_a_thread_is_tried_only_by_people_who_may_view_it(
    team: Team, thread: str
) -> None:
    await team.agent.bash(thread, "make test")
    access = {"owner": "nobody", "people": {}, "others": "none"}
    await team.admin.http.put(f"/v1/threads/{thread}/access", json=access)
    body = {"thread_id": thread, "call": {"input": {"command": "make test"}}}
    assert (await team.ada.http.post("/v1/rules/try", json=body)).status_code == 404
    assert (await team.admin.http.post("/v1/rules/try", json=body)).status_code == 200


@requirement("B9")
async def test_a_draft_lists_the_calls_that_it_would_have_decided_otherwise(team: Team, thread: str) -> None:
    first_request = request_of(await team.agent.bash(thread, "make test"))
    await team.ada.decide(first_request["id"], "approve")
    request_of(await team.agent.bash(thread, "make clean"))
    await team.agent.bash(thread, "git status")
    await team.agent.plan(thread, "Make all things new.")
    second_request = request_of(await team.agent.bash(thread, "make test; git status"))
    result = await preview_draft_rule(team.ada, "make test")
    assert [(call["request_id"], call["decision"], call["now"], call["then"]) for call in result] == [
        (second_request["id"], None, "ask", "allow"),
        (first_request["id"], "approve", "ask", "allow"),
    ]
    assert (result[1]["headline"], result[1]["tool"], result[1]["thread_id"]) == (
        "Run: make test",
        "bash",
        thread,
    )
    assert result[1]["agent"]["name"]
    assert [call["headline"] for call in await preview_draft_rule(team.ada, "git status", effect="deny")] == [
        "Run: make test; git status",
        "Run: git status",
    ]
    assert await preview_draft_rule(team.ada, "make test", scope="project", project="web") == []
    assert await preview_draft_rule(team.ada, "make test", scope="thread", thread_id="another") == []
    await create_rule(team.ada, "make test")
    assert await preview_draft_rule(team.ada, "make test") == []


@requirement("B9")
async def test_a_page_of_calls_says_how_far_back_it_has_looked(team: Team, thread: str) -> None:
    for n in range(203):
        await team.agent.bash(thread, f"git log -{n}")
    reply = await team.ada.http.post(
        "/v1/rules/preview", json={"rule": {"rule": "git log:*", "effect": "ask"}}
    )
    page = reply.json()
    assert (page["checked"], len(page["calls"]), page["next_cursor"] is not None) == (200, 200, True)
    assert page["since"] < page["checked_to"] <= page["calls"][-1]["created_at"]
    body = {"rule": {"rule": "git log:*", "effect": "ask"}, "cursor": page["next_cursor"]}
    remaining_body = (await team.ada.http.post("/v1/rules/preview", json=body)).json()
    assert (remaining_body["checked"], remaining_body["next_cursor"], remaining_body["checked_to"]) == (
        3,
        None,
        remaining_body["since"],
    )


async def test_a_bad_draft_has_no_preview(team: Team) -> None:
    refusal = await team.ada.http.post("/v1/rules/preview", json={"rule": {"rule": "bash(*)"}})
    assert (refusal.status_code, faults(refusal)) == (422, [("rule.rule", "invalid_rule")])


# Files


@requirement("B11")
async def test_an_export_is_imported_once(team: Team, thread: str) -> None:
    terms: list[dict[str, Any]] = [
        {"rule": "make test", "why": "it is safe"},
        {"rule": "git push:*", "effect": "ask", "locked": True},
        {"rule": "curl:*", "effect": "deny", "scope": "project", "project": "web"},
        {"rule": "make docs", "scope": "thread", "thread_id": thread, "expires_in_s": 3600},
        {"rule": "python3 build.py", "script_may_change": True},
        {"rule": "make shadow", "shadow": True},
    ]
    for term in terms:
        await create_rule(team.admin, **term)
    file = (await team.admin.http.get("/v1/rules/export")).json()
    assert [row["rule"] for row in file["rules"]] == [
        "bash(make test)", "bash(git push:*)", "bash(curl:*)", "bash(make docs)",
        "bash(python3 build.py)", "bash(make shadow)",
    ]  # fmt: skip
    second_body = (await team.admin.http.post("/v1/rules/import", json=file)).json()
    assert (second_body["added"], second_body["known"], second_body["refused"]) == (0, 6, 0)
    for rule in await team.admin.rules():
        await team.admin.http.delete(f"/v1/rules/{rule['id']}")
    checked_body = (await team.admin.http.post("/v1/rules/import", json={**file, "dry_run": True})).json()
    assert (checked_body["added"], checked_body["known"], await team.admin.rules()) == (6, 0, [])
    assert all(row["id"] is None for row in checked_body["rows"])
    added_body = (await team.admin.http.post("/v1/rules/import", json=file)).json()
    assert [row["outcome"] for row in added_body["rows"]] == ["added"] * 6
    assert (await team.admin.http.get("/v1/rules/export")).json()["rules"] == file["rules"]
    entries = (await team.admin.http.get("/v1/audit")).json()["entries"]
    assert [entry["action"] for entry in entries].count("rule.add") == 12


@requirement("B11")
async def test_an_import_with_a_refused_row_stores_nothing_and_names_every_row(team: Team) -> None:
    rows: list[Any] = [
        {"rule": "make test"},
        {"rule": "bash(*)"},
        {"rule": "make docs", "effect": "maybe"},
        {"rule": "make docs", "agent": "agt_gone", "agent_name": "nobody"},
        {"rule": "make docs", "expires_at": "2020-01-01T00:00:00Z"},
        7,
        {"rule": "make test"},
    ]
    problems = [
        ("rules[1].rule", "invalid_rule"),
        ("rules[2].effect", "unknown_value"),
        ("rules[3].agent", "unknown_agent"),
        ("rules[4].expires_at", "past_rule"),
        ("rules[5]", "wrong_type"),
    ]
    checked_body = (
        await team.admin.http.post("/v1/rules/import", json={"rules": rows, "dry_run": True})
    ).json()
    assert (checked_body["added"], checked_body["known"], checked_body["refused"]) == (1, 1, 5)
    assert [
        (problem["path"], problem["code"]) for row in checked_body["rows"] for problem in row["problems"]
    ] == problems
    refusal = await team.admin.http.post("/v1/rules/import", json={"rules": rows})
    assert (refusal.status_code, faults(refusal)) == (422, problems)
    assert await team.admin.rules() == []
    for rubbish in ({"rules": "all"}, {"rules": [None] * 1_001}, [], None):
        assert (await team.admin.http.post("/v1/rules/import", json=rubbish)).status_code == 422


@requirement("B11")
async def test_an_agent_of_another_server_is_found_by_its_name(team: Team) -> None:
    made_agent = (await team.admin.http.post("/v1/agents", json={"name": "scaffolder"})).json()
    row = {"rule": "make test", "agent": "agt_elsewhere", "agent_name": "scaffolder"}
    await team.admin.http.post("/v1/rules/import", json={"rules": [row]})
    [rule] = await team.admin.rules()
    assert (rule["agent"], rule["agent_name"]) == (made_agent["id"], "scaffolder")
    await team.admin.http.post("/v1/agents", json={"name": "scaffolder"})
    ambiguous = await team.admin.http.post("/v1/rules/import", json={"rules": [{**row, "rule": "make x"}]})
    assert faults(ambiguous) == [("rules[0].agent", "unknown_agent")]


async def test_an_export_has_no_rule_of_a_hidden_thread(team: Team, thread: str) -> None:
    await team.agent.bash(thread, "make test")
    await create_rule(team.admin, "make docs", scope="thread", thread_id=thread)
    access = {"owner": "nobody", "people": {}, "others": "none"}
    await team.admin.http.put(f"/v1/threads/{thread}/access", json=access)
    assert json.loads((await team.ada.http.get("/v1/rules/export")).text)["rules"] == []
    assert len((await team.admin.http.get("/v1/rules/export")).json()["rules"]) == 1
