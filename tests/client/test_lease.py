"""The display of a lease, and its values."""

from __future__ import annotations

import copy
import json
import pickle
import pprint
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic_core import to_json
from rich.pretty import pretty_repr

from askback import LeaseEnded, Secret
from askback.client.lease import Lease
from tests.requirements import requirement

VALUE = "canary-5f0e-77aa"


def lease() -> Lease:
    return Lease(
        {"A_KEY": Secret(VALUE), "B_KEY": Secret("short")},
        names=["A_KEY", "B_KEY"],
        expires_at=datetime(2026, 11, 20, tzinfo=UTC),
    )


@requirement("E17")
@pytest.mark.parametrize(
    "show",
    [
        repr,
        str,
        format,
        pprint.pformat,
        pretty_repr,
        dict,
        lambda it: f"{it!r:>9}",
        lambda it: list(it.values()),
    ],
)
def test_no_representation_of_a_lease_shows_its_values(show: Callable[[Any], Any]) -> None:
    assert VALUE not in str(show(lease()))
    assert "A_KEY" in str(show(lease())) or "Secret" in str(show(lease()))


@requirement("E17")
@pytest.mark.parametrize("carry", [copy.copy, copy.deepcopy, pickle.dumps, json.dumps, to_json])
def test_a_lease_cannot_be_carried_away(carry: Callable[[Any], Any]) -> None:
    with pytest.raises((TypeError, ValueError)) as exc_info:
        carry(lease())
    assert VALUE not in str(exc_info.value)


def test_a_lease_is_a_mapping_of_secrets() -> None:
    held_lease = lease()
    assert (sorted(held_lease), len(held_lease), "A_KEY" in held_lease, "C_KEY" in held_lease) == (
        ["A_KEY", "B_KEY"],
        2,
        True,
        False,
    )
    assert held_lease["A_KEY"] == Secret(VALUE)
    with pytest.raises(KeyError):
        held_lease["C_KEY"]


def test_the_environment_of_a_child_has_the_values_and_nothing_of_askback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ASKBACK_TOKEN", "the-agents-own")
    monkeypatch.setenv("LANG", "C.UTF-8")
    environment = lease().environ()
    assert (environment["A_KEY"], environment["LANG"]) == (VALUE, "C.UTF-8")
    assert not [name for name in environment if name.startswith("ASKBACK_")]
    assert lease().environ({"A_KEY": "old", "PATH": "/bin"}) == {
        "A_KEY": VALUE,
        "B_KEY": "short",
        "PATH": "/bin",
    }


@requirement("E18")
def test_values_are_replaced_in_texts_and_in_streams_however_they_are_cut() -> None:
    held_lease = lease()
    assert held_lease.redact(f"curl -H 'Authorization: {VALUE}'") == "curl -H 'Authorization: [secret:A_KEY]'"
    assert held_lease.redact(VALUE.encode().hex()) == "[secret:A_KEY]"
    stream = held_lease.stream(bytes)
    raw = f"one {VALUE} two".encode()
    out = b"".join(stream.feed(raw[i : i + 1]) for i in range(len(raw))) + stream.close()
    assert out == b"one [secret:A_KEY] two"
    assert held_lease.too_short == ("B_KEY",)


def test_a_lease_that_has_ended_gives_nothing_more() -> None:
    held_lease = lease()
    held_lease.end()
    for use in (
        lambda: held_lease["A_KEY"],
        held_lease.environ,
        lambda: held_lease.redact("x"),
        held_lease.stream,
        lambda: list(held_lease),
    ):
        with pytest.raises(LeaseEnded):
            use()
    assert repr(held_lease) == "Lease(ended)"
