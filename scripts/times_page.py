"""The page about default times, docs/reference/times.md, from the constants of the code: `gen_docs.py` writes it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import askback
from askback.cli.clients import definitions
from askback.client import link, transport
from askback.client.resources import runs
from askback.client.resources import webhooks as client_webhooks
from askback.delivery import webhooks as delivery
from askback.domain import webhooks
from askback.domain.limits import DEFAULTS
from askback.ports import sessions as idle
from askback.server.settings import Settings
from askback.service.access import sessions, tokens
from askback.service.actions import oauth
from askback.service.agents import credentials
from askback.service.inbox import missed
from askback.transports import event_stream
from askback.wire import operation

UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))

Row = tuple[str, float | None, str]
"""What it is, the seconds of the default (None for no end), and how to change it."""


def limit(name: str) -> str:
    """Return how to change a limit."""
    return f"`ASKBACK_LIMIT_{name.upper()}`"


def mcp_constant(name: str) -> float:
    """Return a constant of the MCP adapter, whose package may not be installed here."""
    source = (Path(inspect.getfile(askback)).parent / "adapters/mcp/tool_call.py").read_text(encoding="utf-8")
    (value,) = (
        item.value
        for item in ast.parse(source).body
        if isinstance(item, ast.Assign)
        and isinstance(item.targets[0], ast.Name)
        and item.targets[0].id == name
    )
    return float(eval(ast.unparse(value)))  # noqa: S307 - our own code, such as 24 * 3600.0


SETTINGS = inspect.signature(Settings).parameters
SECTIONS: dict[str, tuple[Row, ...]] = {
    "Requests": (
        ("A form, a request for secrets or an action expires after", None, "`timeout_s`"),
        (
            "An approval expires after",
            DEFAULTS.approval_timeout_s,
            f"`timeout_s`; {limit('approval_timeout_s')}",
        ),
        ("An approval that an MCP tool asked for expires after", mcp_constant("APPROVAL_S"), "`timeout_s`"),
        ("The largest `timeout_s`", DEFAULTS.max_timeout_s, limit("max_timeout_s")),
        ("An approved call has to run within", DEFAULTS.decision_s, f"`valid_s`; {limit('decision_s')}"),
        (
            "An agent can ask a refused request again after",
            DEFAULTS.refusal_s,
            f"`repeat` of a form; {limit('refusal_s')}",
        ),
        (
            "The same after the third refusal within an hour",
            DEFAULTS.refusal_long_s,
            limit("refusal_long_s"),
        ),
        ("With `require_client`, somebody has to open a page within", DEFAULTS.unseen_s, limit("unseen_s")),
        ("A run without activity ends after", DEFAULTS.run_silence_s, limit("run_silence_s")),
    ),
    "Waiting for an answer": (
        ("One call over HTTP waits at most", operation.MAX_WAIT_S, ""),
        ("The outcome for a disconnected agent becomes a resume after", DEFAULTS.orphan_s, limit("orphan_s")),
        (
            "A resume without an `ack` is delivered again after",
            DEFAULTS.resume_lease_s,
            limit("resume_lease_s"),
        ),
        (
            "A call of an MCP tool returns `pending` after",
            SETTINGS["mcp_wait_s"].default,
            "`ASKBACK_MCP_WAIT_S`",
        ),
        ("The same in a client that accepts no progress reports", mcp_constant("SILENT_S"), "`wait_s`"),
        (
            "The same if it has given up an earlier call",
            mcp_constant("HASTY_S"),
            "`wait_s`",
        ),
        (
            "A call of an MCP tool reports progress every",
            SETTINGS["mcp_progress_s"].default,
            "`ASKBACK_MCP_PROGRESS_S`",
        ),
        ("The hook of Claude Code waits at most", definitions.HOOK_S, ""),
        ("An event stream without events sends a comment every", event_stream.HEARTBEAT_S, ""),
    ),
    "Checks of an answer": (
        (
            "The agent has to begin to check an answer within",
            DEFAULTS.check_wait_s,
            limit("check_wait_s"),
        ),
        ("The agent has to renew its check within", DEFAULTS.check_lease_s, limit("check_lease_s")),
        (
            "A person has to correct a form that was sent back at least",
            DEFAULTS.again_s,
            f"`timeout_s`; {limit('again_s')}",
        ),
        ("A validator of the server has to reply within", DEFAULTS.validator_s, limit("validator_s")),
        ("A probe of the server has to reply within", DEFAULTS.probe_s, limit("probe_s")),
        ("A source of options has to reply within", DEFAULTS.option_source_s, limit("option_source_s")),
        ("All scans of a file have to end within", DEFAULTS.file_scan_s, limit("file_scan_s")),
    ),
    "Access": (
        ("A sign-in link is valid for", credentials.LOGIN_CODE_MS / 1000, ""),
        ("A session of a browser ends this long after its last call", idle.IDLE_MS / 1000, ""),
        ("A session of a browser ends this long after its start", sessions.SESSION_MS / 1000, ""),
        (
            "A token of a person is valid for (an agent's token does not expire)",
            tokens.DEFAULT_LIFETIME_S,
            "`askback token create --expires-in`",
        ),
        ("A lease of secrets is valid for", DEFAULTS.lease_s, limit("lease_s")),
        ("A person has to finish signing in at an OAuth provider within", oauth.ATTEMPT_MS / 1000, ""),
        ("An expired request stays in *Missed* for", missed.MISSED_MS / 1000, ""),
    ),
    "Webhooks": (
        ("The receiver has to reply within", delivery.ANSWER_S, ""),
        ("The first retry is after", webhooks.FIRST_RETRY_S, ""),
        ("The longest pause between two retries", webhooks.LONGEST_RETRY_S, ""),
        ("A delivery is `dead` after", webhooks.GIVE_UP_S, ""),
        ("`verify_webhook` accepts messages up to this age", client_webhooks.TOLERANCE_S, ""),
    ),
    "The Python client": (
        ("A call waits for its reply at most", transport.REQUEST_TIMEOUT_S, ""),
        ("The upload or download of a file takes at most", transport.FILE_TIMEOUT_S, ""),
        ("The longest pause before it connects again", link.LONGEST_PAUSE_S, ""),
        ("It renews a run every", runs.RENEW_S, ""),
    ),
}


def in_words(seconds: float) -> str:
    """Return a time in the largest unit that divides it."""
    unit, size = next((unit, size) for unit, size in UNITS if seconds % size == 0)
    number = seconds / size
    return f"{number:g} {unit}{'' if number == 1 else 's'}"


def times_page() -> str:
    """Return the page."""
    return "\n".join(
        [
            "# Default times",
            "",
            "Every deadline and time limit that a user notices, with its default. A limit can be changed in",
            "[the settings](settings.md#limits) too: `askback serve --limit NAME=SECONDS`. An empty cell means that it",
            "cannot be changed.",
            *_tables(),
            "",
        ]
    )


def _tables() -> Iterator[str]:
    for title, rows in SECTIONS.items():
        yield f"\n## {title}\n\n| | default | change it with |\n|---|---|---|"
        for text, seconds, change in rows:
            yield f"| {text} | {'never' if seconds is None else in_words(seconds)} | {change} |"
