"""How much of a command is looked at. Over any of these, a person decides."""

from __future__ import annotations

BYTES = 8 * 1024
"""The longest command, in bytes of UTF-8."""

NODES = 4_000
"""The most nodes of a syntax tree."""

COMMANDS = 20
"""The most simple commands in one line."""

PIPES = 60
"""The most `|` characters, quoted or not: the parser's work grows with the square of a pipeline's length."""

STEPS = 400
"""The most progress reports of one parse. A count, not a clock: the same command always gets the same decision."""
