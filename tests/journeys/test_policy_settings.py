"""Group B: levels, ask modes, lists and modes, set by an admin or a person, and their effect on calls."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.journeys.conftest import KillableServer
from tests.journeys.people import Person, Team, decision_of_reply, faults, refusal
from tests.requirements import requirement
from tests.vectors.cases import VECTORS

pytestmark = pytest.mark.anyio

CELLS: list[dict[str, Any]] = json.loads((VECTORS / "policy.json").read_text("utf-8"))["table"]
OURS = [cell for cell in CELLS if cell["compat"] is None]
NEBOS = [cell for cell in CELLS if cell["compat"] == "nebo"]
COMMANDS = {
    (True, False): "make listed",
    (True, True): "rm -rf listed",
    (False, False): "make unlisted",
    (False, True): "rm -rf unlisted",
}
"""A call for each column of the table: (listed, dangerous)."""
HELLO = {"content": [{"type": "text", "text": "Hello."}]}
FULL_CONFIRMATION = {"confirm": "ENABLE FULL"}


async def verdict(agent: Person, thread: str, command: str) -> str:
    """The policy's decision about a command: allow, deny or ask."""
    found, _ = decision_of_reply(await agent.bash(thread, command))
    return "allow" if found == "approve" else found


@requirement("B1", "B2")
async def test_each_cell_of_the_table_applies_over_the_api(team: Team) -> None:
    for command in (COMMANDS[True, False], COMMANDS[True, True]):
        assert (await team.admin.rule(command)).status_code == 201
    findings: dict[str, str] = {}
    for cell in OURS:
        await team.admin.set_policy(level=cell["level"], ask_mode=cell["ask_mode"], **FULL_CONFIRMATION)
        command = COMMANDS[cell["listed"], cell["dangerous"]]
        findings[cell["id"]] = await verdict(team.agent, cell["id"], command)
    assert len(findings) == 36
    assert findings == {cell["id"]: cell["expect"] for cell in OURS}


@requirement("B1", "B2")
@pytest.mark.parametrize("table_settings", [{"table": "nebo"}, {"lists": ["nebo"]}])
async def test_the_table_of_nebo_applies_over_the_api_when_selected(
    team: Team, table_settings: dict[str, Any]
) -> None:
    for command in (COMMANDS[True, False], COMMANDS[True, True]):
        assert (await team.admin.rule(command)).status_code == 201
    findings: dict[str, str] = {}
    for cell in NEBOS:
        settings = {
            "level": cell["level"],
            "ask_mode": cell["ask_mode"],
            **table_settings,
            **FULL_CONFIRMATION,
        }
        assert (await team.admin.set_policy(**settings)).json()["table"] == "nebo"
        command = COMMANDS[cell["listed"], cell["dangerous"]]
        findings[cell["id"]] = await verdict(team.agent, cell["id"], command)
    assert findings == {cell["id"]: cell["expect"] for cell in NEBOS}
    assert await verdict(team.agent, "limit", "rm -rf /") == "deny"


@requirement("B22")
async def test_the_never_ask_setting_of_nebo_needs_a_typed_confirmation_in_any_order(
    team: Team,
) -> None:
    for first, last in (
        ({"ask_mode": "off"}, {"table": "nebo"}),
        ({"table": "nebo"}, {"ask_mode": "off"}),
        ({"ask_mode": "off"}, {"lists": ["nebo"]}),
        ({"level": "deny", "ask_mode": "off", "table": "nebo"}, {"level": "allowlist"}),
    ):
        await team.admin.set_policy(level=None, ask_mode=None, table=None, lists=None)
        assert (await team.admin.set_policy(**first)).status_code == 200
        assert refusal(await team.admin.set_policy(**last)) == (409, "confirmation_required")
        assert (await team.admin.set_policy(**last, **FULL_CONFIRMATION)).status_code == 200
        assert (await team.admin.set_policy(max_pending=9)).json()["table"] == "nebo"
    await team.admin.set_policy(table="askback")
    assert (await team.admin.set_policy(lists=["nebo"])).json()["table"] == "askback"


