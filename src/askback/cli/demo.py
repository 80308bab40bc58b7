"""`askback demo`: a server, a real agent, and a person or a script that answers."""

from __future__ import annotations

import asyncio
import os
import secrets
import shlex
import sys
import tempfile
import webbrowser
from collections.abc import AsyncGenerator, Generator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from askback.cli.connection import DEMO_FILE, ServerConnection
from askback.cli.output import plain_console
from askback.cli.signals import interruptible
from askback.client import discovery
from askback.demo.person import ScriptedPerson
from askback.demo.processes import (
    DemoRun,
    RunningServer,
    RunResult,
    run_agent,
    run_registry,
    run_result,
    run_server,
)
from askback.demo.publish import TOKEN
from askback.errors import AskbackError
from askback.server import server_file

PACE_S = 0.03
OUTPUT = Path("demo-output")

EPILOG = """\
Example that answers itself: askback demo --auto --output /tmp/projects
"""


app = typer.Typer(add_completion=False)


@app.command(epilog=EPILOG)
def demo(
    auto: Annotated[bool, typer.Option("--auto", help="Let a script answer, then exit.")] = False,
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1; 0 picks a free one.", min=0, max=65535)] = 0,
    output: Annotated[Path, typer.Option(help="Folder in which the project is created.")] = OUTPUT,
    browser: Annotated[bool, typer.Option(help="Open the chat page if there is a browser.")] = True,
    data_dir: Annotated[
        Path | None, typer.Option(help="Keep the conversation in this folder instead of a temporary one.")
    ] = None,
) -> None:
    """Run a demo: an agent sets up a small project with you.

    Starts a server, a small package registry and a sample agent, each in its own process. Answer the agent on the page
    that opens, or in a second terminal with `askback inbox`. Then look at the folder it wrote.
    """
    console = plain_console()
    try:
        with ExitStack() as cleanup:
            folder = data_dir or Path(
                cleanup.enter_context(tempfile.TemporaryDirectory(prefix="askback-demo-"))
            )
            interruptible(
                _demo(console, folder.absolute(), output.absolute(), port=port, auto=auto, browser=browser)
            )
    except KeyboardInterrupt:
        console.print("Stopped. The server, the registry and the agent have ended.")
        raise typer.Exit(130) from None
    except (AskbackError, OSError) as error:
        plain_console(stderr=True).print(str(error), style="red")
        raise typer.Exit(1) from None


async def _demo(
    console: Console, data_dir: Path, output: Path, *, port: int, auto: bool, browser: bool
) -> None:
    run_id, token = secrets.token_hex(4), f"demo_{secrets.token_urlsafe(16)}"
    async with (
        run_server(data_dir, port=port) as running_server,
        run_registry(data_dir / "registry", token) as registry,
    ):
        today, pace = date.today(), 0.0 if auto else PACE_S  # noqa: DTZ011 - the person's own day
        run = DemoRun(run_id, f"demo-{run_id}", output, today, pace=pace, registry=registry)
        with _publish_for_inbox(running_server):
            async with run_agent(running_server, run) as agent:
                if auto:
                    async with _scripted_person(console, running_server, run, token):
                        result = await run_result(agent)
                else:
                    _print_invitation(console, running_server, run, token, browser=browser)
                    result = await run_result(agent)
            _report(console, result)
            if not auto and sys.stdin.isatty():
                console.print("The page stays until you press Enter or Ctrl-C.")
                await _wait_for_enter()


def _print_invitation(
    console: Console, running_server: RunningServer, run: DemoRun, token: str, *, browser: bool
) -> None:
    link = f"{running_server.login_url}&next=/t/{run.thread_id}"
    console.print("An agent would like to set up a project with you. Open this link (it works once):\n")
    console.print(f"  {link}\n", style="bold cyan")
    console.print(f"or answer in a second terminal:  {_command_name()} inbox")
    console.print(f"When a card asks for {TOKEN}, type (nowhere else):  {token}")
    console.print("Ctrl-C ends the demo.\n")
    if browser and has_browser():
        webbrowser.open(link)


def _report(console: Console, result: RunResult) -> None:
    if result.published:
        console.print("It is published at", style="green")
        console.print(result.published, style="bold")
    if result.folder is None:
        console.print("The agent said goodbye; nothing was written.")
        return
    console.print("The project is in", style="green")
    console.print(str(result.folder), style="bold")


@asynccontextmanager
async def _scripted_person(
    console: Console, running_server: RunningServer, run: DemoRun, token: str
) -> AsyncGenerator[None]:
    def note(text: str) -> None:
        console.print(f"  person: {text}", style="dim")

    async with ServerConnection(running_server.url, running_server.responder_token).client() as client:
        person = asyncio.create_task(ScriptedPerson(client, run.thread_id, note=note, token=token).run())
        try:
            yield
        finally:
            person.cancel()
            await asyncio.gather(person, return_exceptions=True)


@contextmanager
def _publish_for_inbox(running_server: RunningServer) -> Generator[None]:
    """Store the server's address where `askback inbox` looks, while the demo runs; only this user can read it."""
    file = discovery.data_dir() / DEMO_FILE
    addresses = {
        "url": running_server.url,
        "requester_token": running_server.requester_token,
        "responder_token": running_server.responder_token,
    }
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        server_file.write(file, addresses)
    except OSError:
        pass  # a home that cannot be written: the link still works
    try:
        yield
    finally:
        if server_file.read(file).get("url") == running_server.url:
            file.unlink(missing_ok=True)


def has_browser() -> bool:
    """Return whether a browser can be opened here."""
    return sys.platform in {"darwin", "win32"} or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


def _command_name() -> str:
    """Return this command as it was called, so that it can be typed again."""
    return shlex.quote(sys.argv[0]) if not sys.argv[0].endswith(".py") else "askback"


async def _wait_for_enter() -> None:
    loop, is_pressed = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), is_pressed.set)
    try:
        with suppress(asyncio.CancelledError):  # Ctrl-C is fine: the agent has finished
            await is_pressed.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())
