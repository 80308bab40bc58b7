"""The tools of a chat: ask the person, read a file, list a folder, run a command. The policy decides each call."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from anyio import to_thread
from pydantic import Field

from askback.adapters.asking import PausePoint, approve_once
from askback.adapters.asktools import ASK_USER, AskResult, AskTool
from askback.adapters.links import why_not_by_rule
from askback.client import AsyncClient
from askback.domain.model import Model
from askback.domain.validation.structure import parse
from askback.errors import AskbackError, Conflict, Gone

COMMAND_S = 600.0
MAX_OUTPUT = 20_000
"""The characters of a result that the model gets."""
MAX_CHARACTER_BYTES = 4
"""The maximum number of bytes of a character in UTF-8."""
_PRIVATE = ("ASKBACK_", "OPENAI_", "ANTHROPIC_")
"""Variables that a command does not get: the keys of the chat itself."""
_FOR_RUN = ("ASKBACK_CREDENTIALS", "ASKBACK_DATA_DIR", "ASKBACK_THREAD")
"""Variables by which `askback run` finds the server and the conversation."""


class ToolFailed(AskbackError):
    """A tool failed; the message is for the model."""


class Read(Model):
    """Read a text file."""

    file_path: str = Field(description="The path, relative to the folder of the conversation or absolute.")


class LS(Model):
    """List the names in a folder."""

    path: str = Field(
        default=".", description="The path, relative to the folder of the conversation or absolute."
    )


class Bash(Model):
    """Run a command with bash in the folder of the conversation, and return its output."""

    command: str = Field(min_length=1)


def tools_in(folder: Path) -> Mapping[str, AskTool]:
    """Return the tools of a chat that works in a folder, by their names."""
    run_by_tool: dict[type[Model], Callable[[Path, Any], Awaitable[str]]] = {
        Read: _read,
        LS: _list,
        Bash: _run,
    }
    tools = [
        AskTool(kind.__name__, kind, partial(_run_if_approved, kind, folder, run))
        for kind, run in run_by_tool.items()
    ]
    return {item.name: item for item in (ASK_USER, *tools)}


async def _run_if_approved(
    kind: type[Model],
    folder: Path,
    run: Callable[[Path, Any], Awaitable[str]],
    client: AsyncClient,
    arguments: Model,
    point: PausePoint,
    wait: bool,
) -> AskResult:
    """Run a tool if its call is allowed, once, with the approved input."""
    decision = await approve_once(
        client, kind.__name__, arguments.model_dump(), point, wait=wait, cwd=str(folder), allow_edit=True
    )
    if not decision:
        raise ToolFailed(decision.text)
    if (link := why_not_by_rule(decision, kind.__name__, str(folder))) is not None:
        raise ToolFailed(link)
    approved = parse(kind, decision.input)
    if decision.source == "policy":  # the rule would allow it again
        return AskResult(await run(folder, approved), decision.request)
    try:
        execution = await client.consume(decision, secrets.token_hex(8))
    except (Conflict, Gone) as error:  # used by a process that was killed then, or revoked
        raise ToolFailed(f"It was not run: {error.message}") from None
    outcome = "failed"
    try:
        text = await run(folder, approved)
        outcome = "succeeded"
    finally:
        with suppress(AskbackError):
            await asyncio.shield(client.report(decision, execution.execution_id, outcome))
    return AskResult(text, decision.request)


async def _read(folder: Path, arguments: Read) -> str:
    return await to_thread.run_sync(_text_of, folder / arguments.file_path)


def _text_of(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return _shorten(file.read(MAX_OUTPUT + 1))


async def _list(folder: Path, arguments: LS) -> str:
    names = await to_thread.run_sync(os.listdir, folder / arguments.path)
    return _shorten("\n".join(sorted(names)) or "The folder is empty.")


async def _run(folder: Path, arguments: Bash) -> str:
    with tempfile.TemporaryFile() as output:  # a pipe would stay open as long as a process in the background
        process = await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            arguments.command,
            cwd=folder,
            env={
                name: value
                for name, value in os.environ.items()
                if name in _FOR_RUN or not name.startswith(_PRIVATE)
            },
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(COMMAND_S):
                await process.wait()
        except TimeoutError:
            raise ToolFailed(f"It took longer than {COMMAND_S:.0f} seconds and was stopped.") from None
        finally:
            with suppress(ProcessLookupError):  # its background processes end with it
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        output.seek(0)
        output_text = _shorten(output.read(MAX_CHARACTER_BYTES * MAX_OUTPUT + 1).decode(errors="replace"))
    if process.returncode:
        raise ToolFailed(f"{output_text}\nIt ended with status {process.returncode}.")
    return output_text or "It printed nothing."


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_OUTPUT else f"{text[:MAX_OUTPUT]}\n[The rest was left out.]"
