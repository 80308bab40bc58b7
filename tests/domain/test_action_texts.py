"""The texts for a model about an action."""

from __future__ import annotations

from typing import Any

import pytest

from askback.domain.modeltext import model_text
from askback.domain.request import InputRequest


def request(status: str, **extra: Any) -> InputRequest:
    return InputRequest.model_validate(
        {
            "id": "req_1",
            "kind": "action",
            "thread_id": "t1",
            "action": {"title": "Install it"},
            "created_at": "2026-11-20T09:00:00Z",
            "status": status,
            "revision": 1,
            **extra,
        }
    )


@pytest.mark.parametrize(
    ("action_request", "begins"),
    [
        (request("answered", answer={"outcome": "done"}), 'The person did what you asked for: "Install it".'),
        (
            request("answered", answer={"outcome": "done", "names": ["A_TOKEN", "A_TOKEN_REFRESH"]}),
            'The person connected the account: "Install it". Its tokens are the secrets A_TOKEN, A_TOKEN_REFRESH',
        ),
        (request("answered", answer={"outcome": "failed"}), 'It did not work: "Install it".'),
        (request("declined", reason="dismissed"), "The person closed this without doing it"),
        (request("declined", reason="refused"), "The person does not want to do this"),
        (request("cancelled", reason="superseded"), "This was withdrawn before it was done"),
        (request("expired"), "Nobody did this in time"),
        (request("pending"), "The person was asked to do this and has not done it yet"),
        (request("resolving"), "The person says that this is done"),
    ],
)
def test_a_model_reads_how_an_action_ended(action_request: InputRequest, begins: str) -> None:
    assert model_text(action_request).startswith(begins)


def test_the_reason_of_a_failure_comes_last_as_it_was_written() -> None:
    failed_request = request(
        "answered", answer={"outcome": "failed", "reason": "The shop is closed. {action}"}
    )
    assert model_text(failed_request).splitlines()[-1] == "What went wrong: The shop is closed. {action}"
