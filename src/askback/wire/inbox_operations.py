"""The operations of the inbox."""

from __future__ import annotations

from askback.wire.operation import PEOPLE, Operation, Parameter
from askback.wire.query import PAGE

_LIST_PEOPLE = (
    Parameter("request_id", "text", "Only people who can answer this request if it is assigned to them."),
    *PAGE,
)
_HISTORY = (
    Parameter("q", "text", "Texts that the title, the agent or the thread contains."),
    Parameter("kind", "text", "Only requests of one kind."),
    Parameter("agent", "text", "Only requests of the agent with this id."),
    Parameter("thread_id", "text", "Only those of one thread."),
    Parameter("by", "text", "Only those that the person with this id settled."),
    Parameter(
        "outcome",
        "text",
        "Only `approve`, `deny`, `answered`, `done`, `failed`, `skipped`, `dismissed`, `refused`, `cancelled` or "
        "`expired`.",
    ),
    Parameter("settled_after", "text", "Only those that ended at this moment (RFC 3339) or later."),
    Parameter("settled_before", "text", "Only those that ended before this moment (RFC 3339)."),
    *PAGE,
)

_CONVERSATIONS = (
    Parameter("q", "text", "Texts of which each is in the title, the id or the newest messages."),
    Parameter("archived", "flag", "Archived conversations instead."),
    *PAGE,
)

# fmt: off
INBOX = (
    Operation("assign_request", "POST /v1/requests/{request_id}/assign", "Assign a request to other people.",
              PEOPLE, {200: "InputRequest"}, "AssignBody"),
    Operation("list_people", "GET /v1/people", "List the people of the caller's tenant, by id.",
              PEOPLE, {200: "PeopleList"}, parameters=_LIST_PEOPLE),
    Operation("set_reminder", "PUT /v1/requests/{request_id}/reminder", "Remind the caller of a request at a time.",
              PEOPLE, {200: "Reminder"}, "ReminderBody"),
    Operation("delete_reminder", "DELETE /v1/requests/{request_id}/reminder", "Delete a reminder of the caller.",
              PEOPLE, {204: None}),
    Operation("list_reminders", "GET /v1/reminders", "List the reminders of the caller that are not due yet.",
              PEOPLE, {200: "ReminderList"}),
    Operation("list_comments", "GET /v1/requests/{request_id}/comments", "List comments, oldest first.",
              PEOPLE, {200: "CommentList"}),
    Operation("add_comment", "POST /v1/requests/{request_id}/comments", "Comment on a request, for people alone.",
              PEOPLE, {201: "Comment"}, "CommentBody"),
    Operation("delete_comment", "DELETE /v1/requests/{request_id}/comments/{comment_id}", "Delete a comment.",
              PEOPLE, {204: None}),
    Operation("list_conversations", "GET /v1/conversations", "List and search conversations, sorted by last activity.",
              PEOPLE, {200: "ConversationPage"}, parameters=_CONVERSATIONS, large=True),
    Operation("render_markdown", "POST /v1/markdown", "Parse texts as Markdown, into the trees that pages draw.",
              PEOPLE, {200: "MarkdownTrees"}, "MarkdownBody"),
    Operation("list_missed", "GET /v1/missed", "List requests that expired and that the caller has not seen.",
              PEOPLE, {200: "RequestPage"}, parameters=PAGE, large=True),
    Operation("mark_seen", "POST /v1/missed/seen", "Mark missed requests as seen.",
              PEOPLE, {204: None}, "SeenBody"),
    Operation("list_history", "GET /v1/history", "Search settled requests, the last that ended first.",
              PEOPLE, {200: "RequestPage"}, parameters=_HISTORY, large=True),
)
# fmt: on
