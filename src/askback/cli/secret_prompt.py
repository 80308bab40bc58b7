"""Prompt for the values of a request for secrets: typed hidden, stored, or refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from askback.cli.field_prompt import BACK, BackRequested, ExitWord, PromptExit
from askback.cli.language import language, text
from askback.cli.secret_value import PADDED, InvalidValue, parse_value
from askback.cli.terminal import WORDS, Terminal
from askback.domain.faults import join
from askback.domain.request import InputRequest
from askback.domain.secrets.request import Scope, SecretHelp, ShownSecret
from askback.domain.secrets.secret import Secret
from askback.domain.validation.secret import is_padded
from askback.messages import translate

HELP = """\
Type the value and press Enter; it is not shown. An empty line uses the stored value, if there is one.
  :back     go back one step               :dismiss  refuse to provide them
  :later    leave it open for now          :all no   decline everything that is pending"""
_LEAVING = frozenset({ExitWord.DISMISS.value, ExitWord.LATER.value, ExitWord.ALL.value})


@dataclass(frozen=True, slots=True)
class SecretSubmission:
    """The submission: values by name, the names whose stored values are used, and the scope of the new values."""

    values: Mapping[str, Secret]
    existing: Sequence[str]
    scope: Scope | None


class SecretPrompt:
    """The prompts of one request; each method may raise `PromptExit` or `EndOfInput`."""

    def __init__(self, terminal: Terminal, request: InputRequest, secret: ShownSecret) -> None:
        self._terminal = terminal
        self._request = request
        self._secret = secret
        self._values: dict[str, Secret] = {}
        self._existing: set[str] = set()
        self._scopes = _scopes(secret)

    async def ask(self) -> SecretSubmission:
        """Show the request, and prompt for each value and the scope."""
        self._show()
        if (
            all(self._secret.present.get(name) for name in self._secret.names)
            and await self._ask_stored_use()
        ):
            return SecretSubmission({}, list(self._secret.names), None)
        return await self._ask(self._secret.names)

    async def correct(self, faults: Sequence[tuple[str, str]]) -> SecretSubmission:
        """Show errors as (path, sentence), and prompt for these values again."""
        for _, sentence in faults:
            self._terminal.say(sentence, "red")
        faulty_names = [
            name for name in self._secret.names if any(join("secrets", name) == path for path, _ in faults)
        ]
        return await self._ask(faulty_names or self._secret.names)

    # --- showing -----------------------------------------------------------------------------

    def _show(self) -> None:
        terminal, secret = self._terminal, self._secret
        terminal.say("Secrets for the agent, which will not see them:", "dim")
        for name in secret.names:
            terminal.say(f"  {name}", "bold")
        terminal.say("The agent says:", "dim")
        for paragraph in (secret.reason, secret.instructions):
            if paragraph:
                terminal.quote([text(paragraph)], margin=WORDS)
        terminal.say(translate("ui.secret.never_paste", language()), "bold")
        terminal.say("The names are visible in the conversation; the values are not.", "dim")
        if self._request.error_summary:
            terminal.say(self._request.error_summary, "red")
        terminal.say("(:help lists the commands; :later leaves it open)", "dim")

    def _show_heading(self, name: str, stored_in: str) -> None:
        terminal, secret_help = self._terminal, self._secret.metadata.get(name, SecretHelp())
        terminal.say()
        terminal.say(name, "bold")
        example = secret_help.placeholder and f"such as {text(secret_help.placeholder)}"
        for paragraph in (secret_help.description, secret_help.format_hint, example):
            if paragraph:
                terminal.quote([text(paragraph)], margin=WORDS)
        if stored_in:
            terminal.say(f"A value is stored already ({stored_in}).", "dim")
        for error in self._request.field_errors:
            if error.path == join("secrets", name):
                terminal.say(error.message, "red")

    # --- asking ------------------------------------------------------------------------------

    async def _ask(self, names: Sequence[str]) -> SecretSubmission:
        steps = [*names, None]
        index, scope = 0, None
        while index < len(steps):
            name = steps[index]
            try:
                if name is not None:
                    await self._value(name)
                elif self._values:
                    scope = await self._scope()
            except BackRequested:
                index = max(index - 1, 0)
            else:
                index += 1
        return SecretSubmission(self._values, sorted(self._existing), scope)

    async def _ask_stored_use(self) -> bool:
        """Ask whether the agent may use the stored values; without a yes, prompt for other values."""
        names, agent = ", ".join(self._secret.names), getattr(self._request.requester, "name", "the agent")
        self._terminal.say()
        verb, pronoun = ("is", "it") if len(self._secret.names) == 1 else ("are", "them")
        line = await self._line(f"{names} {verb} saved. Let {agent} use {pronoun}? [y/N] ")
        return line.strip().casefold() in {"y", "yes"}

    async def _value(self, name: str) -> None:
        """Prompt for one value until there is one, or the stored one is used."""
        scopes = ", ".join(self._secret.present.get(name, ()))
        self._show_heading(name, scopes)
        optional = name not in self._secret.required
        default = (
            "Enter uses the stored one" if scopes else "optional; Enter leaves it out" if optional else ""
        )
        prompt = f"value, hidden ({default}): " if default else "value, hidden: "
        self._values.pop(name, None)
        self._existing.discard(name)
        with self._terminal.hidden_input():
            while name not in self._values and name not in self._existing:
                line = await self._line(prompt)
                if not line and scopes:
                    self._existing.add(name)
                elif not line and optional:
                    return
                elif not line:
                    self._terminal.say("Enter a value, or type :dismiss to refuse.", "red")
                else:
                    await self._read_value(name, line)

    async def _read_value(self, name: str, line: str) -> None:
        try:
            self._values[name] = await self._read(name, line)
        except InvalidValue as error:
            self._terminal.say(str(error), "red")

    async def _read(self, name: str, line: str) -> Secret:
        """Return the typed value; a multi-line value ends with a line that contains only a period."""
        if self._secret.metadata.get(name, SecretHelp()).input == "textarea":
            return await self._lines(line)
        if await self._terminal.drop_rest():
            raise InvalidValue("More than one line was entered, so nothing was saved. Type one line.")
        value = parse_value(line, typed=self._terminal.interactive)
        if is_padded(value):
            self._terminal.say(PADDED, "yellow")
        return value

    async def _lines(self, line: str) -> Secret:
        self._terminal.say("(several lines; end with a line that contains only a period)", "dim")
        lines: list[str] = []
        while line != ".":
            lines.append(line.removeprefix(".") if line.startswith("..") else line)
            line = await self._terminal.line("| ")
        text = "".join(f"{parse_value(item, typed=self._terminal.interactive).reveal()}\n" for item in lines)
        self._terminal.say(f"{len(lines)} lines, {len(text)} characters.", "dim")
        return Secret(text)

    async def _scope(self) -> Scope:
        """Prompt for the scope of the values; an empty line takes the agent's suggestion."""
        scope_choices = "  ".join(
            f"[{word[0]}]{word[1:]}{description}" for word, (_, description) in self._scopes.items()
        )
        suggested = next(word for word, (scope, _) in self._scopes.items() if scope == self._suggested_scope)
        self._terminal.say()
        while True:
            choice = (
                await self._line(f"Store for: {scope_choices}  [{suggested}] ")
            ).strip().casefold() or suggested
            for word, (scope, _) in self._scopes.items():
                if choice in {word, word[0], scope}:
                    return scope

    @property
    def _suggested_scope(self) -> Scope:
        scopes = {scope for scope, _ in self._scopes.values()}
        return self._secret.default_scope if self._secret.default_scope in scopes else "session"

    async def _line(self, prompt: str) -> str:
        """Return the next line that is not a command; run commands."""
        while True:
            line = await self._terminal.line(prompt)
            if line == BACK:
                raise BackRequested
            if line in _LEAVING:
                raise PromptExit(ExitWord(line))
            if line not in {":help", "?"}:
                return line
            self._terminal.say(HELP, "dim")


def _scopes(secret: ShownSecret) -> dict[str, tuple[Scope, str]]:
    """Return the words for the scopes, each with its scope and a description."""
    scopes: dict[str, tuple[Scope, str]] = {"conversation": ("session", "")}
    if secret.project is not None:
        scopes["project"] = ("project", f" {secret.project}")
    return {**scopes, "everywhere": ("global", "")}
