"""A request for secrets, as an agent asks and as a person is shown it. No value is ever in it.

The agent names what it needs and says why; the person types the values, or chooses those that are kept already, and
chooses where they hold. What comes back to the agent are names.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from askback.domain.fields import Model

Scope = Literal["session", "project", "global"]
"""Where a secret holds: in one thread, in one project, everywhere. The person chooses; an agent only suggests."""
SCOPES: tuple[Scope, ...] = ("session", "project", "global")


def _scope(raw: Any) -> Any:
    return "session" if raw == "thread" else raw


SecretScope = Annotated[Scope, BeforeValidator(_scope)]
"""On the wire `thread` is another word for `session`."""


class SecretHelp(Model):
    """What helps to find and type one value; `textarea` keeps line breaks, for keys in PEM."""

    description: str | None = None
    placeholder: str | None = None
    format_hint: str | None = None
    input: Literal["password", "text", "textarea"] = "password"


class SecretAsk(Model):
    """What an agent asks for. `instructions` is Markdown.

    With `probe` the agent tries the values before they count; with the name of one of its probes the server does.
    With `hide_names` only those who may answer learn the names; who may but read the thread sees how many they are.
    """

    names: list[str]
    reason: str
    instructions: str | None = None
    default_scope: SecretScope = "session"
    project: str | None = None
    metadata: dict[str, SecretHelp] = Field(default_factory=dict[str, SecretHelp])
    probe: bool | str = False
    hide_names: bool = False


class ShownSecret(BaseModel):
    """What a person is shown; `present` says for each name in which scopes it is set already.

    To somebody who must not learn the names they are an empty list, and `count` says how many there are.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    names: list[str]
    reason: str
    instructions: str | None = None
    default_scope: Scope = "session"
    project: str | None = None
    metadata: dict[str, SecretHelp] = Field(default_factory=dict[str, SecretHelp])
    probe: bool | str = False
    hide_names: bool = False
    count: int | None = None
    present: dict[str, list[str]] = Field(default_factory=dict[str, list[str]])
