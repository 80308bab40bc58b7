"""Prompt for the outcome of an action: show the task and its link, and ask for the outcome."""

from __future__ import annotations

from dataclasses import dataclass

from askback.cli.field_prompt import ExitWord, PromptExit
from askback.cli.language import text
from askback.cli.terminal import WORDS, Terminal
from askback.domain.action import ActionOutcome, ShownAction
from askback.domain.request import InputRequest

HELP = """\
  done      you have done it               :dismiss  refuse to do it
  failed    it did not work                :later    leave it open for now
                                           :all no   decline everything that is pending"""
_LEAVING = frozenset({ExitWord.DISMISS.value, ExitWord.LATER.value, ExitWord.ALL.value})
_OUTCOMES: dict[str, ActionOutcome] = {"d": "done", "done": "done", "f": "failed", "failed": "failed"}


@dataclass(frozen=True, slots=True)
class Report:
    """The person's report: the outcome, and why it failed."""

    outcome: ActionOutcome
    reason: str | None = None


class ActionPrompt:
    """The prompts of one action; they may raise `PromptExit` or `EndOfInput`."""

    def __init__(self, terminal: Terminal, request: InputRequest, action: ShownAction) -> None:
        self._terminal = terminal
        self._request = request
        self._action = action

    async def ask(self) -> Report:
        """Show the action and ask for the outcome. Accounts are connected in the browser, not here."""
        self._show()
        while True:
            line = await self._line("Done or failed? [d/f] ")
            outcome = _OUTCOMES.get(line.strip().casefold())
            if outcome == "done" and self._action.provider is not None:
                self._terminal.say("Connect the account on the page of this request.", "red")
            elif outcome == "failed":
                reason = (await self._line("What went wrong? (Enter to leave it out) ")).strip()
                return Report("failed", reason or None)
            elif outcome == "done":
                return Report("done")
            else:
                self._terminal.say("Type done or failed; :help lists the commands.", "red")

    def _show(self) -> None:
        terminal, action, attempt = self._terminal, self._action, self._request.attempt
        terminal.say("The agent asks you to do this:", "dim")
        for words in (action.title, action.description):
            if words:
                terminal.quote([text(words)], margin=WORDS)
        if action.url is not None:
            terminal.say(f"Link to {action.host}:", "dim")
            terminal.quote([action.url], "bold")
        if action.provider is not None:
            terminal.say(f"Connect an account at {action.host}: open this request in the browser.", "dim")
        if attempt is not None:
            terminal.say(f"It did not work before. {attempt.reason or ''}".rstrip(), "red")
        if self._request.error_summary:
            terminal.say(self._request.error_summary, "red")
        terminal.say("(:help lists the commands; :later leaves it open)", "dim")

    async def _line(self, prompt: str) -> str:
        while True:
            line = await self._terminal.line(prompt)
            if line in _LEAVING:
                raise PromptExit(ExitWord(line))
            if line not in {":help", "?"}:
                return line
            self._terminal.say(HELP, "dim")
