"""Files in messages: who may name them, and who may download them then."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from askback.ports.filescan import FileToScan
from askback.server.app import create_app
from askback.server.settings import load
from askback.service.jobs.files import sweep_files
from tests.requirements import requirement
from tests.transports.conftest import LIMITS, Api, ManualClock, create_request

pytestmark = pytest.mark.anyio

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 100
FORM: dict[str, Any] = {"form": {"fields": [{"id": "scan", "type": "file", "label": "Scan"}]}}


async def upload_and_answer(api: Api, thread: str = "t1", *, claimed: bool = True) -> dict[str, Any]:
    """Upload a file for a form in a thread, and answer with it."""
    request = await create_request(api, thread_id=thread, **FORM)
    person = await api.as_("responder")
    url = f"/v1/requests/{request['id']}"
    file = await person.post(f"{url}/files", params={"field": "scan", "name": "a.txt"}, content=b"hello")
    assert file.status_code == 201, file.text
    if claimed:
        body = {"revision": 1, "values": {"scan": file.json()["id"]}}
        assert (await person.post(f"{url}/answer", json=body)).status_code == 200
    return file.json()


async def post(
    api: Api, *content: dict[str, Any], thread: str = "t1", who: str = "requester", **extra: Any
) -> httpx2.Response:
    return await (await api.as_(who)).post(
        f"/v1/threads/{thread}/messages", json={"content": list(content), **extra}
    )


def part(file: Any) -> dict[str, Any]:
    return {"type": "file", "file": file}


def faults(reply: httpx2.Response) -> list[tuple[str, str]]:
    assert reply.status_code == 422, reply.text
    return [(error["path"], error["code"]) for error in reply.json()["error"]["field_errors"]]


async def add_agent(api: Api, name: str, thread: str = "t1") -> None:
    """Add another agent to a thread."""
    agent = await api.as_(name)
    own = (await agent.get("/v1/session")).json()["principal"]["id"]
    admin = await api.as_("admin")
    access = (await admin.get(f"/v1/threads/{thread}/access")).json()
    body = {"agents": [*access["agents"], own]}
    assert (await admin.put(f"/v1/threads/{thread}/access", json=body)).status_code == 200


@requirement("A19")
async def test_a_reader_of_a_message_may_download_its_file(api: Api) -> None:
    file = await upload_and_answer(api)
    await add_agent(api, "requester/other")
    other_client, person = await api.as_("requester/other"), await api.as_("responder")
    address = f"/v1/files/{file['id']}"
    assert (await other_client.get(address)).status_code == 404
    text = {"type": "text", "text": "See this."}
    posted_reply = await post(api, text, part(file["id"]))
    assert posted_reply.status_code == 201, posted_reply.text
    for reader in (other_client, person):
        messages = (await reader.get("/v1/threads/t1")).json()["messages"]
        assert messages[0]["content"] == [text, part(file)]
        reply = await reader.get(address)
        assert (reply.status_code, reply.content) == (200, b"hello")
        assert reply.headers["content-disposition"].startswith("attachment")
    assert (await (await api.as_("requester/stranger")).get(address)).status_code == 404
    assert (await (await api.as_("admin@acme")).get(address)).status_code == 404
    assert (await person.delete(address)).status_code == 409
    second_reply = await post(api, part(file["id"]), who="requester/other")
    assert second_reply.status_code == 201, second_reply.text
    erased = await (await api.as_("admin")).delete("/v1/threads/t1")
    assert erased.status_code == 204, erased.text
    for reader in (other_client, person, await api.as_("requester")):
        assert (await reader.get(address)).status_code == 404


async def test_a_file_is_added_to_a_message_and_to_one_of_a_person(api: Api) -> None:
    file = await upload_and_answer(api)
    message = (await post(api, {"type": "text", "text": "See this."})).json()["id"]
    agent = await api.as_("requester")
    extra = {"append_to": message, "content": [part(file["id"])]}
    for _ in range(2):
        assert (await agent.post("/v1/threads/t1/messages", json=extra)).status_code == 200
    assert (await post(api, part(file["id"]), who="responder")).status_code == 201
    messages = (await agent.get("/v1/threads/t1")).json()["messages"]
    assert [item["content"][-1] for item in messages] == [part(file)] * 2
    assert len(messages[0]["content"]) == 2
    chat = await (await api.as_("responder")).get("/compat/nebo/api/v1/chats/t1")
    assert chat.status_code == 200, chat.text
    exported = (await (await api.as_("admin")).get("/v1/threads/t1/export")).json()
    updates = [event["update"] for event in exported["events"] if event["type"] == "message.updated"]
    assert updates == [{"id": message, "content": [part(file)]}]


async def test_a_file_that_may_not_be_named_is_refused_with_its_path(api: Api) -> None:
    file, other_file, unsent = (
        await upload_and_answer(api),
        await upload_and_answer(api, "t2"),
        await upload_and_answer(api, "t1", claimed=False),
    )
    await add_agent(api, "requester/other")
    text = {"type": "text", "text": "See this."}
    cases: list[tuple[str, Any, str, str]] = [
        ("requester", "file_unknown", "content[1].file", "unknown_file"),
        ("requester", "../a\0", "content[1].file", "unknown_file"),
        ("requester", other_file["id"], "content[1].file", "unknown_file"),
        ("requester", unsent["id"], "content[1].file", "unknown_file"),
        ("responder", unsent["id"], "content[1].file", "unknown_file"),
        ("requester/other", file["id"], "content[1].file", "unknown_file"),
        ("requester", None, "content[1].file", "wrong_type"),
        ("requester", file, "content[1].file", "wrong_type"),
    ]
    for who, named, path, code in cases:
        refusal = await post(api, text, part(named), who=who)
        assert faults(refusal) == [(path, code)], (who, named)
    assert faults(await post(api, text, {"type": "file"})) == [("content[1].file", "missing_required")]
    extra = {**part(file["id"]), "name": "x"}
    assert faults(await post(api, text, extra)) == [("content[1].name", "unknown_field")]
    assert (await (await api.as_("responder")).get("/v1/threads/t1")).json()["messages"] == []
    assert (await (await api.as_("requester/other")).get(f"/v1/files/{file['id']}")).status_code == 404


async def upload_for_message(
    api: Api, content: bytes = b"hello", who: str = "requester", thread: str = "t1", **query: str
) -> httpx2.Response:
    """Upload a file for a message, as an agent."""
    query = {"name": "chart.txt", **query}
    return await (await api.as_(who)).post(f"/v1/threads/{thread}/files", params=query, content=content)


@requirement("A19")
async def test_an_agent_uploads_a_file_for_its_message(api: Api) -> None:
    made_reply = await upload_for_message(api, PNG, name="../a\u202e/chart.png")
    assert made_reply.status_code == 201, made_reply.text
    file = made_reply.json()
    digest = hashlib.sha256(PNG).hexdigest()
    assert file == {
        "id": file["id"], "name": "chart.png", "size": len(PNG), "type": "image/png", "sha256": digest,
    }  # fmt: skip
    agent, person = await api.as_("requester"), await api.as_("responder")
    address = f"/v1/files/{file['id']}"
    assert ((await agent.get(address)).content, (await person.get(address)).status_code) == (PNG, 404)
    named = {**part(file["id"]), "alt": "Sales by month"}
    assert faults(await post(api, named, who="responder")) == [("content[0].file", "unknown_file")]
    assert faults(await post(api, named, thread="t2")) == [("content[0].file", "unknown_file")]
    assert (await post(api, named)).status_code == 201
    [message] = (await person.get("/v1/threads/t1")).json()["messages"]
    assert message["content"] == [{"type": "file", "file": file, "alt": "Sales by month"}]
    api.clock.advance(seconds=3600)
    await sweep_files(api.app.services)
    for reader in (agent, person):
        reply = await reader.get(address)
        assert (reply.status_code, reply.content, reply.headers["content-type"]) == (200, PNG, "image/png")
        assert reply.headers["content-disposition"].startswith("attachment")
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in reply.headers["content-security-policy"]
    assert (await agent.delete(address)).status_code == 409
    for stranger in ("requester/stranger", "admin@acme"):
        assert (await (await api.as_(stranger)).get(address)).status_code == 404
    exported = (await (await api.as_("admin")).get("/v1/threads/t1/export")).json()
    assert exported["files"] == [file]


async def test_a_page_that_an_agent_uploads_is_bytes_to_a_browser(api: Api) -> None:
    file = (await upload_for_message(api, b"<!doctype html><script>alert(1)</script>", name="a.html")).json()
    assert (await post(api, part(file["id"]))).status_code == 201
    reply = await (await api.as_("responder")).get(f"/v1/files/{file['id']}")
    assert reply.headers["content-type"] == "application/octet-stream"


async def test_an_upload_that_no_message_names_is_the_agents_alone_and_is_erased(api: Api) -> None:
    assert (await post(api, {"type": "text", "text": "Mine."})).status_code == 201
    file_id, deleted_id = [(await upload_for_message(api)).json()["id"] for _ in range(2)]
    await add_agent(api, "requester/other")
    other_client, agent = await api.as_("requester/other"), await api.as_("requester")
    assert (await other_client.get(f"/v1/files/{file_id}")).status_code == 404
    assert (await other_client.delete(f"/v1/files/{file_id}")).status_code == 404
    assert faults(await post(api, part(file_id), who="requester/other")) == [
        ("content[0].file", "unknown_file")
    ]
    assert (await agent.delete(f"/v1/files/{deleted_id}")).status_code == 204
    api.clock.advance(seconds=LIMITS.file_upload_s + 1)
    await sweep_files(api.app.services)
    for file in (file_id, deleted_id):
        assert (await agent.get(f"/v1/files/{file}")).status_code == 404
        assert faults(await post(api, part(file))) == [("content[0].file", "unknown_file")]


async def test_only_agents_of_the_thread_upload_files_for_messages(api: Api) -> None:
    assert (await post(api, {"type": "text", "text": "Mine."})).status_code == 201
    statuses = {
        person: (await upload_for_message(api, who=person)).status_code
        for person in ("responder", "admin", "requester/other", "requester")
    }
    assert statuses == {"responder": 403, "admin": 403, "requester/other": 403, "requester": 201}


async def scan(file: FileToScan) -> str | None:
    """A scan that reads the file; it is for no request."""
    assert file.request_id is None
    content = b"".join([chunk async for chunk in file.chunks()])
    if b"break" in content:
        raise OSError("the scanner is away")
    return "It has macros." if b"MACRO" in content else None


async def test_files_for_messages_have_the_limits_and_scans_of_others() -> None:
    limits = replace(LIMITS, file_bytes=1000, message_files_bytes=2500, files=3)
    app = create_app(limits=limits, clock=ManualClock(), file_scan=scan)
    async with app.running():
        api = Api(app, ManualClock())
        for content, name, code in (
            (b"MACRO", "a.txt", [("file", "file_refused")]),
            (b"break", "a.txt", [("file", "scan_unavailable")]),
            (b"", "a.txt", [("file", "file_empty")]),
            (b"x", "..", [("name", "empty")]),
            (b"x", "a" * 201, [("name", "too_long")]),
        ):
            assert faults(await upload_for_message(api, content, name=name)) == code, name
        assert (await upload_for_message(api, b"x" * 1001)).status_code == 413
        files = [(await upload_for_message(api, b"x" * 1000)).json()["id"] for _ in range(2)]
        full_reply = await upload_for_message(api, b"x" * 501)
        assert (full_reply.status_code, "thread" in full_reply.json()["error"]["message"]) == (413, True)
        assert (await upload_for_message(api, b"x" * 501, thread="t2")).status_code == 201
        assert (await upload_for_message(api, b"x")).status_code == 201
        assert faults(await upload_for_message(api, b"x")) == [("file", "too_many")]
        assert (await post(api, *[part(file) for file in files])).status_code == 201
        assert (await upload_for_message(api, b"x" * 501)).status_code == 413
        assert (await upload_for_message(api, b"x" * 499)).status_code == 201


@requirement("E5", "I10")
async def test_a_file_of_a_message_is_erased_with_its_thread_and_nothing_of_it_is_left(
    tmp_path: Path,
) -> None:
    mark = "Xq7-" + secrets.token_hex(24)
    app = create_app(load({}, data_dir=tmp_path), clock=ManualClock())
    async with app.running():
        api = Api(app, app.services.clock)  # pyright: ignore[reportArgumentType]
        body, unused = [
            (await upload_for_message(api, mark.encode() * 9000, name=f"{mark}.txt")).json() for _ in range(2)
        ]
        assert (await post(api, part(body["id"]))).status_code == 201
        admin, agent = await api.as_("admin"), await api.as_("requester")
        assert (await admin.get(f"/v1/files/{body['id']}")).status_code == 200
        log = await admin.get("/v1/audit")
        assert (log.status_code, mark in log.text) == (200, False)
        assert (await admin.delete("/v1/threads/t1")).status_code == 204
        for file in (body, unused):
            for reader in (admin, agent):
                assert (await reader.get(f"/v1/files/{file['id']}")).status_code == 404
        assert mark not in (await admin.get("/v1/threads/t1")).text
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or mark.encode() not in path.read_bytes(), path


async def test_the_files_of_a_message_count_with_what_the_server_writes() -> None:
    app = create_app(limits=replace(LIMITS, message_bytes=1000), clock=ManualClock())
    async with app.running():
        api = Api(app, ManualClock())
        file = await upload_and_answer(api)
        for count, status in ((4, 201), (8, 422)):
            reply = await post(api, *[{"type": "file", "file": file["id"]}] * count)
            assert reply.status_code == status, reply.text
        assert faults(reply) == [("content", "too_long")]
