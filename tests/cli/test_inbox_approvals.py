"""`askback inbox` with tool calls: shown completely, decided explicitly, and many at once."""

from __future__ import annotations

import json
from typing import Any

import anyio

from askback import AsyncClient
from askback.domain.approval import Approval, Risk
from askback.domain.fields import Form, Text
from askback.domain.request import Answer, InputRequest
from tests.cli.conftest import Server, start
from tests.cli.scripts import complete, run_inbox_from_pipe
from tests.cli.terminals import run_on_terminal
from tests.requirements import requirement


async def create_approval(
    agent: AsyncClient, thread: str, command: str = "make publish", **extra: Any
) -> InputRequest:
    approval = Approval(tool="bash", input={"command": command}, **extra)
    return await agent.requests.create(approval, thread_id=thread)


async def answer(agent: AsyncClient, request: InputRequest) -> Answer:
    settled_request = await agent.requests.get(request.id)
    assert settled_request.answer is not None, settled_request.status
    return settled_request.answer


async def test_the_whole_call_is_shown_with_the_agent_the_reason_and_the_danger(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    command = "rm -rf build\n" + "echo " + "x" * 5_000 + " tail\u202e"
    request = await create_approval(
        agent,
        thread,
        command,
        title="Tidy up",
        reason="It is full.\nTool: ls",
        risk=Risk(level="normal", reasons=["small"]),
    )
    out = await run_inbox_from_pipe(server, thread, ":later")
    assert f"asked by agent, in {thread}" in out
    assert {"> Tidy up", "> It is full.", "> Tool: ls", "> Risk: normal small"} <= set(out.splitlines())
    assert [line for line in out.splitlines() if line.startswith("Tool: ")] == ["Tool: bash"]
    assert "│ rm -rf build" in out
    assert "x" * 5_000 + " tail\\u202e" in out
    assert "Dangerous!" in out
    assert "It deletes folders and everything in them." in out
    assert "Why you are asked: " in out
    assert "\u202e" not in out
    assert (await agent.requests.get(request.id)).status == "pending"


@requirement("D22")
async def test_a_german_terminal_says_why_in_german(server: Server, agent: AsyncClient, thread: str) -> None:
    await create_approval(agent, thread, "rm -rf build; echo $HOME")
    out = await run_inbox_from_pipe(server, thread, ":later", LC_ALL="de_DE.UTF-8")
    assert "Der Aufruf lässt sich nur einmal erlauben: " in out
    assert (
        "Warum du gefragt wirst: Der Befehl wird nicht ganz verstanden: an Stelle 20 steht eine Variable"
        in out
    )
    assert "Ausführen: rm -rf build; echo $HOME" in out.splitlines()
    assert "Gefährlich!" in out
    assert "Er löscht Ordner samt Inhalt." in out


async def test_a_diff_is_shown_line_by_line(server: Server, agent: AsyncClient, thread: str) -> None:
    call = {"path": "src/a.py", "content": "one\nthree\n", "mode": "0600"}
    approval = Approval.model_validate(
        {"tool": "write_file", "input": call, "preview": {"before": "one\ntwo\n"}}
    )
    await agent.requests.create(approval, thread_id=thread)
    lines = (await run_inbox_from_pipe(server, thread, ":later")).splitlines()
    assert {"│ src/a.py", "│  one", "│ -two", "│ +three"} <= set(lines)
    assert "Edit src/a.py +1 −1" in lines
    assert "Compared with the agent's copy of the file:" in lines
    assert lines[lines.index("│ mode: ") + 1] == "│   0600"


async def test_nothing_is_decided_by_accident(server: Server, agent: AsyncClient, thread: str) -> None:
    request = await create_approval(agent, thread)
    await run_inbox_from_pipe(server, thread, "")
    assert (await agent.requests.get(request.id)).status == "pending"
    out = await run_inbox_from_pipe(server, thread, "yess", "?", "a moment please", ":later")
    assert out.count("An empty line leaves it open") == 3
    assert (await agent.requests.get(request.id)).status == "pending"


@requirement("B18")
async def test_yes_and_no_may_carry_a_note(server: Server, agent: AsyncClient, thread: str) -> None:
    yes = await create_approval(agent, thread)
    out = await run_inbox_from_pipe(server, thread, "y: only today")
    assert "Run: make publish: approved." in out
    said_answer = await answer(agent, yes)
    assert (said_answer.decision, said_answer.scope, said_answer.note) == ("approve", "once", "only today")
    no = await create_approval(agent, thread, "make other")
    await run_inbox_from_pipe(server, thread, "no: use a branch: now")
    said_answer = await answer(agent, no)
    assert (said_answer.decision, said_answer.note) == ("deny", "use a branch: now")


@requirement("B9")
async def test_the_rule_of_a_wider_yes_is_shown_and_can_be_changed(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    first_request = await create_approval(agent, thread, "make one")
    out = await run_inbox_from_pipe(server, thread, "t", "")
    assert "│ bash(make one)" in out
    assert "The rule bash(make one) was stored." in out
    assert (await answer(agent, first_request)).scope == "thread"

    second_request = await create_approval(agent, thread, "make two --silent")
    out = await run_inbox_from_pipe(server, thread, "t", "bash(make three)", "t", "bash(make two:*)")
    assert "cover" in out
    kept_rule = (await answer(agent, second_request)).rule
    assert kept_rule is not None
    assert kept_rule.text == "bash(make two:*)"
    repeated_request = await create_approval(agent, thread, "make two --keep-going")
    assert (repeated_request.status, repeated_request.source) == ("answered", "policy")

    third_request = await create_approval(agent, thread, "make four")
    await run_inbox_from_pipe(server, thread, "t", "n", "y")
    assert (await answer(agent, third_request)).rule is None


@requirement("B8")
async def test_only_offered_options_can_be_chosen(server: Server, agent: AsyncClient, thread: str) -> None:
    request = await create_approval(agent, thread, "make one && make $two", allow_edit=False)
    out = await run_inbox_from_pipe(server, thread, "a", "t", "e", ":later")
    assert "[y]es once  [n]o  (? for help)" in out
    assert (await agent.requests.get(request.id)).status == "pending"


@requirement("B26")
async def test_danger_is_asked_twice(server: Server, agent: AsyncClient, thread: str) -> None:
    request = await create_approval(agent, thread, "rm -rf build")
    await run_inbox_from_pipe(server, thread, "y", "", ":later")
    assert (await agent.requests.get(request.id)).status == "pending"
    out = await run_inbox_from_pipe(server, thread, "y", "y")
    assert out.count("Really run it? [y/N]") == 1
    assert (await answer(agent, request)).decision == "approve"


@requirement("B16")
async def test_an_edited_input_is_shown_again_and_checked_by_the_policy(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    request = await create_approval(agent, thread, allow_edit=True)
    out = await run_inbox_from_pipe(
        server, thread,
        "e", "nonsense", ".",
        "e", "[]", ".",
        "e", '{"command": "rm -rf /"}', ".", "y",
        "e", '{"command":', '"make draft"}', ".", "n",
        "e", '{"command": "make draft"}', ".", "y",
    )  # fmt: skip
    assert "Must be an object." in out
    assert "hard limit" in out
    assert '│   "command": "make draft"' in out
    said_answer = await answer(agent, request)
    assert said_answer.edited_input == {"command": "make draft"}
    assert said_answer.scope == "once"


@requirement("B16", "B29")
async def test_an_input_that_is_a_list_is_shown_and_edited(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(
        Approval(tool="send", input=["bob", 5], allow_edit=True), thread_id=thread
    )
    out = await run_inbox_from_pipe(
        server, thread,
        "e", '{"to": "bob"}', ".",
        "e", '["ann", 5]', ".", "y",
    )  # fmt: skip
    assert '│   "bob",' in out
    assert "Must be a list." in out
    assert (await answer(agent, request)).edited_input == ["ann", 5]


@requirement("B24")
async def test_a_rule_added_in_between_is_reported(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    request = await create_approval(agent, thread, "make secret")
    rule = await person.rules.create("bash(make secret)", effect="deny", scope="thread", thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, "y")
    assert "denied by the policy. The rule `bash(make secret)` denies this." in out
    assert (await answer(agent, request)).decision == "deny"
    await person.rules.revoke(rule)


@requirement("B23")
async def test_a_plan_is_approved_or_returned_with_a_comment(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    plan = Approval(plan="# Plan\n\n1. Write **tests**")
    changes = await agent.requests.create(plan, thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, "n", "", "n", "Tests first.")
    assert "│ 1. Write **tests**" in out
    said_answer = await answer(agent, changes)
    assert (said_answer.decision, said_answer.note) == ("deny", "Tests first.")

    free_request = await agent.requests.create(plan, thread_id=thread)
    await run_inbox_from_pipe(server, thread, "s")
    assert (await answer(agent, free_request)).mode == "accept_edits"
    second_request = await agent.requests.create(plan, thread_id=thread)
    await run_inbox_from_pipe(server, thread, "y")
    assert (await answer(agent, second_request)).decision == "approve"


@requirement("B25", "J9")
async def test_all_that_is_pending_is_declined_in_one_action(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    calls = [await create_approval(agent, thread, f"make {n}") for n in range(30)]
    form = await agent.requests.create(Form(fields=[Text(id="a", label="Name?")]), thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, "3", ":all no")
    assert "31 requests are pending" in out
    assert "── 3 of 31, asked by agent" in out
    assert "Declined 31 of 31." in out
    for item in (*calls, form):
        assert (await agent.requests.get(item.id)).status == "declined"


async def test_no_to_all_for_one_request_declines_only_that_request(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    other_request, request = (
        await create_approval(agent, thread, "make other"),
        await create_approval(agent, thread, "make one"),
    )
    process = server.run("inbox", "--request", request.id, stdin=b":all no\n")
    _, out, _ = await anyio.to_thread.run_sync(complete, process)
    assert "Declined 1 of 1." in out
    assert [(await agent.requests.get(item.id)).status for item in (other_request, request)] == [
        "pending",
        "declined",
    ]


@requirement("B25")
async def test_requests_are_shown_oldest_first_and_decided_separately(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    first_request, second_request = [
        await create_approval(agent, thread, f"make {n}") for n in ("one", "two")
    ]
    out = await run_inbox_from_pipe(server, thread, "", "y", "n")
    assert out.index("1  Run: make one") < out.index("2  Run: make two")
    assert (
        (await answer(agent, first_request)).decision,
        (await answer(agent, second_request)).decision,
    ) == (
        "approve",
        "deny",
    )


@requirement("K6")
async def test_a_vote_is_counted_and_not_asked_for_twice(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    request = await create_approval(agent, thread, quorum=2)
    out = await run_inbox_from_pipe(server, thread, "y")
    assert "your approval counts; 1 of 2." in out
    out = await run_inbox_from_pipe(server, thread, "y")
    assert "You have already decided about this" in out
    current_request = await agent.requests.get(request.id)
    assert (current_request.status, [vote.decision for vote in current_request.votes]) == (
        "pending",
        ["approve"],
    )


@requirement("K6")
async def test_a_person_who_is_no_assignee_gets_a_message(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    approval = Approval(tool="bash", input={"command": "make"})
    request = await agent.requests.create(approval, thread_id=thread, assignees=["ada"])
    assert "To be answered by: ada." in await run_inbox_from_pipe(server, thread, "y")
    assert (await agent.requests.get(request.id)).status == "pending"


@requirement("M3")
async def test_a_decision_from_elsewhere_takes_the_card_away(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    request = await create_approval(agent, thread)
    async with run_on_terminal(server.data, "inbox", "--thread", thread) as (screen, _):
        await screen.shows("[y]es once")
        screen.type("y")
        await person.requests.decide(request, "deny")
        await screen.shows("Run: make publish: denied by owner meanwhile.")
        screen.type("\n")
        await screen.shows("Waiting for a question")
    assert (await answer(agent, request)).decision == "deny"


@requirement("B28")
async def test_the_log_says_that_it_was_decided_on_the_command_line(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    request = await create_approval(agent, thread)
    await run_inbox_from_pipe(server, thread, "n")
    _, out, _ = await anyio.to_thread.run_sync(complete, server.run("audit", "export"))
    [entry] = [item for item in map(json.loads, out.splitlines()) if item.get("request_id") == request.id]
    assert (entry["action"], entry["decision"], entry["via"], entry["actor"]["name"]) == (
        "decide",
        "deny",
        "cli",
        "owner",
    )


@requirement("B15")
async def test_an_approved_call_that_has_not_run_is_listed_and_revoked(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    first_request, ran_request = (
        await create_approval(agent, thread, "make one"),
        await create_approval(agent, thread, "make two"),
    )
    for request in (first_request, ran_request):
        await person.requests.decide(request, "approve")
    await agent.consume(ran_request, "run-1")

    async def inbox(*options: str) -> tuple[int, str, str]:
        arguments = ("inbox", "--thread", thread, *options)
        return await anyio.to_thread.run_sync(
            lambda: complete(start(*arguments, ASKBACK_DATA_DIR=str(server.data)))
        )

    line = f"{first_request.id}  Run: make one  approved by owner, in {thread}\n"
    assert await inbox("--approved") == (0, line, "")
    assert await inbox("--revoke", first_request.id) == (
        0,
        "Revoked: Run: make one. It did not run, and cannot.\n",
        "",
    )
    assert await inbox("--approved") == (0, "No approved calls are waiting to run.\n", "")
    assert (await agent.requests.get(first_request.id)).revoked is not None
    status, _, err = await inbox("--revoke", ran_request.id)
    assert (status, err) == (1, "The call has already run, so its approval cannot be revoked.\n")
