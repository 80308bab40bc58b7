"""`askback chat`: talk with an agent on the page of a conversation."""

from __future__ import annotations

import json
import logging
import os
import socket
import sys
import webbrowser
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal
from urllib.parse import quote, urlsplit

import typer

from askback.chat.host import Host
from askback.chat.turn import ChatAgent
from askback.cli.connection import NoServerRunning, ServerConnection, find, own_thread
from askback.cli.demo import has_browser
from askback.cli.login import create_link
from askback.cli.output import plain_console
from askback.cli.signals import interruptible
from askback.client import AsyncClient, discovery
from askback.demo.processes import run_server
from askback.errors import AskbackError
from askback.server import server_file

AgentName = Literal["auto", "claude", "openai", "scripted"]
CLAUDE_VARIABLES = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "CLAUDE_CODE_OAUTH_TOKEN",
)

app = typer.Typer(add_completion=False)


@app.command()
def chat(
    thread: Annotated[
        str | None, typer.Option(help="The conversation. Use the same name to continue. Default: chat.")
    ] = None,
    folder: Annotated[
        Path, typer.Option(help="Folder in which the agent works.", exists=True, file_okay=False)
    ] = Path(),
    agent: Annotated[
        AgentName,
        typer.Option(
            help="claude (Claude Agent SDK), openai (any compatible endpoint) or scripted (no model)."
        ),
    ] = "auto",
    base_url: Annotated[
        str | None,
        typer.Option(
            envvar="OPENAI_BASE_URL", help="Compatible endpoint, such as http://localhost:11434/v1."
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(envvar="ASKBACK_CHAT_MODEL", help="The name of the model.")
    ] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the server.")] = None,
    browser: Annotated[bool, typer.Option(help="Open the page if there is a browser.")] = True,
) -> None:
    """Talk with an agent on askback's page: it answers, asks, and has its tool calls approved there.

    The agent is Claude if the extra `claude` is installed and an Anthropic API key is set, else the model of an
    endpoint that speaks OpenAI's chat completions (`OPENAI_API_KEY`, `--base-url`, `--model`), else the script of the
    demo. A server is started if none runs. After a stop, the same command continues the conversation.
    """
    chat_agent = choose_agent(agent, folder.absolute(), base_url=base_url, model=model)
    thread_id = thread or own_thread("chat")
    os.environ["ASKBACK_THREAD"] = thread_id  # `askback run` in a command of the agent asks on the same page
    os.environ.pop(discovery.CREDENTIALS, None)  # the chat itself does not use it
    if data_dir is not None:
        os.environ["ASKBACK_DATA_DIR"] = str(data_dir.absolute())
    try:
        interruptible(_chat(chat_agent, thread_id, data_dir, browser=browser))
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def choose_agent(name: AgentName, folder: Path, *, base_url: str | None, model: str | None) -> ChatAgent:
    """Return the agent to talk with; raises `AskbackError` if it lacks a setting."""
    key = os.environ.get("OPENAI_API_KEY")
    if name == "auto":
        has_claude = find_spec("claude_agent_sdk") is not None and any(map(os.environ.get, CLAUDE_VARIABLES))
        name = "claude" if has_claude else "openai" if base_url or key else "scripted"
    if name == "claude":
        from askback.chat.claude_agent import ClaudeAgent

        return ClaudeAgent(folder, model)
    if name == "openai":
        from askback.chat.endpoint import Endpoint
        from askback.chat.model_agent import ModelAgent

        if model is None:
            raise AskbackError("Name a model: --model, or ASKBACK_CHAT_MODEL.")
        return ModelAgent(
            Endpoint(base_url=base_url or "https://api.openai.com/v1", model=model, key=key), folder
        )
    from askback.chat.scripted import ScriptedAgent

    return ScriptedAgent(folder)


async def _chat(agent: ChatAgent, thread_id: str, data_dir: Path | None, *, browser: bool) -> None:
    async with _server(data_dir) as server, server.client() as ask:
        await _admit_run(ask, thread_id, data_dir)
        link = await _link(server, thread_id, data_dir)
        console = plain_console()
        console.print(f"Open this page:\n\n  {link}\n", style="bold")
        console.print("Ctrl-C ends the chat.")
        _print_connection()
        if browser and has_browser():
            webbrowser.open(link)
        await Host(ask, thread_id, agent).serve()


@asynccontextmanager
async def _server(data_dir: Path | None) -> AsyncGenerator[ServerConnection]:
    """Yield the server that runs, or one that ends with the block."""
    try:
        server = find("requester", data_dir=data_dir)
    except NoServerRunning:
        folder = (data_dir or discovery.data_dir()).absolute()
        async with run_server(folder, port=_port_of_last(folder)) as running_server:
            yield ServerConnection(running_server.url, running_server.requester_token)
    else:
        with _credentials_for_run(server, data_dir):
            yield server


@contextmanager
def _credentials_for_run(server: ServerConnection, data_dir: Path | None) -> Generator[None]:
    """Name the server of `ASKBACK_URL` in a file for `askback run` in a command, which does not get `ASKBACK_TOKEN`."""
    if data_dir is not None or server.token != os.environ.get("ASKBACK_TOKEN"):
        yield
        return
    content = {"url": server.url, "token": server.token}
    if sys.platform == "linux":  # in memory, so that nothing is left of a chat that was killed
        with os.fdopen(os.memfd_create("askback-chat"), "w") as file:
            os.fchmod(file.fileno(), 0o600)
            json.dump(content, file)
            file.flush()
            os.environ[discovery.CREDENTIALS] = f"/proc/{os.getpid()}/fd/{file.fileno()}"
            yield
        return
    with TemporaryDirectory(prefix="askback-chat-") as folder:
        credentials = Path(folder) / "credentials.json"
        server_file.write(credentials, content)
        os.environ[discovery.CREDENTIALS] = str(credentials)
        yield


async def _admit_run(ask: AsyncClient, thread_id: str, data_dir: Path | None) -> None:
    """Let `askback run`, which is an agent of its own, ask in the conversation."""
    with suppress(NoServerRunning):  # a server of an older version has no such agent
        async with find("run", data_dir=data_dir).client() as run:
            agent = (await run.sessions.current()).principal.id
        await ask.threads.set_agents(thread_id, [agent])


def _print_connection() -> None:
    """Print when the connection to the server is lost, and when it is back."""
    log = logging.getLogger("askback.client.link")
    log.setLevel(logging.INFO)
    log.addHandler(logging.StreamHandler())


def _port_of_last(data_dir: Path) -> int:
    """Return the port of the last server of a folder, so that its open pages connect again; 0 if it is taken."""
    port = urlsplit(server_file.read(data_dir / "server.json").get("url", "")).port or 0
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("127.0.0.1", port))
        except OSError:
            return 0
    return port


async def _link(server: ServerConnection, thread_id: str, data_dir: Path | None) -> str:
    """Return the address of the page, which signs in once if this user runs the server."""
    page = f"/t/{quote(thread_id, safe='')}"
    try:
        link = await create_link(data_dir)
    except AskbackError:  # it runs elsewhere
        return f"{server.url}{page}"
    return f"{link}&next={quote(page)}" if link.startswith(f"{server.url}/") else f"{server.url}{page}"
