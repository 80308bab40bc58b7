"""Groups B, L and M: invalid requests for approval and invalid decisions, each refused with its path."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.journeys.people import Team, faults, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

MARK = "zq-refused-value-zq"
"""Part of the refused values: no reply may repeat it."""
GOOD = {"tool": "bash", "input": {"command": "make"}}
DROP: Any = object()
NESTED: Any = None
for _ in range(40):
    NESTED = {"a": NESTED}

CASES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "an unknown key": ({"colour": MARK}, ["approval.colour"]),
    "a decision of its own": (
        {"decision": "approve", "digest": MARK},
        ["approval.decision", "approval.digest"],
    ),
    "no tool": ({"tool": DROP}, ["approval.tool"]),
    "an empty tool": ({"tool": ""}, ["approval.tool"]),
    "a blank tool": ({"tool": " \t"}, ["approval.tool"]),
    "a tool that is no text": ({"tool": 5}, ["approval.tool"]),
    "a tool of many characters": ({"tool": MARK * 20}, ["approval.tool"]),
    "a tool that deceives": ({"tool": f"ba\u202esh{MARK}"}, ["approval.tool"]),
    "a tool with a letter of another alphabet": ({"tool": "b\u0430sh"}, ["approval.tool"]),
    "a tool in full width": ({"tool": "\uff42ash"}, ["approval.tool"]),
    "a tool with a line break": ({"tool": f"ba\nsh{MARK}"}, ["approval.tool"]),
    "no input": ({"input": DROP}, ["approval.input"]),
    "an input that is a number that is not exact": ({"input": 2**53}, ["approval.input"]),
    "an input that is a list with a number that is not exact": ({"input": [-(2**60)]}, ["approval.input"]),
    "a number that is not exact": ({"input": {"n": 2**53}}, ["approval.input"]),
    "a deep number that is not exact": ({"input": {"a": [{"n": -(2**60)}]}}, ["approval.input"]),
    "a title with a control character": ({"title": f"a\x1b[2K{MARK}"}, ["approval.title"]),
    "a title that turns the text around": ({"title": f"a\u202e{MARK}"}, ["approval.title"]),
    "a title that is too long": ({"title": MARK * 100}, ["approval.title"]),
    "a reason with a control character": ({"reason": f"a\x00{MARK}"}, ["approval.reason"]),
    "a reason with a zero-width space": ({"reason": f"a\u200b{MARK}"}, ["approval.reason"]),
    "a reason that is too long": ({"reason": MARK * 200}, ["approval.reason"]),
    "no scopes": ({"scopes": []}, ["approval.scopes"]),
    "a scope twice": ({"scopes": ["once", "thread", "once"]}, ["approval.scopes[2]"]),
    "an unknown scope": ({"scopes": ["once", MARK]}, ["approval.scopes[1]"]),
    "scopes that are no list": ({"scopes": "once"}, ["approval.scopes"]),
    "a project that deceives": ({"project": f"a\u2066{MARK}"}, ["approval.project"]),
    "allow_edit as a word": ({"allow_edit": "yes"}, ["approval.allow_edit"]),
    "a quorum of none": ({"quorum": 0}, ["approval.quorum"]),
    "a quorum below none": ({"quorum": -1}, ["approval.quorum"]),
    "a quorum and a half": ({"quorum": 1.5}, ["approval.quorum"]),
    "an exclusion of nobody": ({"exclude_requester": True}, ["approval.exclude_requester"]),
    "an exclusion as a word": ({"exclude_requester": "yes"}, ["approval.exclude_requester"]),
    "a validity of no time": ({"valid_s": 0}, ["approval.valid_s"]),
    "a validity of a century": ({"valid_s": 10**10}, ["approval.valid_s"]),
    "a risk of its own level": ({"risk": {"level": MARK}}, ["approval.risk.level"]),
    "a reason of the risk that deceives": (
        {"risk": {"level": "danger", "reasons": ["a", f"b\u202e{MARK}"]}},
        ["approval.risk.reasons[1]"],
    ),
    "a preview of its own": (
        {"preview": {"type": "command", "parts": [MARK]}},
        ["approval.preview.parts", "approval.preview.type"],
    ),
    "a file that is no text": ({"preview": {"before": 5}}, ["approval.preview.before"]),
    "a plan beside a call": ({"plan": MARK}, ["approval.input", "approval.tool"]),
    "a plan that is empty": ({"tool": DROP, "input": DROP, "plan": ""}, ["approval.plan"]),
    "a plan that is blank": ({"tool": DROP, "input": DROP, "plan": " \n "}, ["approval.plan"]),
    "neither a call nor a plan": ({"tool": DROP, "input": DROP}, ["approval.input", "approval.tool"]),
}
ENVELOPE_CASES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a quorum above the assignees": (
        {"assignees": ["ada"], "approval": {**GOOD, "quorum": 2}},
        ["approval.quorum"],
    ),
    "nobody assigned": ({"assignees": []}, ["assignees"]),
    "somebody assigned twice": ({"assignees": ["ada", "ada"]}, ["assignees[1]"]),
    "an assignee without a name": ({"assignees": ["ada", ""]}, ["assignees[1]"]),
    "assignees that are no list": ({"assignees": "ada"}, ["assignees"]),
    "no time at all": ({"timeout_s": 0}, ["timeout_s"]),
    "a century": ({"timeout_s": 10**10}, ["timeout_s"]),
    "approval at the end": ({"on_timeout": "approve"}, ["on_timeout"]),
    "no approval": ({"approval": DROP}, ["approval"]),
    "an approval that is a text": ({"approval": MARK}, ["approval"]),
    "a form beside it": ({"form": {"fields": []}}, ["form"]),
    "no thread": ({"thread_id": DROP}, ["thread_id"]),
    "an answer of its own": ({"answer": {"decision": "approve"}, "status": "answered"}, ["answer", "status"]),
}


def changed(body: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return a body with some keys changed and some left out."""
    return {key: value for key, value in {**body, **changes}.items() if value is not DROP}


