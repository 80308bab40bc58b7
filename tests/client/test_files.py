"""Read, save and upload files with the client, over every transport."""

from __future__ import annotations

from pathlib import Path

import pytest

from askback import File, Form
from askback.domain.modeltext import model_text
from askback.errors import Invalid, NotFound
from tests.client.conftest import Connect

pytestmark = pytest.mark.anyio

FORM = Form(title="Scan", fields=[File(id="scan", label="Scan", accept=[".txt"])])


async def test_an_agent_uploads_a_file_and_names_it_in_a_message(connect: Connect, thread: str) -> None:
    content = b"a,b\n" * 200_000
    async with connect() as agent, connect("responder") as person:
        with pytest.raises(Invalid) as exc_info:
            await agent.files.upload_for_message(b"", name="a.csv", thread_id=thread)
        assert [error["path"] for error in exc_info.value.field_errors] == ["file"]
        file, unused = [
            await agent.files.upload_for_message(content, name=name, thread_id=thread)
            for name in ("sales ä.csv", "b.csv")
        ]
        assert (file.name, file.size) == ("sales ä.csv", len(content))
        await agent.files.delete(unused)
        with pytest.raises(NotFound):
            await person.files.read(file)
        await agent.threads.create_message(
            [{"type": "file", "file": file.id, "alt": "Sales"}], thread_id=thread
        )
        [part] = (await person.threads.get(thread))["messages"][-1]["content"]
        assert part == {"type": "file", "file": file.model_dump(), "alt": "Sales"}
        assert await person.files.read(part["file"]) == content
        with pytest.raises(NotFound):
            await agent.files.read(unused)


async def test_the_agent_reads_and_saves_the_uploaded_file(
    connect: Connect, thread: str, tmp_path: Path
) -> None:
    content = b"\r\nhello" * 100_000
    async with connect() as agent, connect("responder") as person:
        request = await agent.requests.create(FORM, thread_id=thread)
        with pytest.raises(Invalid) as exc_info:
            await person.files.upload(request, "scan", b"\x89PNG\r\n\x1a\n", name="a.png")
        assert exc_info.value.field_errors[0]["code"] == "file_type"
        file = await person.files.upload(request, "scan", content, name="ä b.txt")
        assert [item.name for item in await person.files.list(request)] == ["ä b.txt"]
        answered_request = await person.requests.answer(request, {"scan": file.id})
        assert answered_request.answer is not None
        scan = answered_request.answer.values["scan"]
        assert scan == file.model_dump()
        assert await agent.files.read(scan) == content
        named = [{"type": "file", "file": file.id}]
        await agent.threads.create_message(named, thread_id=thread)
        part = (await agent.threads.get(thread))["messages"][-1]["content"][0]
        assert part == {"type": "file", "file": scan}
        assert await agent.files.read(part["file"]) == content
        saved = await agent.files.save(file, tmp_path / "copy.txt")
        assert saved.read_bytes() == content
        assert [item.name for item in tmp_path.iterdir()] == ["copy.txt"]
        with pytest.raises(NotFound):
            await agent.files.read("file_x")
        assert f'"ä b.txt" (text/plain, {file.size} bytes, file {file.id})' in model_text(answered_request)
