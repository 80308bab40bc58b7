"""Read and write the messages and events of a conversation, apart from its requests."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Literal

from askback.client import operations
from askback.client.connection import Connection
from askback.client.eventfeed import EventFeed
from askback.client.operations import frame
from askback.client.records import ThreadAccess
from askback.client.streaming import MessageStream


class Threads(Connection):
    """The part of the client that writes into threads and follows them."""

    async def say(self, text: str, *, thread_id: str, run_id: str | None = None) -> str:
        """Add a message of text to a thread and return its id."""
        return await self.message([{"type": "text", "text": text}], thread_id=thread_id, run_id=run_id)

    async def message(
        self,
        content: Sequence[Mapping[str, Any]],
        *,
        thread_id: str,
        run_id: str | None = None,
        id: str | None = None,  # noqa: A002 - the wire's name
    ) -> str:
        """Add a message made of content blocks and return its id; the same `id` again adds nothing."""
        body = operations.known(content=list(content), run_id=run_id, id=id)
        op = frame(
            "message",
            thread_id=thread_id,
            body=body,
            key=operations.idempotency_key(None) if id is None else None,
        )
        return (await self._call(op))["id"]

    async def append(self, message_id: str, text: str, *, thread_id: str) -> None:
        """Extend the last text of a message that this token wrote; once, however often the connection breaks."""
        body = {"append_to": message_id, "text": text}
        key = operations.idempotency_key(None)
        await self._call(frame("message", thread_id=thread_id, body=body, key=key))

    def stream(self, thread_id: str, *, run_id: str | None = None) -> MessageStream:
        """Return a message to write piece by piece."""
        return MessageStream(self, thread_id=thread_id, run_id=run_id)

    async def thread(self, thread_id: str) -> dict[str, Any]:
        """Read a thread: `messages`, `requests`, and `seq`, the cursor from which `events` goes on."""
        return await self._call(frame("thread", thread_id=thread_id))

    async def share(
        self,
        thread_id: str,
        *,
        owner: str,
        others: Literal["none", "view", "prompt", "all"] = "none",
        people: Mapping[str, Literal["view", "prompt", "all"]] | None = None,
    ) -> ThreadAccess:
        """Say whose a thread is, by your own id of that person, and how far it is shared with others.

        `view` reads, `prompt` also writes and answers forms and secrets, `all` also decides about tool calls; `people`
        goes before `others`. An agent says it once, before it asks anything; after that it is for the owner and for
        admins to say, and raises `Forbidden` unless it says the same again. Secrets are kept for the owner.
        """
        body = {"owner": owner, "others": others, "people": dict(people or {})}
        found = await self._call(frame("share", thread_id=thread_id, body=body))
        return ThreadAccess.model_validate(found)

    async def set_thread_agents(self, thread_id: str, agents: Sequence[str]) -> ThreadAccess:
        """Say by id which agents may use a thread; for its owner, admins, and the agent to which it belongs.

        An agent lets others in and takes the thread from none. An agent that is left out by a person loses the thread:
        what it has open there is cancelled.
        """
        body = {"agents": list(agents)}
        return ThreadAccess.model_validate(await self._call(frame("share", thread_id=thread_id, body=body)))

    async def access(self, thread_id: str) -> ThreadAccess:
        """Read who may do what in a thread."""
        return ThreadAccess.model_validate(await self._call(frame("access", thread_id=thread_id)))

    async def archive(self, thread_id: str) -> list[str]:
        """Take back what is open in a thread, and let it take nothing new; return the ids of what was taken back."""
        return (await self._call(frame("archive", thread_id=thread_id)))["cancelled"]

    async def unarchive(self, thread_id: str) -> None:
        """Let a thread take something new again."""
        await self._call(frame("unarchive", thread_id=thread_id))

    async def export(self, thread_id: str) -> dict[str, Any]:
        """Return all that is kept of a thread; for its owner and admins. Of secrets it has the names."""
        return await self._call(frame("export", thread_id=thread_id))

    async def erase_thread(self, thread_id: str) -> None:
        """Erase what is in a thread, for its owner and admins; after that no file of the server has any of it."""
        await self._call(frame("erase_thread", thread_id=thread_id))

    async def limits(self, thread_id: str | None = None) -> dict[str, Any]:
        """Return every size and count that the server enforces, and as `thread` what a thread has used of them."""
        return await self._call(frame("limits", thread_id=thread_id))

    async def reset_limits(self, thread_id: str) -> dict[str, Any]:
        """Count the questions of a thread anew, for admins; return what it has used by then."""
        return await self._call(frame("reset_limits", body={"thread_id": thread_id}))

    async def events(
        self, thread_id: str | None = None, *, cursor: int | None = None
    ) -> AsyncGenerator[dict[str, Any]]:
        """Follow a thread, or without one everything that a responder may see.

        Begins after `cursor` (a `seq`, for the inbox a `position`), without one at the next event.
        Nothing is lost or doubled when the connection is. Raises `NotFound` once a thread is hidden from the caller.
        """
        feed = EventFeed(self._link, thread_id, cursor)
        try:
            async for event in feed:
                yield event
        finally:
            feed.close()
