"""Who may do what in a thread: its owner, and how far it is shared with others.

    level    what a person may do
    none     nothing: the thread and its requests are not there
    view     read
    prompt   write messages, answer forms, hand over secrets
    all      decide about tool calls, keep rules of the thread, look after its secrets
    owner    change who may do what

Each level includes those above it in the table. A thread that nobody has shared belongs to the whole tenant: everybody
has `all`, and nobody is its owner.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Any

READ_BEFORE = 1_024

GROUP = "group:"
"""What an assignee begins with that is a group."""


class Level(IntEnum):
    """How much a person may do in a thread; a higher one may all that a lower one may."""

    NONE = 0
    VIEW = 1
    PROMPT = 2
    ALL = 3
    OWNER = 4

    @property
    def word(self) -> str:
        """The level as it stands on the wire."""
        return self.name.lower()


TO_ANSWER = MappingProxyType({"form": Level.PROMPT, "secret": Level.PROMPT, "approval": Level.ALL})
"""The level that it takes to answer or decline a request, by its kind."""


@dataclass(frozen=True, slots=True)
class Access:
    """The access to a thread: `owner` and the keys of `people` are ids of persons, as their principals have them."""

    owner: str = ""
    others: Level = Level.ALL
    people: Mapping[str, Level] = field(default_factory=dict[str, Level], hash=False)

    def level(self, person: str) -> Level:
        """Return what a person may do who has no other right than this."""
        if self.owner and person == self.owner:
            return Level.OWNER
        return self.people.get(person, self.others)

    @property
    def shown(self) -> dict[str, Any]:
        """The access as it stands on the wire; `owner` is null where the thread is the tenant's."""
        people = {person: level.word for person, level in self.people.items()}
        return {"owner": self.owner or None, "others": self.others.word, "people": people}

    @property
    def text(self) -> str | None:
        """The access as it is kept: JSON, and None for a thread that nobody has shared."""
        return None if self == OPEN else json.dumps(self.shown, separators=(",", ":"), ensure_ascii=False)


OPEN = Access()
"""The access to a thread of which nobody has said whose it is."""


@lru_cache(READ_BEFORE)
def read_access(text: str | None) -> Access:
    """Read what `Access.text` wrote; every row and event of a thread comes with the same text."""
    if text is None:
        return OPEN
    kept = json.loads(text)
    people = {person: Level[word.upper()] for person, word in kept["people"].items()}
    return Access(kept["owner"], Level[kept["others"].upper()], people)
