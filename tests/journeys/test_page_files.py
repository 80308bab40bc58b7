"""Files in the real page: chosen, dropped, removed, sent, and downloaded from the receipt."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import anyio
import pytest
from PIL import Image
from playwright.async_api import Route, expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, answer_of, form, place_of
from tests.journeys.conftest import Server
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]


def photo() -> bytes:
    data = BytesIO()
    Image.new("RGB", (640, 320), (200, 30, 30)).save(data, "PNG")
    return data.getvalue()


async def test_files_are_uploaded_removed_and_sent(
    screen: OpenScreen, agent: AsyncClient, thread: str, tmp_path: Path
) -> None:
    (tmp_path / "photo.png").write_bytes(photo())
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "wrong.png").write_bytes(b"MZ\0\0")
    field = {
        "type": "file",
        "label": "Evidence",
        "required": True,
        "max_files": 2,
        "accept": ["image/*", ".txt"],
    }
    request = await agent.requests.create(form(field), thread_id=thread)
    eva = await screen(place_of(thread))
    chooser = eva.card.get_by_label("Evidence")
    await expect(chooser).to_have_attribute("accept", "image/*,.txt")
    await expect(eva.card.get_by_text("Accepted: images and text files.")).to_be_visible()
    await eva.button("Submit").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text("This field is required.")
    await chooser.set_input_files(tmp_path / "photo.png")
    await expect(eva.card.get_by_alt_text("Preview of photo.png")).to_be_visible()
    await expect(eva.card.get_by_role("status").filter(has_text="photo.png is uploaded.")).to_have_count(1)
    eva.expect_errors("422")
    await chooser.set_input_files(tmp_path / "wrong.png")
    await expect(eva.card.locator(".files .error")).to_contain_text("This type of file is not accepted.")
    assert await eva.violations() == []
    await eva.button("Dismiss: wrong.png").click()
    assert await eva.focused() == "f0"
    await chooser.set_input_files(tmp_path / "notes.txt")
    await expect(eva.card.locator(".files .name")).to_have_text(["photo.png", "notes.txt"])
    await expect(chooser).to_have_count(0)
    await eva.button("Remove: photo.png").focus()
    async with eva.page.expect_response(lambda reply: reply.request.method == "DELETE"):
        await eva.page.keyboard.press("Enter")
    await expect(eva.card.locator(".files .name")).to_have_text(["notes.txt"])
    assert await eva.focused() == "f0"
    await eva.page.reload()
    await expect(eva.card.locator(".files .name")).to_have_text(["notes.txt"])
    await eva.button("Submit").click()
    values = await answer_of(agent, request)
    assert [item["name"] for item in values["q0"]] == ["notes.txt"]
    assert await agent.files.read(values["q0"][0]) == b"hello"
    async with eva.page.expect_download() as started:
        await eva.button("Download: notes.txt").click()
    saved = await (await started.value).path()
    assert Path(saved).read_text() == "hello"
    assert await eva.violations() == []


async def test_a_file_is_dropped(screen: OpenScreen, agent: AsyncClient, thread: str) -> None:
    request = await agent.requests.create(
        form({"type": "file", "label": "Scan", "max_bytes": 100}), thread_id=thread
    )
    eva = await screen(place_of(thread))
    drop = """(place, [name, text]) => {
        const data = new DataTransfer();
        data.items.add(new File([text], name));
        for (const type of ["dragover", "drop"])
            place.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    }"""
    drop_area = eva.card.locator(".drop")
    await drop_area.evaluate(drop, ["large.txt", "x" * 101])
    await expect(eva.card.locator(".files .error")).to_contain_text("The file is larger than 100 bytes")
    await drop_area.evaluate(drop, ["a.txt", "dropped"])
    await expect(eva.button("Remove: a.txt")).to_be_visible()
    await eva.button("Submit").click()
    values = await answer_of(agent, request)
    assert await agent.files.read(values["q0"]) == b"dropped"


async def test_an_upload_that_failed_is_tried_again_and_submit_waits_for_it(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(form({"type": "file", "label": "Scan"}), thread_id=thread)
    eva = await screen(place_of(thread))
    event = anyio.Event()

    async def hold(route: Route) -> None:
        await event.wait()
        await route.continue_()

    async def fail(route: Route) -> None:
        await route.abort()

    eva.expect_errors("net::ERR_FAILED")
    await eva.page.route("**/files?*", fail)
    await eva.card.get_by_label("Scan").set_input_files(
        {"name": "a.txt", "mimeType": "text/plain", "buffer": b"slow"}
    )
    await expect(eva.card.locator(".files .error")).to_contain_text("The upload failed.")
    assert await eva.violations() == []
    await eva.page.unroute("**/files?*")
    await eva.page.route("**/files?*", hold)
    await eva.button("Try again: a.txt").click()
    await expect(eva.button("Submit")).to_have_attribute("aria-disabled", "true")
    await expect(eva.card.get_by_text("Wait until the upload has finished.")).to_be_visible()
    event.set()
    await expect(eva.button("Submit")).not_to_have_attribute("aria-disabled", "true")
    await eva.button("Submit").click()
    assert await agent.files.read((await answer_of(agent, request))["q0"]) == b"slow"


@requirement("A19")
async def test_a_message_shows_its_files_as_links(
    screen: OpenScreen, server: Server, agent: AsyncClient, thread: str
) -> None:
    form_of_two = form({"type": "file", "label": "Scans", "max_files": 2})
    request = await agent.requests.create(form_of_two, thread_id=thread)
    async with server.client("responder") as person:
        picture = await person.files.upload(request, "q0", photo(), name="photo.png")
        notes = await person.files.upload(request, "q0", b"x" * 1500, name="notes.txt")
        await person.requests.answer(request, {"q0": [picture.id, notes.id]})
    eva = await screen(place_of(thread))
    chart = await agent.files.upload_for_message(photo(), name="chart.png", thread_id=thread)
    files = [{"type": "file", "file": item.id} for item in (picture, notes, chart)]
    files[2]["alt"] = "Sales by month"
    await agent.threads.create_message([{"type": "text", "text": "Here"}, *files], thread_id=thread)
    shown_element = eva.page.locator("askback-thread .file")
    await expect(shown_element).to_have_text(
        [re.compile("photo.png"), re.compile(r"notes\.txt\s+1\.5 kB"), re.compile("chart.png")]
    )
    await expect(shown_element.get_by_alt_text("Sales by month")).to_be_visible()
    preview = shown_element.get_by_alt_text("Preview of photo.png")
    await expect(preview).to_be_visible()
    assert await preview.evaluate("(image) => image.naturalWidth") == 320
    link = shown_element.get_by_role("link", name="Download: notes.txt")
    async with eva.page.expect_download() as started:
        await link.press("Enter")
    assert Path(await (await started.value).path()).read_bytes() == b"x" * 1500
    assert await eva.violations() == []