async def refused_paths(team: Team, thread: str, body: dict[str, Any]) -> list[str]:
    """The paths of a refusal; checks that nothing was stored and nothing repeated."""
    reply = await team.agent.http.post("/v1/requests", content=json.dumps(body))
    paths = [path for path, _ in faults(reply)]
    assert MARK not in reply.text
    assert all(error["message"] for error in reply.json()["error"]["field_errors"])
    snapshot = (await team.ada.http.get(f"/v1/threads/{thread}")).json()
    assert (snapshot["seq"], snapshot["requests"]) == (0, [])
    assert (await team.admin.audit())[0] == []
    return paths


@requirement("B29", "M1", "M2", "L3")
async def test_an_approval_that_cannot_be_asked_is_refused_with_its_paths_and_nothing_is_stored(
    team: Team, thread: str
) -> None:
    findings = {}
    for shows, (changes, _) in CASES.items():
        body = {"kind": "approval", "thread_id": thread, "approval": changed(GOOD, changes)}
        findings[shows] = await refused_paths(team, thread, body)
    assert findings == {shows: paths for shows, (_, paths) in CASES.items()}


@requirement("B29", "M1", "M2")
async def test_a_fault_around_an_approval_is_refused_with_its_path(team: Team, thread: str) -> None:
    approval_body = {"kind": "approval", "thread_id": thread, "approval": GOOD}
    findings = {}
    for shows, (changes, _) in ENVELOPE_CASES.items():
        findings[shows] = await refused_paths(team, thread, changed(approval_body, changes))
    assert findings == {shows: paths for shows, (_, paths) in ENVELOPE_CASES.items()}


@requirement("B29", "M1", "L5")
@pytest.mark.parametrize(
    "text",
    [
        '{"n": NaN}',
        '{"n": -Infinity}',
        '{"n": 1e999}',
        '{"a": "\\ud800"}',
        '{"\\udfff": 1}',
        '{"a": 1, "a": 2}',
        '{"a": "' + "\\" + '"}',
        json.dumps(NESTED),
        "NaN",
        "1e999",
        '"\\ud800"',
        '[{"a": 1, "a": 2}]',
        json.dumps([NESTED]),
    ],
    ids=["NaN", "Infinity", "1e999", "surrogate", "surrogate-key", "same-key", "cut", "deep"]
    + ["bare-NaN", "bare-1e999", "bare-surrogate", "same-key-in-list", "deep-list"],
)
async def test_json_that_readers_do_not_agree_on_is_refused(team: Team, thread: str, text: str) -> None:
    body = f'{{"kind": "approval", "thread_id": "{thread}", "approval": {{"tool": "t", "input": {text}}}}}'
    reply = await team.agent.http.post("/v1/requests", content=body.encode())
    assert reply.status_code == 422
    assert len(reply.json()["error"]["field_errors"]) == 1
    assert (await team.ada.http.get(f"/v1/threads/{thread}")).json()["seq"] == 0


