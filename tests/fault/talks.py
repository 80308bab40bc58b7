"""Scripted talks of an agent and a person, each in a separate thread, with the expected replies of every server.

Each acknowledged step is repeated at once. A talk records the events and the audit entries that it must leave.
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
from tests.fault.caller import Acknowledged, Caller
from tests.fault.pace import LIMITS
from tests.fault.processes import ADMIN, RESPONDER

FIELDS = [{"id": "n", "type": "text", "label": "N"}]


@dataclass
class Talk:
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

    async def create_request(self, title: str, **extra: Any) -> Acknowledged:
        """Ask; return the call."""
        form = {"kind": "form", "form": {"title": f"{title} {self.thread}", "fields": FIELDS}}
        body = {**({} if "kind" in extra else form), **extra, "thread_id": self.thread}
        reply = await self.caller.post(self.agent, "/v1/requests", body, key=self.key())
        self.happened("request.created", reply.reply_body["id"])
        return reply

    async def answer(self, request_id: str, *, event: str = "request.answered", **body: Any) -> Acknowledged:
        """Answer as the person; return the call."""
        return await self.step(RESPONDER, request_id, "answer", event, **({"revision": 1} | body))

    async def step(self, who: str, request_id: str, do: str, event: str, **body: Any) -> Acknowledged:
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


async def messages(talk: Talk) -> None:
    """A message that grows by deltas, and one of the person: each once, with its whole text."""
    path = f"/v1/threads/{talk.thread}/messages"
    reply = await talk.caller.post(
        talk.agent, path, {"content": [{"type": "text", "text": "Hello"}]}, key=talk.key()
    )
    message_id = reply.reply_body["id"]
    talk.happened("message.added", message_id)
    for word in (" this", " is", " a", " text"):
        await talk.caller.post(talk.agent, path, {"append_to": message_id, "text": word}, key=talk.key())
        talk.happened("message.delta", message_id, word)
    posted_reply = await talk.caller.post(
        RESPONDER, path, {"content": [{"type": "text", "text": "Yes"}]}, key=talk.key()
    )
    talk.happened("message.added", posted_reply.reply_body["id"])
    stored_messages = (await talk.caller.read(RESPONDER, f"/v1/threads/{talk.thread}"))["messages"]
    texts = [(message["id"], message["content"][0]["text"]) for message in stored_messages]
    talk.caller.expect(
        texts == [(message_id, "Hello this is a text"), (posted_reply.reply_body["id"], "Yes")],
        "I14",
        f"{texts} are stored",
    )


async def answer_twice_at_once(talk: Talk) -> None:
    """Two answers at once: one wins, and later calls change nothing."""
    request_id = await talk.ask("Two answers")
    path = f"/v1/requests/{request_id}"
    taken: list[tuple[str, str]] = []

    async def send(word: str, key: str) -> None:
        body = {"revision": 1, "values": {"n": word}}
        reply = await talk.caller.send(RESPONDER, "POST", f"{path}/answer", body, key=key)
        if reply.status == 200:
            taken.append((word, key))

    async with anyio.create_task_group() as hands:
        for word in ("one", "other"):
            hands.start_soon(send, word, talk.key())
    talk.caller.expect(len(taken) == 1, "I3", f"{request_id}: {taken} were taken")
    [(word, key)] = taken
    talk.happened("request.answered", request_id)
    await talk.caller.post(
        RESPONDER, f"{path}/answer", {"revision": 1, "values": {"n": word}}, key=key
    )  # as before
    await talk.expect_refusal(
        RESPONDER, f"{path}/answer", "already_settled", "I3", revision=1, values={"n": "late"}
    )
    await talk.expect_refusal(RESPONDER, f"{path}/decline", "already_settled", "I3", reason="dismissed")
    stored = await talk.caller.read(talk.agent, path)
    talk.caller.expect(
        stored["status"] == "answered" and stored["answer"]["values"] == {"n": word},
        "I2",
        f"{request_id}: {word} was acknowledged, {stored.get('answer')} is stored",
    )


async def reject_first_answer(talk: Talk) -> None:
    """An answer that is sent back, and a better one: the first stays acknowledged."""
    request_id = await talk.ask("Sent back", validator="requester")
    first = await talk.answer(request_id, event="request.resolving", values={"n": "wrong"})
    await talk.step(talk.agent, request_id, "reprompt", "request.reprompted", error_summary="Another.")
    await talk.caller.repeat(first)
    await talk.answer(request_id, event="request.resolving", revision=2, values={"n": "right"})
    await talk.caller.repeat(first)
    answered_reply = await talk.step(talk.agent, request_id, "accept", "request.answered")
    await talk.caller.repeat(first)
    stored_values = answered_reply.reply_body["answer"]["values"]
    talk.caller.expect(stored_values == {"n": "right"}, "I2", f"{request_id}: {stored_values} is stored")


async def kill_checking_agent(talk: Talk) -> None:
    """An agent dies while it checks an answer: the person is asked again, and their values are kept."""
    request_id = await talk.ask("Unchecked", validator="requester")
    await talk.answer(request_id, event="request.resolving", values={"n": "mine"})
    path = f"/v1/requests/{request_id}"
    await talk.caller.send(talk.agent, "POST", f"{path}/check", {})  # or it was given back already
    back = await talk.until(request_id, "pending", "I7")
    talk.happened("request.reprompted", request_id)
    checked_state = (back["revision"], back["submitted"]["values"])
    talk.caller.expect(
        checked_state == (2, {"n": "mine"}), "I7", f"{request_id} was given back with {checked_state}"
    )
    await talk.step(RESPONDER, request_id, "decline", "request.declined", reason="dismissed")


async def approvals(talk: Talk) -> None:
    """An approved call runs once; a denied one never runs."""
    call = {"tool": "deploy", "input": {"what": talk.thread}}
    request_id = await talk.ask("", kind="approval", approval=call)
    await talk.answer(request_id, decision="approve")
    path = f"/v1/requests/{request_id}"
    talk.happened("request.used", request_id)
    for execution in ("first", "first"):
        used = await talk.caller.send(
            talk.agent, "POST", f"{path}/consume", {**call, "execution_id": execution}
        )
        talk.caller.expect(
            (used.status, used.body.get("execution_id")) == (200, "first"),
            "I15",
            f"{request_id} was not used: {used}",
        )
    await talk.expect_refusal(
        talk.agent, f"{path}/consume", "already_consumed", "I15", **call, execution_id="second"
    )
    reply = await talk.caller.send(
        talk.agent, "POST", f"{path}/report", {"execution_id": "first", "outcome": "succeeded"}
    )
    talk.caller.expect(reply.status == 200, "I15", f"{request_id} was not reported: {reply}")
    talk.entries.update([("decide", request_id), ("consume", request_id), ("report", request_id)])
    other = {"tool": "deploy", "input": {"what": f"not {talk.thread}"}}
    request_id = await talk.ask("", kind="approval", approval=other)
    await talk.answer(request_id, decision="deny")
    await talk.expect_refusal(
        talk.agent, f"/v1/requests/{request_id}/consume", "not_approved", "I15", **other, execution_id="x"
    )
    talk.entries.update([("decide", request_id)])


async def refusals(talk: Talk) -> None:
    """A refused request is not asked again."""
    first_reply = await talk.create_request("Refused")
    request_id = first_reply.reply_body["id"]
    await talk.step(RESPONDER, request_id, "decline", "request.declined", reason="refused")
    second_request = (
        await talk.caller.post(talk.agent, "/v1/requests", first_reply.body, key=talk.key())
    ).reply_body
    talk.caller.expect(
        second_request["id"] == request_id and second_request.get("repeated") is True,
        "I16",
        f"{request_id} was refused, and is asked again as {second_request['id']}",
    )


async def deadlines(talk: Talk) -> None:
    """A deadline fires once, and not early; later calls are refused."""
    later = await talk.ask("Ten minutes", timeout_s=600)
    request_id = await talk.ask("A second", timeout_s=1)
    deadline = (await talk.caller.read(RESPONDER, f"/v1/requests/{request_id}"))["expires_at"]
    ended = await talk.until(request_id, "expired", "I6")
    talk.happened("request.expired", request_id)
    talk.caller.expect(
        ended["settled_at"] >= deadline, "I6", f"{request_id} expired at {ended['settled_at']}"
    )
    path = f"/v1/requests/{request_id}/answer"
    await talk.expect_refusal(RESPONDER, path, "expired", "I6", revision=1, values={"n": "late"})
    await talk.until(request_id, "expired", "I6")
    left = (await talk.caller.read(RESPONDER, f"/v1/requests/{later}"))["status"]
    talk.caller.expect(left == "pending", "I6", f"{later} is {left} after a moment of ten minutes")
    await talk.step(RESPONDER, later, "decline", "request.declined", reason="dismissed")


async def resumes(talk: Talk) -> None:
    """A resume is delivered to one worker at a time until it is acknowledged, and never after that."""
    request_id = await talk.ask("Resumed", delivery="resume")
    await talk.answer(request_id, values={"n": "go"})
    path = f"/v1/threads/{talk.thread}/resumes"
    with anyio.move_on_after(talk.patience_s + 2):
        while True:
            found_resumes = (await talk.caller.read(talk.agent, f"{path}?wait=1"))["resumes"]
            if not found_resumes:
                continue
            [resume] = found_resumes
            until = datetime.fromisoformat(resume["until"]).timestamp()
            other_resumes = (await talk.caller.read(talk.agent, path))["resumes"]
            talk.caller.expect(
                not other_resumes or time.time() >= until, "I9", f"{resume['id']} is held by two"
            )
            ack = f"/v1/resumes/{resume['id']}/ack"
            attempt = max(item["attempt"] for item in (resume, *other_resumes))
            done = [await talk.caller.send(talk.agent, "POST", ack, {"attempt": attempt}) for _ in range(2)]
            if all(item.status == 200 for item in done):
                break
        await anyio.sleep(max(0.0, until - time.time()) + 0.1)
        remaining_resumes = (await talk.caller.read(talk.agent, path))["resumes"]
        talk.caller.expect(
            not remaining_resumes, "I9", f"{resume['id']} came again after it was acknowledged"
        )
        return
    raise talk.caller.broken("I9", f"{request_id} has no resume")


async def close_after_outcome(talk: Talk) -> None:
    """Agents that close as soon as they have read the outcome get no resume."""
    kills = talk.kills()
    for number in range(3):
        form = Form(title=f"Leaving {number}", fields=[Text(id="n", label="N")])
        key = talk.key()
        async with AsyncClient(talk.caller.url(), talk.agent, retry_for=120) as client:
            ask = partial(client.requests.create, form, thread_id=talk.thread, idempotency_key=key)
            request = await call_until_reply(ask)
            talk.happened("request.created", request.id)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_wait, talk, client, request.id)
                await call_until_reply(
                    partial(client.requests.get, request.id)
                )  # on the same connection: the wait is in place
                await talk.answer(request.id, values={"n": "bye"})
    await anyio.sleep(LIMITS.orphan_s + 0.2)
    remaining_resumes = (await talk.caller.read(talk.agent, f"/v1/threads/{talk.thread}/resumes"))["resumes"]
    talk.caller.expect(
        not remaining_resumes or talk.kills() > kills,
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


async def _wait(talk: Talk, client: AsyncClient, request_id: str) -> None:
    with anyio.move_on_after(talk.patience_s):
        ended_request = await call_until_reply(partial(client.wait, request_id))
        talk.caller.expect(
            ended_request.answer is not None and ended_request.answer.values == {"n": "bye"},
            "I5",
            f"the agent that waits for {request_id} was told {ended_request.status}",
        )
        return
    raise talk.caller.broken("I5", f"the agent that waits for {request_id} was not told")


async def secrets(talk: Talk) -> None:
    """A secret is stored once it was accepted, not before, in its first version."""
    request_members = {"names": ["API_KEY"], "reason": "to try", "default_scope": "session", "probe": True}
    request_id = await talk.ask("", kind="secret", secret=request_members)
    value = f"value of {talk.thread}"
    await talk.answer(request_id, event="request.resolving", secrets={"API_KEY": value}, scope="session")
    talk.caller.expect(
        await secret_versions(talk) == [], "I2", f"{request_id} is in place before it was accepted"
    )
    await talk.step(talk.agent, request_id, "accept", "request.answered")
    versions = await secret_versions(talk)
    talk.caller.expect(versions == [1], "I2", f"{request_id} was accepted: versions {versions}")
    body = {"names": ["API_KEY"], "thread_id": talk.thread}
    leased = await talk.caller.send(talk.agent, "POST", "/v1/secrets/lease", body)
    is_leased = leased.status == 200 and leased.body["secrets"]["API_KEY"]["value"] == value
    talk.caller.expect(is_leased, "I2", f"{request_id} was accepted, and is not to be had: {leased.status}")
    talk.entries.update([("submit", request_id), ("decide", request_id)])


async def secret_versions(talk: Talk) -> list[int]:
    found_secrets = (await talk.caller.read(ADMIN, "/v1/secrets?limit=200"))["secrets"]
    return [secret["version"] for secret in found_secrets if secret.get("thread_id") == talk.thread]


async def tokens(talk: Talk) -> None:
    """A revoked token is refused forever."""
    reply = await talk.caller.send(ADMIN, "POST", "/v1/tokens", {"role": "requester", "name": talk.thread})
    token = reply.body["token"]
    await talk.caller.read(token, "/v1/requests")
    revocation = await talk.caller.send(ADMIN, "DELETE", f"/v1/tokens/{reply.body['id']}")
    talk.caller.expect(revocation.status == 200, "I17", f"a token was not revoked: {revocation}")
    talk.revoked.append(token)
    await check_revoked_tokens(talk)


async def check_revoked_tokens(talk: Talk) -> None:
    """Check that revoked tokens are refused."""
    for token in talk.revoked:
        reply = await talk.caller.send(token, "GET", "/v1/requests")
        talk.caller.expect(reply.status == 401, "I17", f"a revoked token is answered with {reply.status}")


Subject = Callable[[Talk], Coroutine[Any, Any, None]]
"""The talks by name."""

TALKS: tuple[Subject, ...] = (
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
