"""What the reading of one call may still cost."""

from __future__ import annotations

from dataclasses import dataclass

from askback.domain.policy.shell import limits
from askback.domain.policy.shell.lexer import Argv


@dataclass(slots=True)
class Budget:
    """Counts down while a call is read; whatever is read for the same call shares it."""

    commands: int = limits.SEEN
    words: int = limits.WORDS
    steps: int = limits.STEPS
    reads: int = limits.READS

    @property
    def spent(self) -> bool:
        """Tell whether no more commands are taken in."""
        return self.commands < 0 or self.words < 0

    def take(self, argv: Argv) -> bool:
        """Pay for one more command that is in sight; False when that was too much."""
        self.commands -= 1
        self.words -= len(argv)
        return not self.spent

    def step(self) -> bool:
        """Pay for a step of the parser; False when that was too much, or when it has read too much."""
        self.steps -= 1
        return self.steps >= 0 and self.reads >= 0
