"""Group B: the rule of a decision, its scope, and its end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from askback.domain.modeltext import model_text
from askback.domain.request import InputRequest
from tests.journeys.conftest import KillableServer
from tests.journeys.people import Person, Team, decision_of_reply, faults, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


async def store_rule(team: Team, thread: str, command: str, scope: str, **extra: Any) -> dict[str, Any]:
    """Approve a command and store the rule; returns the settled request."""
    scopes = ["once", "thread", "project", "always"]
    request = request_of(await team.agent.bash(thread, command, scopes=scopes, project="web"))
    reply = await team.ada.decide(request["id"], "approve", scope=scope, **extra)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def verdicts(agent: Person, thread: str, *commands: str, **extra: Any) -> list[str]:
    """The policy's decisions about some commands."""
    return [decision_of_reply(await agent.bash(thread, command, **extra))[0] for command in commands]


@requirement("B9")
async def test_always_stores_the_exact_words_that_were_shown(team: Team, thread: str) -> None:
    kept_rule = await store_rule(team, thread, "make  test", "always")
    assert kept_rule["approval"]["rule"] == kept_rule["answer"]["rule"]["text"] == "bash(make test)"
    [rule] = await team.ada.rules()
    assert (rule["id"], rule["rule"], rule["effect"], rule["scope"]) == (
        kept_rule["answer"]["rule"]["id"],
        "bash(make test)",
        "allow",
        "always",
    )
    allowed = (await team.agent.bash("another", "make test")).json()
    assert (allowed["source"], allowed["answer"]["policy_rule"]) == ("policy", "bash(make test)")
    other_cases = ("make clean", "make test x", "make test && x", "make test; x", "make", "./make test")
    assert await verdicts(team.agent, "another", *other_cases) == ["ask"] * len(other_cases)


@requirement("B9")
async def test_a_rule_can_be_edited_before_storing_if_it_still_covers_the_call(
    team: Team, thread: str
) -> None:
    request = request_of(await team.agent.bash(thread, "make test"))
    for wrong_value in ("bash(make clean)", "bash(*)", "make test && x", "bash", "tool:bash", "make 'test"):
        refused_reply = await team.ada.decide(request["id"], "approve", scope="always", rule=wrong_value)
        assert [path for path, _ in faults(refused_reply)] == ["rule"], wrong_value
    assert await team.ada.rules() == []
    assert (await team.ada.get(request["id"]))["status"] == "pending"
    await team.ada.decide(request["id"], "approve", scope="always", rule="bash(make test:*)")
    result = await verdicts(team.agent, thread, "make test", "make test -k", "make clean", "make test; x")
    assert result == ["approve", "approve", "ask", "ask"]


@requirement("B9")
@pytest.mark.parametrize(
    "command",
    ["ls | sh", "echo $x", "eval 'x'", "xargs make", "rm *", "python3", "LD_PRELOAD=x make"],
)
async def test_no_rule_can_be_stored_for_a_call_that_can_change_its_meaning(
    team: Team, thread: str, command: str
) -> None:
    request = request_of(await team.agent.bash(thread, command))
    assert request["approval"]["scopes"] == ["once"]
    assert "rule" not in request["approval"]
    assert (await team.ada.decide(request["id"], "approve", scope="always")).status_code in {403, 422}
    assert (await team.ada.decide(request["id"], "approve")).json()["answer"]["scope"] == "once"
    assert await team.ada.rules() == []


@requirement("B10")
async def test_always_on_a_file_tool_covers_the_path_and_can_be_widened_to_a_folder(
    team: Team, thread: str
) -> None:
    async def write_decision(path: str) -> str:
        call = {"path": path, "content": "x"}
        return decision_of_reply(await team.agent.approve(thread, "write_file", call))[0]

    call = {"path": "src/a.py", "content": "y"}
    request = request_of(await team.agent.approve(thread, "write_file", call))
    assert request["approval"]["rule"] == "write_file(path=src/a.py)"
    await team.ada.decide(request["id"], "approve", scope="always")
    assert [await write_decision("src/a.py"), await write_decision("src/b.py")] == ["approve", "ask"]
    second_request = request_of(
        await team.agent.approve(thread, "write_file", {"path": "src/c.py", "content": "y"})
    )
    await team.ada.decide(second_request["id"], "approve", scope="always", rule="write_file(path=src/**)")
    findings = [
        await write_decision(path)
        for path in ("src/b.py", "src/x/y.py", "/etc/a", "src/../../etc/a", "srcs/a")
    ]
    assert findings == ["approve", "approve", "ask", "ask", "ask"]


