"""Scripted scenarios of an agent and a person, each in a separate thread, with the expected replies of every server.

Each acknowledged step is repeated at once. A scenario records the events and the audit entries that it must leave.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

import anyio

from askback import AsyncClient, Form, InputRequest, Text
from askback.errors import ConnectionLost, Unavailable
from tests.fault.audit import Entries
from tests.fault.caller import Caller, KeyedCall
from tests.fault.pace import LIMITS
from tests.fault.processes import ADMIN, RESPONDER

FIELDS = [{"id": "n", "type": "text", "label": "N"}]


@dataclass
class Scenario:
    """A thread, its participants, and the expected events and entries."""

    caller: Caller
    agent: str
    """The token of the agent."""
    thread: str
    patience_s: float
    kills: Callable[[], int]
    """The number of kills so far."""
    events: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    """The type, the subject, and the text of a delta."""
    entries: Entries = field(default_factory=Counter[tuple[str, str]])
    revoked: list[str] = field(default_factory=list[str])
    """Tokens that must stay refused."""
    _keys: int = 0

    def key(self) -> str:
        """A new key."""
        self._keys += 1
        return f"{self.thread}-{self._keys}"

    def happened(self, event: str, about: str, text: str = "") -> None:
        """Record an event that must be on the streams."""
        self.events.append((event, about, text))

    async def ask(self, title: str, **extra: Any) -> str:
        """Ask with a form, or with another body; return the id."""
        return (await self.create_request(title, **extra)).reply_body["id"]

    async def create_request(self, title: str, **extra: Any) -> KeyedCall:
        """Ask; return the call."""
        form = {"kind": "form", "form": {"title": f"{title} {self.thread}", "fields": FIELDS}}
        body = {**({} if "kind" in extra else form), **extra, "thread_id": self.thread}
        reply = await self.caller.post(self.agent, "/v1/requests", body, key=self.key())
        self.happened("request.created", reply.reply_body["id"])
        return reply

    async def answer(self, request_id: str, *, event: str = "request.answered", **body: Any) -> KeyedCall:
        """Answer as the person; return the call."""
        return await self.step(RESPONDER, request_id, "answer", event, **({"revision": 1} | body))

    async def step(self, who: str, request_id: str, do: str, event: str, **body: Any) -> KeyedCall:
        """Take a step that has this event, and check that it is stored once acknowledged."""
        path = f"/v1/requests/{request_id}"
        call = await self.caller.post(who, f"{path}/{do}", body, key=self.key())
        self.happened(event, request_id)
        stored = await self.caller.read(RESPONDER, path)
        status = call.reply_body["status"]
        same = (stored["status"], stored["revision"]) == (status, call.reply_body["revision"])
        self.caller.expect(
            same, "I2", f"{request_id} was acknowledged as {status}, {stored['status']} is stored"
        )
        return call

    async def expect_refusal(self, who: str, path: str, code: str, invariant: str, **body: Any) -> None:
        """Make a call that must be refused."""
        reply = await self.caller.send(who, "POST", path, body, key=self.key())
        reply_code = reply.body.get("error", {}).get("code")
        self.caller.expect(reply_code == code, invariant, f"{path}: {reply.status} {reply_code}, not {code}")

    async def until(self, request_id: str, status: str, invariant: str) -> dict[str, Any]:
        """Wait until a request has a status."""
        request: dict[str, Any] = {}
        with anyio.move_on_after(self.patience_s):
            while (request := await self.caller.read(RESPONDER, f"/v1/requests/{request_id}"))[
                "status"
            ] != status:
                await anyio.sleep(0.05)
            return request
        raise self.caller.broken(invariant, f"{request_id} is {request.get('status')}, not {status}")


async def messages(scenario: Scenario) -> None:
    """A message that grows by deltas, and one of the person: each once, with its whole text."""
    path = f"/v1/threads/{scenario.thread}/messages"
    reply = await scenario.caller.post(
        scenario.agent, path, {"content": [{"type": "text", "text": "Hello"}]}, key=scenario.key()
    )
    message_id = reply.reply_body["id"]
    scenario.happened("message.added", message_id)
    for word in (" this", " is", " a", " text"):
        await scenario.caller.post(
            scenario.agent, path, {"append_to": message_id, "text": word}, key=scenario.key()
        )
        scenario.happened("message.delta", message_id, word)
    posted_reply = await scenario.caller.post(
        RESPONDER, path, {"content": [{"type": "text", "text": "Yes"}]}, key=scenario.key()
    )
    scenario.happened("message.added", posted_reply.reply_body["id"])
    stored_messages = (await scenario.caller.read(RESPONDER, f"/v1/threads/{scenario.thread}"))["messages"]
    texts = [(message["id"], message["content"][0]["text"]) for message in stored_messages]
    scenario.caller.expect(
        texts == [(message_id, "Hello this is a text"), (posted_reply.reply_body["id"], "Yes")],
        "I14",
        f"{texts} are stored",
    )


async def answer_twice_at_once(scenario: Scenario) -> None:
    """Two answers at once: one wins, and later calls change nothing."""
    request_id = await scenario.ask("Two answers")
    path = f"/v1/requests/{request_id}"
    taken: list[tuple[str, str]] = []

    async def send(word: str, key: str) -> None:
        body = {"revision": 1, "values": {"n": word}}
        reply = await scenario.caller.send(RESPONDER, "POST", f"{path}/answer", body, key=key)
        if reply.status == 200:
            taken.append((word, key))

    async with anyio.create_task_group() as hands:
        for word in ("one", "other"):
            hands.start_soon(send, word, scenario.key())
    scenario.caller.expect(len(taken) == 1, "I3", f"{request_id}: {taken} were taken")
    [(word, key)] = taken
    scenario.happened("request.answered", request_id)
    await scenario.caller.post(
        RESPONDER, f"{path}/answer", {"revision": 1, "values": {"n": word}}, key=key
    )  # as before
    await scenario.expect_refusal(
        RESPONDER, f"{path}/answer", "already_settled", "I3", revision=1, values={"n": "late"}
    )
    await scenario.expect_refusal(RESPONDER, f"{path}/decline", "already_settled", "I3", reason="dismissed")
    stored = await scenario.caller.read(scenario.agent, path)
    scenario.caller.expect(
        stored["status"] == "answered" and stored["answer"]["values"] == {"n": word},
        "I2",
        f"{request_id}: {word} was acknowledged, {stored.get('answer')} is stored",
    )


async def reject_first_answer(scenario: Scenario) -> None:
    """An answer that is sent back, and a better one: the first stays acknowledged."""
    request_id = await scenario.ask("Sent back", validator="requester")
    first = await scenario.answer(request_id, event="request.resolving", values={"n": "wrong"})
    await scenario.step(
        scenario.agent, request_id, "reprompt", "request.reprompted", error_summary="Another."
    )
    await scenario.caller.repeat(first)
    await scenario.answer(request_id, event="request.resolving", revision=2, values={"n": "right"})
    await scenario.caller.repeat(first)
    answered_reply = await scenario.step(scenario.agent, request_id, "accept", "request.answered")
    await scenario.caller.repeat(first)
    stored_values = answered_reply.reply_body["answer"]["values"]
    scenario.caller.expect(stored_values == {"n": "right"}, "I2", f"{request_id}: {stored_values} is stored")


async def kill_checking_agent(scenario: Scenario) -> None:
    """An agent dies while it checks an answer: the person is asked again, and their values are kept."""
    request_id = await scenario.ask("Unchecked", validator="requester")
    await scenario.answer(request_id, event="request.resolving", values={"n": "mine"})
    path = f"/v1/requests/{request_id}"
    await scenario.caller.send(scenario.agent, "POST", f"{path}/check", {})  # or it was given back already
    back = await scenario.until(request_id, "pending", "I7")
    scenario.happened("request.reprompted", request_id)
    checked_state = (back["revision"], back["submitted"]["values"])
    scenario.caller.expect(
        checked_state == (2, {"n": "mine"}), "I7", f"{request_id} was given back with {checked_state}"
    )
    await scenario.step(RESPONDER, request_id, "decline", "request.declined", reason="dismissed")


async def approvals(scenario: Scenario) -> None:
    """An approved call runs once; a denied one never runs."""
    call = {"tool": "deploy", "input": {"what": scenario.thread}}
    request_id = await scenario.ask("", kind="approval", approval=call)
    await scenario.answer(request_id, decision="approve")
    path = f"/v1/requests/{request_id}"
    scenario.happened("request.used", request_id)
    for execution in ("first", "first"):
        used = await scenario.caller.send(
            scenario.agent, "POST", f"{path}/consume", {**call, "execution_id": execution}
        )
        scenario.caller.expect(
            (used.status, used.body.get("execution_id")) == (200, "first"),
            "I15",
            f"{request_id} was not used: {used}",
        )
    await scenario.expect_refusal(
        scenario.agent, f"{path}/consume", "already_consumed", "I15", **call, execution_id="second"
    )
    reply = await scenario.caller.send(
        scenario.agent, "POST", f"{path}/report", {"execution_id": "first", "outcome": "succeeded"}
    )
    scenario.caller.expect(reply.status == 200, "I15", f"{request_id} was not reported: {reply}")
    scenario.entries.update([("decide", request_id), ("consume", request_id), ("report", request_id)])
    other = {"tool": "deploy", "input": {"what": f"not {scenario.thread}"}}
    request_id = await scenario.ask("", kind="approval", approval=other)
    await scenario.answer(request_id, decision="deny")
    await scenario.expect_refusal(
        scenario.agent, f"/v1/requests/{request_id}/consume", "not_approved", "I15", **other, execution_id="x"
    )
    scenario.entries.update([("decide", request_id)])


async def refusals(scenario: Scenario) -> None:
    """A refused request is not asked again."""
    first_reply = await scenario.create_request("Refused")
    request_id = first_reply.reply_body["id"]
    await scenario.step(RESPONDER, request_id, "decline", "request.declined", reason="refused")
    second_request = (
        await scenario.caller.post(scenario.agent, "/v1/requests", first_reply.body, key=scenario.key())
    ).reply_body
    scenario.caller.expect(
        second_request["id"] == request_id and second_request.get("repeated") is True,
        "I16",
        f"{request_id} was refused, and is asked again as {second_request['id']}",
    )


async def deadlines(scenario: Scenario) -> None:
    """A deadline fires once, and not early; later calls are refused."""
    later = await scenario.ask("Ten minutes", timeout_s=600)
    request_id = await scenario.ask("A second", timeout_s=1)
    deadline = (await scenario.caller.read(RESPONDER, f"/v1/requests/{request_id}"))["expires_at"]
    ended = await scenario.until(request_id, "expired", "I6")
    scenario.happened("request.expired", request_id)
    scenario.caller.expect(
        ended["settled_at"] >= deadline, "I6", f"{request_id} expired at {ended['settled_at']}"
    )
    path = f"/v1/requests/{request_id}/answer"
    await scenario.expect_refusal(RESPONDER, path, "expired", "I6", revision=1, values={"n": "late"})
    await scenario.until(request_id, "expired", "I6")
    left = (await scenario.caller.read(RESPONDER, f"/v1/requests/{later}"))["status"]
    scenario.caller.expect(left == "pending", "I6", f"{later} is {left} after a moment of ten minutes")
    await scenario.step(RESPONDER, later, "decline", "request.declined", reason="dismissed")


async def resumes(scenario: Scenario) -> None:
    """A resume is delivered to one worker at a time until it is acknowledged, and never after that."""
    request_id = await scenario.ask("Resumed", delivery="resume")
    await scenario.answer(request_id, values={"n": "go"})
    path = f"/v1/threads/{scenario.thread}/resumes"
    with anyio.move_on_after(scenario.patience_s + 2):
        while True:
            found_resumes = (await scenario.caller.read(scenario.agent, f"{path}?wait=1"))["resumes"]
            if not found_resumes:
                continue
            [resume] = found_resumes
            until = datetime.fromisoformat(resume["until"]).timestamp()
            other_resumes = (await scenario.caller.read(scenario.agent, path))["resumes"]
            scenario.caller.expect(
                not other_resumes or time.time() >= until, "I9", f"{resume['id']} is held by two"
            )
            ack = f"/v1/resumes/{resume['id']}/ack"
            attempt = max(item["attempt"] for item in (resume, *other_resumes))
            done = [
                await scenario.caller.send(scenario.agent, "POST", ack, {"attempt": attempt})
                for _ in range(2)
            ]
            if all(item.status == 200 for item in done):
                break
        await anyio.sleep(max(0.0, until - time.time()) + 0.1)
        remaining_resumes = (await scenario.caller.read(scenario.agent, path))["resumes"]
        scenario.caller.expect(
            not remaining_resumes, "I9", f"{resume['id']} came again after it was acknowledged"
        )
        return
    raise scenario.caller.broken("I9", f"{request_id} has no resume")


async def close_after_outcome(scenario: Scenario) -> None:
    """Agents that close as soon as they have read the outcome get no resume."""
    kills = scenario.kills()
    for number in range(3):
        form = Form(title=f"Leaving {number}", fields=[Text(id="n", label="N")])
        key = scenario.key()
        async with AsyncClient(scenario.caller.url(), scenario.agent, retry_for=120) as client:
            ask = partial(client.requests.create, form, thread_id=scenario.thread, idempotency_key=key)
            request = await call_until_reply(ask)
            scenario.happened("request.created", request.id)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_wait, scenario, client, request.id)
                await call_until_reply(
                    partial(client.requests.get, request.id)
                )  # on the same connection: the wait is in place
                await scenario.answer(request.id, values={"n": "bye"})
    await anyio.sleep(LIMITS.orphan_s + 0.2)
    remaining_resumes = (
        await scenario.caller.read(scenario.agent, f"/v1/threads/{scenario.thread}/resumes")
    )["resumes"]
    scenario.caller.expect(
        not remaining_resumes or scenario.kills() > kills,
        "I9",
        f"{[resume['request_id'] for resume in remaining_resumes]} had been read",
    )


async def call_until_reply(call: Callable[[], Awaitable[InputRequest]]) -> InputRequest:
    """Call until the server responds."""
    while True:
        try:
            return await call()
        except (ConnectionLost, Unavailable):
            await anyio.sleep(0.05)


async def _wait(scenario: Scenario, client: AsyncClient, request_id: str) -> None:
    with anyio.move_on_after(scenario.patience_s):
        ended_request = await call_until_reply(partial(client.wait, request_id))
        scenario.caller.expect(
            ended_request.answer is not None and ended_request.answer.values == {"n": "bye"},
            "I5",
            f"the agent that waits for {request_id} was told {ended_request.status}",
        )
        return
    raise scenario.caller.broken("I5", f"the agent that waits for {request_id} was not told")


async def secrets(scenario: Scenario) -> None:
    """A secret is stored once it was accepted, not before, in its first version."""
    request_members = {"names": ["API_KEY"], "reason": "to try", "default_scope": "session", "probe": True}
    request_id = await scenario.ask("", kind="secret", secret=request_members)
    value = f"value of {scenario.thread}"
    await scenario.answer(request_id, event="request.resolving", secrets={"API_KEY": value}, scope="session")
    scenario.caller.expect(
        await secret_versions(scenario) == [], "I2", f"{request_id} is in place before it was accepted"
    )
    await scenario.step(scenario.agent, request_id, "accept", "request.answered")
    versions = await secret_versions(scenario)
    scenario.caller.expect(versions == [1], "I2", f"{request_id} was accepted: versions {versions}")
    body = {"names": ["API_KEY"], "thread_id": scenario.thread}
    leased = await scenario.caller.send(scenario.agent, "POST", "/v1/secrets/lease", body)
    is_leased = leased.status == 200 and leased.body["secrets"]["API_KEY"]["value"] == value
    scenario.caller.expect(
        is_leased, "I2", f"{request_id} was accepted, and is not to be had: {leased.status}"
    )
    scenario.entries.update([("submit", request_id), ("decide", request_id)])


async def secret_versions(scenario: Scenario) -> list[int]:
    found_secrets = (await scenario.caller.read(ADMIN, "/v1/secrets?limit=200"))["secrets"]
    return [secret["version"] for secret in found_secrets if secret.get("thread_id") == scenario.thread]


async def tokens(scenario: Scenario) -> None:
    """A revoked token is refused forever."""
    reply = await scenario.caller.send(
        ADMIN, "POST", "/v1/tokens", {"role": "requester", "name": scenario.thread}
    )
    token = reply.body["token"]
    await scenario.caller.read(token, "/v1/requests")
    revocation = await scenario.caller.send(ADMIN, "DELETE", f"/v1/tokens/{reply.body['id']}")
    scenario.caller.expect(revocation.status == 200, "I17", f"a token was not revoked: {revocation}")
    scenario.revoked.append(token)
    await check_revoked_tokens(scenario)


async def check_revoked_tokens(scenario: Scenario) -> None:
    """Check that revoked tokens are refused."""
    for token in scenario.revoked:
        reply = await scenario.caller.send(token, "GET", "/v1/requests")
        scenario.caller.expect(reply.status == 401, "I17", f"a revoked token is answered with {reply.status}")


ScenarioSteps = Callable[[Scenario], Coroutine[Any, Any, None]]

SCENARIOS: tuple[ScenarioSteps, ...] = (
    messages,
    answer_twice_at_once,
    reject_first_answer,
    kill_checking_agent,
    approvals,
    refusals,
    deadlines,
    resumes,
    close_after_outcome,
    secrets,
    tokens,
)
