"""A `Secret` shows its value only after a call of `reveal()`."""

from __future__ import annotations

import copy
import dataclasses
import io
import json
import logging
import logging.handlers
import marshal
import pickle
import pprint
import queue
import subprocess
import traceback
from collections.abc import Callable
from typing import Any

import pydantic
import pydantic_core
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.pretty import pretty_repr
from rich.traceback import Traceback

from askback.domain.secrets.secret import PLACEHOLDER, Secret

CANARY = "canary-7f3a"


@dataclasses.dataclass
class Holder:
    secret: Secret
    others: list[Secret] = dataclasses.field(default_factory=list)


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)
    secret: Secret


def new_secret() -> Secret:
    return Secret(CANARY)


SHOWN: dict[str, Callable[[Secret], str]] = {
    "repr": repr,
    "str": str,
    "ascii": lambda s: s.__repr__(),
    "format": lambda s: format(s),
    "format with a width": lambda s: f"{s:>40}",
    "format of its repr": lambda s: f"{s!r} {s!s}",
    "f-string debugging": lambda s: f"{s=}",
    "str.format": lambda s: "{0} {0!r} {x.secret}".format(s, x=Holder(s)),  # noqa: UP032
    "percent": lambda s: "%s %r" % (s, s),  # noqa: UP031
    "in a list": lambda s: str([s, (s,), {"k": s}]),
    "in a dataclass": lambda s: repr(Holder(s, [s])),
    "in a model": lambda s: repr(Model(secret=s)),
    "print": lambda s: " ".join(map(str, [s])),
    "pprint": lambda s: pprint.pformat({"a": Holder(s)}),
    "rich": lambda s: pretty_repr(Holder(s)),
    "json with default=str": lambda s: json.dumps({"s": s}, default=str, ensure_ascii=False),
    "pydantic's JSON of what it does not know": lambda s: pydantic_core.to_json({"s": s}, serialize_unknown=True).decode(),
    "an error about it": lambda s: str(KeyError(s)),
}  # fmt: skip


@pytest.mark.parametrize("copy_name", SHOWN)
def test_showing_a_secret_shows_the_placeholder(copy_name: str) -> None:
    secret_text = SHOWN[copy_name](new_secret())
    assert (CANARY in secret_text, PLACEHOLDER in secret_text) == (False, True)