@requirement("B8", "B11")
@pytest.mark.parametrize(
    ("scope", "same_thread", "same_project", "other_project"),
    [
        ("once", "ask", "ask", "ask"),
        ("thread", "approve", "ask", "ask"),
        ("project", "approve", "approve", "ask"),
        ("always", "approve", "approve", "approve"),
    ],
)
async def test_a_decision_reaches_as_far_as_its_scope(
    team: Team, thread: str, scope: str, same_thread: str, same_project: str, other_project: str
) -> None:
    await store_rule(team, thread, "make test", scope)
    agent = team.agent
    assert await verdicts(agent, thread, "make test", project="web") == [same_thread]
    assert await verdicts(agent, "t2", "make test", project="web") == [same_project]
    assert await verdicts(agent, "t3", "make test", project="shop") == [other_project]
    assert await verdicts(agent, "t4", "make test") == [other_project]


@requirement("B9", "B11")
async def test_always_covers_the_same_command_after_a_restart_and_no_similar_one(
    killable_server: KillableServer, thread: str
) -> None:
    async with killable_server.team() as team:
        await store_rule(team, thread, "make test", "always")
        await store_rule(team, thread, "make docs", "thread")
        await killable_server.dies_and_returns()
        slightly = ("make test2", "make test -k", "make test && x", "make Test", "make docs")
        assert await verdicts(team.agent, "t2", "make test", *slightly) == ["approve", *["ask"] * 5]
        assert await verdicts(team.agent, thread, "make docs", "make docs2") == ["approve", "ask"]
        newest, oldest = await team.ada.rules()
        assert (newest["scope"], newest["thread_id"], oldest["scope"]) == ("thread", thread, "always")


@requirement("B11")
async def test_a_rule_has_its_author_time_and_reason_until_it_is_revoked(team: Team, thread: str) -> None:
    reply = await team.ada.rule("make test", why="it only tests")
    assert reply.status_code == 201
    rule = reply.json()
    assert (rule["why"], rule["created_by"]["name"], rule["rule"]) == (
        "it only tests",
        "ada",
        "bash(make test)",
    )
    assert rule["created_at"]
    assert await verdicts(team.agent, thread, "make test") == ["approve"]
    ended_reply = await team.bob.revoke(rule["id"])
    assert (ended_reply.status_code, ended_reply.json()["revoked_by"]["name"]) == (200, "bob")
    assert await verdicts(team.agent, thread, "make test") == ["ask"]
    assert await team.ada.rules() == []
    assert [item["id"] for item in await team.ada.rules(ended="true")] == [rule["id"]]


@requirement("B11")
async def test_a_rule_is_revoked_once_and_an_unknown_one_is_not_found(team: Team) -> None:
    rule = (await team.ada.rule("make test")).json()
    replies = await asyncio.gather(
        *(person.revoke(rule["id"]) for person in (team.ada, team.bob) for _ in range(5))
    )
    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.text for reply in replies}) == 1
    log = (await team.admin.http.get("/v1/audit")).json()["entries"]
    assert [entry["action"] for entry in log].count("rule.revoke") == 1
    assert refusal(await team.ada.revoke("rul_nothing")) == (404, "not_found")


@requirement("B11")
async def test_adding_the_same_rule_again_returns_the_existing_one(team: Team, thread: str) -> None:
    first_rule = (await team.ada.rule("make test")).json()
    assert (await team.bob.rule("make  test")).json() == first_rule
    other_rule = (await team.ada.rule("make test", scope="thread", thread_id=thread)).json()
    await team.ada.revoke(first_rule["id"])
    second_rule = (await team.ada.rule("make test")).json()
    assert len({first_rule["id"], other_rule["id"], second_rule["id"]}) == 3


@requirement("B11")
async def test_rules_are_listed_newest_first_in_pages_and_by_thread_and_project(
    team: Team, thread: str
) -> None:
    requests = [(await team.ada.rule(f"make step{n}")).json()["id"] for n in range(5)]
    await team.ada.rule("make test", scope="thread", thread_id=thread)
    await team.ada.rule("make test", scope="project", project="web")
    assert [rule["scope"] for rule in await team.ada.rules(thread_id=thread)] == ["thread"]
    assert [rule["scope"] for rule in await team.ada.rules(project="web")] == ["project"]
    seen_items: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(4):
        page = (await team.ada.http.get("/v1/rules", params={"limit": 2, **cursor})).json()
        seen_items += [rule["id"] for rule in page["rules"]]
        cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else {}
    assert seen_items[2:] == requests[::-1]
    assert cursor == {}


