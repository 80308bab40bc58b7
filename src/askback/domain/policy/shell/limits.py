"""How much of a command is looked at. Over any of these, a person decides.

All are counts and none is a clock: the same command always gets the same decision.
"""

from __future__ import annotations

BYTES = 8 * 1024
"""The longest command, in bytes of UTF-8."""

NODES = 4_000
"""The most nodes of a syntax tree."""

COMMANDS = 20
"""The most simple commands in one line."""

PIPES = 60
"""The most `|` characters, quoted or not: the parser's work grows with the square of a pipeline's length."""

STEPS = 50
"""The most progress reports of the parser, for a command and all the code in its arguments together."""

PIECE = 256
"""The bytes that the parser is given at once."""

READS = 300
"""The most pieces that the parser is given: in a broken text its scanner reads on to the end again and again."""

SEEN = 400
"""The most commands that are looked for in one call, also inside of others."""

WORDS = 10_000
"""The most words of all these commands together: `env -a env -a …` may hand each of its ends to another program."""
