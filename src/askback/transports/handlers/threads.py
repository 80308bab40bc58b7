"""Threads as a whole: messages, access, archive, export, erase."""

from __future__ import annotations

from askback.ports.outcome import Outcome
from askback.service.threads import access, archive, details, erase, messages, read
from askback.transports.call import OperationCall, Result, json_result


async def post_message(call: OperationCall) -> Result:
    """Add a message (201, also when it is repeated), or append text to one (200)."""
    message, outcome = await messages.post_message(
        call.ctx, call.principal, call.args["thread_id"], call.body, key=call.key
    )
    return json_result(message, status=201 if message else 200, replayed=outcome is Outcome.REPLAYED)


async def update_message(call: OperationCall) -> Result:
    """Update a tool call in a message."""
    await messages.update_message(
        call.ctx, call.principal, call.args["thread_id"], call.args["message_id"], call.body
    )
    return json_result({})


async def list_threads(call: OperationCall) -> Result:
    """List threads, newest first."""
    page, cursor = await details.list_threads(
        call.ctx,
        call.principal,
        query=call.args["q"],
        agent=call.args["agent"],
        archived=call.args["archived"],
        limit=call.args["limit"],
        cursor=call.args["cursor"],
    )
    return json_result({"threads": page, "next_cursor": cursor})


async def update_thread(call: OperationCall) -> Result:
    """Change the title or the metadata of a thread."""
    return json_result(
        await details.update_thread(call.ctx, call.principal, call.args["thread_id"], call.body)
    )


async def get_thread(call: OperationCall) -> Result:
    """Read a thread."""
    return Result(await read.get_thread(call.ctx, call.principal, call.args["thread_id"]))


async def get_thread_access(call: OperationCall) -> Result:
    """Read the access levels of a thread."""
    return json_result(
        (await access.get_thread_access(call.ctx, call.principal, call.args["thread_id"])).wire
    )


async def set_thread_access(call: OperationCall) -> Result:
    """Set the owner of a thread and its access."""
    new_access = await access.set_thread_access(call.ctx, call.principal, call.args["thread_id"], call.body)
    return json_result(new_access.wire)


async def archive_thread(call: OperationCall) -> Result:
    """Archive a thread and cancel its open requests."""
    return json_result(await archive.archive_thread(call.ctx, call.principal, call.args["thread_id"]))


async def unarchive_thread(call: OperationCall) -> Result:
    """Unarchive a thread."""
    return json_result(await archive.unarchive_thread(call.ctx, call.principal, call.args["thread_id"]))


async def export_thread(call: OperationCall) -> Result:
    """Export a thread."""
    return Result(await read.export_thread(call.ctx, call.principal, call.args["thread_id"]))


async def erase_thread(call: OperationCall) -> Result:
    """Erase a thread."""
    await erase.erase_thread(call.ctx, call.principal, call.args["thread_id"])
    return Result()
