"""The application in Firefox and WebKitGTK: sign in, approve, answer, read and write, without a complaint of the browser."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from tests.browsers.webdriver import (
    FIREFOX,
    MINIBROWSER,
    WEBKIT,
    XVFB,
    Connection,
    Marionette,
    WebKit,
    Window,
)
from tests.journeys.conftest import TOKENS, Server, start

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

BROWSERS: dict[str, tuple[Callable[[str], Connection], bool]] = {
    "firefox": (Marionette, bool(FIREFOX)),
    "webkitgtk": (WebKit, bool(WEBKIT and XVFB and MINIBROWSER)),
}


PRESSES = 4


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for the browsers of this module."""
    process, running = start(tmp_path_factory.mktemp("browsers"))
    yield running
    process.terminate()
    assert process.wait(10) is not None


@pytest.fixture(params=BROWSERS)
def eva(request: pytest.FixtureRequest, server: Server) -> Iterator[Window]:
    """A window of each browser."""
    browser, installed = BROWSERS[request.param]
    if not installed:
        pytest.skip(f"{request.param} is not installed: run `make test-browsers`")
    with Window(browser(server.url)) as window:
        yield window


def test_a_person_signs_in_decides_answers_and_talks_without_a_complaint(server: Server, eva: Window) -> None:
    with caller(server, "requester") as agent, caller(server, "admin") as admin:
        thread = f"trip-{secrets.token_hex(4)}"
        agent.post(
            f"/v1/threads/{thread}/messages", json={"content": [{"type": "text", "text": "Before we go on"}]}
        ).raise_for_status()
        call = {
            "kind": "approval",
            "thread_id": thread,
            "approval": {"tool": "bash", "input": {"command": "make one"}},
        }
        approval = agent.post("/v1/requests", json=call).json()["id"]
        field = {"id": "city", "type": "text", "label": "City"}
        form = {"kind": "form", "thread_id": thread, "form": {"title": "Which city?", "fields": [field]}}
        question = agent.post("/v1/requests", json=form).json()["id"]
        eva.go(admin.post("/v1/login-links", json={"name": "Eva"}).json()["url"])
        eva.click("a", "Run: make one")
        eva.find("pre, code", "make one")
        assert press(eva, "Allow once", agent, approval)["decision"] == "approve"
        eva.write("#f0", "Turin")
        assert press(eva, "Submit", agent, question)["values"] == {"city": "Turin"}
        eva.find("h2, p", "Nothing is waiting for you.")
        eva.click("a", "Conversations")
        eva.click("a.row", "Which city?")
        eva.find(".text", "Before we go on")
        eva.write("textarea", "Go on")
        eva.click("button", "Send")
        eva.find(".text", "Go on")
        eva.click("a", "Settings")
        eva.click("label", "Deutsch")
        eva.find("h1", "Einstellungen")
        assert eva.run("return document.documentElement.scrollWidth <= innerWidth")
        assert eva.complaints() == []
        eva.run(_FOREIGN)
        assert "planted.example" in str(eva.complaints()), "a complaint would be seen"


_FOREIGN = """return new Promise((resolve) => {
  addEventListener("securitypolicyviolation", () => resolve());
  fetch("https://planted.example/").catch(() => undefined);
})"""


def caller(server: Server, role: str) -> httpx2.Client:
    """A program with the token of a role."""
    return httpx2.Client(base_url=server.url, headers={"Authorization": f"Bearer {TOKENS[role]}"}, timeout=30)


def press(eva: Window, button: str, agent: httpx2.Client, request: str) -> dict[str, Any]:
    """Press a button until the agent has the answer: a card ignores a click while it has just moved."""
    for _ in range(PRESSES):
        eva.click("button", button)
        reply = agent.get(f"/v1/requests/{request}", params={"wait": 5})
        if reply.status_code == 200:
            return reply.json()["answer"]
    raise AssertionError(f"{button} did nothing")
