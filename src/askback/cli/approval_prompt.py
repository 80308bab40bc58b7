"""Prompt for a decision about a tool call or a plan."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from askback.cli import card
from askback.cli.field_prompt import ExitWord, PromptExit
from askback.cli.field_text import YES_WORDS
from askback.cli.terminal import Terminal
from askback.domain import jsontext
from askback.domain.approval import ApprovalDecision, Scope, ShownApproval
from askback.domain.faults import Faults, fault
from askback.messages import render

NOTE = ":"
HELP = """\
An empty line leaves it open: nothing is decided by accident.
  n: text   no, and tell the agent why        y: text   yes, with a note for the agent
  :later    leave it open for now             :dismiss  close it without deciding
  :all no   decline everything that is pending"""

_SCOPE_TEXTS: dict[Scope, str] = {
    "thread": "for this conversation",
    "project": "for this project",
    "always": "everywhere",
}


@dataclass(frozen=True, slots=True)
class DecisionBody:
    """The body of a decision."""

    decision: ApprovalDecision
    scope: Scope = "once"
    note: str | None = None
    edited_input: Any = None
    rule: str | None = None
    mode: Literal["accept_edits"] | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A word that can be typed, its `label` in the prompt, and its action."""

    word: str
    label: str
    take: Callable[[str | None], Awaitable[DecisionBody | None]]


class ApprovalPrompt:
    """The prompt of one call; each method may raise `PromptExit` or `EndOfInput`."""

    def __init__(self, terminal: Terminal, approval: ShownApproval) -> None:
        self._terminal = terminal
        self._approval = approval
        self._choices = self._decide_plan() if approval.plan is not None else self._decide_call()

    async def decide(self) -> DecisionBody:
        """Prompt until the person decides."""
        prompt = "  ".join(choice.label for choice in self._choices) + "  (? for help) "
        while True:
            line = (await self._terminal.line(prompt)).strip()
            word, colon, note = (part.strip() for part in line.partition(NOTE))
            if not word:
                self._handle_word(line)
                continue
            choice = next(
                (option for option in self._choices if word.casefold() in (option.word, option.word[0])), None
            )
            if choice is None:
                self._terminal.say(HELP, "dim")
            elif body := await choice.take(note if colon else None):
                return body

    def _handle_word(self, line: str) -> None:
        """Leave the request open for an empty line; handle the words that begin with a colon."""
        if not line:
            raise PromptExit(ExitWord.LATER)
        exit_word = next(
            (
                word_of_exit
                for word_of_exit in (ExitWord.LATER, ExitWord.DISMISS, ExitWord.ALL)
                if word_of_exit.value == line
            ),
            None,
        )
        if exit_word is not None:
            raise PromptExit(exit_word)
        self._terminal.say(HELP, "dim")

    # --- a call ------------------------------------------------------------------------------

    def _decide_call(self) -> list[Choice]:
        approval = self._approval
        choices = [Choice("yes", "[y]es once", self._approve_once), Choice("no", "[n]o", self._deny)]
        choices += [
            Choice(scope, f"[{scope[0]}]{scope[1:]}", self._approve_and_store(scope))
            for scope in ("thread", "project", "always")
            if scope in approval.scopes and approval.rule is not None
        ]
        return [*choices, Choice("edit", "[e]dit", self._edit)] if approval.allow_edit else choices

    async def _approve_once(self, note: str | None) -> DecisionBody | None:
        return DecisionBody("approve", note=note or None) if await self._confirm_danger() else None

    async def _deny(self, note: str | None) -> DecisionBody | None:
        return DecisionBody("deny", note=note or None)

    def _approve_and_store(self, scope: Scope) -> Callable[[str | None], Awaitable[DecisionBody | None]]:
        async def keep(note: str | None) -> DecisionBody | None:
            """Show the rule to store, which can be changed."""
            self._terminal.say(f"This rule will be stored {_SCOPE_TEXTS[scope]}:", "dim")
            self._terminal.quote([self._approval.rule or ""], "bold")
            if self._approval.scripts and scope != "thread":
                files = ", ".join(self._approval.scripts)
                self._terminal.say(f"It also runs {files} after it changes.", "dim")
            changed = (
                await self._terminal.line(
                    "Enter to store it, another rule to store that one, or n to go back: "
                )
            ).strip()
            if changed.casefold() in {"n", "no"} or not await self._confirm_danger():
                return None
            return DecisionBody("approve", scope=scope, note=note or None, rule=changed or None)

        return keep

    async def _edit(self, note: str | None) -> DecisionBody | None:
        """Read another input, show it, and ask for confirmation."""
        self._terminal.say(card.pretty(self._approval.input), "dim")
        self._terminal.say(
            "Type the whole input as JSON; end with a line that contains only a period.", "dim"
        )
        lines: list[str] = []
        while (line := await self._terminal.line("| ")) != ".":
            lines.append(line)
        try:
            edited = jsontext.parse("\n".join(lines))
        except Faults as error:
            for item in error.faults:
                self._terminal.say(render(item, "en"), "red")
            return None
        if (expected_type := jsontext.type_name(self._approval.input)) != jsontext.type_name(edited):
            self._terminal.say(render(fault("", f"wrong_type.{expected_type}"), "en"), "red")
            return None
        card.show_input(self._terminal, edited)
        if not await self._ask_yes("Approve this instead"):
            return None
        return DecisionBody("approve", note=note or None, edited_input=edited)

    # --- a plan ------------------------------------------------------------------------------

    def _decide_plan(self) -> list[Choice]:
        return [
            Choice("yes", "[y]es", self._approve_once),
            Choice("stop", "[s]top asking for edits", self._stop_asking),
            Choice("no", "[n]o, change it", self._request_changes),
        ]

    async def _stop_asking(self, note: str | None) -> DecisionBody | None:
        body = await self._approve_once(note)
        return body and replace(body, mode="accept_edits")

    async def _request_changes(self, note: str | None) -> DecisionBody | None:
        note = note or (await self._terminal.line("What should change? ")).strip()
        return DecisionBody("deny", note=note) if note else None

    # --- both --------------------------------------------------------------------------------

    async def _confirm_danger(self) -> bool:
        return self._approval.risk.level != "danger" or await self._ask_yes(
            "This is dangerous. Really run it"
        )

    async def _ask_yes(self, question: str) -> bool:
        return (await self._terminal.line(f"{question}? [y/N] ")).strip().casefold() in YES_WORDS
