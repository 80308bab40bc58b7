"""Every size and count that askback enforces, in one place; `GET /v1/limits` shows them.

Lengths are Unicode code points unless the name says bytes (requirement D12).
"""

from __future__ import annotations

from dataclasses import dataclass

SAFE_INTEGER = 2**53 - 1
"""The largest whole number that JavaScript and JSON readers keep exactly."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one server. Defaults follow L3–L5, wider where a real form needs it."""

    body_bytes: int = 1024 * 1024
    request_bytes: int = 256 * 1024
    json_depth: int = 32
    identifier: int = 200
    field_id: int = 100
    title: int = 500
    label: int = 500
    description: int = 2_000
    placeholder: int = 200
    button_label: int = 60
    option_label: int = 100
    option_value: int = 100
    option_description: int = 500
    options: int = 200
    fields: int = 100
    sections: int = 20
    pattern: int = 200
    pattern_message: int = 200
    text_answer: int = 10_000
    textarea_answer: int = 100_000
    note: int = 2_000
    summary_template: int = 1_000
    message_bytes: int = 256 * 1024
    frame_bytes: int = 256 * 1024
    min_timeout_s: int = 1
    max_timeout_s: int = 30 * 24 * 3600
    approval_timeout_s: int = 300
    """How long an approval is open when the agent does not say."""
    decision_s: int = 3_600
    """How long an approved call may be run, from the decision, when the agent does not say."""
    max_rule_s: int = 10 * 365 * 24 * 3600
    assignees: int = 50
    escalation: int = 10
    reprompts: int = 10
    """How often a person is asked again; then the request is taken back."""
    unseen_s: int = 30
    """How long a request waits for somebody who would see it, where it asks for that."""
    orphan_s: int = 10
    """How long whoever waits may be gone until what came of the request is queued for them."""
    resume_lease_s: int = 60
    """How long a resume is one worker's; after that another gets it, unless it was finished."""
    secrets: int = 10
    secret_bytes: int = 10_240
    secret_reason: int = 500
    secret_placeholder: int = 120
    secret_hint: int = 80
    secret_help: int = 200
    refusal_s: int = 600
    """How long what a person refused is not asked again by the same agent in the same thread."""
    refusal_long_s: int = 24 * 3600
    """The same after the third refusal within `refusal_window_s`."""
    refusal_window_s: int = 3600
    check_wait_s: int = 24 * 3600
    """How long an answer waits at most for its agent to check it."""
    check_lease_s: int = 60
    """How long an agent may check an answer until it renews that."""
    check_renewals: int = 10
    again_s: int = 300
    """The least that a person has of a deadline when an answer was sent back."""
    lease_s: int = 300
    probe_s: int = 20
    """How long a probe of the server may try what was sent."""
    max_pending: int = 50
    """Requests of any kind that are open at once in a thread, where the policy sets no other number."""
    max_pending_per_agent: int = 200
    """Requests that an agent has open at once, where the policy sets no other number."""
    max_submissions_per_minute: int = 60
    """Answers and refusals of one person, where the policy sets no other number."""
    max_messages_per_hour: int = 600
    """Messages in one thread, where the policy sets no other number."""
    max_wrong_tokens_per_minute: int = 20
    """Unknown tokens and login codes from one address: the last of them, and each after it, is refused with 429."""
    batch: int = 200
    webhooks: int = 20
    """How many a tenant has at most."""
    page: int = 200
    ws_connections: int = 20_000
    connections: int = 20_000
    """Of one principal: WebSockets, and event streams, each counted by itself."""


DEFAULTS = Limits()
