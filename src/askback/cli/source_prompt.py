"""Search the options of a source at the prompt of a field, and choose among them by keys."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any, Protocol

from askback.cli.terminal import Terminal, one_line
from askback.domain.fields import Multiselect, Radio, Select
from askback.domain.options import Option
from askback.domain.sources import OptionPage, SourceOption, values_of
from askback.errors import Refused

MORE, UP = "+", ".."
PAGE = 20
"""The number of options that are listed together."""


class Search(Protocol):
    """Searches the options of a field."""

    def __call__(
        self, field: str, *, q: str | None, parent: str | None, cursor: str | None, limit: int
    ) -> Awaitable[OptionPage]:
        """Return a page of options."""
        ...


@dataclass
class SourceListing:
    """The listed options, and the `value` chosen so far: one, a list of several, or None."""

    terminal: Terminal
    source_field: Select | Radio | Multiselect
    search: Search
    value: Any
    _search_text: str | None = None
    _path: list[SourceOption] = field(default_factory=list[SourceOption])
    _page: OptionPage = field(default_factory=lambda: OptionPage(options=[]))

    @property
    def hint(self) -> str:
        """The possible inputs."""
        words = ["key", "/text searches"]
        words += [f"{MORE} for more"] if self._page.next_cursor else []
        words += (
            [f"KEY/ goes in, {UP} back"]
            if self.source_field.options_from and self.source_field.options_from.tree
            else []
        )
        words += ["an empty line ends"] if isinstance(self.source_field, Multiselect) else []
        return ", ".join(words)

    async def load(self, cursor: str | None = None) -> None:
        """Read and list a page of options, or say why it cannot be read."""
        parent = str(self._path[-1].value) if self._path else None
        try:
            self._page = await self.search(
                self.source_field.id, q=self._search_text, parent=parent, cursor=cursor, limit=PAGE
            )
        except Refused as error:
            self._page = OptionPage(options=[])
            sentences = [str(fault["message"]) for fault in error.field_errors] or [error.message]
            self.terminal.say(" ".join(sentences), "red")
            return
        if self._path:
            self.terminal.say(f"  in {' › '.join(one_line(option.label) for option in self._path)}", "dim")
        for key, option in enumerate(self._page.options, 1):
            marker = "/" if option.has_children else ""
            self.terminal.say(f"  {key}  {one_line(option.label)}{marker}", "dim" if option.disabled else "")
            if option.description:
                self.terminal.say(f"     {one_line(option.description)}", "dim")
        if not self._page.options:
            self.terminal.say("  (no options found)", "dim")

    async def take(self, line: str) -> bool:
        """Follow a typed line; return whether the choice is made."""
        if line == MORE and self._page.next_cursor:
            await self.load(self._page.next_cursor)
        elif line == UP and self._path:
            self._path.pop()
            await self._start(None)
        elif line.startswith("/"):
            await self._start(line[1:].strip() or None)
        elif line.endswith("/") and (option := self._option(line[:-1])) and option.has_children:
            self._path.append(option)
            await self._start(None)
        else:
            return self._choose(line)
        return False

    async def _start(self, search_text: str | None) -> None:
        self._search_text = search_text
        await self.load()

    def _option(self, key: str) -> SourceOption | None:
        word = key.strip()
        if word.isdecimal() and 0 < int(word) <= len(self._page.options):
            return self._page.options[int(word) - 1]
        matches = [option for option in self._page.options if option.label.casefold() == word.casefold()]
        return matches[0] if len(matches) == 1 else None

    def _choose(self, line: str) -> bool:
        is_multiselect = isinstance(self.source_field, Multiselect)
        keys = line.replace(",", " ").split() if is_multiselect and self._option(line) is None else [line]
        options = [option for key in keys if (option := self._option(key)) and not option.disabled]
        if len(options) < len(keys):
            self.terminal.say(f"Type the key of an option in the list, or {self.hint}.", "red")
            return False
        for option in options:
            self._learn(option)
            if is_multiselect:
                values = values_of(self.value)
                other_values = [value for value in values if value != option.value]
                self.value = (
                    other_values if len(other_values) < len(values) else [*values, option.value]
                ) or None
            else:
                self.value = option.value
        return not is_multiselect

    def _learn(self, option: SourceOption) -> None:
        """Add the option to those of the field, for the labels of an answer."""
        if all(known_option.value != option.value for known_option in self.source_field.options):
            self.source_field.options.append(Option(value=option.value, label=option.label))