@requirement("B1")
async def test_at_the_level_deny_nothing_runs_and_nobody_is_asked(team: Team, thread: str) -> None:
    await team.admin.set_policy(level="deny")
    for command in ("ls", "make", "rm -rf build"):
        refused_request = (await team.agent.bash(thread, command)).json()
        assert (refused_request["status"], refused_request["source"]) == ("answered", "policy")
        assert refused_request["answer"]["decision"] == "deny"
        assert refused_request["answer"]["reasons"]
    assert await team.ada.pending(thread) == []


@requirement("B7")
async def test_deny_comes_before_ask_and_ask_before_allow(team: Team, thread: str) -> None:
    for effect in ("allow", "ask", "deny"):
        await team.ada.rule("make deploy", effect)
        await team.ada.rule("make test", effect if effect != "deny" else "ask")
    assert await verdict(team.agent, thread, "make deploy") == "deny"
    assert await verdict(team.agent, thread, "make test") == "ask"


@requirement("B7", "B22")
@pytest.mark.parametrize("settings", [{"level": "full"}, {"ask_mode": "off"}, {"mode": "full"}])
async def test_no_rule_level_or_mode_loosens_a_hard_limit(
    team: Team, thread: str, settings: dict[str, Any]
) -> None:
    await team.admin.set_policy(**settings, **FULL_CONFIRMATION)
    for rule in ("rm:*", "rm -rf /", "tee:*"):
        assert (await team.admin.rule(rule)).status_code == 201
    for command in (
        "rm -rf /",
        "rm -r -f / --no-preserve-root",
        "tee ~/.ssh/authorized_keys",
        ":(){ :|:& };:",
    ):
        assert await verdict(team.agent, thread, command) == "deny", command


@requirement("B21")
async def test_tools_that_read_are_allowed_by_pattern_and_others_are_asked(team: Team, thread: str) -> None:
    await team.ada.rule("mcp:fs:read_*")
    tools = {"mcp:fs:read_file": "approve", "mcp__fs__read_file": "approve", "mcp:fs:write_file": "ask"}
    tools |= {"mcp:fsx:read_file": "ask", "mcp:fs:unread_file": "ask", "Read": "approve", "ReadAll": "ask"}
    result = {
        tool: decision_of_reply(await team.agent.approve(thread, tool, {"n": "1"}))[0] for tool in tools
    }
    assert result == tools


@requirement("B21", "B29")
@pytest.mark.parametrize(
    "call",
    [
        {"file_path": "config/.env"},
        {"file_path": "src/../.ENV"},
        {"file_path": "~/.ssh/id_rsa"},
        {"file_path": "file:///srv/.netrc"},
        {"file_paths": ["a.py", ".env"]},
        {"file": {"path": ".aws/credentials"}},
    ],
)
async def test_a_tool_that_reads_is_asked_where_it_reaches_for_secrets(
    team: Team, thread: str, call: dict[str, Any]
) -> None:
    assert decision_of_reply(await team.agent.approve(thread, "Read", call)) == ("ask", "")


@requirement("B22")
@pytest.mark.parametrize(
    ("mode", "looks", "runs", "edits", "hides", "danger"),
    [
        ("plan", "allow", "deny", "deny", "deny", "deny"),
        ("normal", "allow", "ask", "ask", "ask", "ask"),
        ("accept_edits", "allow", "ask", "allow", "ask", "ask"),
        ("full", "allow", "allow", "allow", "ask", "ask"),
    ],
)
async def test_a_mode_allows_its_calls_only_in_its_thread(
    team: Team, thread: str, mode: str, looks: str, runs: str, edits: str, hides: str, danger: str
) -> None:
    agent = team.agent
    await agent.http.post(f"/v1/threads/{thread}/messages", json=HELLO)
    changed_reply = await team.ada.set_policy(
        thread_id=thread, mode=mode, **(FULL_CONFIRMATION if mode == "full" else {})
    )
    assert changed_reply.json()["mode"] == mode

    async def write_decision(path: str) -> str:
        call = {"path": path, "content": "x"}
        result = decision_of_reply(await agent.approve(thread, "write_file", call))[0]
        return "allow" if result == "approve" else result

    findings = [await verdict(agent, thread, command) for command in ("ls", "make", "rm -rf build")]
    assert findings == [looks, runs, danger]
    assert [await write_decision("src/a.py"), await write_decision(".git/hooks/pre-commit")] == [edits, hides]
    assert await verdict(agent, "another", "make") == "ask"


