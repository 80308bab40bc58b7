"""Content from outside never changes how the server reads a request, on every store.

`CONTENT_EXAMPLES` is the number of conversations on each store.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anyio import from_thread, to_thread
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from askback.delivery.in_process_bus import InProcessBus
from askback.ports.store import Store
from askback.server.app import App, create_app
from askback.storage.sqlite import SqliteStore
from askback.vault.envelope import Envelope
from askback.vault.keys import KEY_BYTES, KeyRing
from tests.contracts.suite import OnCommit
from tests.postgres_server import PostgresServer
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

EXAMPLES = int(os.environ.get("CONTENT_EXAMPLES", "12"))
OUR_KEYS = (
    *(
        "hide_names",
        "names",
        "secret",
        "form",
        "approval",
        "view",
        "status",
        "state",
        "spec",
        "kind",
        "revision",
    ),
    *("repeated", "queued_behind", "unseen", "detached", "queued", "delivery", "auto_resume", "validator"),
    *("assignees", "assigned", "sensitive", "timeout_from", "answer", "submitted", "request", "at", "seq"),
    *("__proto__", "constructor", "toString", "field_errors", "error_summary", "thread_id", "id", "type"),
)
OUR_VALUES = (
    True,
    False,
    "resume",
    "requester",
    "shown",
    "secret",
    "form",
    "pending",
    "answered",
    None,
    1,
    {},
    [],
)
PLAIN = st.text("ab\\\"{}[]:,.'é", min_size=1, max_size=8)
KEYS = st.sampled_from(OUR_KEYS) | PLAIN
MEMBERS = [f'"{key}":{json.dumps(value)}' for key in OUR_KEYS for value in OUR_VALUES]
TEXTS = st.sampled_from(MEMBERS) | PLAIN
VALUES = st.recursive(
    st.sampled_from(OUR_VALUES[:-2]) | TEXTS | st.integers(-9, 9),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, st.sampled_from(OUR_VALUES) | VALUES, min_size=1, max_size=8)


@dataclass
class StoreServer:
    """A server on one store, its agent, its person and its admin."""

    app: App
    agent: httpx2.AsyncClient
    person: httpx2.AsyncClient
    admin: httpx2.AsyncClient
    numbers: count[int]

    async def post(self, client: httpx2.AsyncClient, path: str, body: Any, status: int) -> dict[str, Any]:
        reply = await client.post(path, json=body)
        assert reply.status_code == status, reply.text
        return reply.json()

    async def get(self, client: httpx2.AsyncClient, path: str, **query: Any) -> dict[str, Any]:
        reply = await client.get(path, params=query)
        assert reply.status_code == 200, reply.text
        return reply.json()


@asynccontextmanager
async def serving(make: Callable[[OnCommit], Store]) -> AsyncGenerator[StoreServer]:
    bus = InProcessBus()
    vault = Envelope(KeyRing({"test": bytes(KEY_BYTES)}))
    app = create_app(store=make(bus.publish), bus=bus, vault=vault)
    async with app.running():
        people = [
            httpx2.AsyncClient(
                transport=httpx2.ASGITransport(app=app),
                base_url="http://127.0.0.1:8787",
                headers={"Authorization": f"Bearer {await app.token(role)}"},
            )
            for role in ("requester", "responder", "admin")
        ]
        agent, person, admin = people
        yield StoreServer(app, agent, person, admin, count(1))


async def converse(store_server: StoreServer, given: dict[str, Any], text: str) -> None:
    """Use content in every place that accepts it, and find it unchanged in everything that shows it."""
    thread = f"t{next(store_server.numbers)}"
    start_position = await store_server.app.services.store.last_position("default")
    posted_message = await store_server.post(
        store_server.agent,
        f"/v1/threads/{thread}/messages",
        {"content": [{"type": "text", "text": text}]},
        201,
    )
    requests = [
        await store_server.post(
            store_server.agent, "/v1/requests", {"thread_id": thread, "delivery": "resume", **body}, 201
        )
        for body in bodies(given, text)
    ]
    form, approval, secret = requests
    assert approval["approval"]["input"] == given
    await check_everywhere(store_server, thread, requests, posted_message["id"], text)
    answer = {"revision": 1, "values": dict.fromkeys(list(given)[:3], text)}
    answered_request = await store_server.post(
        store_server.person, f"/v1/requests/{form['id']}/answer", answer, 200
    )
    assert answered_request["answer"]["values"] == answer["values"]
    decision = {"revision": 1, "decision": "approve", "scope": "once"}
    decided = await store_server.post(
        store_server.person, f"/v1/requests/{approval['id']}/answer", decision, 200
    )
    await store_server.post(
        store_server.person, f"/v1/requests/{secret['id']}/decline", {"reason": "dismissed"}, 200
    )
    assert (answered_request["status"], decided["status"]) == ("answered", "answered")
    resumes = (await store_server.get(store_server.agent, f"/v1/threads/{thread}/resumes"))["resumes"]
    assert {resume["request"]["id"] for resume in resumes} == {item["id"] for item in requests}
    await check_everywhere(store_server, thread, requests, posted_message["id"], text)
    events = await store_server.app.services.store.tenant_events("default", after=start_position, limit=100)
    entries = [json.loads(event.text) for event in events]
    assert [entry["request"]["id"] for entry in entries if entry["type"] == "request.created"] == [
        item["id"] for item in requests
    ]
    assert [event.request_id for event in events if event.redacted is not None] == [secret["id"]] * 2


def bodies(given: dict[str, Any], text: str) -> list[dict[str, Any]]:
    """Return a form, a tool call and a request for a secret with the same content."""
    fields = [{"id": key, "type": "text", "label": text, "placeholder": text} for key in given]
    choice = {
        "id": "our choice",
        "type": "select",
        "label": "Choose",
        "options": [{"value": text, "label": text}],
    }
    form = {"title": text, "fields": [*fields, choice], "initial_values": dict.fromkeys(given, text)}
    metadata = {"A_KEY": {"description": text, "placeholder": text}}
    secret = {"names": ["A_KEY"], "reason": text, "metadata": metadata, "hide_names": True}
    return [
        {"kind": "form", "form": form},
        {"kind": "approval", "approval": {"tool": "send", "input": given, "title": text}},
        {"kind": "secret", "secret": secret},
    ]


async def check_everywhere(
    store_server: StoreServer, thread: str, requests: list[dict[str, Any]], message_id: str, text: str
) -> None:
    for request in requests:
        result = await store_server.get(store_server.person, f"/v1/requests/{request['id']}")
        assert {key: result[key] for key in (request["kind"], "kind", "delivery")} == {
            key: request[key] for key in (request["kind"], "kind", "delivery")
        }
    ids = [item["id"] for item in requests]
    listing = await store_server.get(store_server.person, "/v1/requests", thread_id=thread)
    reply = await store_server.get(store_server.person, f"/v1/threads/{thread}")
    exported = await store_server.get(store_server.admin, f"/v1/threads/{thread}/export")
    assert sorted(request["id"] for request in listing["requests"]) == sorted(ids)
    for view in (reply, exported):
        assert [request["id"] for request in view["requests"]] == ids
        [message] = view["messages"]
        assert (message["id"], message["content"]) == (message_id, [{"type": "text", "text": text}])


@pytest.fixture(params=["sqlite", "postgres"])
async def make(
    request: pytest.FixtureRequest, tmp_path: Path, postgres: PostgresServer
) -> AsyncIterator[Callable[[OnCommit], Store]]:
    """Make each store."""
    if request.param == "sqlite":
        yield lambda tell: SqliteStore(tmp_path / "askback.db", on_commit=tell)
    else:
        from askback.storage.postgres import PostgresStore

        name = await postgres.new()
        yield lambda tell: PostgresStore(postgres.database(name), on_commit=tell)
        await postgres.drop(name)


@requirement("N1", "F3")
async def test_any_content_is_shown_answered_resumed_and_exported_unchanged(
    make: Callable[[OnCommit], Store],
) -> None:
    async with serving(make) as store_server:
        await converse(
            store_server, {"hide_names": True, "__proto__": {"hide_names": True}}, '"hide_names":true'
        )

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize="CONTENT_EXAMPLES" not in os.environ,
            database=None,
            suppress_health_check=[HealthCheck.too_slow],
        )
        @given(OBJECTS, TEXTS)
        def conversations(content: dict[str, Any], text: str) -> None:
            from_thread.run(converse, store_server, content, text)

        await to_thread.run_sync(conversations)
