"""Rules, settings and the audit log, over a WebSocket, over HTTP and in process."""

from __future__ import annotations

import json

import anyio
import pytest

from askback import AsyncClient, Conflict, Forbidden, Invalid, NotFound
from askback.domain.approval import Approval
from askback.domain.audit import GENESIS, verify_chain
from tests.client.conftest import Connect
from tests.client.deciding import deciding

TRANSPORTS = ("websocket",)


@pytest.fixture
def unique_command(thread: str) -> str:
    """A command that no other test uses."""
    return f"make x{thread.removeprefix('client/').removesuffix(' ä')}"


@pytest.mark.requirement("B11")
async def test_a_rule_is_stored_listed_and_revoked(
    agent: AsyncClient, person: AsyncClient, thread: str, unique_command: str
):
    rule = await person.rules.create(
        f"bash({unique_command}:*)", scope="thread", thread_id=thread, why="it is ours", expires_in_s=60
    )
    assert (rule.effect, rule.rule, rule.why, rule.locked) == (
        "allow",
        f"bash({unique_command}:*)",
        "it is ours",
        False,
    )
    assert rule.expires_at is not None
    assert await agent.approve("bash", {"command": f"{unique_command} -k"}, thread_id=thread)
    [found_rule] = await person.rules.list(thread_id=thread)
    assert found_rule.usage is not None
    assert (found_rule.usage.count, found_rule.model_copy(update={"usage": None})) == (1, rule)
    revoked_rule = await person.rules.revoke(rule)
    assert revoked_rule.revoked_at is not None
    assert revoked_rule.revoked_by is not None
    assert len(await person.rules.list(thread_id=thread)) == 0
    assert [ended.id for ended in await person.rules.list(thread_id=thread, ended=True)] == [rule.id]


async def test_rules_come_page_by_page(person: AsyncClient, thread: str, unique_command: str):
    requests = [
        await person.rules.create(
            f"bash({unique_command} {n})", scope="thread", thread_id=thread, effect="deny"
        )
        for n in range(3)
    ]
    page = await person.rules.list(thread_id=thread, limit=2)
    remaining_rules = await person.rules.list(thread_id=thread, limit=2, cursor=page.next_cursor)
    assert [rule.id for rule in [*page, *remaining_rules]] == [rule.id for rule in requests[::-1]]
    assert (len(page), remaining_rules.next_cursor) == (2, None)


@pytest.mark.requirement("B9")
async def test_a_decision_for_the_thread_stores_the_shown_or_the_edited_rule(
    agent: AsyncClient, person: AsyncClient, thread: str, unique_command: str
):
    async with deciding(
        person, thread,
        {"decision": "approve", "scope": "thread"},
        {"decision": "approve", "scope": "thread", "rule": f"bash({unique_command} two:*)"},
    ):  # fmt: skip
        shown_decision = await agent.approve("bash", {"command": f"{unique_command} one"}, thread_id=thread)
        changed_decision = await agent.approve("bash", {"command": f"{unique_command} two"}, thread_id=thread)
        by_rule = await agent.approve("bash", {"command": f"{unique_command} two -k"}, thread_id=thread)
    assert (shown_decision.scope, changed_decision.scope, by_rule.source) == ("thread", "thread", "policy")
    kept_rules = await person.rules.list(thread_id=thread)
    assert [rule.rule for rule in kept_rules] == [
        f"bash({unique_command} two:*)",
        f"bash({unique_command} one)",
    ]
    assert shown_decision.request is not None
    assert kept_rules.items[1].request_id == shown_decision.request.id


async def test_rules_are_refused_with_their_fault_and_for_principals_without_the_right(
    agent: AsyncClient, person: AsyncClient
):
    with pytest.raises(Invalid) as exc_info:
        await person.rules.create("bash(")
    assert exc_info.value.field_errors[0]["path"] == "rule"
    with pytest.raises(NotFound):
        await person.rules.revoke("rul_nope")
    with pytest.raises(Forbidden):
        await agent.rules.create("bash(make)")
    with pytest.raises(Forbidden):
        await person.rules.create("bash(make)", effect="ask", locked=True)


@pytest.mark.requirement("B22")
async def test_a_thread_has_its_mode_and_full_wants_to_be_confirmed(
    connect: Connect, person: AsyncClient, thread: str
):
    default_policy = await person.policy.get()
    assert (await person.policy.update(thread_id=thread, mode="plan")).mode == "plan"
    with pytest.raises(Conflict) as unconfirmed:
        await person.policy.update(thread_id=thread, mode="full")
    assert unconfirmed.value.code == "confirmation_required"
    assert (await person.policy.get(thread)).mode == "plan"
    assert (
        (await person.policy.update(thread_id=thread, mode=None))
        == default_policy
        == await person.policy.get()
    )


