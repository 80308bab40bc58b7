"""Promises of Nebo's documentation that its request_id code breaks."""

from __future__ import annotations

import pytest

from tests.compat.nebo_hub import Frame, agent, ask, ask_response, blocks, page
from tests.requirements import requirement
from tests.transports.conftest import Api, api

__all__ = ["api"]

pytestmark = pytest.mark.anyio


def block(request_id: str, prompt: str = "Proceed?", **extra: str) -> Frame:
    """Return the content block of an ask for Yes or No."""
    widgets = [{"type": "confirm", "options": ["Yes", "No"]}]
    return {"type": "ask", "askRequestId": request_id, "askPrompt": prompt, "askWidgets": widgets, **extra}


@requirement("A17", "A18", "P1")
async def test_an_answered_ask_is_read_only_after_a_reload_in_the_middle_of_its_stream(api: Api) -> None:
    nebo, eva = await agent(api, session_id="s1"), await page(api)
    nebo.send(type="stream", id="run1", payload={"chunk": "Ready."})
    await eva.frame(type="chat_stream")
    nebo.send(**ask("a1"))
    await eva.frame(type="ask_request")
    eva.send(**ask_response("a1", "No"))
    await nebo.frame(type="ask_response", id="a1", payload={"value": "No"})
    reloaded_page = await page(api)
    await reloaded_page.assert_nothing_received()
    text = {"type": "text", "text": "Ready."}
    assert await blocks(api, "s1") == [[text, block("a1", askResponse="No")]]
    for item in (nebo, eva, reloaded_page):
        await item.leave()


@requirement("A13", "A14", "P2")
async def test_an_ask_of_a_page_that_was_closed_is_answered_on_another_page(api: Api) -> None:
    nebo, eva = await agent(api), await page(api)
    nebo.send(**ask("a1"))
    shown_frame = await eva.frame(type="ask_request", id="a1")
    await eva.leave()
    bob = await page(api, "responder/bob")
    assert (await bob.frame())["data"] == shown_frame["data"]
    bob.send(**ask_response("a1", "Yes"))
    await nebo.frame(type="ask_response", id="a1", payload={"value": "Yes"})
    for item in (nebo, bob):
        await item.leave()


@requirement("H9")
@pytest.mark.parametrize(
    ("frame", "error"),
    [
        (ask("a1"), "context canceled"),
        (ask("a1", timeout_s=60), "context deadline exceeded"),
        (
            {"type": "approval_request", "id": "a1", "payload": {"tool": "deploy", "input": {}}},
            "context canceled",
        ),
    ],
)
async def test_an_ask_that_nobody_answers_ends_by_a_cancel_or_its_deadline(
    api: Api, frame: Frame, error: str
) -> None:
    nebo, admin = await agent(api), await api.as_("admin")
    nebo.send(**frame)
    await nebo.assert_nothing_received()
    if error == "context canceled":
        assert (await admin.post("/v1/threads/main/archive")).status_code == 200
    else:
        api.clock.advance(seconds=61)
    await nebo.frame(type="res", id="a1", ok=False, error=error)
    await nebo.leave()


@requirement("A19", "A20", "P3")
async def test_asks_of_several_streams_stay_in_their_stream_and_get_their_answer(api: Api) -> None:
    nebo, eva = await agent(api, session_id="s1"), await page(api)
    for number in "123":
        nebo.send(type="stream", id=f"run{number}", payload={"chunk": number})
        await eva.frame(type="chat_stream", data={"session_id": "s1", "content": number})
    for number in "123":
        nebo.send(**ask(f"a{number}", f"{number}?", run_id=f"run{number}"))
        await eva.frame(type="ask_request", id=f"a{number}")
    nebo.send(**ask("a4", "Whose?"))
    await eva.frame(type="ask_request", id="a4")
    for number, value in [("3", "No"), ("1", "Yes"), ("2", "No")]:
        eva.send(**ask_response(f"a{number}", value))
        await nebo.frame(type="ask_response", id=f"a{number}", payload={"value": value})
    answers = {"1": "Yes", "2": "No", "3": "No"}
    assert await blocks(api, "s1") == [
        *(
            [{"type": "text", "text": item}, block(f"a{item}", f"{item}?", askResponse=value)]
            for item, value in answers.items()
        ),
        [block("a4", "Whose?")],
    ]
    for connection in (nebo, eva):
        await connection.leave()
