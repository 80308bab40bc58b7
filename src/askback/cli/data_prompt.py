"""Prompt for the data of a kind that a package adds, as JSON."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import from_json

from askback.cli.field_prompt import ExitWord, PromptExit
from askback.cli.terminal import WORDS, Terminal
from askback.domain.request import InputRequest

HELP = """\
Type the answer as JSON, as the package of this kind defines it.
  :dismiss  refuse to answer               :later    leave it open for now
  :all no   decline everything that is pending"""
_LEAVING = frozenset({ExitWord.DISMISS.value, ExitWord.LATER.value, ExitWord.ALL.value})


class DataPrompt:
    """The prompts of one request; they may raise `PromptExit` or `EndOfInput`."""

    def __init__(self, terminal: Terminal, request: InputRequest) -> None:
        self._terminal = terminal
        terminal.say(f"The agent asks ({request.kind}):", "dim")
        terminal.quote([request.summary or ""], margin=WORDS)
        terminal.quote([json.dumps(request.data, ensure_ascii=False)], margin=WORDS)
        terminal.say("(:help lists the commands; :later leaves it open)", "dim")

    async def ask(self) -> Any:
        """Return the JSON value that the person typed."""
        while True:
            line = await self._terminal.line("Answer (JSON): ")
            if line in _LEAVING:
                raise PromptExit(ExitWord(line))
            if line in {":help", "?"}:
                self._terminal.say(HELP, "dim")
                continue
            try:
                return from_json(line)
            except ValueError:
                self._terminal.say('This is not valid JSON. Type for example {"stars": 5}.', "red")
