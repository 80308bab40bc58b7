"""Requests for secrets, as sent by agents and as shown to people. They never contain a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from askback.domain.model import Model
from askback.messages.languages import LocalText

Scope = Literal["session", "project", "global"]
"""The scope of a secret: one thread, one project, everywhere. The person chooses; an agent only suggests."""
SCOPES: tuple[Scope, ...] = ("session", "project", "global")


def _scope(raw: Any) -> Any:
    return "session" if raw == "thread" else raw


SecretScope = Annotated[Scope, BeforeValidator(_scope)]
"""On the wire `thread` is another word for `session`."""


class SecretHelp(Model):
    """Help for finding and typing one value; `textarea` keeps line breaks, for PEM keys.

    An `optional` value may be left out: the answer then does not have the name.
    """

    description: LocalText | None = None
    placeholder: LocalText | None = None
    format_hint: LocalText | None = None
    input: Literal["password", "text", "textarea"] = "password"
    optional: bool = False


class SecretAsk(Model):
    """A request for secrets. `instructions` is Markdown.

    With `probe` true the agent tests the values before they are accepted; with the name of a probe the server does.
    With `hide_names` only people who may answer see the names; people who may only view the thread see the count.
    """

    names: list[str]
    reason: LocalText
    instructions: LocalText | None = None
    default_scope: SecretScope = "session"
    project: str | None = None
    metadata: dict[str, SecretHelp] = Field(default_factory=dict)
    probe: bool | str = False
    hide_names: bool = False

    @property
    def texts(self) -> Iterator[LocalText | None]:
        """Every text that a person may see."""
        yield from (self.reason, self.instructions)
        for help_ in self.metadata.values():
            yield from (help_.description, help_.placeholder, help_.format_hint)


class ShownSecret(BaseModel):
    """A request for secrets as shown to a person; `present` lists for each name the scopes in which it is already set.

    If the reader must not see the names, `names` is empty and `count` is their number.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    names: list[str]
    reason: LocalText
    instructions: LocalText | None = None
    default_scope: Scope = "session"
    project: str | None = None
    metadata: dict[str, SecretHelp] = Field(default_factory=dict)
    probe: bool | str = False
    hide_names: bool = False
    count: int | None = None
    present: dict[str, list[Scope]] = Field(default_factory=dict)

    @property
    def required(self) -> list[str]:
        """The names that an answer needs; none if all are optional."""
        return required_names(self.names, self.metadata)


def required_names(names: Iterable[str], metadata: Mapping[str, SecretHelp]) -> list[str]:
    """Return the names that are not optional, in their order."""
    return [name for name in names if not (name in metadata and metadata[name].optional)]
