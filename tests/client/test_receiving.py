"""A receiver accepts only messages that the server has just signed."""

from __future__ import annotations

import pytest

from askback import BadSignature, verify_webhook
from tests.domain.test_webhooks import AT, BODY, MESSAGE, PUBLISHED, SECRET
from tests.requirements import requirement

HEADERS = {"webhook-id": MESSAGE, "webhook-timestamp": str(AT), "webhook-signature": PUBLISHED}


@requirement("G10")
@pytest.mark.parametrize("body", [BODY, BODY.decode()])
@pytest.mark.parametrize("now", [AT, AT + 300, AT - 300])
def test_the_published_message_is_taken_within_five_minutes(body: bytes | str, now: int) -> None:
    headers = {name.title(): value for name, value in HEADERS.items()}
    assert verify_webhook(body, headers, SECRET, now=now) == {"test": 2432232314}


@requirement("G10")
@pytest.mark.parametrize(
    ("changes", "body", "now"),
    [
        ({}, BODY + b" ", AT),
        ({}, b"", AT),
        ({}, BODY, AT + 301),
        ({}, BODY, AT - 301),
        ({"webhook-id": "msg_other"}, BODY, AT),
        ({"webhook-timestamp": str(AT + 1)}, BODY, AT),
        ({"webhook-timestamp": f" {AT}"}, BODY, AT),
        ({"webhook-timestamp": "1e9"}, BODY, AT),
        ({"webhook-timestamp": "٣"}, BODY, AT),
        ({"webhook-timestamp": "9" * 5000}, BODY, AT),
        ({"webhook-signature": PUBLISHED.replace("v1,", "v1a,")}, BODY, AT),
        ({"webhook-signature": PUBLISHED.removeprefix("v1,")}, BODY, AT),
        ({"webhook-signature": "v1,"}, BODY, AT),
        ({"webhook-signature": "v1,é"}, BODY, AT),
        ({"webhook-id": ""}, BODY, AT),
        ({"webhook-signature": ""}, BODY, AT),
    ],
)
def test_anything_else_is_refused(changes: dict[str, str], body: bytes, now: int) -> None:
    with pytest.raises(BadSignature) as exc_info:
        verify_webhook(body, {**HEADERS, **changes}, SECRET, now=now)
    assert PUBLISHED[3:] not in str(exc_info.value)


@requirement("G10")
@pytest.mark.parametrize("missing", list(HEADERS))
def test_a_message_without_one_of_the_headers_is_refused(missing: str) -> None:
    headers = {name: value for name, value in HEADERS.items() if name != missing}
    with pytest.raises(BadSignature, match="missing"):
        verify_webhook(BODY, headers, SECRET, now=AT)


@requirement("G10")
def test_another_secret_does_not_fit_and_an_invalid_one_is_not_repeated() -> None:
    with pytest.raises(BadSignature):
        verify_webhook(BODY, HEADERS, "whsec_" + "A" * 32, now=AT)
    with pytest.raises(ValueError, match="whsec_ and base64") as exc_info:
        verify_webhook(BODY, HEADERS, "not-it!", now=AT)
    assert "not-it" not in str(exc_info.value)


def test_without_a_time_it_is_ours() -> None:
    with pytest.raises(BadSignature, match="five minutes"):
        verify_webhook(BODY, HEADERS, SECRET)