@requirement("B22")
@pytest.mark.parametrize("settings", [{"mode": "full"}, {"level": "full"}])
@pytest.mark.parametrize("confirm", [{}, {"confirm": None}, {"confirm": "yes"}, {"confirm": "enable full"}])
async def test_full_needs_the_typed_confirmation(
    team: Team, thread: str, settings: dict[str, Any], confirm: dict[str, Any]
) -> None:
    policy_before = await team.admin.policy()
    refused_reply = await team.admin.set_policy(**settings, **confirm)
    assert refusal(refused_reply) == (409, "confirmation_required")
    assert await team.admin.policy() == policy_before
    assert await verdict(team.agent, thread, "make") == "ask"


@requirement("B22", "B28")
async def test_switching_to_full_is_audited_with_the_person(team: Team, thread: str) -> None:
    tried_reply = await team.ada.set_policy(thread_id=thread, mode="full")
    assert refusal(tried_reply) == (409, "confirmation_required")
    assert (await team.ada.set_policy(thread_id=thread, mode="full", **FULL_CONFIRMATION)).status_code == 200
    entries, _ = await team.admin.audit()
    policy_entries = [entry for entry in entries if entry["action"] == "policy.set"]
    assert [(entry["actor"]["name"], entry["thread_id"]) for entry in policy_entries] == [("ada", thread)]
    assert "full" in json.dumps(policy_entries[0])


@requirement("B22")
async def test_only_an_admin_changes_global_settings_and_a_thread_has_only_a_mode(
    team: Team, thread: str
) -> None:
    policy_before = await team.admin.policy()
    for body in ({"mode": "accept_edits"}, {"level": "deny"}, {"lists": []}, {"shadow": {"level": "deny"}}):
        assert refusal(await team.ada.set_policy(**body)) == (403, "forbidden")
    for body in ({"level": "deny"}, {"ask_mode": "off"}, {"lists": []}, {"shadow": {"mode": "plan"}}):
        refused_reply = await team.admin.set_policy(thread_id=thread, **body)
        assert [path for path, _ in faults(refused_reply)] == list(body)
    assert await team.admin.policy() == policy_before


@requirement("B22")
@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"mode": "yolo"}, "mode"),
        ({"level": "none"}, "level"),
        ({"ask_mode": "sometimes"}, "ask_mode"),
        ({"lists": ["no-such-list"]}, "lists[0]"),
        ({"lists": "git"}, "lists"),
        ({"shadow": {"mode": "yolo"}}, "shadow.mode"),
        ({"shadow": {"lists": ["no-such-list"]}}, "shadow.lists[0]"),
        ({"colour": "red"}, "colour"),
    ],
)
async def test_an_unknown_setting_is_refused_and_changes_nothing(
    team: Team, body: dict[str, Any], path: str
) -> None:
    policy_before = await team.admin.policy()
    assert [fault for fault, _ in faults(await team.admin.set_policy(**body))] == [path]
    assert await team.admin.policy() == policy_before


@requirement("B22")
async def test_a_thread_returns_to_the_global_mode(team: Team, thread: str) -> None:
    await team.ada.set_policy(thread_id=thread, mode="plan")
    assert (await team.ada.policy(thread_id=thread))["mode"] == "plan"
    await team.ada.set_policy(thread_id=thread, mode=None)
    assert (await team.ada.policy(thread_id=thread))["mode"] == "normal"
    assert await verdict(team.agent, thread, "make") == "ask"


@requirement("B11", "B22")
async def test_settings_survive_the_death_of_the_server(killable_server: KillableServer, thread: str) -> None:
    async with killable_server.team() as team:
        await team.admin.set_policy(ask_mode="always", lists=["git"])
        await team.ada.set_policy(thread_id=thread, mode="plan")
        before = [await team.admin.policy(), await team.ada.policy(thread_id=thread)]
        await killable_server.dies_and_returns()
        assert [await team.admin.policy(), await team.ada.policy(thread_id=thread)] == before
        assert await verdict(team.agent, thread, "make") == "deny"
