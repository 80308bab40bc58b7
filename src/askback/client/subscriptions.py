"""The readers of events of one client, and their subscriptions on its connection.

The server has one subscription per thread and connection, which all readers of the thread share.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from askback.errors import AskbackError


@dataclass(slots=True, eq=False)
class Listener:
    """One reader of events; with `cursor` None it begins at the next event.

    `subscribed` is set with the reply to its subscription. Events that arrive before belong to a subscription of
    another reader, and may be later than events that this one has yet to receive. `report` takes the reports that
    somebody is answering a request of the thread.
    """

    deliver: Callable[[dict[str, Any]], None]
    fail: Callable[[AskbackError], None]
    cursor: int | None
    report: Callable[[dict[str, Any]], None] | None = None
    subscribed: bool = False


class OpenCall(Protocol):
    """Opens a call of the session and returns its frame."""

    def __call__(
        self,
        op: str,
        *,
        on_reply: Callable[[Any], str | None] | None = None,
        on_failure: Callable[[AskbackError], None] | None = None,
    ) -> str:
        """Call `on_reply` with the result or `on_failure` with the error."""
        ...


class Subscriptions:
    """The readers of each thread, and of the inbox (None)."""

    def __init__(self, open_call: OpenCall) -> None:
        self._open_call = open_call
        self._listeners: dict[str | None, list[Listener]] = {}

    def __bool__(self) -> bool:
        return bool(self._listeners)

    def listen(self, thread_id: str | None, listener: Listener) -> str:
        """Deliver the events of a thread to `listener`; returns the frame to send."""
        self._listeners.setdefault(thread_id, []).append(listener)
        return self._frame(thread_id, [listener])

    def leave(self, thread_id: str | None, listener: Listener) -> str | None:
        """Stop delivering to `listener`; a frame to send when it was the last one."""
        listeners = self._listeners.get(thread_id, [])
        if listener in listeners:
            listeners.remove(listener)
        if listeners or thread_id not in self._listeners:
            return None
        del self._listeners[thread_id]
        return self._open_call(f'"op":"unsubscribe",{_stream(thread_id)}')

    def frames(self) -> Iterator[str]:
        """Subscribe all listeners again, on a new connection or after the server has ended their subscriptions."""
        for thread_id, listeners in self._listeners.items():
            for listener in listeners:
                listener.subscribed = False
            for without_cursor in (False, True):
                if subscribed_listeners := [
                    item for item in listeners if (item.cursor is None) is without_cursor
                ]:
                    yield self._frame(thread_id, subscribed_listeners)

    def deliver(self, event: dict[str, Any], *, inbox: bool) -> None:
        """Pass an event to the listeners that lack it."""
        number = event["position" if inbox else "seq"]
        for listener in tuple(self._listeners.get(None if inbox else event["thread_id"], ())):
            if listener.subscribed and (listener.cursor is None or number > listener.cursor):
                listener.cursor = number
                listener.deliver(event)

    def report(self, report: dict[str, Any]) -> None:
        """Pass on a report that somebody is answering."""
        for listener in tuple(self._listeners.get(report["thread_id"], ())):
            if listener.report is not None:
                listener.report(report)

    def fail(self, thread_id: str | None, error: AskbackError) -> None:
        """End the subscription of a thread."""
        for listener in self._listeners.pop(thread_id, ()):
            listener.fail(error)

    def fail_all(self, error: Callable[[], AskbackError]) -> None:
        """End every subscription."""
        listeners, self._listeners = self._listeners, {}
        for listener in (
            listener_of_thread
            for thread_listeners in listeners.values()
            for listener_of_thread in thread_listeners
        ):
            listener.fail(error())

    def _frame(self, thread_id: str | None, subscribed: Sequence[Listener]) -> str:
        """Subscribe some listeners of a thread, which all have a cursor or all have none.

        It replaces the subscription of the others, so it begins with the earliest event that one listener lacks.
        """
        cursor = ""
        if subscribed[0].cursor is not None:
            earliest_cursor = min(
                item.cursor for item in self._listeners[thread_id] if item.cursor is not None
            )
            cursor = f',"cursor":{earliest_cursor}'

        def on_subscribed(reply: Mapping[str, Any]) -> str | None:
            begins_after: int | None = reply["cursor"]
            for listener in subscribed:
                if listener.cursor is None:
                    listener.cursor = begins_after
                listener.subscribed = begins_after is None or (listener.cursor or 0) >= begins_after
            # A listener without a cursor may have got one, and events, from a subscription that the server has ended.
            listeners = self._listeners.get(thread_id, ())
            unsubscribed = [item for item in subscribed if not item.subscribed and item in listeners]
            return self._frame(thread_id, unsubscribed) if unsubscribed else None

        op = f'"op":"subscribe",{_stream(thread_id)}{cursor}'
        return self._open_call(
            op, on_reply=on_subscribed, on_failure=lambda error: self.fail(thread_id, error)
        )


def _stream(thread_id: str | None) -> str:
    return '"inbox":true' if thread_id is None else f'"thread_id":{json.dumps(thread_id)}'
