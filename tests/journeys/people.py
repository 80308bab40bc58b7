"""A caller with plain HTTP, so that a journey sees the same as any client."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import anyio
import httpx2
import websockets

ENVELOPE = {
    "timeout_s", "on_timeout", "assignees", "agent", "run_id", "message_id", "tool_call_id", "delivery",
}  # fmt: skip
"""Members of a request's body beside `approval`, not in it."""


class Person:
    """An HTTP caller with one token. Replies are returned and bodies sent unchanged."""

    def __init__(
        self, url: str, token: str | None, *, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        # Loading unused certificates takes longer than most tests.
        self.http = httpx2.AsyncClient(
            base_url=url, headers=headers, timeout=30, verify=False, transport=transport
        )
        self.token = token
        self.id = ""
        """What requests name a member of a team by."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.http.aclose()

    async def ask(self, thread: str, form: Any, **extra: Any) -> httpx2.Response:
        """Create a form request; `key=` sends an idempotency key."""
        headers = {"Idempotency-Key": extra.pop("key")} if "key" in extra else {}
        body = {"kind": "form", "thread_id": thread, "form": form, **extra}
        return await self.http.post("/v1/requests", json=body, headers=headers)

    async def answer(
        self, request_id: str, values: Any, *, revision: int = 1, key: str | None = None
    ) -> httpx2.Response:
        """Answer a request."""
        headers = {} if key is None else {"Idempotency-Key": key}
        body = {"revision": revision, "values": values}
        return await self.http.post(f"/v1/requests/{request_id}/answer", json=body, headers=headers)

    async def approve(self, thread: str, tool: str, call: Any, **extra: Any) -> httpx2.Response:
        """Request an approval; `more` are keys of the approval or of the envelope, `key=` is for idempotency."""
        return await self._ask_approval(thread, {"tool": tool, "input": call}, extra)

    async def bash(self, thread: str, command: str, **extra: Any) -> httpx2.Response:
        """Ask whether a shell command may run."""
        return await self.approve(thread, "bash", {"command": command}, **extra)

    async def plan(self, thread: str, text: str, **extra: Any) -> httpx2.Response:
        """Ask whether a plan is good."""
        return await self._ask_approval(thread, {"plan": text}, extra)

    async def _ask_approval(self, thread: str, approval_body: Any, more: dict[str, Any]) -> httpx2.Response:
        headers = {"Idempotency-Key": more.pop("key")} if "key" in more else {}
        around = {name: more.pop(name) for name in ENVELOPE & set(more)}
        body = {"kind": "approval", "thread_id": thread, **around, "approval": {**approval_body, **more}}
        return await self.http.post("/v1/requests", json=body, headers=headers)

    async def decide(
        self, request_id: str, decision: str, *, revision: int = 1, key: str | None = None, **extra: Any
    ) -> httpx2.Response:
        """Decide about an approval."""
        headers = {} if key is None else {"Idempotency-Key": key}
        body = {"revision": revision, "decision": decision, **extra}
        return await self.http.post(f"/v1/requests/{request_id}/answer", json=body, headers=headers)

    async def consume(self, request_id: str, execution_id: str, **extra: Any) -> httpx2.Response:
        """Use an approved call."""
        body = {"execution_id": execution_id, **extra}
        return await self.http.post(f"/v1/requests/{request_id}/consume", json=body)

    async def need(self, thread: str, *names: str, **extra: Any) -> httpx2.Response:
        """Ask for secrets; `more` are keys of the question or of the envelope, `key=` is for idempotency."""
        headers = {"Idempotency-Key": extra.pop("key")} if "key" in extra else {}
        around = {name: extra.pop(name) for name in ENVELOPE & set(extra)}
        secret = {"names": list(names), "reason": "to call the CRM", **extra}
        body = {"kind": "secret", "thread_id": thread, **around, "secret": secret}
        return await self.http.post("/v1/requests", json=body, headers=headers)

    async def hand_over(
        self,
        request_id: str,
        secrets: Any = None,
        *,
        existing: Any = None,
        revision: Any = 1,
        key: str | None = None,
        **extra: Any,
    ) -> httpx2.Response:
        """Answer a request for secrets with values, and with names whose stored value is used."""
        headers = {} if key is None else {"Idempotency-Key": key}
        given = {"secrets": secrets, "use_existing": existing}
        body = {
            "revision": revision,
            **{name: part for name, part in given.items() if part is not None},
            **extra,
        }
        return await self.http.post(f"/v1/requests/{request_id}/answer", json=body, headers=headers)

    async def lease(self, thread: str, *names: str, **extra: Any) -> httpx2.Response:
        """Lease values; `refs=` are those of sensitive fields, `request_id=` a request whose values are being tested."""
        body = {"thread_id": thread, **({"names": list(names)} if names else {}), **extra}
        return await self.http.post("/v1/secrets/lease", json=body)

    async def accept(self, request_id: str) -> httpx2.Response:
        """Accept the tested values."""
        return await self.http.post(f"/v1/requests/{request_id}/accept", json={})

    async def reprompt(self, request_id: str, **body: Any) -> httpx2.Response:
        """Reject the tested values: `field_errors` and `error_summary`."""
        return await self.http.post(f"/v1/requests/{request_id}/reprompt", json=body)

    async def keep(
        self, name: str, value: str, scope: str = "global", *, agents: Any = "all", **extra: Any
    ) -> httpx2.Response:
        """Set a secret, or replace its value, and set its agents."""
        body = {"name": name, "value": value, "scope": scope, **extra}
        reply = await self.http.post("/v1/secrets", json=body)
        if reply.status_code == 201:
            url = f"/v1/secrets/{reply.json()['id']}/agents"
            (await self.http.put(url, json={"agents": agents})).raise_for_status()
        return reply

    async def list_secrets(self) -> list[dict[str, Any]]:
        """The stored secrets, newest first."""
        reply = await self.http.get("/v1/secrets", params={"limit": 200})
        reply.raise_for_status()
        return reply.json()["secrets"]

    async def erase(self, secret_id: str) -> httpx2.Response:
        """Erase a secret."""
        return await self.http.delete(f"/v1/secrets/{secret_id}")

    async def rotate(self, **extra: Any) -> httpx2.Response:
        """Rewrap every secret with the first master key."""
        return await self.http.post("/v1/secrets/rotate", json=extra)

    async def report(self, request_id: str, execution_id: str, outcome: str, **extra: Any) -> httpx2.Response:
        """Report the outcome of an execution."""
        body = {"execution_id": execution_id, "outcome": outcome, **extra}
        return await self.http.post(f"/v1/requests/{request_id}/report", json=body)

    async def batch(self, action: str, requests: list[Any], **extra: Any) -> httpx2.Response:
        """Decide about many requests; each is an id, or an object with the data that the person saw."""
        listing = [
            {"id": request, "revision": 1} if isinstance(request, str) else request for request in requests
        ]
        return await self.http.post(
            "/v1/requests/batch", json={"action": action, "requests": listing, **extra}
        )

    async def rule(self, text: str, effect: str = "allow", **extra: Any) -> httpx2.Response:
        """Make a rule."""
        return await self.http.post("/v1/rules", json={"rule": text, "effect": effect, **extra})

    async def revoke(self, rule_id: str) -> httpx2.Response:
        """Revoke a rule."""
        return await self.http.delete(f"/v1/rules/{rule_id}")

    async def rules(self, **query: Any) -> list[dict[str, Any]]:
        """The rules in force, newest first."""
        reply = await self.http.get("/v1/rules", params=query)
        reply.raise_for_status()
        return reply.json()["rules"]

    async def policy(self, **query: Any) -> dict[str, Any]:
        """The default settings, or those of `thread_id`."""
        reply = await self.http.get("/v1/policy", params=query)
        reply.raise_for_status()
        return reply.json()

    async def set_policy(self, **body: Any) -> httpx2.Response:
        """Change settings."""
        return await self.http.post("/v1/policy", json=body)

    async def audit(self) -> tuple[list[dict[str, Any]], tuple[int, str]]:
        """The audit log of the tenant without the entries about tokens and logins, and its head."""
        entries, head = await self.log()
        return [entry for entry in entries if not entry["action"].startswith(CREDENTIALS)], head

    async def log(self) -> tuple[list[dict[str, Any]], tuple[int, str]]:
        """The whole audit log of the tenant, read in pages of 50, and its head."""
        entries: list[dict[str, Any]] = []
        while True:
            last_seq = entries[-1]["seq"] if entries else 0
            reply = await self.http.get("/v1/audit", params={"after": last_seq, "limit": 50})
            reply.raise_for_status()
            page = reply.json()
            entries += page["entries"]
            if not page["entries"]:
                return entries, (page["head"]["seq"], page["head"]["hash"])

    async def frame(self, **frame: Any) -> dict[str, Any]:
        """Send one frame over a new WebSocket and return its reply, `ok` or `error`."""
        address = str(self.http.base_url).replace("http", "ws", 1).rstrip("/") + "/v1/ws"
        headers = {"Authorization": self.http.headers["Authorization"]}
        protocols = [websockets.Subprotocol("askback.v1")]
        async with websockets.connect(address, subprotocols=protocols, additional_headers=headers) as socket:
            await socket.send(json.dumps({"id": 1, **frame}))
            with anyio.fail_after(120):
                while (reply := json.loads(await socket.recv())).get("id") != 1:
                    pass
        return reply

    async def decline(self, request_id: str, reason: str, **extra: Any) -> httpx2.Response:
        """Decline a request."""
        return await self.http.post(f"/v1/requests/{request_id}/decline", json={"reason": reason, **extra})

    async def cancel(self, request_id: str, **body: Any) -> httpx2.Response:
        """Cancel a request."""
        return await self.http.post(f"/v1/requests/{request_id}/cancel", json=body)

    async def get(self, request_id: str) -> dict[str, Any]:
        """Read a request."""
        reply = await self.http.get(f"/v1/requests/{request_id}")
        reply.raise_for_status()
        return reply.json()

    async def login_link(self, name: str, **identity: Any) -> str:
        """A new one-time link for somebody, made by an admin; `who` has their `user` and `groups`."""
        reply = await self.http.post("/v1/login-links", json={"name": name, **identity})
        assert reply.status_code == 201, reply.text
        return reply.json()["url"]

    async def lets_pass(self, seconds: int) -> None:
        """Wait until the server's clock has advanced by this time: a question that is open for so long expires."""
        reply = await self.ask(
            "clock", {"fields": [{"id": "q", "type": "text", "label": "Q"}]}, timeout_s=seconds
        )
        ended_reply = await self.http.get(f"/v1/requests/{reply.json()['id']}", params={"wait": 20})
        assert ended_reply.json()["status"] == "expired"

    async def pending(self, thread: str) -> list[dict[str, Any]]:
        """The open requests of a thread, oldest first, without the reader's own members."""
        reply = await self.http.get("/v1/requests", params={"thread_id": thread, "status": "pending"})
        reply.raise_for_status()
        listing = reply.json()["requests"][::-1]
        return [{name: value for name, value in item.items() if name != "level"} for item in listing]

    async def events(self, thread: str, *, cursor: int = 0, until: int) -> AsyncIterator[dict[str, Any]]:
        """The events of a thread above `cursor`, up to and with `seq` `until`."""
        url, params = f"/v1/threads/{thread}/events", {"cursor": cursor}
        async with self.http.stream("GET", url, params=params) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            async for line in stream.aiter_lines():
                if line.startswith("data:"):
                    event = json.loads(line[5:])
                    yield event
                    if event["seq"] >= until:
                        return


CREDENTIALS = ("token.", "login", "logout", "agent.")
"""The prefixes of audit actions about credentials."""


@dataclass(frozen=True)
class Team:
    """The people of one tenant and its agent: `ada`, `bob` and `carol` may decide."""

    agent: Person
    ada: Person
    bob: Person
    carol: Person
    admin: Person

    @property
    def ids(self) -> list[str]:
        """The ids of the three people in requests."""
        return [self.ada.id, self.bob.id, self.carol.id]


@asynccontextmanager
async def create_team(
    url: str, admin_token: str, *, transport: httpx2.AsyncBaseTransport | None = None
) -> AsyncIterator[Team]:
    """A tenant with everybody; its admin creates their tokens. `transport` leads to an app in this process."""
    async with AsyncExitStack() as stack:
        admin = await stack.enter_async_context(Person(url, admin_token, transport=transport))

        async def join(name: str, role: str) -> Person:
            agent = {"agent": name} if role == "requester" else {}
            body = (await admin.http.post("/v1/tokens", json={"role": role, "name": name, **agent})).json()
            member = await stack.enter_async_context(Person(url, body["token"], transport=transport))
            member.id = body["id"]
            return member

        people = {name: await join(name, "responder") for name in ("ada", "bob", "carol")}
        yield Team(agent=await join("agent", "requester"), admin=admin, **people)


def faults(reply: httpx2.Response) -> list[tuple[str, str]]:
    """The (path, code) pairs of a 422."""
    assert reply.status_code == 422, reply.text
    return sorted((error["path"], error["code"]) for error in reply.json()["error"]["field_errors"])


def refusal(reply: httpx2.Response) -> tuple[int, str]:
    """The status and the code of a refused call."""
    return reply.status_code, reply.json()["error"]["code"]


def texts(reply: httpx2.Response) -> dict[str, str]:
    """The sentences of a 422, by path."""
    assert reply.status_code == 422, reply.text
    return {error["path"]: error["message"] for error in reply.json()["error"]["field_errors"]}


def leased_values(reply: httpx2.Response) -> dict[str, str]:
    """The values of a lease, by name or reference."""
    assert reply.status_code == 200, reply.text
    return {name: given["value"] for name, given in reply.json()["secrets"].items()}


def request_of(reply: httpx2.Response) -> dict[str, Any]:
    """The request for a person to decide about."""
    assert reply.status_code == 201, reply.text
    request = reply.json()
    assert request["status"] == "pending", request
    return request


def digest_of(tool: str, call: dict[str, Any]) -> str:
    """The digest of a call of ASCII texts and whole numbers, for which RFC 8785 is as simple as this."""
    text = json.dumps({"tool": tool, "input": call}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def decision_of_reply(reply: httpx2.Response) -> tuple[str, str]:
    """The decision about a call that was settled at once, by the source `policy`."""
    assert reply.status_code == 201, reply.text
    request = reply.json()
    if request["status"] == "pending":
        return "ask", ""
    return request["answer"]["decision"], request["source"]


async def answer_of(team: Team, request: dict[str, Any]) -> dict[str, Any]:
    """The result for the agent."""
    ended_reply = await team.agent.http.get(f"/v1/requests/{request['id']}", params={"wait": 10})
    assert ended_reply.status_code == 200, "nobody answered"
    return ended_reply.json()["answer"]
