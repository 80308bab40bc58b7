"""Group B: the matcher and the server decide alike about every command of the corpus."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

import pytest

from tests.journeys.people import Person, Team
from tests.requirements import requirement
from tests.vectors.cases import VECTORS

pytestmark = pytest.mark.anyio

DOCUMENT = json.loads((VECTORS / "commands.json").read_text("utf-8"))


def expanded(value: Any) -> Any:
    """Write out a text that the corpus gives as a repetition."""
    return value["$repeat"][0] * value["$repeat"][1] if isinstance(value, dict) else value


async def server_decision(agent: Person, case: dict[str, Any]) -> str:
    """The server's decision about a command, each in a separate thread."""
    call = {key: expanded(value) for key, value in case["call"].items()}
    reply = await agent.approve(case["id"], "bash", call)
    if reply.status_code != 201:
        return f"{reply.status_code}"
    request = reply.json()
    if request["status"] == "pending":
        return "ask" if request["approval"]["reasons"] else "asked without a reason"
    return "allow" if request["answer"]["decision"] == "approve" else "deny"


@requirement("B4", "B5", "B6", "B7")
@pytest.mark.parametrize("name", DOCUMENT["rules"])
async def test_the_corpus_gets_on_the_wire_the_verdicts_that_are_written_down(team: Team, name: str) -> None:
    rules = DOCUMENT["rules"][name]
    assert (await team.admin.set_policy(lists=[rules.get("list", "none")])).status_code == 200
    for effect in ("allow", "deny"):
        for text in rules.get(effect, []):
            # A prefix rule that can allow nothing is refused on creation, and never allows anything.
            reply = await team.admin.rule(text, effect, script_may_change=effect == "allow")
            assert reply.status_code in {201, 422}
    cases = [case for case in DOCUMENT["cases"] if case["rules"] == name]
    wrong: list[tuple[str, Any, str]] = []
    for start in range(0, len(cases), 20):
        case_batch = cases[start : start + 20]
        result = await asyncio.gather(*(server_decision(team.agent, case) for case in case_batch))
        wrong += [
            (case["id"], case["expect"], verdict)
            for case, verdict in zip(case_batch, result, strict=True)
            if verdict != case["expect"]
        ]
    assert wrong == []
    assert Counter(case["expect"] for case in cases)["ask"] > 0


@requirement("B5")
@pytest.mark.parametrize(
    "command", ["echo 'x", "cat <<E\nx", "ls \x00", "ls (", "$(", "a" * 100_000, "(" * 500]
)
async def test_a_command_that_cannot_be_parsed_is_asked(team: Team, thread: str, command: str) -> None:
    reply = await team.agent.bash(thread, command)
    assert reply.json()["status"] == "pending"
    assert reply.json()["approval"]["reasons"]
    assert reply.json()["approval"]["scopes"] == ["once"]


@requirement("B6")
async def test_a_rule_is_about_words_and_programs_and_not_about_their_spelling(
    team: Team, thread: str
) -> None:
    await team.ada.rule("git status")
    await team.ada.rule("make:*")
    await team.ada.rule("rm:*", "deny")
    calls = {
        "git  status": "approve",
        "'git' \"status\"": "approve",
        "git status; x": "ask",
        "make -s": "approve",
        "git push -s": "ask",
        "./make": "ask",
        "/tmp/git status": "ask",
        "/bin/rm x": "deny",
        "r\\m x": "deny",
        "ls && rm x": "deny",
    }
    findings = {}
    for command in calls:
        request = (await team.agent.bash(thread, command)).json()
        findings[command] = "ask" if request["status"] == "pending" else request["answer"]["decision"]
    assert findings == calls


@requirement("B4")
async def test_an_argument_vector_needs_no_shell_and_has_none_of_its_traps(team: Team, thread: str) -> None:
    await team.ada.rule("git log:*")
    vectors = {
        ("git", "log", "--oneline"): "answered",
        ("git", "log;", "x"): "pending",
        ("sh", "-c", "ls; x"): "pending",
    }
    vectors |= {("git", "log", "$(x)"): "answered", ("git", "log", "--output=x"): "pending"}
    result = {
        argv: (await team.agent.approve(thread, "bash", {"argv": list(argv)})).json()["status"]
        for argv in vectors
    }
    assert result == vectors