async def test_an_admin_changes_only_the_named_settings(connect: Connect):
    async with connect("admin") as admin:
        before = await admin.policy.get()
        reply = await admin.policy.update(shadow={"level": "full"})
        assert reply.shadow is not None
        assert (reply.shadow.level, reply.shadow.mode) == ("full", None)
        assert reply.model_copy(update={"shadow": None}) == before
        assert await admin.policy.update(shadow=None) == before


@pytest.mark.requirement("B28")
async def test_the_audit_log_has_the_person_and_the_transport_of_a_decision(
    connect: Connect, agent: AsyncClient, thread: str, unique_command: str
):
    async with connect("responder", via="cli") as person, connect("admin") as admin:
        last_seq, _ = (await admin.audit.list(limit=1)).head
        async with deciding(person, thread, {"decision": "deny"}):
            decision = await agent.approve("bash", {"command": unique_command}, thread_id=thread)
        page = await admin.audit.list(after=last_seq)
    (entry,) = [entry for entry in page if entry["action"] == "decide"]
    assert (entry["via"], entry["actor"]["role"], entry["decision"]) == ("cli", "responder", "deny")
    assert entry["digest"] == decision.digest


@pytest.mark.requirement("B28")
async def test_the_entries_of_the_audit_log_can_be_verified_while_reading(
    connect: Connect, person: AsyncClient, thread: str, unique_command: str
):
    for n in range(3):
        await person.rules.create(f"bash({unique_command} {n})", scope="thread", thread_id=thread)
    async with connect("admin") as admin:
        entries, head = [], (0, GENESIS)
        while not entries or head[0] > entries[-1]["seq"]:
            page = await admin.audit.list(after=len(entries), limit=2)
            entries, head = [*entries, *page], page.head
    lines = [json.dumps(entry) for entry in entries]
    assert verify_chain(lines, head=head) == head
    assert verify_chain([*lines[:-2], lines[-1]], head=head) != head


async def test_a_call_that_the_server_cannot_read_is_refused_and_not_waited_for(person: AsyncClient):
    with anyio.fail_after(120):
        for text in ("\udcff", "[" * 2000):
            with pytest.raises(Invalid):
                await person.rules.create(text)
        with pytest.raises(Invalid):
            await person.rules.create("bash(make a)", expires_in_s=float("nan"))


@pytest.mark.requirement("B9", "B11")
async def test_a_draft_is_checked_and_previewed_and_nothing_is_stored(
    agent: AsyncClient, person: AsyncClient, thread: str, unique_command: str
):
    approval = Approval(tool="bash", input={"command": unique_command})
    assert (await agent.requests.create(approval, thread_id=thread)).status == "pending"
    trial = await person.rules.check(
        f"bash({unique_command})", input={"command": unique_command}, thread_id=thread
    )
    assert trial.now is not None
    assert trial.then is not None
    assert (trial.covers, trial.now.decision, trial.then.decision) == (True, "ask", "allow")
    preview = await person.rules.preview(f"bash({unique_command})", thread_id=thread)
    assert [(call.thread_id, call.then) for call in preview.calls] == [(thread, "allow")]
    assert list(await person.rules.list(thread_id=thread)) == []
    assert (await person.rules.check(input={"command": "git status"})).now is not None
    assert [group.name for group in (await person.rules.built_in()).groups][:2] == [
        "files",
        "search",
    ]


@pytest.mark.requirement("B11")
async def test_rules_are_exported_and_imported(connect: Connect, thread: str, unique_command: str):
    admin = connect("admin")
    await admin.rules.create(f"bash({unique_command})", scope="thread", thread_id=thread, effect="deny")
    [row] = [rule for rule in (await admin.rules.export()).rules if rule.rule == f"bash({unique_command})"]
    rows = [row.model_dump(mode="json", exclude_none=True), {"rule": "bash(*)"}]
    checked_rule_import = await admin.rules.import_(rows, dry_run=True)
    assert ([r.outcome for r in checked_rule_import.rows], checked_rule_import.rows[1].problems[0].path) == (
        ["known", "refused"],
        "rules[1].rule",
    )
    with pytest.raises(Invalid):
        await admin.rules.import_(rows)
    assert (await admin.rules.import_(rows[:1])).known == 1


@pytest.mark.requirement("B28")
async def test_the_audit_log_is_searched_and_verified(connect: Connect, agent: AsyncClient, thread: str):
    admin = connect("admin")
    await agent.requests.create(Approval(tool="bash", input={"command": "git status"}), thread_id=thread)
    result = await admin.audit.search(thread_id=thread, action="decide", actor="policy")
    assert [entry["rule"] for entry in result.entries] == ["bash(git status:*)"]
    audit_verification = await admin.audit.verify(limit=2)
    while not audit_verification.complete:
        assert audit_verification.broken is None
        audit_verification = await admin.audit.verify(
            audit_verification.end.seq, hash=audit_verification.end.hash
        )
    assert audit_verification.end.hash == audit_verification.head.hash
