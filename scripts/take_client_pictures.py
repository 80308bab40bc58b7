"""Take the pictures of the pages about MCP clients: the output of `askback install`, and a question in the inbox.

`make picture` runs it; it needs Chromium. The terminal shows the real output for a home that does not exist.
"""

from __future__ import annotations

import asyncio
import io
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Browser
from rich.console import Console

from askback import AsyncClient, Form, Radio
from askback.cli.clients.definitions import CLIENTS, Command
from askback.cli.install import show_diff
from askback.demo.processes import RunningServer, run_server
from take_picture import browser, save_picture

HOME = Path("/srv/ada")
PYTHON = "/opt/askback/bin/python"
TERMINAL = "<!doctype html><style>body {{ margin: 0; padding: 1.25rem; }} pre {{ margin: 0; }}</style>{code}"
CODE = '<pre style="font: 13px/1.5 ui-monospace, monospace"><code>{code}</code></pre>'

QUESTION = Form(
    fields=[
        Radio(
            id="answer",
            label="Which database shall the tests use?",
            options=["SQLite in memory", "Postgres in a container"],
            allow_other=True,
            required=True,
        )
    ]
)


def terminal(name: str) -> str:
    """Return the output of `askback install` for a client before it asks, as HTML."""
    console = Console(record=True, file=io.StringIO(), width=130, highlight=False, force_terminal=True)
    console.print(f"$ askback install {name}", style="bold")
    credentials = HOME / ".local" / "share" / "askback" / "clients" / f"{name}.json"
    for addition in CLIENTS[name].additions(HOME, Command(credentials)):
        show_diff(console, addition.path, "", addition.add_to(""))
    console.print(f"A new token for the agent {name}, in {credentials}")
    console.print(f"Connect {CLIENTS[name].title}? [y/N]:", markup=False)
    return TERMINAL.format(code=console.export_html(code_format=CODE, inline_styles=True))


async def take_terminal(chromium: Browser, name: str) -> None:
    """Photograph the terminal of one client."""
    page = await chromium.new_page(viewport={"width": 1120, "height": 800})
    await page.set_content(terminal(name))
    save_picture(f"install-{name}", await page.locator("body").screenshot())
    await page.close()


async def take_inbox(chromium: Browser, ready: RunningServer) -> None:
    """Photograph the inbox with a question of an agent that asks over MCP."""
    async with AsyncClient(ready.url, ready.requester_token, thread_id="codex") as ask:
        request = await ask.requests.create(QUESTION, thread_id="codex", agent="codex")
        await ask.approve("Bash", {"command": "make deploy"}, agent="codex", timeout_s=None, wait=False)
    page = await chromium.new_page(
        viewport={"width": 1280, "height": 720}, color_scheme="light", reduced_motion="reduce"
    )
    await page.goto(f"{ready.login_url}&next=/inbox/{request.id}")
    await page.locator("askback-request").get_by_role("radio").first.wait_for()
    save_picture("mcp-inbox", await page.screenshot())
    await page.close()


async def main() -> None:
    """Take all pictures."""
    async with browser() as chromium:
        with tempfile.TemporaryDirectory() as folder:
            async with run_server(Path(folder) / "data", port=0) as server:
                await take_inbox(chromium, server)
        sys.executable = PYTHON  # the command that is shown
        for name in CLIENTS:
            await take_terminal(chromium, name)


if __name__ == "__main__":
    asyncio.run(main())