@requirement("B13", "L3", "L5")
async def test_an_input_is_stored_completely_or_refused(team: Team, thread: str) -> None:
    fitting_content = "x" * 200_000
    request = request_of(
        await team.agent.approve(thread, "write_file", {"path": "a", "content": fitting_content})
    )
    assert request["approval"]["input"]["content"] == fitting_content
    reply = await team.agent.approve("over", "write_file", {"path": "a", "content": "x" * (256 * 1024)})
    assert faults(reply) == [("", "too_long")]
    huge_request = await team.agent.approve(
        "over", "write_file", {"path": "a", "content": "x" * (1024 * 1024)}
    )
    assert (huge_request.status_code, huge_request.json()["error"]["code"]) == (413, "too_large")
    assert (await team.ada.http.get("/v1/threads/over")).json()["seq"] == 0


@requirement("B19", "B29", "M1")
async def test_an_invalid_decision_is_refused_with_its_path_and_the_request_stays_open(
    team: Team, thread: str
) -> None:
    yes = {"revision": 1, "decision": "approve"}
    no = {"revision": 1, "decision": "deny"}
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({}, ["decision", "revision"]),
        ({"decision": "approve"}, ["revision"]),
        ({"revision": "1", "decision": "approve"}, ["revision"]),
        ({**yes, "colour": MARK}, ["colour"]),
        ({**yes, "values": {}}, ["values"]),
        ({**yes, "scope": MARK}, ["scope"]),
        ({**yes, "scope": None}, ["scope"]),
        ({**yes, "scope": "project"}, ["scope"]),
        ({**yes, "note": MARK * 200}, ["note"]),
        ({**yes, "note": 5}, ["note"]),
        ({**yes, "edited_input": MARK}, ["edited_input"]),
        ({**yes, "edited_input": {"n": 2**60}}, ["edited_input"]),
        ({**yes, "rule": "bash(make)"}, ["rule"]),
        ({**yes, "scope": "always", "rule": 5}, ["rule"]),
        ({**yes, "mode": "accept_edits"}, ["mode"]),
        ({**yes, "digest": 5}, ["digest"]),
        ({**no, "scope": "project"}, ["scope"]),
        ({**no, "scope": "always", "rule": "bash(ls)"}, ["rule"]),
        ({**no, "edited_input": {"command": "ls"}}, ["edited_input"]),
        ({**no, "rule": "bash(make)"}, ["rule"]),
    ]
    request = request_of(await team.agent.bash(thread, "make", allow_edit=True))
    findings: list[tuple[dict[str, Any], list[str]]] = []
    for body, _ in cases:
        reply = await team.ada.http.post(f"/v1/requests/{request['id']}/answer", json=body)
        findings.append((body, [path for path, _ in faults(reply)]))
        assert MARK not in reply.text
    assert findings == cases
    assert await team.ada.get(request["id"]) == request
    assert await team.ada.rules(ended="true") == []


@requirement("B29", "M1")
async def test_a_use_or_report_that_cannot_be_read_is_refused_with_its_path(team: Team, thread: str) -> None:
    request = request_of(await team.agent.bash(thread, "make"))
    await team.ada.decide(request["id"], "approve")
    digest = request["approval"]["digest"]
    uses: list[tuple[dict[str, Any], list[str]]] = [
        ({}, ["execution_id"]),
        ({"execution_id": ""}, ["execution_id"]),
        ({"execution_id": MARK * 20}, ["execution_id"]),
        ({"execution_id": f"a\u202e{MARK}"}, ["execution_id"]),
        ({"execution_id": 5}, ["execution_id"]),
        ({"execution_id": "run", "tool": "bash"}, ["input"]),
        ({"execution_id": "run", "input": {"command": "make"}}, ["tool"]),
        ({"execution_id": "run", "tool": "bash", "input": {"n": 2**60}}, ["input"]),
        ({"execution_id": "run", "tool": "bash", "input": {"command": "make"}, "digest": digest}, ["digest"]),
        ({"execution_id": "run", "colour": MARK}, ["colour"]),
    ]
    for body, paths in uses:
        reply = await team.agent.http.post(f"/v1/requests/{request['id']}/consume", json=body)
        assert [path for path, _ in faults(reply)] == paths, body
        assert MARK not in reply.text
    assert (await team.agent.consume(request["id"], "run-1")).status_code == 200
    for body, paths in (
        ({"execution_id": "run-1"}, ["outcome"]),
        ({"execution_id": "run-1", "outcome": MARK}, ["outcome"]),
        ({"execution_id": "run-1", "outcome": "failed", "note": MARK * 200}, ["note"]),
    ):
        reply = await team.agent.http.post(f"/v1/requests/{request['id']}/report", json=body)
        assert [path for path, _ in faults(reply)] == paths, body
        assert MARK not in reply.text
    assert (await team.agent.consume(request["id"], "run-1")).json()["outcome"] is None
