"""`askback rules check`: JSON lines in, decisions out, by their own rules, a list's or the server's."""

from __future__ import annotations

import json
from typing import Any

import anyio

from tests.cli.conftest import Server, start
from tests.cli.scripts import complete

NO_SERVER = {"ASKBACK_DATA_DIR": "/does/not/exist"}


def check(*lines: str, arguments: tuple[str, ...] = (), **environment: str) -> list[dict[str, Any]]:
    process = start("rules", "check", *arguments, **{**NO_SERVER, **environment})
    status, out, _ = complete(process, "\n".join(lines) + "\n")
    assert status == 0
    return [json.loads(line) for line in out.splitlines()]


def test_each_line_gets_one_decision_with_its_reasons() -> None:
    answers = check(
        '{"command": "git status", "allow": ["git status"]}',
        '{"command": "git status; git push", "allow": ["git status"], "deny": ["git push:*"]}',
        '{"argv": ["git", "push"], "allow": ["git status"]}',
        '{"tool": "write_file", "input": {"path": "src/a"}, "allow": ["write_file(path=src/**)"]}',
        '{"command": "ls", "shell": "zsh", "allow": ["ls"]}',
        '{"command": "npm test", "mode": "plan", "allow": ["npm test"]}',
        '{"tool": "send", "input": ["bob"], "allow": ["tool:send [\\"bob\\"]"]}',
        '{"tool": "restart", "input": null, "allow": ["tool:restart null"]}',
    )
    decisions = ["allow", "deny", "ask", "allow", "ask", "deny", "allow", "allow"]
    assert [answer["decision"] for answer in answers] == decisions
    assert all(answer["reasons"] for answer in answers)
    assert answers[1]["rule"] == "bash(git push:*)"


def test_an_unreadable_line_is_ask_and_the_next_one_is_decided() -> None:
    answers = check(
        "nonsense",
        '{"command": "ls", "command": "rm x", "allow": ["ls"]}',
        "[]",
        '{"command": 5, "allow": ["ls"]}',
        '{"command": "ls", "allow": "ls"}',
        '{"command": "ls", "mode": "loose", "allow": ["ls"]}',
        '{"command": "ls", "allow": ["ls"], "deny": ["rm *"]}',
        '{"command": "ls", "allow": ["ls", "cat *"]}',
    )
    assert [answer["decision"] for answer in answers] == ["ask"] * 7 + ["allow"]


def test_a_rule_that_would_allow_but_cannot_be_read_is_named() -> None:
    [answer] = check('{"command": "git status", "allow": ["git status ;("]}')
    assert answer["decision"] == "ask"
    assert any("git status ;(" in reason for reason in answer["reasons"])


def test_without_rules_a_list_decides() -> None:
    line = '{"command": "git status"}'
    assert [answer["decision"] for answer in check(line, arguments=("--list", "none"))] == ["ask"]
    assert [answer["decision"] for answer in check(line, arguments=("--list", "nebo"))] == ["allow"]


async def test_a_running_server_decides_by_its_rules_and_its_policy(server: Server) -> None:
    async def check_lines(*lines: str, arguments: tuple[str, ...] = ()) -> list[str]:
        data = str(server.data)
        answers = await anyio.to_thread.run_sync(
            lambda: check(*lines, arguments=arguments, ASKBACK_DATA_DIR=data)
        )
        return [answer["decision"] for answer in answers]

    make, ls, own = '{"command": "make x"}', '{"command": "ls"}', '{"command": "make x", "allow": ["make x"]}'
    async with server.client("responder") as person, server.client("admin") as admin:
        allow = await person.rules.create("bash(make x)")
        deny = await person.rules.create("bash(ls)", effect="deny")
        shadow = await person.rules.create("bash(make x)", effect="deny", shadow=True)
        other_rule = await person.rules.create("bash(make x)", effect="deny", scope="thread", thread_id="t")
        try:
            assert await check_lines(make, ls, own) == ["allow", "deny", "allow"]
            assert await check_lines(make, ls, own, arguments=("--list", "default")) == [
                "ask",
                "allow",
                "allow",
            ]
            await admin.policy.update(ask_mode="always")
            assert await check_lines(make, '{"command": "make x", "ask_mode": "on-miss"}') == ["ask", "allow"]
            await admin.policy.update(ask_mode="on-miss", lists=["none"])
            assert await check_lines('{"command": "pwd"}') == ["ask"]
        finally:
            await admin.policy.update(ask_mode="on-miss", lists=["default", "read-only-tools"])
            for rule in (allow, deny, shadow, other_rule):
                await person.rules.revoke(rule)


def test_the_rules_of_an_unreachable_server_are_not_replaced_by_a_list() -> None:
    url, token = "http://127.0.0.1:9", "t"
    [answer] = check('{"command": "ls", "allow": ["ls"]}', ASKBACK_URL=url, ASKBACK_TOKEN=token)
    assert answer["decision"] == "allow"
    process = start("rules", "check", ASKBACK_URL=url, ASKBACK_TOKEN=token, **NO_SERVER)
    status, out, err = complete(process, '{"command": "ls"}\n')
    assert (status, out) == (1, "")
    assert "127.0.0.1:9" in err
