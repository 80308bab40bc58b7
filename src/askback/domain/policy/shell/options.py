"""Read a program's options against the ones that are known to be harmless. An unknown option is not harmless.

Listing what is safe rather than what is dangerous is what keeps abbreviations (`--outp=x`), clusters (`-no x`),
and options that a later version adds from getting through.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Check = Callable[[list[str]], str | None]


@dataclass(frozen=True, slots=True)
class Options:
    """The harmless options of one program.

    `flags` and `values` are letters of one-letter options without and with a value; `long` and `long_values` are
    names, separated by blanks, of long options without a value (or with an optional `=value`) and with one; `words`
    are whole arguments that are fine as they are. `operands` is the most of them, None for any number. `check`
    looks at the operands, `value_check` at each value, and each returns what is wrong.
    """

    flags: str = ""
    values: str = ""
    long: str = ""
    long_values: str = ""
    words: str = ""
    operands: int | None = None
    numeric: bool = False
    check: Check | None = None
    value_check: Callable[[str, str], str | None] | None = None

    def objection(self, arguments: tuple[str, ...]) -> str | None:
        """Say which argument is not known to be harmless; None when all are."""
        operands: list[str] = []
        left = list(reversed(arguments))
        while left:
            word = left.pop()
            if word == "--":
                operands += reversed(left)
                break
            if word in self.words.split() or (self.numeric and word[:1] == "-" and word[1:].isdecimal()):
                continue
            if not word.startswith("-") or word == "-":
                operands.append(word)
                continue
            wrong = self._long(word, left) if word.startswith("--") else self._short(word, left)
            if wrong:
                return wrong
        if self.operands is not None and len(operands) > self.operands:
            return f"`{operands[self.operands]}` is one argument too many"
        return self.check(operands) if self.check else None

    def _long(self, word: str, left: list[str]) -> str | None:
        name, given, value = word[2:].partition("=")
        if name in self.long_values.split():
            if not given:
                if not _has_value(left):
                    return f"`{word}` has no value"
                value = left.pop()
        elif name not in self.long.split():
            return f"`{word}` is not known to be harmless"
        return self.value_check(name, value) if self.value_check and value else None

    def _short(self, word: str, left: list[str]) -> str | None:
        for at, letter in enumerate(word[1:], 2):
            if letter in self.values:
                if at == len(word) and not _has_value(left):
                    return f"`{word}` has no value"
                value = word[at:] or left.pop()
                return self.value_check(letter, value) if self.value_check else None
            if letter not in self.flags:
                return f"`{word}` is not known to be harmless"
        return None


def _has_value(left: list[str]) -> bool:
    """A value that looks like an option is not taken for a value: the program may see it differently."""
    return bool(left) and not left[-1].startswith("-")