COPY_FUNCTIONS: dict[str, Callable[[Secret], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "deepcopy of what holds it": lambda s: copy.deepcopy({"s": [s]}),
    "asdict": lambda s: dataclasses.asdict(Holder(s)),
    "astuple": lambda s: dataclasses.astuple(Holder(s)),
    "json": lambda s: json.dumps({"s": s}),
    "json with default=vars": lambda s: json.dumps({"s": s}, default=vars),
    "canonical JSON": lambda s: rfc8785.dumps({"s": s}),  # type: ignore[dict-item]
    "pydantic's JSON of a model": lambda s: Model(secret=s).model_dump_json(),
    "pydantic's dictionary for JSON": lambda s: Model(secret=s).model_dump(mode="json"),
    "pydantic's deep copy": lambda s: Model(secret=s).model_copy(deep=True),
    "pydantic's JSON of anything": lambda s: pydantic_core.to_jsonable_python({"s": s}),
    "marshal": lambda s: marshal.dumps(s),  # type: ignore[arg-type]
    "its state": lambda s: s.__getstate__(),
    "joining": lambda s: "a" + s,  # type: ignore[operator]
    "str.join": lambda s: ",".join([*"ab", s]),  # type: ignore[list-item]
    "iterating": lambda s: list(s),  # type: ignore[call-overload]
    "measuring": lambda s: len(s),  # type: ignore[arg-type]
    "slicing": lambda s: s[:3],  # type: ignore[index]
    "searching": lambda s: "canary" in s,  # type: ignore[operator]
    "bytes": lambda s: bytes(s),  # type: ignore[call-overload]
    "as a key": lambda s: {s: 1},
    "the environment of a process": lambda s: subprocess.run(["true"], env={"S": s}),
    "the arguments of a process": lambda s: subprocess.run(["true", s]),
} | {
    f"pickle {protocol}": lambda s, p=protocol: pickle.dumps(s, p)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
}  # fmt: skip


@pytest.mark.parametrize("copy_name", COPY_FUNCTIONS)
def test_carrying_a_secret_away_raises_without_showing_it(copy_name: str) -> None:
    # PydanticSerializationError and rfc8785's error are ValueErrors, the rest is refused as a TypeError.
    with pytest.raises((TypeError, ValueError)) as exc_info:
        COPY_FUNCTIONS[copy_name](new_secret())
    assert CANARY not in "".join(traceback.format_exception(exc_info.value))


def test_no_attribute_holds_the_value() -> None:
    secret = new_secret()
    values = {name: getattr(secret, name) for name in dir(secret) if name != "__doc__"}
    assert [name for name, value in values.items() if value == CANARY or CANARY in repr(value)] == []
    assert not hasattr(secret, "__dict__")


def fail(secret: Secret) -> None:
    references = {"again": [secret]}
    raise RuntimeError(f"cannot use {secret}", references)


def test_a_traceback_with_locals_shows_the_placeholder() -> None:
    with pytest.raises(RuntimeError) as exc_info:
        fail(new_secret())
    plain = "".join(traceback.TracebackException.from_exception(exc_info.value, capture_locals=True).format())
    console = Console(record=True, width=200, file=io.StringIO())
    assert exc_info.value.__traceback__ is not None
    console.print(
        Traceback.from_exception(
            RuntimeError, exc_info.value, exc_info.value.__traceback__.tb_next, show_locals=True
        )
    )
    for shown_text in (plain, console.export_text()):
        assert (CANARY in shown_text, PLACEHOLDER in shown_text) == (False, True)


def test_a_log_line_shows_the_placeholder_also_when_another_thread_writes_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    secret, records = new_secret(), queue.SimpleQueue[logging.LogRecord]()
    log = logging.getLogger("test")
    handler = logging.handlers.QueueHandler(records)
    log.addHandler(handler)
    try:
        log.warning("got %s and %r", secret, secret, extra={"more": secret})
        try:
            fail(secret)
        except RuntimeError:
            log.exception("while using %s", secret)
    finally:
        log.removeHandler(handler)
    assert (CANARY in caplog.text, PLACEHOLDER in caplog.text) == (False, True)
    assert CANARY not in repr([vars(records.get(timeout=120)) for _ in range(2)])


def test_a_model_that_refuses_something_else_shows_the_placeholder() -> None:
    with pytest.raises(pydantic.ValidationError) as exc_info:
        pydantic.create_model("Odd", n=(int, ...))(n=new_secret())
    assert CANARY not in str(exc_info.value)
    assert CANARY not in repr(exc_info.value.errors())


@given(st.text(), st.text())
def test_secrets_are_equal_when_their_values_are(one: str, other: str) -> None:
    assert Secret(one) == Secret(one)
    assert (Secret(one) == Secret(other)) is (one == other)


def test_a_secret_is_never_equal_to_text() -> None:
    assert new_secret() != CANARY
    assert [new_secret()] != [CANARY]


@given(st.text())
def test_reveal_returns_the_value(value: str) -> None:
    assert Secret(value).reveal() == value


@pytest.mark.parametrize("value", ["\ud800", "a\udc00b", "\udfff" * 3])
def test_half_a_surrogate_pair_is_refused_without_showing_the_rest(value: str) -> None:
    with pytest.raises(ValueError, match="UTF-8") as exc_info:
        Secret(CANARY + value)
    assert CANARY not in "".join(traceback.format_exception(exc_info.value))
    assert exc_info.value.__context__ is None
