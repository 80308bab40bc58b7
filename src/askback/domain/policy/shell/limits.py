"""Limits for reading a command. Beyond any of them, a person decides.

All are counts, not times: the same command always gets the same decision.
"""

from __future__ import annotations

BYTES = 8 * 1024
"""The longest command, in bytes of UTF-8."""

NODES = 4_000
"""The maximum number of nodes of a syntax tree."""

COMMANDS = 20
"""The maximum number of simple commands in one line."""

PIPES = 60
"""The maximum number of `|`, quoted or not: the parser's work grows with the square of a pipeline's length."""

STEPS = 50
"""The maximum number of progress reports of the parser, for a command and all code in its arguments."""

PIECE = 256
"""The number of bytes that the parser gets in one piece."""

READS = 300
"""The maximum number of pieces that the parser gets: in a broken text it reads to the end again and again."""

MAX_SEEN_COMMANDS = 400
"""The maximum number of commands found in one call, including nested ones."""

WORDS = 10_000
"""The maximum number of words of all these commands: `env -a env -a …` repeats the end of its words many times."""
