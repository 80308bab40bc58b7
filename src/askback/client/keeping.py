"""Manage stored secrets: list them by name, set, erase and rotate them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic_core import from_json

from askback.client.connection import Connection
from askback.client.operations import frame, known
from askback.client.records import KeptPage, KeptSecret, Rotation
from askback.client.road import packed, sealed
from askback.domain.request import InputRequest
from askback.domain.secrets.asked import Scope
from askback.domain.secrets.secret import Secret


class Keeping(Connection):
    """The part of the client that looks after secrets. Nothing here gives a value back."""

    async def kept(self, *, limit: int = 100, cursor: str | None = None) -> KeptPage:
        """Read a page of what is kept, newest first: names, places and times."""
        found = await self._call(frame("secrets", limit=limit, cursor=cursor))
        return KeptPage([KeptSecret.model_validate(each) for each in found["secrets"]], found["next_cursor"])

    async def keep(
        self,
        name: str,
        value: Secret | str,
        *,
        scope: Literal["session", "project", "global"],
        thread_id: str | None = None,
        project: str | None = None,
        owner: str | None = None,
    ) -> KeptSecret:
        """Set a secret, or replace its value; raises `Invalid`, which names the faults and not the value.

        `session` needs the `thread_id` and `project` the name of the `project` that it holds for. Without an `owner`,
        which only an admin may choose freely, one of a thread is its owner's and any other is shared.
        """
        body = {"name": name, "value": sealed(value), "scope": scope}
        del value  # an error shows this function's variables to whoever looks at them
        body |= known(thread_id=thread_id, project=project, owner=owner)
        reply = await self._carry("/v1/secrets", packed(body))
        return KeptSecret.model_validate(from_json(reply.reveal()))

    async def erase(self, secret: KeptSecret | str) -> None:
        """Erase a secret: no agent can lease it from now on. Raises `NotFound`."""
        secret_id = secret if isinstance(secret, str) else secret.id
        await self._call(frame("drop_secret", secret_id=secret_id))

    async def saved(self, request: InputRequest | str) -> Mapping[str, Sequence[Scope]]:
        """Read in which scopes the names of a request are set, as a person who may answer it."""
        request_id = request if isinstance(request, str) else request.id
        return (await self._call(frame("saved", request_id=request_id)))["saved"]

    async def secret_agents(self, secret: KeptSecret | str) -> Sequence[str] | Literal["all"]:
        """Read the ids of the agents that may use a secret without a question, or `all`. Raises `NotFound`."""
        secret_id = secret if isinstance(secret, str) else secret.id
        return (await self._call(frame("secret_agents", secret_id=secret_id)))["agents"]

    async def set_secret_agents(
        self, secret: KeptSecret | str, agents: Sequence[str] | Literal["all"]
    ) -> Sequence[str] | Literal["all"]:
        """Set the agents that may use a secret without a question, by id; all others have to ask again.

        Raises `Invalid` for an agent that does not exist, and `NotFound`.
        """
        secret_id = secret if isinstance(secret, str) else secret.id
        body = {"agents": agents if agents == "all" else list(agents)}
        return (await self._call(frame("set_secret_agents", secret_id=secret_id, body=body)))["agents"]

    async def grant_secret(self, secret: KeptSecret | str, *, agent: str) -> Sequence[str] | Literal["all"]:
        """Let one agent, by id, use a secret without a question, and return who may use it now. Raises `NotFound`."""
        secret_id = secret if isinstance(secret, str) else secret.id
        return (await self._call(frame("grant_secret", secret_id=secret_id, agent=agent)))["agents"]

    async def revoke_secret(self, secret: KeptSecret | str, *, agent: str) -> Sequence[str] | Literal["all"]:
        """Make one agent, by id, ask again before it uses a secret, and return who may use it now.

        Raises `NotFound`, and `Conflict` while every agent may use it.
        """
        secret_id = secret if isinstance(secret, str) else secret.id
        return (await self._call(frame("revoke_secret", secret_id=secret_id, agent=agent)))["agents"]

    async def rotate_secrets(self, *, keep_old: bool = False) -> Rotation:
        """Put all secrets of the tenant under the first master key, as an admin.

        As the operator, those of all tenants, where the server keeps its keys itself under a new one: its old keys
        are dropped when nothing is under them any more, unless you `keep_old`.
        """
        return Rotation.model_validate(
            await self._call(frame("rotate_secrets", body=known(keep_old=keep_old or None)))
        )
