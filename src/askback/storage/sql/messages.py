"""Changes of stored messages."""

from __future__ import annotations

import json

from askback.domain.events import EventDraft
from askback.domain.transcript import MessageChange
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.store import MessageFull, MessageMissing
from askback.storage import rows
from askback.storage.sql.transaction import Area, NoChange, Transaction

# (thread key, message id) -> key, owner, and the message as `rows.message` reads it.
MESSAGE = """
SELECT m.key, m.owner, m.id, m.seq, m.data,
    (SELECT string_agg(d.text, '' ORDER BY d.seq) FROM deltas AS d WHERE d.message = m.key)
FROM messages AS m WHERE m.thread = $1 AND m.id = $2"""
# (key, data): the text that was appended is part of the data from now on.
SET_MESSAGE = """
WITH folded AS (DELETE FROM deltas WHERE message = $1) UPDATE messages SET data = $2 WHERE key = $1"""


class MessageArea(Area):
    """See `askback.ports.store.RequestStore` for what each method promises."""

    async def change_message(
        self,
        message_id: str,
        change: MessageChange,
        event: EventDraft,
        effects: SideEffects = NOTHING,
        *,
        limit: int,
    ) -> Outcome:
        """Change a message of its owner."""
        if not self._db.can_store(message_id):
            raise MessageMissing(message_id)

        async def change_row(tx: Transaction, thread: int) -> tuple[Outcome, str]:
            row = await tx.one(MESSAGE, thread, message_id)
            if row is None or row[1] != event.owner:
                raise MessageMissing(message_id)
            changed = change(rows.message(row[2:]).data)
            if changed is None:
                raise NoChange(Outcome.REPLAYED)
            message, update = changed
            if len(message.encode()) > limit:
                raise MessageFull(message_id)
            await tx.run(SET_MESSAGE, row[0], message)
            await tx.write(effects)
            return Outcome.APPLIED, json.dumps({"id": message_id, **update}, separators=(",", ":"))

        return await self._db.change_thread(event, change_row)
