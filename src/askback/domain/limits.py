"""Every size and count that askback enforces, in one place; `GET /v1/limits` shows them.

Lengths are Unicode code points unless the name says bytes (requirement D12).
"""

from __future__ import annotations

from askback.domain.values import frozen

SAFE_INTEGER = 2**53 - 1
"""The largest whole number that JavaScript and JSON readers keep exactly."""

MAX_KEY = 255
"""Characters of an idempotency key."""


@frozen(slots=True)
class Limits:
    """The limits of one server. Defaults follow L3–L5, and are larger where real forms need it."""

    body_bytes: int = 1024 * 1024
    """The body of a call over HTTP."""
    request_bytes: int = 256 * 1024
    """A request, as compact JSON."""
    json_depth: int = 32
    """Nested lists and objects of a body."""
    identifier: int = 200
    """Ids and names that callers choose, such as those of a thread, a run or an agent."""
    metadata_bytes: int = 16 * 1024
    """The `metadata` of a request, a thread, a message or a run, as compact JSON in UTF-8."""
    field_id: int = 100
    """The id of a field or a section."""
    title: int = 500
    """Titles of requests, sections and threads."""
    label: int = 2_000
    """The label of a field."""
    description: int = 32_768
    """The description of a form, a section or a field; with the title it is often called the prompt."""
    languages: int = 20
    """Languages of one text."""
    placeholder: int = 200
    """The placeholder of a field."""
    button_label: int = 60
    """The text of a button."""
    option_label: int = 500
    """The label of an option."""
    option_value: int = 500
    """The value of an option."""
    option_description: int = 2_000
    """The description of an option."""
    options: int = 5_000
    """Options of one field."""
    option_query: int = 200
    """A person's search text for a source of options."""
    option_cursor: int = 1_000
    """`next_cursor` of a source of options."""
    option_source_s: int = 10
    """The time limit of a source of options."""
    sourced_choices: int = 200
    """The number of options from a source in one answer."""
    fields: int = 100
    """Fields of one form."""
    rows: int = 100
    """Rows of a field of the type `rows`."""
    row_fields: int = 10
    """Fields of one row."""
    conditions: int = 20
    """Items in `all` or `any` of a condition, and values in `in`."""
    sections: int = 20
    """Sections of one form."""
    pattern: int = 200
    """The pattern of a field."""
    rule_message: int = 500
    """A field's own message for one of its rules."""
    accepted_types: int = 50
    """Items of `accept` of a file field."""
    files: int = 20
    """The largest `max_files` of a file field."""
    file_name: int = 200
    """The name of a file."""
    file_bytes: int = 10 * 1024 * 1024
    """One file."""
    files_bytes: int = 50 * 1024 * 1024
    """All files of a request together."""
    message_files_bytes: int = 50 * 1024 * 1024
    """All files that agents uploaded for messages of a thread together."""
    file_scan_s: int = 60
    """The time limit of the scans of a file."""
    file_upload_s: int = 600
    """How long an upload may pause until it is removed."""
    text_answer: int = 10_000
    """An answer in one line."""
    textarea_answer: int = 100_000
    """An answer of several lines."""
    note: int = 2_000
    """The note with a decision or a refusal."""
    comment: int = 2_000
    """One comment."""
    comments: int = 200
    """Comments on one request."""
    result_bytes: int = 16 * 1024
    """The result of the check of an answer, as compact JSON in UTF-8."""
    summary_template: int = 1_000
    """The `summary_template` of a form."""
    message_bytes: int = 256 * 1024
    """One message."""
    frame_bytes: int = 256 * 1024
    """A frame of a WebSocket."""
    min_timeout_s: int = 1
    """The smallest `timeout_s` of a request."""
    max_timeout_s: int = 30 * 24 * 3600
    """The largest `timeout_s` of a request."""
    approval_timeout_s: int = 300
    """How long an approval stays open by default."""
    decision_s: int = 3_600
    """How long after the decision an approved call may run by default."""
    approval_reason: int = 2_000
    """The agent's reason for a call."""
    max_rule_s: int = 10 * 365 * 24 * 3600
    """The longest time after which a rule expires."""
    rule_reason: int = 2_000
    """The reason why a rule was added."""
    imported_rules: int = 1_000
    """Rules in one import."""
    assignees: int = 50
    """People and groups in one list: assignees, groups of a person, thread patterns of a token."""
    escalation: int = 10
    """Steps of an escalation."""
    reprompts: int = 10
    """How often a person is asked again before the request is cancelled."""
    updates: int = 100
    """How often the requester may change an open request."""
    unseen_s: int = 30
    """How long a request with `require_client` waits for a viewer."""
    orphan_s: int = 10
    """How long a waiting agent may be disconnected before the outcome is queued as a resume."""
    resume_lease_s: int = 60
    """How long a worker may keep a resume before another worker gets it."""
    secrets: int = 10
    """Secrets in one request."""
    secret_bytes: int = 10_240
    """The value of one secret."""
    secret_reason: int = 500
    """The reason of a request for secrets."""
    secret_instructions: int = 2_000
    """The instructions of a request for secrets."""
    secret_placeholder: int = 120
    """The placeholder of one secret."""
    secret_hint: int = 80
    """The hint about the format of one secret."""
    secret_help: int = 200
    """The description of one secret."""
    refusal_s: int = 600
    """How long a refused request of an agent is refused again in the same thread without asking."""
    refusal_long_s: int = 24 * 3600
    """The same after the third refusal within `refusal_window_s`."""
    refusal_window_s: int = 3600
    """The time in which these refusals are counted."""
    check_wait_s: int = 24 * 3600
    """How long an answer waits for its agent to begin the check."""
    check_lease_s: int = 60
    """How long an agent may check an answer before it has to renew the check."""
    check_renewals: int = 10
    """How often an agent may renew the check of an answer."""
    again_s: int = 300
    """The minimum time that a person has after an answer was sent back."""
    lease_s: int = 300
    """How long a lease of secrets lasts."""
    validator_s: int = 20
    """The time limit of a validator of the server."""
    probe_s: int = 20
    """The time limit of a probe of the server."""
    max_pending: int = 50
    """Open requests of any kind in a thread, unless the policy sets another number."""
    max_pending_per_agent: int = 200
    """Open requests of an agent, unless the policy sets another number."""
    max_submissions_per_minute: int = 60
    """Answers and refusals of one person, unless the policy sets another number."""
    max_messages_per_hour: int = 600
    """Messages in one thread, unless the policy sets another number."""
    max_wrong_tokens_per_minute: int = 20
    """Unknown tokens and login codes from one address; the last of them and all later ones get a 429."""
    run_silence_s: int = 600
    """How long a run may be inactive before it ends."""
    batch: int = 200
    """Requests in one call that answers or declines several."""
    webhooks: int = 20
    """Webhooks of a tenant."""
    page: int = 200
    """The largest page of a list."""
    ws_connections: int = 20_000
    """WebSockets of one server process."""
    connections: int = 20_000
    """WebSockets of one principal, and separately its event streams."""


DEFAULTS = Limits()
