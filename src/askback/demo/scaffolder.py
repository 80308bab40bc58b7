"""The sample agent: it asks what to build, writes it, commits and publishes it, and reports.

It keeps no state. Every question has an idempotency key and every message an id, made from the run's id.
So an agent that was killed and is restarted with the same run repeats the same steps and finds the earlier
questions, answers, token, folder and commands.

To publish, it has the token requested by another process and runs the script with `askback run`, so that the token
never is in the agent's own process.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from askback.client.program import program, python
from askback.demo import forms, publish
from askback.demo.command import Command, git_commands
from askback.demo.conversation import Conversation
from askback.demo.credential import NOT_GIVEN
from askback.demo.processes import DemoFailed, run_module
from askback.demo.project.files import new_folder, project_files, test_command, write_file
from askback.demo.project.plan import Plan
from askback.errors import Cancelled, Declined, Expired, NotAnswered


async def publish_project(conversation: Conversation, folder: Path, registry: str) -> str | None:
    """Publish a folder under its name if the person agrees; return the URL, or None."""
    await conversation.say(
        "publish",
        f"I could publish it to the registry at {registry}, which wants a token. What you type into the next card "
        "goes to the program that publishes; I do not get to see it.",
    )
    if not await _request_token(conversation, registry):
        await conversation.say("publish-left", "All right, it stays on this machine.")
        return None
    address = f"{registry}/packages/{folder.name}"
    return address if await _command(conversation.thread_id, address).run(conversation, folder) else None


def _command(thread_id: str, address: str) -> Command:
    script_command = python(str(Path(publish.__file__)), address)
    secret = ("--secret", publish.TOKEN, "--thread", thread_id)
    return Command(
        step="publish-run",
        name="askback run",
        argv=program("run", *secret, "--", *script_command),
        title="Publish the project",
        reason=f"It sends the files of the folder to {address}.",
    )


async def _request_token(conversation: Conversation, registry: str) -> bool:
    """Have the token requested and tested; true if it may be used."""
    arguments = ("--thread", conversation.thread_id, "--run", conversation.run_id, "--registry", registry)
    async with run_module("askback.demo.credential", *arguments, stdin=asyncio.subprocess.PIPE) as process:
        status = await process.wait()
    if status not in {0, NOT_GIVEN}:
        raise DemoFailed("The token could not be asked for; the reason is above.")
    return status == 0


TITLE = "Set up a small project"
INTRO = (
    "Hello! I set up small, tidy projects: a little working code, a test that passes, a README "
    "and a licence. I have a few questions, and nothing is written before you say so."
)
GOODBYES: dict[type[NotAnswered], str] = {
    Declined: "That is fine. Nothing was written. Come back whenever you like!",
    Cancelled: "The question was withdrawn, so I stop here. Nothing was written.",
    Expired: "Nobody answered in time, so I stop here. Nothing was written.",
}


@dataclass(frozen=True, slots=True)
class BuiltProject:
    """A project: its folder, and the URL where it is published, if it is."""

    folder: Path
    published: str | None


@dataclass(frozen=True, slots=True)
class Scaffolder:
    """One run of the agent in one conversation; projects go into new folders under `output`.

    With a `registry`, by its address, it offers to publish them there.
    """

    talk: Conversation
    output: Path
    today: date
    registry: str | None = None

    async def run(self) -> BuiltProject | None:
        """Ask, write and report; return the project, or None if the person did not want one."""
        await self.talk.name(TITLE)
        await self.talk.say("intro", INTRO)
        try:
            plan = await self._confirm_plan()
        except NotAnswered as error:
            await self.talk.say("goodbye", GOODBYES[type(error)])
            return None
        folder = await self._folder(plan)
        await self._write(plan, folder)
        await self._commit(plan, folder)
        published = await publish_project(self.talk, folder, self.registry) if self.registry else None
        await self.talk.say("done", _report(plan, folder, published))
        return BuiltProject(folder, published)

    async def _confirm_plan(self) -> Plan:
        """Ask until the person agrees to a plan; raises `NotAnswered`."""
        values: dict[str, Any] = {}
        step = 1
        while True:
            values |= await self.talk.ask(f"basics-{step}", forms.basics(values))
            await self.talk.say(f"details-{step}", _comment(values))
            values |= {"features": []} | await self.talk.ask(
                f"details-{step}", forms.details(values, today=self.today)
            )
            plan = forms.plan_of(values)
            await self.talk.say(f"ready-{step}", "This is what I would write. Shall I?")
            is_agreed = (await self.talk.ask(f"agreement-{step}", forms.agreement(plan)))["go"]
            if is_agreed != forms.CHANGE:
                return plan
            step += 1

    async def _folder(self, plan: Plan) -> Path:
        """Choose a new folder once: a restart reads it from the message that names it."""
        tool_input = self.talk.tool_input("folder")
        if tool_input is None:
            tool_input = {"path": str(new_folder(self.output, plan.name))}
            await self.talk.tool("folder", f"create {Path(tool_input['path']).name}/", tool_input)
        return Path(tool_input["path"])

    async def _write(self, plan: Plan, folder: Path) -> None:
        for n, (path, text) in enumerate(project_files(plan).items(), 1):
            try:
                write_file(folder, path, text)
            except OSError:
                await self.talk.tool(f"file-{n}-failed", f"write {path}", {"path": path}, status="failed")
                raise
            await self.talk.tool(f"file-{n}", f"write {path}", {"path": path, "bytes": len(text.encode())})

    async def _commit(self, plan: Plan, folder: Path) -> None:
        """Make the folder a git repository if the person agrees; the files are complete without one."""
        if shutil.which("git") is None:
            await self.talk.say("no-git", "There is no git on this machine, so the folder is just a folder.")
            return
        for command in git_commands(plan):
            if not await command.run(self.talk, folder):
                return


def _comment(values: Mapping[str, Any]) -> str:
    return f"{values['name']} in {forms.LANGUAGES[values['language']]}, a good choice. A few details, and we are there."


def _report(plan: Plan, folder: Path, published: str | None) -> str:
    renamed_text = (
        "" if folder.name == plan.name else f" ({plan.name} was there already, so I took a new name)"
    )
    published_text = f" They are published at {published}." if published else ""
    return (
        f"Done: {len(project_files(plan))} files are in {folder}{renamed_text}. "
        f"Go there and run the tests with: {test_command(plan)}.{published_text} Have fun!"
    )
