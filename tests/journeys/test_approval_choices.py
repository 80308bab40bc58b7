"""Group B: the rules that a card offers in words, and what they cover."""

from __future__ import annotations

import pytest

from tests.journeys.people import Team, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@requirement("N12", "B10")
async def test_ready_choices_are_rules_that_cover_the_call(team: Team, thread: str) -> None:
    request = request_of(
        await team.agent.approve(thread, "Bash", {"command": "git diff --stat", "cwd": "/srv"})
    )
    choices = request["approval"]["choices"]
    assert [(choice["kind"], choice["rule"]) for choice in choices] == [
        ("exact", "bash(git diff --stat) in /srv"),
        ("options", "bash(git diff:*) in /srv"),
    ]
    await team.ada.decide(request["id"], "approve", scope="always", rule=choices[1]["rule"])
    later_reply = await team.agent.approve(thread, "Bash", {"command": "git diff --name-only", "cwd": "/srv"})
    assert later_reply.json()["answer"]["policy_rule"] == choices[1]["rule"]
    written_reply = await team.agent.approve(thread, "write_file", {"path": "src/a.py", "content": "x"})
    assert [choice["rule"] for choice in request_of(written_reply)["approval"]["choices"]] == [
        "write_file(path=src/a.py)",
        "write_file(path=src/**)",
    ]
    mail = {"to": "ada@example.com", "subject": "Hi"}
    sent_request = request_of(await team.agent.approve(thread, "send_mail", mail))
    assert [(choice["kind"], choice["rule"]) for choice in sent_request["approval"]["choices"]] == [
        ("exact", 'send_mail {"subject": "Hi", "to": "ada@example.com"}'),
        ("recipient", "send_mail(to=ada@example.com)"),
        ("tool", "send_mail"),
    ]
    await team.ada.decide(sent_request["id"], "approve", scope="always", rule="send_mail(to=ada@example.com)")
    second_reply = await team.agent.approve(thread, "send_mail", {**mail, "subject": "Hi again"})
    assert second_reply.json()["answer"]["policy_rule"] == "send_mail(to=ada@example.com)"
    request_of(await team.agent.approve(thread, "send_mail", {**mail, "to": "eve@example.com"}))
    call = {"url": "https://api.example.com/v1/a", "method": "GET"}
    request = request_of(await team.agent.approve(thread, "http_request", call))
    assert [(choice["kind"], choice["rule"]) for choice in request["approval"]["choices"][1:]] == [
        ("site", "http_request(url=https://api.example.com/**)"),
        ("tool", "http_request"),
    ]


@requirement("N12", "B10")
@pytest.mark.parametrize(
    ("command", "subject", "covered", "beyond"),
    [
        ("pip install requests", "pip install requests", "-U", "evil"),
        ("docker stop web", "docker stop web", "--time=5", "db"),
        ("mkdir logs", "mkdir logs", "-p", "src/new"),
    ],
)
async def test_a_choice_that_names_what_a_command_acts_on_covers_nothing_else(
    team: Team, thread: str, command: str, subject: str, covered: str, beyond: str
) -> None:
    request = request_of(await team.agent.approve(thread, "bash", {"command": command, "cwd": "/srv"}))
    choice = request["approval"]["choices"][1]
    assert (choice["kind"], choice["subject"]) == ("options", subject)
    await team.ada.decide(request["id"], "approve", scope="always", rule=choice["rule"])
    covered_reply = await team.agent.approve(
        thread, "bash", {"command": f"{command} {covered}", "cwd": "/srv"}
    )
    assert covered_reply.json()["answer"]["policy_rule"] == choice["rule"]
    asked = request_of(
        await team.agent.approve(thread, "bash", {"command": f"{command} {beyond}", "cwd": "/srv"})
    )
    assert asked["status"] == "pending"


SAME_MEANING = [
    ("send_mail(to=ada@x.org)", "send_mail", {"to": "ada@x.org"}, {"To": "eve@x.org"}),
    ("send_mail(to=ada@x.org)", "send_mail", {"to": "ada@x.org"}, {"recipient": "eve@x.org"}),
    ("get_page(url=https://a.org/**)", "get_page", {"url": "https://a.org/x"}, {"URL": "https://eve.org"}),
    ("get_page(url=https://a.org/**)", "get_page", {"url": "https://a.org/x"}, {"uri": "https://eve.org"}),
    ("show(file_path=src/**)", "show", {"file_path": "src/a.py"}, {"path": "/etc/passwd"}),
]


@requirement("B10")
@pytest.mark.parametrize(("rule", "tool", "call", "second"), SAME_MEANING)
async def test_a_rule_for_an_argument_covers_no_call_with_another_that_may_mean_the_same(
    team: Team, thread: str, rule: str, tool: str, call: dict[str, str], second: dict[str, str]
) -> None:
    """A tool in Go, for one, reads keys in any case, and takes the last."""
    await team.admin.rule(rule, scope="thread", thread_id=thread)
    covered_reply = await team.agent.approve(thread, tool, call)
    assert covered_reply.json()["answer"]["policy_rule"] == rule
    asked = request_of(await team.agent.approve(thread, tool, {**call, **second}))
    assert asked["status"] == "pending"


@requirement("B10")
async def test_a_pattern_for_files_to_read_covers_no_secret_file(team: Team, thread: str) -> None:
    await team.admin.rule("Read(file_path=src/**)", scope="thread", thread_id=thread)
    covered_reply = await team.agent.approve(thread, "Read", {"file_path": "src/a.py"})
    assert covered_reply.json()["answer"]["policy_rule"] == "Read(file_path=src/**)"
    asked = request_of(await team.agent.approve(thread, "Read", {"file_path": "src/.env"}))
    assert asked["status"] == "pending"
