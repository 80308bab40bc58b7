"""Roots over the wire: an agent reads and edits below granted folders, and needs approval elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from tests.journeys.conftest import Server
from tests.journeys.people import Person, Team, faults
from tests.requirements import requirement


async def agent_id(team: Team) -> str:
    """The id of the team's agent, as a person's page finds it."""
    agents = (await team.admin.http.get("/v1/agents")).json()["agents"]
    return next(agent["id"] for agent in agents)


async def grant(team: Team, path: str) -> None:
    reply = await team.ada.http.post(f"/v1/agents/{await agent_id(team)}/roots", json={"path": path})
    assert reply.status_code == 200, reply.text


async def verdict(agent: Person, thread: str, tool: str, tool_input: dict[str, Any], **extra: Any) -> str:
    request = (await agent.approve(thread, tool, tool_input, **extra)).json()
    return "ask" if request["status"] == "pending" else request["answer"]["decision"]


@requirement("N7", "B3")
async def test_reading_below_a_root_is_allowed_until_the_root_is_revoked(team: Team, thread: str) -> None:
    inside = {"file_path": "/srv/shop/src/a.py"}
    codex = {"command": ["git", "status"], "workdir": "/srv/shop"}
    assert await verdict(team.agent, thread, "Read", inside) == "ask"
    assert await verdict(team.agent, thread, "shell", codex) == "ask"
    await grant(team, "/srv/shop")
    assert await verdict(team.agent, thread, "Read", inside) == "approve"
    assert await verdict(team.agent, thread, "shell", codex) == "approve"
    for tool, tool_input in (
        ("Read", {"file_path": "/srv/shop/.env"}),
        ("Read", {"file_path": "/srv/shop2/a.py"}),
        ("Grep", {"pattern": "KEY", "path": "/srv/shop"}),
        ("bash", {"command": "cat ../../x", "cwd": "/srv/shop/src"}),
        ("shell", {"command": ["git", "status"], "workdir": "/srv/shop/vendor/lib"}),
        ("shell", {"command": ["git", "push"], "workdir": "/srv/shop"}),
    ):
        assert await verdict(team.agent, thread, tool, tool_input) == "ask", tool_input
    path = f"/v1/agents/{await agent_id(team)}/roots"
    assert (await team.ada.http.delete(path, params={"path": "/srv/shop"})).status_code == 200
    assert await verdict(team.agent, thread, "Read", inside) == "ask"


@requirement("N7")
@pytest.mark.parametrize(
    "path",
    [
        "/",
        "//",
        "/home",
        "/home/",
        "//home//",
        "/var/home",
        "/Users",
        "/export/home",
        "C:\\",
        "c:/",
        "C:\\Users\\",
    ],
)
async def test_a_whole_file_system_or_all_home_folders_are_no_root(team: Team, path: str) -> None:
    fault_path = f"/v1/agents/{await agent_id(team)}/roots"
    refusal = await team.admin.http.post(fault_path, json={"path": path})
    assert (refusal.status_code, faults(refusal)) == (422, [("path", "root_too_wide")])
    reply = await team.admin.http.post(
        "/v1/tokens", json={"role": "requester", "name": "wide", "roots": [path]}
    )
    assert reply.status_code == 422
    for narrower in ("/home/ada", "/srv", "D:\\shop", "\\\\nas\\shop"):
        assert (await team.admin.http.post(fault_path, json={"path": narrower})).status_code == 200, narrower


@requirement("N7")
async def test_a_card_offers_the_folder_whose_grant_would_have_let_the_call_run(
    team: Team, thread: str
) -> None:
    offered = {
        "cat notes.md": ("/srv/shop", "/srv/shop"),
        "git status": ("/srv/shop", "/srv/shop"),
        "cat /srv/docs/a.md": (None, "/srv/docs"),
        "cat /etc/.hidden/a.md": (None, None),
        "cat .env": ("/srv/shop", None),
        "make": ("/srv/shop", None),
    }
    findings = {}
    for command, (folder, _) in offered.items():
        request = (await team.agent.bash(thread, command, cwd=folder)).json()
        findings[command] = (folder, request["approval"].get("root"))
    assert findings == offered
    await grant(team, "/srv/shop")
    assert (
        await verdict(team.agent, thread, "bash", {"command": "cat notes.md"}, cwd="/srv/shop") == "approve"
    )


@requirement("N7")
async def test_a_folder_that_the_adapter_reports_free_of_secrets_may_be_searched(
    team: Team, thread: str
) -> None:
    await grant(team, "/srv/shop")
    search = {"command": "grep -rn foo src", "cwd": "/srv/shop"}
    assert await verdict(team.agent, thread, "bash", search) == "ask"
    request = (await team.agent.approve(thread, "bash", search, secret_free=["/srv/shop/src"])).json()
    assert request["answer"]["decision"] == "approve"
    used_reply = await team.agent.consume(request["id"], "run-1")
    assert used_reply.json()["input"] == search
    assert await verdict(team.agent, thread, "bash", search, secret_free=["/srv/shop/lib"]) == "ask"


@requirement("N7")
async def test_the_folders_in_the_report_of_an_adapter_are_limited(team: Team, thread: str) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"cwd": "x\n"}, "approval.cwd"),
        ({"cwd": "/" + "x" * 2_000}, "approval.cwd"),
        ({"cwd": 5}, "approval.cwd"),
        ({"secret_free": ["/a"] * 21}, "approval.secret_free"),
        ({"secret_free": ["\x00"]}, "approval.secret_free[0]"),
    ]
    for extra, path in wrong:
        refusal = await team.agent.bash(thread, "ls", **extra)
        assert refusal.status_code == 422, extra
        assert [fault_path for fault_path, _ in faults(refusal)] == [path]


@requirement("N11")
async def test_accepted_edits_stay_below_the_root_and_off_what_tools_load(team: Team, thread: str) -> None:
    await grant(team, "/srv/shop")
    await team.admin.set_policy(mode="accept_edits")
    expected = {
        "src/server/app.py": "approve",
        "/srv/shop/docs/guide.md": "approve",
        "/srv/other/a.py": "ask",
        "conftest.py": "ask",
        "/srv/shop/.claude/settings.json": "ask",
        "CLAUDE.md": "ask",
        "package.json": "ask",
    }
    result = {
        path: await verdict(team.agent, thread, "Write", {"file_path": path, "content": "x"})
        for path in expected
    }
    assert result == expected


@requirement("N7")
async def test_the_data_folder_of_the_server_always_needs_approval(
    team: Team, thread: str, server: Server
) -> None:
    await grant(team, str(server.data.parent))
    reads = (
        ("Read", {"file_path": f"{server.data}/server.json"}),
        ("LS", {"path": str(server.data)}),
        ("bash", {"command": "cat askback.db", "cwd": str(server.data)}),
        ("bash", {"command": f"ls {server.data}"}),
    )
    for tool, tool_input in reads:
        assert await verdict(team.agent, thread, tool, tool_input) == "ask", tool_input
    await team.admin.set_policy(mode="full", confirm="ENABLE FULL")
    for tool, tool_input in reads:
        assert await verdict(team.agent, f"{thread}-full", tool, tool_input) == "ask", tool_input


@requirement("N7")
async def test_a_folder_is_granted_with_a_decision_only_where_it_is_offered(team: Team, thread: str) -> None:
    async def decide(command: str, verdict: str, **extra: Any) -> Any:
        request = (await team.agent.bash(thread, command, cwd="/srv/shop", allow_edit=True)).json()
        return request["id"], await team.ada.decide(request["id"], verdict, grant_root=True, **extra)

    for command, verdict, extra in (
        ("make", "approve", {}),
        ("cat notes.md", "deny", {}),
        ("cat notes.md", "approve", {"scope": "always"}),
        ("cat notes.md", "approve", {"edited_input": {"command": "cat b.md"}}),
    ):
        request_id, refusal = await decide(command, verdict, **extra)
        assert [path for path, _ in faults(refusal)] == ["grant_root"], command
        assert (await team.ada.get(request_id))["status"] == "pending"
    agents = (await team.admin.http.get("/v1/agents")).json()["agents"]
    assert [agent["roots"] for agent in agents] == [[] for _ in agents]
    _, reply = await decide("cat notes.md", "approve")
    assert reply.json()["answer"]["root"] == "/srv/shop"
    [root] = (await team.admin.http.get(f"/v1/agents/{await agent_id(team)}")).json()["roots"]
    assert (root["path"], root["granted_by"]["name"]) == ("/srv/shop", "ada")