@requirement("B11", "I12")
async def test_a_rule_reaches_no_other_tenant(server: Any, team: Team, thread: str) -> None:
    await team.admin.rule("ls:*", "deny")
    async with server.person("requester") as stranger:
        assert await verdicts(stranger, thread, "ls") == ["approve"]


@requirement("B11")
async def test_a_stored_rule_names_its_request(team: Team, thread: str) -> None:
    kept_rule = await store_rule(team, thread, "make test", "always")
    [rule] = await team.ada.rules()
    assert (rule["request_id"], rule["created_by"]["name"]) == (kept_rule["id"], "ada")


@requirement("B11")
async def test_a_rule_ends_when_its_time_is_over(team: Team, thread: str) -> None:
    assert (await team.ada.rule("make test", expires_in_s=1)).status_code == 201
    assert await verdicts(team.agent, thread, "make test") == ["approve"]
    await team.agent.lets_pass(1)
    assert await verdicts(team.agent, thread, "make test") == ["ask"]
    assert await team.ada.rules() == []


@requirement("B12")
async def test_a_locked_rule_asks_each_time_and_always_cannot_loosen_it(team: Team, thread: str) -> None:
    open_before = request_of(await team.agent.bash(thread, "git push origin main"))
    assert refusal(await team.ada.rule("git push:*", "ask", locked=True)) == (403, "forbidden")
    locked = (await team.admin.rule("git push:*", "ask", locked=True)).json()
    shown_request = request_of(await team.agent.bash(thread, "git push"))
    assert shown_request["approval"]["locked"] is True
    assert shown_request["approval"]["scopes"] == ["once"]
    for request in (shown_request, open_before):
        for scope in ("always", "thread"):
            refused_reply = await team.ada.decide(request["id"], "approve", scope=scope)
            assert refused_reply.status_code in {403, 422}, (request["id"], scope)
        assert refusal(await team.ada.decide(request["id"], "approve", scope="always")) == (403, "locked")
    assert (await team.ada.decide(shown_request["id"], "approve")).json()["answer"]["scope"] == "once"
    assert await verdicts(team.agent, thread, "git push") == ["ask"]
    await team.ada.rule("git push")
    assert await verdicts(team.agent, thread, "git push") == ["ask"]
    assert (await team.ada.revoke(locked["id"])).status_code == 403
    assert (await team.admin.revoke(locked["id"])).status_code == 200
    assert await verdicts(team.agent, thread, "git push") == ["approve"]


@requirement("B17", "B18")
async def test_a_call_that_was_refused_is_not_asked_again_in_this_thread(team: Team, thread: str) -> None:
    request = request_of(await team.agent.bash(thread, "make deploy"))
    await team.ada.decide(request["id"], "deny", note="not on a Friday")
    second_reply = await team.agent.bash(thread, "make deploy")
    assert second_reply.status_code == 200
    repeated = second_reply.json()
    assert (repeated["id"], repeated["repeated"]) == (request["id"], True)
    text = model_text(InputRequest.model_validate(repeated))
    assert "already denied" in text
    assert "not on a Friday" in text
    snapshot = (await team.ada.http.get(f"/v1/threads/{thread}")).json()
    assert (len(snapshot["requests"]), snapshot["seq"]) == (1, 2)
    assert await verdicts(team.agent, thread, "make deploy2") == ["ask"]
    assert await verdicts(team.agent, "another", "make deploy") == ["ask"]


@requirement("B17")
@pytest.mark.parametrize(("reason", "status"), [("refused", 200), ("dismissed", 201)])
async def test_a_dismissed_call_is_asked_again_and_a_refused_one_is_not(
    team: Team, thread: str, reason: str, status: int
) -> None:
    request = request_of(await team.agent.bash(thread, "make deploy"))
    await team.ada.decline(request["id"], reason)
    second_reply = await team.agent.bash(thread, "make deploy")
    assert second_reply.status_code == status
    assert (second_reply.json()["id"] == request["id"]) is (reason == "refused")


@requirement("B17", "B11")
async def test_a_later_rule_of_a_person_overrides_a_refusal(team: Team, thread: str) -> None:
    request = request_of(await team.agent.bash(thread, "make deploy"))
    await team.ada.decide(request["id"], "deny")
    await team.ada.rule("make deploy")
    assert await verdicts(team.agent, thread, "make deploy") == ["approve"]


