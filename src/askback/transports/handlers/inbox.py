"""The inbox: assignments, people, reminders, comments, conversations, missed requests and the history."""

from __future__ import annotations

from askback.service.access import sharing
from askback.service.inbox import assign, comments, history, missed, people, reminders
from askback.service.requests import markdown
from askback.service.threads import conversations
from askback.transports import texts
from askback.transports.call import OperationCall, Result, json_result


async def assign_request(call: OperationCall) -> Result:
    """Assign a request to other people."""
    record = await assign.assign_request(call.ctx, call.principal, call.args["request_id"], call.body)
    return Result(record.wire)


async def list_people(call: OperationCall) -> Result:
    """List people, by id."""
    page, cursor = await people.list_people(call.ctx, call.principal, **call.args)
    return json_result({"people": page, "next_cursor": cursor})


async def set_reminder(call: OperationCall) -> Result:
    """Remind the caller of a request at a time."""
    request_id = call.args["request_id"]
    return json_result(await reminders.set_reminder(call.ctx, call.principal, request_id, call.body))


async def delete_reminder(call: OperationCall) -> Result:
    """Delete a reminder of the caller."""
    await reminders.delete_reminder(call.ctx, call.principal, call.args["request_id"])
    return Result()


async def list_reminders(call: OperationCall) -> Result:
    """List the reminders of the caller."""
    return json_result(await reminders.list_reminders(call.ctx, call.principal))


async def list_comments(call: OperationCall) -> Result:
    """List the comments of a request."""
    return json_result(await comments.list_comments(call.ctx, call.principal, call.args["request_id"]))


async def add_comment(call: OperationCall) -> Result:
    """Comment on a request."""
    request_id = call.args["request_id"]
    return json_result(await comments.add_comment(call.ctx, call.principal, request_id, call.body))


async def delete_comment(call: OperationCall) -> Result:
    """Delete a comment."""
    await comments.delete_comment(call.ctx, call.principal, call.args["request_id"], call.args["comment_id"])
    return Result()


async def list_conversations(call: OperationCall) -> Result:
    """List and search conversations, sorted by last activity."""
    page, cursor = await conversations.list_conversations(call.ctx, call.principal, **call.args)
    return Result(texts.conversations(call.principal, page, cursor))


async def render_markdown(call: OperationCall) -> Result:
    """Parse texts as Markdown."""
    return json_result({"trees": await markdown.render_markdown(call.ctx, call.principal, call.body)})


async def list_missed(call: OperationCall) -> Result:
    """List requests that expired and that the caller has not seen."""
    page, cursor = await missed.list_missed(
        call.ctx, call.principal, limit=call.args["limit"], cursor=call.args["cursor"]
    )
    return Result(texts.page("requests", [sharing.list_item(call.principal, item) for item in page], cursor))


async def mark_seen(call: OperationCall) -> Result:
    """Mark missed requests as seen."""
    await missed.mark_seen(call.ctx, call.principal, call.body)
    return Result()


async def list_history(call: OperationCall) -> Result:
    """Search settled requests."""
    page, cursor = await history.list_history(call.ctx, call.principal, **call.args)
    items = [
        sharing.list_item(call.principal, record, **({} if title is None else {"thread_title": title}))
        for record, title in page
    ]
    return Result(texts.page("requests", items, cursor))
