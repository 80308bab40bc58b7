"""Error messages of a probe about secrets, as the form shows them, without the values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

MAX_LENGTH = 200
"""The maximum length of a message, in characters."""

NOT_ACCEPTED = "This was not accepted."


def probe_errors(
    faults: Mapping[str, str], *, of: Collection[str], redact: Callable[[str], str]
) -> dict[str, str]:
    """Return the errors by name, each on one line, shortened, without values.

    Raises `ValueError` if one is about a name that was not tried.
    """
    if not faults.keys() <= set(of):
        raise ValueError("a probe speaks of the names that it was given")
    return {name: _line(redact(message)) for name, message in faults.items()}


def _line(text: str) -> str:
    line = "".join(char for char in " ".join(text.split()) if char.isprintable())
    return (line if len(line) <= MAX_LENGTH else f"{line[: MAX_LENGTH - 1]}…") or NOT_ACCEPTED