@requirement("B17")
async def test_a_refusal_is_remembered_over_a_restart(killable_server: KillableServer, thread: str) -> None:
    async with killable_server.team() as team:
        request = request_of(await team.agent.bash(thread, "make deploy"))
        await team.ada.decide(request["id"], "deny")
        await killable_server.dies_and_returns()
        second_reply = await team.agent.bash(thread, "make deploy")
        assert (second_reply.status_code, second_reply.json()["id"]) == (200, request["id"])


@requirement("B17")
async def test_a_loop_of_repeated_calls_is_refused_without_a_card(team: Team, thread: str) -> None:
    request = request_of(await team.agent.bash(thread, "make deploy"))
    await team.ada.decide(request["id"], "deny")
    replies = await asyncio.gather(*(team.agent.bash(thread, "make deploy") for _ in range(20)))
    assert {(reply.status_code, reply.json()["id"]) for reply in replies} == {(200, request["id"])}
    assert await team.ada.pending(thread) == []


@requirement("B9", "B11")
@pytest.mark.parametrize(
    "body",
    [
        {"rule": ""},
        {"rule": "bash(*)"},
        {"rule": "git 'x"},
        {"rule": "x" * 3000},
        {"rule": "make", "effect": "maybe"},
        {"rule": "make", "scope": "once"},
        {"rule": "make", "scope": "thread"},
        {"rule": "make", "expires_in_s": 0},
        {"rule": "make", "expires_in_s": -5},
        {"rule": "make", "why": "a\u202eb"},
        {"rule": "make", "colour": "red"},
        {"rule": 5},
        {},
    ],
)
async def test_an_invalid_rule_is_refused_with_its_path(team: Team, body: dict[str, Any]) -> None:
    refused_reply = await team.admin.http.post("/v1/rules", json=body)
    assert all(
        path in {"rule", "effect", "scope", "thread_id", "expires_in_s", "why", "colour"}
        for path, _ in faults(refused_reply)
    )
    assert await team.ada.rules(ended="true") == []


@requirement("N12")
@pytest.mark.parametrize(
    "command",
    [
        "npm test 2>&1 | tail -20",
        "cd web && npm test",
        "FOO=1 make test",
        'git add -A && git commit -m "fix"',
        "make a\nmake b",
    ],
)
async def test_always_exactly_this_runs_once_more_unasked_and_one_character_more_is_asked(
    team: Team, thread: str, command: str
) -> None:
    call = {"command": command, "cwd": "/srv/shop", "description": "Build", "timeout": 9}
    request = request_of(await team.agent.approve(thread, "Bash", call))
    assert (await team.ada.decide(request["id"], "approve", scope="always")).status_code == 200
    second_request = (await team.agent.approve("another", "Bash", {**call, "description": "Again"})).json()
    assert (second_request["source"], second_request["answer"]["policy_rule"]) == (
        "policy",
        request["approval"]["rule"],
    )
    other_cases = ({"command": f"{command}x"}, {"cwd": "/srv"}, {"run_in_background": True}, {"cwd": None})
    for other in other_cases:
        request_of(await team.agent.approve("another", "Bash", {**call, **other}))


@requirement("N12")
async def test_always_keeps_the_folder_that_the_adapter_says(team: Team, thread: str) -> None:
    request = request_of(await team.agent.bash(thread, "make test", cwd="/srv/shop"))
    kept_request_text = (await team.ada.decide(request["id"], "approve", scope="always")).json()["answer"][
        "rule"
    ]["text"]
    assert kept_request_text == request["approval"]["rule"] == "bash(make test) in /srv/shop"
    assert await verdicts(team.agent, thread, "make test", cwd="/srv/shop") == ["approve"]
    for other_folder in ({"cwd": "/srv"}, {"cwd": "/srv/shop/web"}, {}):
        request_of(await team.agent.bash(thread, "make test", **other_folder))


@requirement("N12")
async def test_never_allow_keeps_a_rule_that_denies(team: Team, thread: str) -> None:
    request = request_of(await team.agent.bash(thread, "make publish | tee log"))
    reply = (await team.ada.decide(request["id"], "deny", scope="always")).json()
    assert reply["answer"]["rule"]["text"] == "bash(make publish | tee log)"
    assert [(rule["effect"], rule["scope"]) for rule in await team.ada.rules()] == [("deny", "always")]
    second_request = (await team.agent.bash("another", "make publish  | tee log")).json()
    assert (second_request["source"], second_request["answer"]["decision"]) == ("policy", "deny")
