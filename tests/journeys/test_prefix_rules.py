"""Prefix rules: which are accepted, what they cover, and who may allow a program with any arguments."""

from __future__ import annotations

import pytest

from askback.domain.policy.suggestions import prefix_rule_fault
from tests.journeys.people import Team, decision_of_reply, faults, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

NEVER = (
    "sh -c:*", "env:*", "sudo:*", "cd:*", "unknown:*", "./deploy.sh:*", "docker run:*", "ssh build:*", "psql:*",
    "git bisect run:*", "git push --force:*", "rm -rf:*", "python3 -c:*", "find . -delete:*",
)  # fmt: skip


@requirement("N10")
async def test_a_prefix_rule_that_allows_nothing_is_refused_with_an_alternative(
    team: Team, thread: str
) -> None:
    for text in NEVER:
        reply = await team.admin.rule(text)
        assert faults(reply) == [("rule", "invalid_rule")], text
        assert f"`{text.removesuffix(':*')}:!*`" in reply.text, text
        assert (await team.admin.rule(text, "deny")).status_code == 201, text
        assert prefix_rule_fault(f"bash({text})", "allow"), text
    assert [rule["effect"] for rule in await team.ada.rules()] == ["deny"] * len(NEVER)


@requirement("N10")
async def test_any_arguments_take_an_admin_and_are_in_the_audit_log(team: Team, thread: str) -> None:
    text = "bash(deploy:!*)"
    assert refusal(await team.ada.rule("deploy:!*")) == (403, "forbidden")
    assert refusal(await team.ada.rule("deploy:!*", scope="thread", thread_id=thread)) == (403, "forbidden")
    assert [path for path, _ in faults(await team.admin.rule("deploy:!*", "deny"))] == ["rule"]
    reply = await team.admin.rule("deploy:!*")
    assert (reply.status_code, reply.json()["rule"]) == (201, text)
    log = (await team.admin.http.get("/v1/audit")).json()["entries"]
    assert text in [entry.get("rule") for entry in log if entry["action"] == "rule.add"]
    assert decision_of_reply(await team.agent.bash(thread, "deploy prod --now")) == ("approve", "policy")
    assert decision_of_reply(await team.agent.bash(thread, "deploy .env"))[0] == "ask"


@requirement("N10")
async def test_the_card_says_that_a_command_runs_code_of_the_project(team: Team, thread: str) -> None:
    assert request_of(await team.agent.bash(thread, "npm test && ls"))["id"]
    assert request_of(await team.agent.bash(thread, "mkdir x"))["id"]
    runs = {
        item["approval"]["input"]["command"]: item["approval"].get("runs_project")
        for item in await team.ada.pending(thread)
    }
    assert runs == {"npm test && ls": True, "mkdir x": None}


@requirement("N10")
async def test_a_decision_keeps_no_rule_for_any_arguments(team: Team, thread: str) -> None:
    request = request_of(await team.agent.bash(thread, "deploy prod"))
    for text in ("bash(deploy:!*)", "bash(deploy:*)"):
        reply = await team.admin.decide(request["id"], "approve", scope="always", rule=text)
        assert [path for path, _ in faults(reply)] == ["rule"], text
    assert await team.ada.rules() == []
