"""Checks the arguments of a command against its table. An argument that the table does not know is refused.

The tables list what is safe, not what is dangerous. That stops abbreviations (`--outp=x`), clusters (`-no x`), and
options of later versions.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.program_table import ProgramOption, ProgramTable
from askback.domain.policy.shell.value_kinds import VALUE_KINDS, ValueKind

_NUMBER = VALUE_KINDS["number"]


@dataclass(slots=True)
class ArgumentCheck:
    """The arguments after a program and its subcommand. The rule names the first `named` of them."""

    table: ProgramTable
    words: Argv
    named: int
    operands: list[int] = field(default_factory=list[int])
    index: int = 0
    replaced: bool = False

    def why_not_allowed(self) -> Reason | None:
        """Return which argument is not known to be harmless; None if all are.

        Stops where another command begins (`table.runs_command`), at `index`.
        """
        while self.index < len(self.words):
            word = self.words[self.index]
            if word == "--":
                return self._check_after()
            if self.table.harmless_words and self.table.harmless_words.fullmatch(word):
                self.index += 1
            elif not word.startswith("-") or word == "-":
                if self.table.runs_command:
                    return self._operands()
                if self._switches_off(word):
                    return Reason("unknown_value", value=word)
                self.operands.append(self.index)
                self.index += 1
            elif reason := self._option(word):
                return reason
        return self._operands()

    def _check_after(self) -> Reason | None:
        start = self.index + 1
        if self.table.runs_command:
            self.index = start
            return self._operands()
        if self.table.after_dashes is None:
            self.operands += range(start, len(self.words))
            self.index = len(self.words)
            return self._operands()
        remaining_check = ArgumentCheck(
            self.table.after_dashes, self.words[start:], max(0, self.named - start)
        )
        self.index = len(self.words)
        return remaining_check.why_not_allowed() or self._operands()

    def _operands(self) -> Reason | None:
        kinds = self.table.operands
        kinds = kinds[1:] if self.replaced and (len(kinds) > 1 or not self.table.repeats) else kinds
        has_fixed_operands = self.table.operands_fixed and any(index < self.named for index in self.operands)
        names_repeated = self._names_repeated(len(kinds))
        for number, index in enumerate(self.operands):
            if index < self.named:
                continue
            if names_repeated or (has_fixed_operands and "=" not in self.words[index]):
                return Reason("not_named", word=self.words[index])
            if number >= len(kinds) and not (self.table.repeats and kinds):
                return Reason("too_many_arguments", word=self.words[index])
            if objection := kinds[min(number, len(kinds) - 1)](self.words[index], self.words):
                return objection
        return None

    def _names_repeated(self, kinds: int) -> bool:
        """Return whether the rule names an operand that may be repeated: then it means that one alone.

        `pip install requests:*` installs nothing else, and `curl https://a.example:*` calls no other server. What only
        reads may read more.
        """
        if not self.table.repeats or self.table.read_only or self.table.operands_fixed:
            return False
        return any(index < self.named for index in self.operands[max(0, kinds - 1) :])

    def _option(self, word: str) -> Reason | None:
        if word.startswith("--") or self.table.style != "getopt":
            return self._long_option(word)
        return self._short_options(word)

    def _long_option(self, word: str) -> Reason | None:
        name, equals_sign, value = word.partition("=")
        if self.table.style == "go" and name.startswith("--"):
            name = name[1:]
        option = self.table.options.get(name)
        if option is None:
            return self._unknown_option(word)
        if self._goes_beyond(name, option):
            return Reason("beyond_option", option=name)
        return self._option_value(name, option, value if equals_sign else None)

    def _short_options(self, word: str) -> Reason | None:
        for index, letter in enumerate(word[1:], 2):
            option = self.table.options.get(f"-{letter}")
            if option is None:
                return self._unknown_option(word)
            if self._goes_beyond(f"-{letter}", option):
                return Reason("beyond_option", option=f"-{letter}")
            if option.kinds:
                return self._option_value(f"-{letter}", option, word[index:] or None)
        self.index += 1
        return None

    def _goes_beyond(self, name: str, option: ProgramOption) -> bool:
        """Return whether the rule has to name an option, or names one that this option would replace."""
        return self.index >= self.named and (
            option.named
            or any(name in group and group & self._named_options() for group in self.table.last_wins)
        )

    def _named_options(self) -> frozenset[str]:
        return frozenset(word.partition("=")[0] for word in self.words[: self.named])

    def _switches_off(self, word: str) -> bool:
        """Return whether a word is the value of an option that the rule names: `tsc --noEmit false`."""
        previous_words = self.words[self.index - 1 : self.index] if self.index == self.named else ()
        return word in {"true", "false"} and any(
            group.intersection(previous_words) for group in self.table.last_wins
        )

    def _unknown_option(self, word: str) -> Reason | None:
        """Accept an unknown option that the rule names, unless it may take the next word as its value."""
        is_last = self.index == self.named - 1 and self.index + 1 < len(self.words)
        if self.index < self.named and ("=" in word or not is_last):
            self.index += 1
            return None
        return Reason("unknown_value", value=word)

    def _option_value(self, name: str, option: ProgramOption, value: str | None) -> Reason | None:
        word = self.words[self.index]
        if name in self.table.replaces_operand:
            self.replaced = True
        start, self.index = self.index, self.index + 1
        if value is not None and not option.kinds:
            return None if start < self.named else Reason("unknown_value", value=word)
        if value is not None and len(option.kinds) == 1:
            return self._value(option.kinds[0], value, named=start < self.named)
        if option.attached or not option.kinds:
            return None
        if value is not None:
            return Reason("unknown_value", value=word)
        for kind in option.kinds:
            if self.index >= len(self.words):
                return Reason("no_value", option=word)
            value, named = self.words[self.index], self.index < self.named
            # A value that looks like an option is refused: the program may read it as an option.
            if value.startswith("-") and value != "-" and kind is not _NUMBER:
                return Reason("no_value", option=word)
            self.index += 1
            if objection := self._value(kind, value, named=named):
                return objection
        return None

    def _value(self, kind: ValueKind, value: str, *, named: bool) -> Reason | None:
        if named:
            return None
        # Some programs read `-o=x` as the value `=x`, others as `x`.
        return kind(value, self.words) or (kind(value[1:], self.words) if value.startswith("=") else None)
