"""Group B: the audit log has every decision, and reveals changes."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import httpx2
import pytest

from askback.domain.audit import GENESIS, ChainBreak, seal_entry, verify_chain
from tests.journeys.conftest import KillableServer
from tests.journeys.people import Team, refusal, request_of
from tests.requirements import requirement
from tests.signing_in import sign_in

pytestmark = pytest.mark.anyio

Told = tuple[Any, ...]


def summary_of(entry: dict[str, Any]) -> Told:
    """Return the action, actor, channel, decision, source and rule of an entry."""
    person = entry["actor"]["name"] if "actor" in entry else None
    return (
        entry["action"],
        person,
        entry["via"],
        entry.get("decision"),
        entry.get("source"),
        entry.get("rule"),
    )


def lines(entries: list[dict[str, Any]]) -> list[str]:
    """The exported log: a JSON line for each entry."""
    return [json.dumps(entry) for entry in entries]


async def create_history(team: Team, thread: str) -> None:
    """An approval with a rule, a use of the rule, a denial, a use of the call and its outcome."""
    first_request = request_of(await team.agent.bash(thread, "make test"))
    await team.ada.decide(first_request["id"], "approve", scope="always")
    allowed = (await team.agent.bash(thread, "make test")).json()
    await team.agent.consume(allowed["id"], "run-1")
    await team.agent.report(allowed["id"], "run-1", "succeeded")
    second_request = request_of(await team.agent.bash(thread, "make deploy"))
    await team.bob.decide(second_request["id"], "deny")


@requirement("B28")
async def test_every_decision_is_logged_with_person_transport_rule_and_time(team: Team, thread: str) -> None:
    await team.agent.bash(thread, "ls")
    await team.agent.bash(thread, "rm -rf /")
    request = request_of(await team.agent.bash(thread, "make test"))
    await team.ada.decide(request["id"], "approve", scope="always")
    await team.agent.bash(thread, "make test")
    refused_request = request_of(await team.agent.bash(thread, "make deploy"))
    await team.bob.decide(refused_request["id"], "deny")
    await team.agent.bash(thread, "make deploy")
    entries, head = await team.admin.audit()
    assert [summary_of(entry) for entry in entries] == [
        ("decide", None, "policy", "approve", "policy", "bash(ls:*)"),
        ("decide", None, "policy", "deny", "policy", None),
        ("decide", "ada", "api", "approve", "responder", "bash(make test)"),
        ("decide", None, "policy", "approve", "policy", "bash(make test)"),
        ("decide", "bob", "api", "deny", "responder", None),
        ("decide", None, "policy", "deny", "policy", None),
    ]
    by_person = entries[2]
    assert (by_person["request_id"], by_person["digest"], by_person["scope"], by_person["tool"]) == (
        request["id"],
        request["approval"]["digest"],
        "always",
        "bash",
    )
    assert by_person["actor"]["role"] == "responder"
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", entry["at"]) for entry in entries)
    assert all(re.fullmatch(r"[0-9a-f]{64}", entry["digest"]) for entry in entries)
    assert verify_chain(lines((await team.admin.log())[0]), head=head) == head


@requirement("B28")
async def test_votes_outcomes_uses_rules_settings_and_refusals_are_logged(team: Team, thread: str) -> None:
    quorum = request_of(await team.agent.bash(thread, "make one", quorum=2))
    await team.ada.decide(quorum["id"], "approve")
    await team.bob.decide(quorum["id"], "approve")
    await team.agent.consume(quorum["id"], "run-1")
    await team.agent.report(quorum["id"], "run-1", "failed")
    await team.agent.decide(quorum["id"], "approve")
    declined_request = request_of(await team.agent.bash(thread, "make two"))
    await team.ada.decline(declined_request["id"], "dismissed")
    cancelled_request = request_of(await team.agent.bash(thread, "make three"))
    await team.agent.cancel(cancelled_request["id"])
    rule = (await team.carol.rule("make four")).json()
    await team.carol.revoke(rule["id"])
    await team.admin.set_policy(mode="plan")
    await team.admin.set_policy(mode="normal")
    late_request = request_of(await team.agent.bash(thread, "make five", timeout_s=1))
    await team.ada.http.get(f"/v1/requests/{late_request['id']}", params={"wait": 20})
    entries, head = await team.admin.audit()
    assert [summary_of(entry)[:2] for entry in entries] == [
        ("vote", "ada"),
        ("decide", "bob"),
        ("consume", "agent"),
        ("report", "agent"),
        ("refused", "agent"),
        ("decline", "ada"),
        ("cancel", "agent"),
        ("rule.add", "carol"),
        ("rule.revoke", "carol"),
        ("policy.set", "admin"),
        ("policy.set", "admin"),
        ("expire", None),
    ]
    assert verify_chain(lines((await team.admin.log())[0]), head=head) == head


@requirement("B28")
async def test_the_transport_of_a_decision_is_logged(server: Any, team: Team, thread: str) -> None:
    for transport in ("cli", "mcp", "chat", "api", "web", "carrier-pigeon", "policy"):
        request = request_of(await team.agent.bash(thread, f"make {transport}"))
        body = {"revision": 1, "decision": "approve"}
        headers = {"X-Askback-Via": transport}
        url = f"/v1/requests/{request['id']}/answer"
        assert (await team.ada.http.post(url, json=body, headers=headers)).status_code == 200
    link = (await team.admin.http.post("/v1/login-links", json={"name": "Dora"})).json()["url"]
    request = request_of(await team.agent.bash(thread, "make browser"))
    async with httpx2.AsyncClient(base_url=server.url) as browser:
        await sign_in(browser, link)
        body = {"revision": 1, "decision": "approve"}
        finished_reply = await browser.post(f"/v1/requests/{request['id']}/answer", json=body)
        assert finished_reply.status_code == 200
    entries, _ = await team.admin.audit()
    ways = [entry["via"] for entry in entries]
    assert ways[:4] == ["cli", "mcp", "chat", "api"]
    assert ways[5:] == ["api", "api", "web", "web"]  # the last but one is the log-in
    assert entries[-1]["actor"]["name"] == "Dora"


@requirement("B28")
async def test_a_changed_removed_or_moved_entry_is_found(team: Team, thread: str) -> None:
    await create_history(team, thread)
    entries, head = await team.admin.log()
    assert verify_chain(lines(entries), head=head) == head
    for index, entry in enumerate(entries):
        for name in set(entry) - {"seq", "prev", "hash"}:
            changed = [*entries[:index], {**entry, name: "changed"}, *entries[index + 1 :]]
            assert broken(changed, head) == index + 1, name
        dropped = [
            *entries[:index],
            *({k: v for k, v in entry.items() if k != "actor"},),
            *entries[index + 1 :],
        ]
        if "actor" in entry:
            assert broken(dropped, head) == index + 1
        removed = [*entries[:index], *entries[index + 1 :]]
        assert broken(removed, head) == min(index + 1, len(removed))
        for other in range(index + 1, len(entries)):
            moved = list(entries)
            moved[index], moved[other] = moved[other], moved[index]
            assert broken(moved, head) == index + 1
    assert broken([], head) == 0


@requirement("B28")
async def test_a_forged_entry_with_a_new_seal_is_detected(team: Team, thread: str) -> None:
    await create_history(team, thread)
    entries, head = await team.admin.log()
    for index, entry in enumerate(entries):
        forged = sealed({**entry, "at": "2020-01-01T00:00:00.000Z"}, prev=entry["prev"])
        changed = [*entries[:index], forged, *entries[index + 1 :]]
        assert broken(changed, head) == min(index + 2, len(entries))
        for later_entry in entries[index + 1 :]:
            forged = sealed(later_entry, prev=forged["hash"])
            changed[later_entry["seq"] - 1] = forged
        assert isinstance(verify_chain(lines(changed)), tuple)
        assert broken(changed, head) == len(entries)


def sealed(entry: dict[str, Any], *, prev: str) -> dict[str, Any]:
    """An entry from a forger who knows how entries are sealed."""
    members = {name: value for name, value in entry.items() if name not in {"seq", "prev", "hash"}}
    return json.loads(seal_entry(json.dumps(members), seq=entry["seq"], previous_hash=prev)[0])


def broken(entries: list[dict[str, Any]], head: tuple[int, str]) -> int | None:
    """The line at which a log is broken."""
    verification = verify_chain(lines(entries), head=head)
    return verification.line if isinstance(verification, ChainBreak) else None


@requirement("B28")
async def test_the_log_is_one_chain_under_concurrent_decisions(team: Team, thread: str) -> None:
    requests = [request_of(await team.agent.bash(thread, f"make step{n}")) for n in range(30)]
    await asyncio.gather(
        *(team.ada.decide(request["id"], "approve") for request in requests),
        *(team.bob.decide(request["id"], "deny") for request in requests),
        *(team.agent.bash(f"{thread}-{n}", "ls") for n in range(30)),
    )
    entries, head = await team.admin.log()
    assert [entry["seq"] for entry in entries] == list(range(1, len(entries) + 1))
    assert entries[0]["prev"] == GENESIS
    assert verify_chain(lines(entries), head=head) == head
    decided = [entry["request_id"] for entry in entries if entry["action"] == "decide"]
    assert len(decided) == len(set(decided)) == 60


@requirement("B28")
async def test_the_log_continues_after_a_kill_of_the_server(
    killable_server: KillableServer, thread: str
) -> None:
    async with killable_server.team() as team:
        await create_history(team, thread)
        before, _ = await team.admin.log()
        await killable_server.dies_and_returns()
        await team.agent.bash(thread, "ls")
        entries, head = await team.admin.log()
        assert entries[: len(before)] == before
        assert len(entries) == len(before) + 1
        assert verify_chain(lines(entries), head=head) == head


@requirement("B28")
async def test_only_an_admin_reads_the_log_and_only_of_the_own_tenant(
    server: Any, team: Team, thread: str
) -> None:
    await create_history(team, thread)
    for person in (team.agent, team.ada):
        assert refusal(await person.http.get("/v1/audit")) == (403, "forbidden")
    async with server.person("admin") as stranger:
        other_entries = (await stranger.http.get("/v1/audit", params={"limit": 500})).json()["entries"]
    ours, _ = await team.admin.audit()
    assert not {entry["hash"] for entry in ours} & {entry["hash"] for entry in other_entries}


@requirement("B28", "I7")
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_nothing_is_written_into_the_log_from_outside(team: Team, thread: str, method: str) -> None:
    await create_history(team, thread)
    before = await team.admin.audit()
    for path in ("/v1/audit", "/v1/audit/1"):
        reply = await team.admin.http.request(method, path, json={"entries": []})
        assert reply.status_code in {404, 405}
    assert await team.admin.audit() == before


@requirement("B28")
async def test_notes_and_file_contents_stay_out_of_the_log(team: Team, thread: str) -> None:
    secret = "hunter2-is-not-for-the-log"
    call = {"path": "src/a.py", "content": secret}
    request = request_of(await team.agent.approve(thread, "write_file", call))
    await team.ada.decide(request["id"], "approve")
    await team.agent.consume(request["id"], "run-1", tool="write_file", input=call)
    entries, _ = await team.admin.audit()
    assert len(entries) == 2
    assert secret not in json.dumps(entries)
