"""What a probe says of a value, as it can be shown: to the person, in a field of the form, without the value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

LONGEST = 200
"""Characters of what is said about one value."""

NOT_ACCEPTED = "This was not accepted."


def spoken(faults: Mapping[str, str], *, of: Collection[str], redact: Callable[[str], str]) -> dict[str, str]:
    """Return faults by name, each on one line, within a length and without a value.

    Raises `ValueError` when one is about something else than what was tried.
    """
    if not faults.keys() <= set(of):
        raise ValueError("a probe speaks of the names that it was given")
    return {name: _line(redact(said)) for name, said in faults.items()}


def _line(text: str) -> str:
    line = "".join(char for char in " ".join(text.split()) if char.isprintable())
    return (line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…") or NOT_ACCEPTED
