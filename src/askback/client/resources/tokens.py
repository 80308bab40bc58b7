"""Tokens, agents and browser sessions, for admins and the operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from askback.client.frames import frame
from askback.client.methods import method
from askback.client.resources.base import Page, Resource, id_of
from askback.domain.model import without_none
from askback.wire.admin_replies import AgentRecord, BrowserSession, CurrentSession, NewToken, Token


class Tokens(Resource):
    """`client.tokens`: tokens of agents and people."""

    @method
    async def create(
        self,
        role: Literal["requester", "responder", "admin", "operator", "runner"] = "requester",
        *,
        name: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        groups: Sequence[str] | None = None,
        threads: Sequence[str] | None = None,
        roots: Sequence[str] | None = None,
        lease: Mapping[Literal["names", "threads"], Sequence[str]] | None = None,
        expires_in_s: float | None = None,
        system: str | None = None,
        tenant: str | None = None,
    ) -> NewToken:
        """Create a token, whose text is returned only now; raises `Invalid`, `NotFound`, `Conflict` and `Forbidden`.

        `agent` is the id or the name of the requester's agent; a new name creates an agent. `user` and `groups` are
        your ids of the person. `threads` limits the token to these threads (`*`, `?`), `lease` a runner to these names
        and threads. `roots` are folders that the agent may read without asking. `system` limits it to `/compat/SYSTEM`
        (such as `nebo`). Only the operator may name a `tenant`.
        It is not sent again when the connection breaks, because that could create a second token.
        """
        body = without_none(role=role, name=name, agent=agent, user=user, groups=groups, threads=threads)
        body |= without_none(
            roots=roots, lease=lease, expires_in_s=expires_in_s, system=system, tenant=tenant
        )
        return NewToken.model_validate(await self._http("create_token", body, retry=False))

    @method
    async def list(
        self,
        *,
        agent: str | None = None,
        tenant: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Token]:
        """Read a page of tokens, newest first; `agent` is an id. Only the operator may name a `tenant`."""
        op = frame("list_tokens", agent=agent, tenant=tenant, limit=limit, cursor=cursor)
        reply = await self._call(op)
        return Page([Token.model_validate(token) for token in reply["tokens"]], reply["next_cursor"])

    @method
    async def revoke(self, token: Token | str, *, tenant: str | None = None) -> Token:
        """Revoke a token and close its connections. Raises `NotFound`."""
        op = frame("revoke_token", token_id=id_of(token), tenant=tenant)
        return Token.model_validate(await self._call(op))


class Agents(Resource):
    """`client.agents`: the agents of the tenant."""

    @method
    async def create(self, name: str, *, user: str | None = None) -> AgentRecord:
        """Create an agent without a token; `user` is the person it works for. Raises `Invalid` and `Forbidden`."""
        body = without_none(name=name, user=user)
        return AgentRecord.model_validate(await self._http("create_agent", body, retry=False))

    @method
    async def list(self, *, limit: int = 50, cursor: str | None = None) -> Page[AgentRecord]:
        """Read a page of agents, newest first."""
        reply = await self._call(frame("list_agents", limit=limit, cursor=cursor))
        return Page([AgentRecord.model_validate(agent) for agent in reply["agents"]], reply["next_cursor"])

    @method
    async def get(self, agent_id: str) -> AgentRecord:
        """Read an agent. Raises `NotFound`."""
        return AgentRecord.model_validate(await self._call(frame("get_agent", agent_id=agent_id)))

    @method
    async def stop(self, agent: AgentRecord | str) -> AgentRecord:
        """Revoke an agent's tokens and cancel its open requests. Raises `NotFound`."""
        return AgentRecord.model_validate(await self._call(frame("stop_agent", agent_id=id_of(agent))))

    @method
    async def grant_root(self, agent: AgentRecord | str, path: str) -> AgentRecord:
        """Let an agent read below a folder without asking. Raises `Invalid` and `NotFound`."""
        op = frame("grant_root", agent_id=id_of(agent), body={"path": path})
        return AgentRecord.model_validate(await self._call(op))

    @method
    async def revoke_root(self, agent: AgentRecord | str, path: str) -> AgentRecord:
        """Revoke an agent's access to a folder. Raises `NotFound`."""
        op = frame("revoke_root", agent_id=id_of(agent), path=path)
        return AgentRecord.model_validate(await self._call(op))


class Sessions(Resource):
    """`client.sessions`: the browsers in which people are signed in, and who this client is."""

    @method
    async def current(self) -> CurrentSession:
        """Read the identity of this client."""
        return CurrentSession.model_validate(await self._http("get_session"))

    @method
    async def list(self, *, user: str | None = None) -> Sequence[BrowserSession]:
        """Read your own sessions; as an admin everybody's, or those of `user`."""
        reply = await self._http("list_sessions", user=user)
        return [BrowserSession.model_validate(session) for session in reply["sessions"]]

    @method
    async def end(self, session: BrowserSession | str) -> None:
        """End a session and close its connections. Raises `NotFound`."""
        await self._http("end_session", session_id=id_of(session))

    @method
    async def end_all(self, *, user: str | None = None) -> int:
        """End every session that `list` returns, and return their number."""
        return (await self._http("end_sessions", user=user))["ended"]

    @method
    async def create_login_link(
        self,
        *,
        name: str,
        user: str | None = None,
        groups: Sequence[str] = (),
        role: Literal["responder", "admin"] = "responder",
    ) -> str:
        """Return a link that signs one browser in, once, within ten minutes; admins only."""
        body: dict[str, Any] = {"name": name, "user": user, "groups": [*groups], "role": role}
        return (await self._http("create_login_link", body, retry=False))["url"]
