"""Files in messages: who may name them, and who may download them then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import httpx2
import pytest

from askback.server.app import create_app
from tests.requirements import requirement
from tests.transports.conftest import LIMITS, Api, ManualClock, asked

pytestmark = pytest.mark.anyio

FORM: dict[str, Any] = {"form": {"fields": [{"id": "scan", "type": "file", "label": "Scan"}]}}


async def uploaded(api: Api, thread: str = "t1", *, claimed: bool = True) -> dict[str, Any]:
    """Upload a file for a form in a thread, and answer with it."""
    request = await asked(api, thread_id=thread, **FORM)
    person = await api.as_("responder")
    at = f"/v1/requests/{request['id']}"
    file = await person.post(f"{at}/files", params={"field": "scan", "name": "a.txt"}, content=b"hello")
    assert file.status_code == 201, file.text
    if claimed:
        body = {"revision": 1, "values": {"scan": file.json()["id"]}}
        assert (await person.post(f"{at}/answer", json=body)).status_code == 200
    return file.json()


async def post(
    api: Api, *content: dict[str, Any], thread: str = "t1", who: str = "requester", **more: Any
) -> httpx2.Response:
    return await (await api.as_(who)).post(
        f"/v1/threads/{thread}/messages", json={"content": list(content), **more}
    )


def part(file: Any) -> dict[str, Any]:
    return {"type": "file", "file": file}


def faults(reply: httpx2.Response) -> list[tuple[str, str]]:
    assert reply.status_code == 422, reply.text
    return [(each["path"], each["code"]) for each in reply.json()["error"]["field_errors"]]


async def add_agent(api: Api, name: str, thread: str = "t1") -> None:
    """Add another agent to a thread."""
    agent = await api.as_(name)
    own = (await agent.get("/v1/session")).json()["principal"]["id"]
    admin = await api.as_("admin")
    access = (await admin.get(f"/v1/threads/{thread}/access")).json()
    body = {"agents": [*access["agents"], own]}
    assert (await admin.put(f"/v1/threads/{thread}/access", json=body)).status_code == 200


@requirement("A19")
async def test_who_reads_a_message_downloads_its_file(api: Api) -> None:
    file = await uploaded(api)
    await add_agent(api, "requester/other")
    other, person = await api.as_("requester/other"), await api.as_("responder")
    address = f"/v1/files/{file['id']}"
    assert (await other.get(address)).status_code == 404
    text = {"type": "text", "text": "See this."}
    posted = await post(api, text, part(file["id"]))
    assert posted.status_code == 201, posted.text
    for reader in (other, person):
        messages = (await reader.get("/v1/threads/t1")).json()["messages"]
        assert messages[0]["content"] == [text, part(file)]
        reply = await reader.get(address)
        assert (reply.status_code, reply.content) == (200, b"hello")
        assert reply.headers["content-disposition"].startswith("attachment")
    assert (await (await api.as_("requester/stranger")).get(address)).status_code == 404
    assert (await (await api.as_("admin@acme")).get(address)).status_code == 404
    assert (await person.delete(address)).status_code == 409
    again = await post(api, part(file["id"]), who="requester/other")
    assert again.status_code == 201, again.text
    erased = await (await api.as_("admin")).delete("/v1/threads/t1")
    assert erased.status_code == 204, erased.text
    for reader in (other, person, await api.as_("requester")):
        assert (await reader.get(address)).status_code == 404


async def test_a_file_is_added_to_a_message_and_to_one_of_a_person(api: Api) -> None:
    file = await uploaded(api)
    message = (await post(api, {"type": "text", "text": "See this."})).json()["id"]
    agent = await api.as_("requester")
    more = {"append_to": message, "content": [part(file["id"])]}
    for _ in range(2):
        assert (await agent.post("/v1/threads/t1/messages", json=more)).status_code == 200
    assert (await post(api, part(file["id"]), who="responder")).status_code == 201
    messages = (await agent.get("/v1/threads/t1")).json()["messages"]
    assert [each["content"][-1] for each in messages] == [part(file)] * 2
    assert len(messages[0]["content"]) == 2
    chat = await (await api.as_("responder")).get("/compat/nebo/api/v1/chats/t1")
    assert chat.status_code == 200, chat.text
    exported = (await (await api.as_("admin")).get("/v1/threads/t1/export")).json()
    updates = [each["update"] for each in exported["events"] if each["type"] == "message.updated"]
    assert updates == [{"id": message, "content": [part(file)]}]


async def test_a_file_that_may_not_be_named_is_refused_with_its_path(api: Api) -> None:
    file, elsewhere, unsent = (
        await uploaded(api),
        await uploaded(api, "t2"),
        await uploaded(api, "t1", claimed=False),
    )
    await add_agent(api, "requester/other")
    text = {"type": "text", "text": "See this."}
    cases: list[tuple[str, Any, str, str]] = [
        ("requester", "file_unknown", "content[1].file", "unknown_file"),
        ("requester", "../a\0", "content[1].file", "unknown_file"),
        ("requester", elsewhere["id"], "content[1].file", "unknown_file"),
        ("requester", unsent["id"], "content[1].file", "unknown_file"),
        ("responder", unsent["id"], "content[1].file", "unknown_file"),
        ("requester/other", file["id"], "content[1].file", "unknown_file"),
        ("requester", None, "content[1].file", "wrong_type"),
        ("requester", file, "content[1].file", "wrong_type"),
    ]
    for who, named, path, code in cases:
        refused = await post(api, text, part(named), who=who)
        assert faults(refused) == [(path, code)], (who, named)
    assert faults(await post(api, text, {"type": "file"})) == [("content[1].file", "missing_required")]
    extra = {**part(file["id"]), "name": "x"}
    assert faults(await post(api, text, extra)) == [("content[1].name", "unknown_field")]
    assert (await (await api.as_("responder")).get("/v1/threads/t1")).json()["messages"] == []
    assert (await (await api.as_("requester/other")).get(f"/v1/files/{file['id']}")).status_code == 404


async def test_the_files_of_a_message_count_with_what_the_server_writes() -> None:
    app = create_app(limits=replace(LIMITS, message_bytes=1000), clock=ManualClock())
    async with app.running():
        api = Api(app, ManualClock())
        file = await uploaded(api)
        for count, status in ((4, 201), (8, 422)):
            reply = await post(api, *[{"type": "file", "file": file["id"]}] * count)
            assert reply.status_code == status, reply.text
        assert faults(reply) == [("content", "too_long")]
