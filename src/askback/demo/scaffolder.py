"""The sample agent: it asks what to build, writes it, commits and publishes it, and says what it did.

It keeps no state of its own. Every question has an idempotency key and every message an id, made
from the run's id, so an agent that was killed and is started again with the same run goes through
the same steps and finds the questions asked, the answers and the token given, the folder chosen and
the commands run before.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from askback.demo import forms
from askback.demo.conversation import Conversation
from askback.demo.project.files import project_files, test_command
from askback.demo.project.folder import new_folder, write_file
from askback.demo.project.plan import Plan
from askback.demo.publication import publish_project
from askback.demo.repository import commands
from askback.errors import Cancelled, Declined, Expired, NotAnswered

INTRO = (
    "Hello! I set up small, tidy projects: a little working code, a test that passes, a README "
    "and a licence. I have a few questions, and nothing is written before you say so."
)
GOODBYES: dict[type[NotAnswered], str] = {
    Declined: "That is fine. Nothing was written. Come back whenever you like!",
    Cancelled: "The question was taken back, so I stop here. Nothing was written.",
    Expired: "Nobody answered in time, so I stop here. Nothing was written.",
}


@dataclass(frozen=True, slots=True)
class Made:
    """A project: its folder, and the address where it is published, if it is."""

    folder: Path
    published: str | None


@dataclass(frozen=True, slots=True)
class Scaffolder:
    """One run of the agent in one conversation; projects go into new folders under `output`.

    Where there is a `registry`, by its address, it offers to publish them there.
    """

    talk: Conversation
    output: Path
    today: date
    registry: str | None = None

    async def run(self) -> Made | None:
        """Ask, write and report; return the project, or None when the person did not want one."""
        await self.talk.say("intro", INTRO)
        try:
            plan = await self._agree()
        except NotAnswered as left:
            await self.talk.say("goodbye", GOODBYES[type(left)])
            return None
        folder = await self._folder(plan)
        await self._write(plan, folder)
        await self._commit(plan, folder)
        published = await publish_project(self.talk, folder, self.registry) if self.registry else None
        await self.talk.say("done", _report(plan, folder, published))
        return Made(folder, published)

    async def _agree(self) -> Plan:
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
            go = (await self.talk.ask(f"agreement-{step}", forms.agreement(plan)))["go"]
            if go != forms.CHANGE:
                return plan
            step += 1

    async def _folder(self, plan: Plan) -> Path:
        """Choose a new folder once: the message that names it is the record that a restart reads."""
        chosen = self.talk.tool_input("folder")
        if chosen is None:
            chosen = {"path": str(new_folder(self.output, plan.name))}
            await self.talk.tool("folder", f"create {Path(chosen['path']).name}/", chosen)
        return Path(chosen["path"])

    async def _write(self, plan: Plan, folder: Path) -> None:
        for n, (path, text) in enumerate(project_files(plan).items(), 1):
            try:
                write_file(folder, path, text)
            except OSError:
                await self.talk.tool(f"file-{n}-failed", f"write {path}", {"path": path}, status="failed")
                raise
            await self.talk.tool(f"file-{n}", f"write {path}", {"path": path, "bytes": len(text.encode())})

    async def _commit(self, plan: Plan, folder: Path) -> None:
        """Make a repository of the folder, as far as the person lets it; the files are good without one."""
        if shutil.which("git") is None:
            await self.talk.say("no-git", "There is no git on this machine, so the folder is just a folder.")
            return
        for command in commands(plan):
            if not await command.run(self.talk, folder):
                return


def _comment(values: Mapping[str, Any]) -> str:
    return f"{values['name']} in {forms.LANGUAGES[values['language']]}, a good choice. A few details, and we are there."


def _report(plan: Plan, folder: Path, published: str | None) -> str:
    renamed = "" if folder.name == plan.name else f" ({plan.name} was there already, so I took a new name)"
    also = f" They are published at {published}." if published else ""
    return (
        f"Done: {len(project_files(plan))} files are in {folder}{renamed}. "
        f"Go there and run the tests with: {test_command(plan)}.{also} Have fun!"
    )
