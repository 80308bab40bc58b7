"""Read, write, share, archive and erase threads; read and reset their limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack

from askback.client.frames import frame, idempotency_key
from askback.client.methods import method
from askback.client.resources.base import Page, Resource
from askback.domain.model import without_none
from askback.domain.request import Agent
from askback.wire.replies import Thread, ThreadAccess

RequestIds = list[str]


class ThreadChanges(TypedDict, total=False):
    """What `threads.update` changes."""

    title: str | None
    metadata: Any
    answers_as_messages: bool


class Threads(Resource):
    """`client.threads`: conversations."""

    @method
    async def get(self, thread_id: str) -> dict[str, Any]:
        """Read a thread: `title`, `metadata`, `messages`, `requests`, and `seq`, the cursor for `events`."""
        return await self._call(frame("get_thread", thread_id=thread_id))

    @method
    async def list(
        self,
        query: str | None = None,
        *,
        agent: str | None = None,
        archived: bool = False,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Thread]:
        """Read a page of threads, newest first; an agent gets those that it may use.

        `query` is the id of a thread, or beginnings of words in its title; `agent` is the id of an agent.
        """
        op = frame(
            "list_threads",
            q=query,
            agent=agent,
            archived=archived or None,
            limit=limit,
            cursor=cursor,
        )
        reply = await self._call(op)
        return Page([Thread.model_validate(thread) for thread in reply["threads"]], reply["next_cursor"])

    @method
    async def update(self, thread_id: str, **changes: Unpack[ThreadChanges]) -> Thread:
        """Change the `title` or the `metadata` of a thread (None removes it), or `answers_as_messages`.

        Metadata is any JSON up to 16 KiB. With `answers_as_messages` the answer of a person to a form is also written
        into the thread, as their message. Both belong to the agents: a person who is no admin gets `Forbidden`.
        """
        op = frame("update_thread", thread_id=thread_id, body=dict(changes))
        return Thread.model_validate(await self._call(op))

    @method
    async def create_message(
        self,
        content: str | Sequence[Mapping[str, Any]],
        *,
        thread_id: str,
        agent: str | Agent | None = None,
        run_id: str | None = None,
        metadata: Any = None,
        id: str | None = None,  # noqa: A002 - the wire's name
    ) -> str:
        """Add a message, a text or a list of parts, and return its id; the same `id` again adds nothing.

        `agent` is how the agent describes itself, such as the name of a sub-agent. `metadata` is any JSON up to 16 KiB
        that comes back unchanged.
        """
        agent_name = agent.model_dump(exclude_none=True) if isinstance(agent, Agent) else agent
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
        body = without_none(content=parts, agent=agent_name, run_id=run_id, metadata=metadata, id=id)
        op = frame(
            "post_message",
            thread_id=thread_id,
            body=body,
            key=idempotency_key(None) if id is None else None,
        )
        return (await self._call(op))["id"]

    @method
    async def append_to_message(self, message_id: str, text: str, *, thread_id: str) -> None:
        """Add text at the end of a message of this agent; once, also when the connection breaks."""
        body = {"append_to": message_id, "text": text}
        key = idempotency_key(None)
        await self._call(frame("post_message", thread_id=thread_id, body=body, key=key))

    @method
    async def append_parts(
        self, message_id: str, content: Sequence[Mapping[str, Any]], *, thread_id: str
    ) -> None:
        """Add parts at the end of a message of this agent. Tool calls and requests that it has already are left out."""
        body = {"append_to": message_id, "content": list(content)}
        await self._call(frame("post_message", thread_id=thread_id, body=body))

    @method
    async def update_tool_call(
        self,
        message_id: str,
        tool_call_id: str,
        *,
        thread_id: str,
        status: Literal["calling", "waiting", "done", "failed"] | None = None,
        result: Any = None,
        duration_ms: int | None = None,
    ) -> None:
        """Update a tool call in a message of this agent: readers see its status, result and duration in place."""
        body = without_none(tool_call_id=tool_call_id, status=status, result=result, duration_ms=duration_ms)
        await self._call(frame("update_message", thread_id=thread_id, message_id=message_id, body=body))

    @method
    async def share(
        self,
        thread_id: str,
        *,
        owner: str,
        others: Literal["none", "view", "prompt", "all"] = "none",
        people: Mapping[str, Literal["view", "prompt", "all"]] | None = None,
    ) -> ThreadAccess:
        """Set the owner of a thread, by your own id of that person, and its access for other people.

        `view` reads, `prompt` also writes and answers forms and secrets, `all` also decides tool calls; `people`
        overrides `others`. An agent calls it once, before its first request; later only the owner and admins may change
        it, and other calls raise `Forbidden` unless they change nothing. Secrets are stored for the owner.
        """
        body = {"owner": owner, "others": others, "people": dict(people or {})}
        reply = await self._call(frame("set_thread_access", thread_id=thread_id, body=body))
        return ThreadAccess.model_validate(reply)

    @method
    async def get_access(self, thread_id: str) -> ThreadAccess:
        """Read the access levels of a thread."""
        return ThreadAccess.model_validate(await self._call(frame("get_thread_access", thread_id=thread_id)))

    @method
    async def set_agents(self, thread_id: str, agents: Sequence[str]) -> ThreadAccess:
        """Set which agents, by id, may use a thread, as its owner, an admin, or the agent that it belongs to.

        An agent can add others and remove none. When a person removes an agent, its open requests in the thread are
        cancelled.
        """
        body = {"agents": list(agents)}
        return ThreadAccess.model_validate(
            await self._call(frame("set_thread_access", thread_id=thread_id, body=body))
        )

    @method
    async def archive(self, thread_id: str) -> RequestIds:
        """Archive a thread: cancel its open requests and accept nothing new. Returns the ids of those requests."""
        return (await self._call(frame("archive_thread", thread_id=thread_id)))["cancelled"]

    @method
    async def unarchive(self, thread_id: str) -> None:
        """Unarchive a thread, so that it accepts messages and requests again."""
        await self._call(frame("unarchive_thread", thread_id=thread_id))

    @method
    async def export(self, thread_id: str) -> dict[str, Any]:
        """Return all data of a thread, as its owner or an admin; for secrets only the names."""
        return await self._call(frame("export_thread", thread_id=thread_id))

    @method
    async def delete(self, thread_id: str) -> None:
        """Erase a thread, as its owner or an admin; no file of the server contains any of it afterwards."""
        await self._call(frame("erase_thread", thread_id=thread_id))


class Limits(Resource):
    """`client.limits`: the sizes and counts that the server enforces."""

    @method
    async def get(self, thread_id: str | None = None) -> dict[str, Any]:
        """Return every limit that the server enforces, and as `thread` the usage of a thread."""
        return await self._call(frame("get_limits", thread_id=thread_id))

    @method
    async def reset(self, thread_id: str) -> dict[str, Any]:
        """Reset the count of a thread's questions, as an admin; returns its usage before."""
        return await self._call(frame("reset_limits", body={"thread_id": thread_id}))
