"""The view in hosts of MCP Apps: a separate document without a network, which answers through its host."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from askback.adapters.mcp.document import view_document
from tests.chromium import AXE
from tests.journeys.conftest import Server
from tests.journeys.people import Person
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

CSP = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'"
FORM = {
    "title": "Report",
    "fields": [
        {"id": "format", "type": "radio", "label": "Format", "options": ["PDF", "Word"], "required": True},
        {"id": "pages", "type": "number", "label": "Pages", "max": 9},
    ],
}
PAGE = "https://askback.example.com/r/1"
HOST = """<!doctype html><meta charset="utf-8"><title>A chat</title><h1>A chat</h1>
<iframe title="askback" sandbox="allow-scripts" style="width: 600px; height: 500px; border: 0"></iframe>
<script>
const frame = document.querySelector("iframe");
const post = (message) => frame.contentWindow.postMessage({jsonrpc: "2.0", ...message}, "*");
const finish = () => window.shown && post({method: "ui/notifications/tool-result", params: window.shown});
addEventListener("message", async ({data, source}) => {
  if (source !== frame.contentWindow) return;
  const result = await window.host(JSON.stringify(data));
  const {error, ...rest} = JSON.parse(result);
  if (data.id !== undefined) post({id: data.id, ...(error ? {error} : {result: rest})});
  if (data.method === "ui/notifications/initialized") finish();
});
</script>"""


class Host:
    """A host of MCP Apps that calls the tools of views like the adapter, with the agent's token."""

    def __init__(self, agent: Person, *, theme: str, locale: str) -> None:
        self._agent = agent
        self._context = {"theme": theme, "locale": locale}
        self.messages: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        self.heights: list[int] = []
        self.refused: set[str] = set()
        """The methods that the host refuses."""

    async def receive(self, text: str) -> str:
        """Answer a message of the view, and keep those that are for the host."""
        message = json.loads(text)
        method, params = message["method"], message["params"]
        if method in self.refused:
            is_ui = method in {"ui/open-link", "ui/message"}
            return json.dumps(
                {"isError": True} if is_ui else {"error": {"code": -32000, "message": "denied"}}
            )
        if method == "ui/initialize":
            return json.dumps({"hostContext": self._context})
        if method == "tools/call":
            return json.dumps({"structuredContent": await self._tool(params["name"], params["arguments"])})
        if method == "ui/notifications/size-changed":
            self.heights.append(params["height"])
        else:
            self.messages.put_nowait((method, params))
        return "{}"

    async def _tool(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        path = f"/v1/requests/{given['request_id']}"
        if name == "read_in_view":
            request = (await self._agent.http.get(path)).json()
            return {"request": request, "here": request["kind"] == "form"}
        body = {name: value for name, value in given["body"].items() if name in {"revision", "values"}}
        if given["action"] == "decline":
            body = {"revision": 1, "declined": given["body"]["reason"]}
        reply = await self._agent.http.post(f"{path}/reported-answer", json=body)
        return (
            {"request": reply.json()} if reply.is_success else {"status": reply.status_code, **reply.json()}
        )


@pytest.fixture
async def page(chromium: Browser) -> AsyncIterator[Page]:
    """A window of a host, without a network."""
    context = await chromium.new_context(offline=True)
    yield await context.new_page()
    await context.close()


async def show_view(
    page: Page,
    agent: Person,
    request: dict[str, Any],
    *,
    refused: Sequence[str] = (),
    is_finished: bool = True,
    **context: str,
) -> Host:
    """Show the view of a request in a host; one without an id is an error of the tool, which may still run."""
    host = Host(agent, **{"theme": "light", "locale": "en-US", **context})
    host.refused.update(refused)
    await page.expose_function("host", host.receive)
    await page.set_content(HOST)
    result = (
        {"structuredContent": {"request_id": request["id"], "url": PAGE}} if request else {"isError": True}
    )
    document = view_document().replace(
        "<head>", f'<head><meta http-equiv="Content-Security-Policy" content="{CSP}">', 1
    )
    name = "shown" if is_finished else "later"
    script = (
        "([name, result, html]) => { window[name] = result; document.querySelector('iframe').srcdoc = html }"
    )
    await page.evaluate(script, [name, result, document])
    return host


async def create_form(agent: Person, thread: str, form: Any = FORM) -> dict[str, Any]:
    return (await agent.ask(thread, form)).json()


@requirement("C19")
async def test_a_form_answered_in_the_view_is_reported_to_the_model(
    page: Page, server: Server, thread: str
) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    async with server.person("requester") as agent:
        request = await create_form(agent, thread)
        host = await show_view(page, agent, request)
        view = page.frame_locator("iframe")
        await view.get_by_label("Pages").fill("12")
        await view.get_by_role("button", name="Submit").click()
        await expect(view.get_by_text("Must be at most 9.").first).to_be_visible()
        await view.get_by_text("Word").click()
        await view.get_by_label("Pages").fill("3")
        await view.get_by_role("button", name="Submit").click()
        await expect(view.locator("summary")).to_contain_text("Word")
        async with asyncio.timeout(120):
            assert (await host.messages.get())[0] == "ui/notifications/initialized"
            method, params = await host.messages.get()
        settled_request = (await agent.http.get(f"/v1/requests/{request['id']}")).json()
    assert (method, params["role"]) == ("ui/message", "user")
    assert request["id"] in params["content"][0]["text"]
    assert (settled_request["answer"]["values"], settled_request["source"]) == (
        {"format": "Word", "pages": 3},
        "client",
    )
    assert complaints == []
    assert host.heights[-1] < max(host.heights)  # the receipt is shorter than the form


async def test_an_answer_from_elsewhere_is_shown_and_told_to_the_model(
    page: Page, server: Server, thread: str
) -> None:
    async with server.person("requester") as agent, server.person() as person:
        request = await create_form(agent, thread)
        host = await show_view(page, agent, request)
        view = page.frame_locator("iframe")
        await expect(view.get_by_role("button", name="Submit")).to_be_visible()
        await person.answer(request["id"], {"format": "PDF"})
        await expect(view.locator("summary")).to_contain_text("PDF")
        async with asyncio.timeout(120):
            assert [(await host.messages.get())[0] for _ in range(2)] == [
                "ui/notifications/initialized",
                "ui/message",
            ]


async def test_an_answer_goes_with_the_next_message_where_the_host_takes_none_now(
    page: Page, server: Server, thread: str
) -> None:
    async with server.person("requester") as agent:
        request = await create_form(agent, thread)
        host = await show_view(page, agent, request, refused=["ui/message"])
        view = page.frame_locator("iframe")
        await view.get_by_text("Word").click()
        await view.get_by_role("button", name="Submit").click()
        async with asyncio.timeout(120):
            assert (await host.messages.get())[0] == "ui/notifications/initialized"
            method, params = await host.messages.get()
    assert (method, [*params]) == ("ui/update-model-context", ["content"])
    assert request["id"] in params["content"][0]["text"]


async def test_a_request_that_nobody_answered_ends_without_a_word_to_the_model(
    page: Page, server: Server, thread: str
) -> None:
    async with server.person("requester") as agent:
        request = await create_form(agent, thread)
        host = await show_view(page, agent, request)
        view = page.frame_locator("iframe")
        await expect(view.get_by_role("button", name="Submit")).to_be_visible()
        await agent.http.post(f"/v1/requests/{request['id']}/cancel", json={})
        await expect(view.get_by_text("Cancelled")).to_be_visible()
        async with asyncio.timeout(120):
            await host.messages.get()
    assert host.messages.empty()  # it would have been sent before the end was drawn


async def test_nothing_is_shown_while_the_call_runs(page: Page, server: Server, thread: str) -> None:
    async with server.person("requester") as agent:
        request = await create_form(agent, thread)
        host = await show_view(page, agent, request, is_finished=False)
        async with asyncio.timeout(120):
            assert (await host.messages.get())[0] == "ui/notifications/initialized"
        view = page.frame_locator("iframe")
        await expect(view.locator("askback-request")).to_be_hidden()
        await page.evaluate("window.shown = window.later; finish()")
        await expect(view.get_by_role("button", name="Submit")).to_be_visible()


async def test_a_link_is_opened_by_the_host_or_else_shown(page: Page, server: Server, thread: str) -> None:
    link = "https://example.com/guide"
    form = {**FORM, "description": f"Read [the guide]({link}) first."}
    async with server.person("requester") as agent:
        host = await show_view(page, agent, await create_form(agent, thread, form))
        view = page.frame_locator("iframe")
        await view.get_by_role("link", name="the guide").click()
        async with asyncio.timeout(120):
            await host.messages.get()
            assert await host.messages.get() == ("ui/open-link", {"url": link})
        host.refused.add("ui/open-link")
        await view.get_by_role("link", name="the guide").click()
        await expect(view.get_by_text(f"Open this URL in a browser: {link}")).to_be_visible()


@pytest.mark.parametrize(
    ("refused", "has_request", "said"),
    [
        (["tools/call"], True, "The request cannot be shown here."),
        (["ui/initialize"], False, "Nothing was asked."),
    ],
)
async def test_a_view_without_a_request_says_so(
    page: Page, server: Server, thread: str, refused: list[str], said: str, *, has_request: bool
) -> None:
    async with server.person("requester") as agent:
        request = await create_form(agent, thread) if has_request else {}
        await show_view(page, agent, request, refused=refused)
        view = page.frame_locator("iframe")
        await expect(view.get_by_role("status")).to_have_text(said)
        await expect(view.get_by_role("button", name="Answer on a page")).to_be_visible(visible=has_request)


async def test_a_decline_in_the_view_declines_the_request(page: Page, server: Server, thread: str) -> None:
    async with server.person("requester") as agent:
        request = await create_form(agent, thread)
        await show_view(page, agent, request)
        view = page.frame_locator("iframe")
        await view.get_by_role("button", name="Cancel").click()
        await expect(view.get_by_role("button", name="Cancel")).to_have_count(0)
        assert (await agent.http.get(f"/v1/requests/{request['id']}")).json()["status"] == "declined"


async def test_a_request_that_the_view_cannot_answer_opens_a_page(
    page: Page, server: Server, thread: str
) -> None:
    async with server.person("requester") as agent:
        request = (await agent.bash(thread, "make deploy")).json()
        host = await show_view(page, agent, request, theme="dark", locale="de-DE")
        view = page.frame_locator("iframe")
        await expect(view.get_by_text("make deploy").first).to_be_visible()
        await expect(view.get_by_text("Beantworte das auf einer askback-Seite.")).to_be_visible()
        await view.get_by_role("button", name="Auf einer Seite antworten").click()
        async with asyncio.timeout(120):
            await host.messages.get()
            assert await host.messages.get() == ("ui/open-link", {"url": PAGE})
        scheme = "getComputedStyle(document.querySelector('askback-request')).colorScheme"
        assert await page.frames[1].evaluate(scheme) == "dark"


async def test_the_view_is_accessible(page: Page, server: Server, thread: str) -> None:
    async with server.person("requester") as agent:
        await show_view(page, agent, await create_form(agent, thread))
        frame = page.frame_locator("iframe")
        await expect(frame.get_by_role("button", name="Submit")).to_be_visible()
        await page.frames[1].evaluate(AXE.read_text("utf-8"))
        script = "axe.run().then(({violations}) => violations.map(({id, nodes}) => [id, nodes[0].html]))"
        assert await page.frames[1].evaluate(script) == []
