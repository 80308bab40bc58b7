"""Files: upload for a field, answer, download, and refusals."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from io import BytesIO
from typing import Any

import httpx2
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from askback.delivery.in_process_bus import InProcessBus
from askback.ports.filescan import FileToScan
from askback.server.app import create_app
from askback.service.jobs import deadlines
from askback.service.jobs.files import sweep_files
from tests.temporary_store import TemporaryStore
from tests.transports.conftest import LIMITS, Api, ManualClock, create_request

pytestmark = pytest.mark.anyio

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 100
SMALL = replace(LIMITS, file_bytes=1000, files_bytes=2500)
LARGE = replace(LIMITS, file_bytes=2**20, files_bytes=4 * 2**20)


async def refuse_macros(file: FileToScan) -> str | None:
    """A scan that reads the file."""
    content = b"".join([chunk async for chunk in file.chunks()])
    if b"break" in content:
        raise OSError("the scanner is away")
    return "It has macros." if b"MACRO" in content else None


@pytest.fixture(params=[SMALL])
async def api(request: pytest.FixtureRequest) -> AsyncIterator[Api]:
    """A server with small limits and a scan."""
    clock, bus = ManualClock(), InProcessBus()
    app = create_app(
        store=TemporaryStore(on_commit=bus.publish),
        bus=bus,
        clock=clock,
        limits=request.param,
        file_scan=refuse_macros,
    )
    async with app.running():
        yield Api(app, clock)


def form(**field: Any) -> dict[str, Any]:
    extra = {"id": "note", "type": "text", "label": "Note"}
    return {"form": {"fields": [{"id": "scan", "type": "file", "label": "Scan", **field}, extra]}}


async def post(
    api: Api,
    request: str,
    body: Any = b"hello",
    who: str = "responder",
    **query: str,
) -> httpx2.Response:
    """Upload a file."""
    query = {"field": "scan", "name": "a.txt", **query}
    return await (await api.as_(who)).post(f"/v1/requests/{request}/files", params=query, content=body)


async def answer(
    api: Api, request: str, scan: Any, who: str = "responder", **headers: str
) -> httpx2.Response:
    body = {"revision": 1, "values": {"scan": scan}}
    return await (await api.as_(who)).post(f"/v1/requests/{request}/answer", json=body, headers=headers)


def paths(reply: httpx2.Response) -> list[tuple[str, str]]:
    assert reply.status_code == 422, reply.text
    return [(error["path"], error["code"]) for error in reply.json()["error"]["field_errors"]]


async def test_the_agent_downloads_the_uploaded_file(api: Api) -> None:
    request = (await create_request(api, **form()))["id"]
    made_reply = await post(api, request, b"hello, world", name="C:\\tmp\\Bericht \u202e\n„Q1“.txt")
    assert made_reply.status_code == 201, made_reply.text
    file = made_reply.json()
    digest = hashlib.sha256(b"hello, world").hexdigest()
    assert file == {
        "id": file["id"],
        "name": "Bericht „Q1“.txt",
        "size": 12,
        "type": "text/plain",
        "sha256": digest,
    }
    agent = await api.as_("requester")
    assert (await agent.get(f"/v1/files/{file['id']}")).status_code == 404
    assert (await agent.get(f"/v1/requests/{request}/files")).json() == {"files": []}
    person = await api.as_("responder")
    assert (await person.get(f"/v1/requests/{request}/files")).json() == {
        "files": [{**file, "field": "scan"}]
    }
    finished_reply = await answer(api, request, file["id"])
    assert finished_reply.json()["answer"]["values"] == {"scan": file}
    for reader in (agent, person, await api.as_("admin")):
        reply = await reader.get(f"/v1/files/{file['id']}")
        assert (reply.status_code, reply.content) == (200, b"hello, world")
        assert reply.headers["content-disposition"].startswith('attachment; filename="Bericht _Q1_.txt"')
        assert "sandbox" in reply.headers["content-security-policy"]
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["content-type"] == "text/plain"
    foreign_client = await api.as_("requester/other")
    assert (await foreign_client.get(f"/v1/files/{file['id']}")).status_code == 404
    assert (await (await api.as_("admin@acme")).get(f"/v1/files/{file['id']}")).status_code == 404
    assert (await api.client().get(f"/v1/files/{file['id']}")).status_code == 401
    head = await agent.head(f"/v1/files/{file['id']}")
    assert (head.status_code, head.headers["content-length"], head.content) == (200, "12", b"")


async def test_several_files_are_a_list_in_the_order_of_the_answer(api: Api) -> None:
    request = (await create_request(api, **form(max_files=2)))["id"]
    first_body, second_body = [(await post(api, request, name=f"{n}.txt")).json() for n in (1, 2)]
    third_reply = await post(api, request, name="3.txt")
    assert paths(third_reply) == [("values.scan", "too_many")]
    finished_reply = await answer(api, request, [second_body, first_body["id"]])
    assert finished_reply.json()["answer"]["values"] == {"scan": [second_body, first_body]}


@pytest.mark.parametrize(
    ("query", "path", "code"),
    [
        ({"field": "note"}, "field", "unknown_field"),
        ({"field": "other"}, "field", "unknown_field"),
        ({"name": ""}, "name", "empty"),
        ({"name": "\u202e\x00/"}, "name", "empty"),
        ({"name": ".."}, "name", "empty"),
        ({"name": "x" * 201}, "name", "too_long"),
        ({"more": "1"}, "more", "unknown_field"),
    ],
)
async def test_a_wrong_field_or_name_is_refused(
    api: Api, query: dict[str, str], path: str, code: str
) -> None:
    request = (await create_request(api, **form()))["id"]
    assert paths(await post(api, request, **query)) == [(path, code)]
    bare = await (await api.as_("responder")).post(f"/v1/requests/{request}/files", content=b"x")
    assert paths(bare) == [("field", "missing_required")]
    assert (await (await api.as_("responder")).get(f"/v1/requests/{request}/files")).json() == {"files": []}


async def test_the_media_type_is_detected_from_the_bytes(api: Api) -> None:
    request = (await create_request(api, **form(accept=["image/*", ".csv"], max_files=9)))["id"]
    assert (await post(api, request, PNG, name="photo.exe")).json()["type"] == "image/png"
    assert (await post(api, request, b"a,b\n1,2\n", name="t.CSV")).json()["type"] == "text/csv"
    for content, name in ((b"MZ\0\0", "photo.png"), (b"hello", "a.txt"), (b"MZ\0\0", "t.csv")):
        refusal = await post(api, request, content, name=name)
        assert paths(refusal) == [("values.scan", "file_type")]
        assert "image/*, .csv" in refusal.json()["error"]["field_errors"][0]["message"]


async def test_files_that_a_browser_would_execute_have_no_type(api: Api) -> None:
    request = (await create_request(api, **form(max_files=9)))["id"]
    for content, name in (
        (b"<script>alert(1)</script>", "a.txt"),
        (b"<?xml version='1.0'?>\n<svg/>", "a.png"),
    ):
        file = (await post(api, request, content, name=name)).json()
        reply = await (await api.as_("responder")).get(f"/v1/files/{file['id']}")
        assert reply.headers["content-type"] == "application/octet-stream"


async def test_large_and_empty_files_are_refused(api: Api) -> None:
    request = (await create_request(api, **form(max_files=9)))["id"]

    async def streamed() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b"x" * 100

    assert (await post(api, request, b"x" * 1001)).status_code == 413
    assert (await post(api, request, streamed())).status_code == 413
    assert paths(await post(api, request, b"")) == [("values.scan", "file_empty")]
    for _ in range(2):
        assert (await post(api, request, b"x" * 1000)).status_code == 201
    full_reply = await post(api, request, b"x" * 501)
    assert (full_reply.status_code, "2500" in full_reply.text) == (413, True)
    assert (await post(api, request, b"x" * 500)).status_code == 201
    small = (await create_request(api, **form(max_bytes=10)))["id"]
    assert (await post(api, small, b"x" * 11)).status_code == 413
    assert (await post(api, small, b"x" * 10)).status_code == 201


async def test_a_scan_refuses_with_its_reason_and_lets_nothing_pass_when_it_fails(api: Api) -> None:
    request = (await create_request(api, **form()))["id"]
    refusal = await post(api, request, b"MACRO")
    assert paths(refusal) == [("values.scan", "file_refused")]
    assert "It has macros." in refusal.text
    assert paths(await post(api, request, b"break")) == [("values.scan", "scan_unavailable")]
    assert (await (await api.as_("responder")).get(f"/v1/requests/{request}/files")).json() == {"files": []}
    assert (await post(api, request, b"fine")).status_code == 201


async def test_only_people_who_may_answer_upload_and_only_while_it_is_pending(api: Api) -> None:
    request = (await create_request(api, **form(), assignees=["ada"]))["id"]
    assert (await post(api, request)).status_code == 403
    assert (await post(api, request, who="requester")).status_code == 403
    assert (await post(api, "req_x")).status_code == 404
    ended_request_id = (await create_request(api, **form()))["id"]
    await (await api.as_("responder")).post(
        f"/v1/requests/{ended_request_id}/decline", json={"reason": "dismissed"}
    )
    late_reply = await post(api, ended_request_id)
    assert (late_reply.status_code, late_reply.json()["error"]["request"]["id"]) == (409, ended_request_id)
    plain_request_id = (await create_request(api))["id"]
    assert paths(await post(api, plain_request_id)) == [("field", "unknown_field")]


async def test_an_answer_names_only_uploads_of_its_person_field_and_request(api: Api) -> None:
    request, other_request_id = [(await create_request(api, **form()))["id"] for _ in range(2)]
    mine = (await post(api, request)).json()["id"]
    foreign = (await post(api, other_request_id)).json()["id"]
    theirs = (await post(api, request, who="admin")).json()["id"]
    for scan in (foreign, theirs, "file_x", {"id": "file_x"}):
        assert paths(await answer(api, request, scan)) == [("values.scan", "unknown_file")]
    for scan in (5, [mine], {"name": "a"}, True):
        assert paths(await answer(api, request, scan)) == [("values.scan", "wrong_type")]
    person = await api.as_("responder")
    assert (await person.get(f"/v1/files/{theirs}")).status_code == 404
    assert (await person.delete(f"/v1/files/{theirs}")).status_code == 404
    assert (await person.delete(f"/v1/files/{mine}")).status_code == 204
    assert paths(await answer(api, request, mine)) == [("values.scan", "unknown_file")]
    second_file_id = (await post(api, request)).json()["id"]
    key = {"idempotency-key": "k1"}
    first_reply, second_reply = [
        await answer(api, request, {"id": second_file_id, "name": "forged"}, **key) for _ in range(2)
    ]
    assert first_reply.json()["answer"]["values"]["scan"]["name"] == "a.txt"
    assert second_reply.status_code == 200
    assert (await person.delete(f"/v1/files/{second_file_id}")).json()["error"]["code"] == "file_in_use"


async def test_files_that_no_answer_names_are_erased_when_the_request_ends(api: Api) -> None:
    store = api.app.services.store
    expired = (await create_request(api, **form(), timeout_s=60))["id"]
    answered_request_id = (await create_request(api, **form(max_files=2)))["id"]
    left = [(await post(api, request)).json()["id"] for request in (expired, answered_request_id)]
    file_id = (await post(api, answered_request_id)).json()["id"]
    assert (await answer(api, answered_request_id, [file_id])).status_code == 200
    api.clock.advance(seconds=61)
    await deadlines.sweep(api.app.services)
    person = await api.as_("responder")
    for file in left:
        assert (await person.get(f"/v1/files/{file}")).status_code == 404
    assert await sweep_files(api.app.services) > 0
    assert [await store.file_chunk("default", file, 0) for file in left] == [None, None]
    assert (await person.get(f"/v1/files/{file_id}")).content == b"hello"


async def test_an_answer_that_is_sent_back_keeps_its_files(api: Api) -> None:
    request = (await create_request(api, **form(), validator="requester"))["id"]
    file = (await post(api, request)).json()["id"]
    submitted = await answer(api, request, file)
    assert submitted.json()["status"] == "resolving"
    agent = await api.as_("requester")
    assert (await agent.get(f"/v1/files/{file}")).content == b"hello"
    assert (await post(api, request)).status_code == 409
    await agent.post(f"/v1/requests/{request}/reprompt", json={"error_summary": "Blurred."})
    better_file_id = (await post(api, request, b"better")).json()["id"]
    admin = await api.as_("admin")
    for scan, status in (
        (better_file_id, 422),
        (file, 200),
    ):  # that of another person, and the one that was sent before
        body = {"revision": 2, "values": {"scan": scan}}
        assert (await admin.post(f"/v1/requests/{request}/answer", json=body)).status_code == status
    assert (await agent.post(f"/v1/requests/{request}/accept", json={})).status_code == 200
    assert (await agent.get(f"/v1/files/{file}")).content == b"hello"
    assert (await agent.get(f"/v1/files/{better_file_id}")).status_code == 404


async def test_files_are_in_the_export_and_erased_with_the_thread(api: Api) -> None:
    request = (await create_request(api, **form()))["id"]
    file = (await post(api, request)).json()
    await answer(api, request, file["id"])
    admin = await api.as_("admin")
    exported = (await admin.get("/v1/threads/t1/export")).json()
    assert exported["files"] == [{**file, "field": "scan", "request_id": request}]
    assert (await admin.delete("/v1/threads/t1")).status_code == 204
    assert (await admin.get(f"/v1/files/{file['id']}")).status_code == 404


async def test_a_page_opens_a_file_by_a_signed_address(api: Api) -> None:
    request = (await create_request(api, **form()))["id"]
    browser = await api.browser()
    reply = await browser.post(f"/v1/requests/{request}/files?field=scan&name=a.txt", content=b"hello")
    path = f"/v1/files/{reply.json()['id']}"
    url = (await browser.post("/v1/session/addresses", json={"path": path})).json()["url"]
    browser.headers.pop("x-askback-session")
    assert (await browser.get(path)).status_code == 401
    assert (await browser.get(url)).content == b"hello"


def picture(form: str, **options: Any) -> bytes:
    """Draw an image."""
    return encode(Image.new("RGB", (800, 400), (200, 30, 30)), form, **options)


def encode(image: Image.Image, form: str, **options: Any) -> bytes:
    """Return an image as a file."""
    data = BytesIO()
    image.save(data, form, **options)
    return data.getvalue()


@pytest.mark.parametrize("api", [LARGE], indirect=True)
async def test_a_preview_is_a_small_image_without_metadata(api: Api) -> None:
    comment = PngInfo()
    comment.add_text("Comment", "<script>canary</script>")
    request = (await create_request(api, **form(max_files=9)))["id"]
    person = await api.as_("responder")
    for content, name in (
        (picture("PNG", pnginfo=comment), "a.png"),
        (picture("JPEG"), "a.jpg"),
        (picture("GIF"), "a.gif"),
        (picture("WEBP"), "a"),
    ):
        file = (await post(api, request, content, name=name)).json()
        reply = await person.get(f"/v1/files/{file['id']}/preview")
        assert (reply.status_code, reply.headers["content-type"]) == (200, "image/png"), reply.text
        assert "sandbox" in reply.headers["content-security-policy"]
        assert b"canary" not in reply.content
        preview = Image.open(BytesIO(reply.content))
        assert (preview.size, preview.format) == ((320, 160), "PNG")


@pytest.mark.parametrize("api", [LARGE], indirect=True)
async def test_other_files_than_pictures_have_no_preview(
    api: Api, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    request = (await create_request(api, **form(max_files=9)))["id"]
    person = await api.as_("responder")
    picture_bytes = picture("PNG")
    bomb = encode(Image.new("1", (6000, 6000)), "PNG")
    monkeypatch.setattr(
        Image, "MAX_IMAGE_PIXELS", 30_000_000
    )  # from there Pillow warns, and refuses twice as many
    for content in (b"text", picture_bytes[:60], PNG, bomb):
        file = (await post(api, request, content, name="a.png")).json()
        reply = await person.get(f"/v1/files/{file['id']}/preview")
        assert (reply.status_code, reply.json()["error"]["code"]) == (404, "no_preview"), len(content)
    assert [warning for warning in recwarn if warning.category is Image.DecompressionBombWarning] == []
    file = (await post(api, request, picture_bytes, name="a.png")).json()
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert (await person.get(f"/v1/files/{file['id']}/preview")).status_code == 404
