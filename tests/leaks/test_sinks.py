"""Leaks of ordinary Python code, for askback's types and for those of others.

Each sink is shown to be one: the value comes out where it is a plain text, or a `SecretStr`, and does not where it is a
`Secret`, a `Submission` or a fault of ours.
"""

from __future__ import annotations

import dataclasses
import io
import json
import logging
import logging.handlers
import pickle
import queue
import sqlite3
import string
import subprocess
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx2
import pydantic
import pytest
from fastapi import FastAPI
from rich.console import Console
from rich.traceback import Traceback

from askback.domain.faults import Faults
from askback.domain.secrets.request import ShownSecret
from askback.domain.secrets.secret import RawBody, Secret
from askback.domain.validation.secret import Submission, read_submission
from askback.ports.vault import Binding
from askback.transports.problems import problem
from askback.vault.envelope import Envelope
from askback.vault.keys import KeyRing
from tests.leaks.canary import Search, canary
from tests.leaks.refusals import SHAPES, SUBMISSIONS
from tests.requirements import requirement

SHOWN = ShownSecret(names=["A_KEY", "B_KEY"], reason="to call the CRM")


class Naive(pydantic.BaseModel):
    """The naive model."""

    secret: pydantic.SecretStr = pydantic.Field(max_length=5)


class Careful(Naive):
    """The same with all that pydantic offers."""

    model_config = pydantic.ConfigDict(hide_input_in_errors=True, extra="forbid")


@dataclasses.dataclass
class Plain:
    """A submission with plain values."""

    values: dict[str, str]


def submission(value: str) -> Submission:
    """The submission of an accepted body."""
    body = {"revision": 1, "secrets": {"A_KEY": value, "B_KEY": value}}
    return read_submission(RawBody(json.dumps(body).encode()), SHOWN)


def refusal_of(origin: str, value: str) -> Faults:
    """The error of a refused body."""
    with pytest.raises(Faults) as exc_info:
        read_submission(RawBody(SUBMISSIONS[origin](value)), SHOWN)
    return exc_info.value


def raised_error(action: Callable[[], object]) -> Exception:
    """The exception of something that fails."""
    try:
        action()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def attached_texts(error: BaseException) -> Iterator[str]:
    """Everything attached to an exception and its causes, as an error reporter could write it."""
    seen_items: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        item = waiting.pop()
        if item is None or id(item) in seen_items:
            continue
        seen_items.add(id(item))
        waiting += [item.__cause__, item.__context__]
        parts = {name: getattr(item, name, None) for name in dir(item) if not name.startswith("__")}
        yield from (repr(item), str(item), repr(item.args), repr(vars(item)), repr(parts))


# --- the sinks --------------------------------------------------------------------------------


class Sink(NamedTuple):
    """A sink, for a plain text (which must leak), and for askback's types (which must not)."""

    naive: Callable[[str], str]
    ours: Callable[[str], str]


def validation(model: type[Naive], **given: Any) -> pydantic.ValidationError:
    error = raised_error(lambda: model(**given))
    assert isinstance(error, pydantic.ValidationError)
    return error


def with_locals(thing: object) -> str:
    """A traceback with the variables of each function."""
    error = raised_error(lambda: fail(thing))
    return "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())


def with_rich(thing: object) -> str:
    """The same, drawn by rich."""
    console = Console(record=True, width=300, file=io.StringIO())
    error = raised_error(lambda: fail(thing))
    console.print(Traceback.from_exception(type(error), error, error.__traceback__, show_locals=True))
    return console.export_text()


def fail(thing: object) -> None:
    raise RuntimeError("it failed", [thing])


def answer_of_fastapi(value: str) -> str:
    """The 422 that FastAPI sends by itself."""
    app = FastAPI()

    @app.post("/")
    def take(body: Naive) -> None: ...

    take.__annotations__["body"] = Naive

    async def send() -> str:
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://test") as http:
            return (await http.post("/", json={"secret": value})).text

    return anyio.run(send)


@contextmanager
def attach_handlers(name: str, *handlers: logging.Handler) -> Iterator[logging.Logger]:
    """Attach handlers to a logger."""
    log = logging.getLogger(name)
    level_before = log.level
    log.setLevel(logging.DEBUG)
    for handler in handlers:
        log.addHandler(handler)
    try:
        yield log
    finally:
        for handler in handlers:
            log.removeHandler(handler)
        log.setLevel(level_before)


def log_line(thing: object) -> str:
    """A line of a log, and the record as another thread gets it."""
    records, stream = queue.SimpleQueue[logging.LogRecord](), io.StringIO()
    with attach_handlers(
        "sink", logging.handlers.QueueHandler(records), logging.StreamHandler(stream)
    ) as log:
        log.debug("got %s and %r", thing, thing, extra={"more": thing})
    return stream.getvalue() + repr(vars(records.get(timeout=120)))


def logged_address(thing: Any) -> str:
    """The log line of httpx about a request."""
    stream = io.StringIO()
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200))
    with attach_handlers("httpx2", logging.StreamHandler(stream)), httpx2.Client(transport=transport) as http:
        http.get("http://test/", params={"key": thing})
    return stream.getvalue()


def sealed_text(value: str) -> str:
    """The stored form of a value."""
    binding = Binding("default", "", "global", "", "A_KEY", 1)
    return anyio.run(Envelope(KeyRing({"k1": bytes(range(32))})).seal, binding, Secret(value))


def statements(text: str) -> str:
    """The database's echo of its statements."""
    with closing(sqlite3.connect(":memory:")) as database:
        seen_items: list[str] = []
        database.set_trace_callback(seen_items.append)
        database.execute("CREATE TABLE t (v)")
        database.execute("INSERT INTO t VALUES (?)", (text,))
    return "".join(seen_items)


def driver_error(thing: object) -> str:
    """The driver's error about an invalid parameter, or a text that it took for SQL."""
    with closing(sqlite3.connect(":memory:")) as database:
        if isinstance(thing, str):
            return str(raised_error(lambda: database.execute(f"SELECT {thing}")))
        return str(raised_error(lambda: database.execute("SELECT ?", (thing,))))


def deleted_row_content(suffix: str, folder: Path, text: str) -> str:
    """The content of a database file after a row was deleted."""
    path = folder / "sink.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for statement in ("PRAGMA secure_delete = OFF", "PRAGMA journal_mode = WAL", "CREATE TABLE t (v)"):
            database.execute(statement)
        database.execute("INSERT INTO t VALUES (?)", (text,))
        if not suffix:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("DELETE FROM t")
        if not suffix:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return Path(f"{path}{suffix}").read_bytes().decode("latin-1")


def process_error(thing: Any) -> str:
    """An exception's text about the arguments of a program."""
    return str(raised_error(lambda: subprocess.run(["false", thing], check=True)))


def arguments(thing: Any) -> str:
    """The publicly readable arguments of a program."""
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(["cat", "-", thing], stdin=pipe, stdout=pipe, stderr=nowhere) as running_popen:
        assert running_popen.stdin is not None
        assert running_popen.stdout is not None
        running_popen.stdin.write(b"x\n")
        running_popen.stdin.flush()
        running_popen.stdout.readline()  # now it has started, and has its arguments
        return Path(f"/proc/{running_popen.pid}/cmdline").read_text()


def result_or_error(action: Callable[[], str]) -> str:
    """The result, or everything attached to the exception."""
    try:
        return action()
    except Exception as error:
        return "".join(attached_texts(error))


SINKS: Mapping[str, Sink] = {
    "the text of a validation error": Sink(
        lambda v: str(validation(Naive, secret=v)), lambda v: str(refusal_of("too long", v))
    ),
    "the list of a validation error": Sink(
        lambda v: repr(validation(Naive, secret=v).errors()), lambda v: repr(refusal_of("too long", v).faults)
    ),
    "the text of an error about a type": Sink(
        lambda v: str(validation(Naive, secret=[v])), lambda v: str(refusal_of("in a list", v))
    ),
    "the list of an error about a type": Sink(
        lambda v: repr(validation(Naive, secret=[v]).errors()),
        lambda v: repr(refusal_of("in a list", v).faults),
    ),
    "the list of an error that hides its input": Sink(
        lambda v: repr(validation(Careful, secret=v).errors()),
        lambda v: "".join(attached_texts(refusal_of("too long", v))),
    ),
    "an error about a member too many": Sink(
        lambda v: repr(validation(Careful, secret="x", more=v).errors()),
        lambda v: "".join(attached_texts(refusal_of("beside a good one", v))),
    ),
    "the body of a 422": Sink(
        answer_of_fastapi, lambda v: json.dumps(problem(refusal_of("too long", v), locale="en"))
    ),
    "a traceback with variables": Sink(with_locals, lambda v: with_locals(submission(v))),
    "a traceback drawn by rich": Sink(with_rich, lambda v: with_rich(submission(v))),
    "a missing key": Sink(
        lambda v: str(raised_error(lambda: {}[v])),
        lambda v: "".join(attached_texts(refusal_of("in the place of a name", v))),
    ),
    "a text that is no number": Sink(
        lambda v: str(raised_error(lambda: int(v))),
        lambda v: "".join(attached_texts(refusal_of("as the revision", v))),
    ),
    "the document of a JSON error": Sink(
        lambda v: "".join(attached_texts(raised_error(lambda: json.loads(f'{{"a": "{v}')))),
        lambda v: "".join(attached_texts(refusal_of("cut in the middle", v))),
    ),
    "the bytes of a decoding error": Sink(
        lambda v: "".join(attached_texts(raised_error(lambda: (v.encode() + b"\xff").decode()))),
        lambda v: "".join(attached_texts(refusal_of("not in UTF-8", v))),
    ),
    "the error of a driver": Sink(driver_error, lambda v: driver_error(Secret(v))),
    "the echo of a statement": Sink(statements, lambda v: statements(sealed_text(v))),
    "the error of a program": Sink(process_error, lambda v: process_error(Secret(v))),
    "the arguments of a program": Sink(arguments, lambda v: result_or_error(lambda: arguments(Secret(v)))),
    "the log of an HTTP client": Sink(
        logged_address, lambda v: result_or_error(lambda: logged_address(Secret(v)))
    ),
    "a log line and its record": Sink(log_line, lambda v: log_line(submission(v))),
    "a repr": Sink(lambda v: repr(Plain({"A_KEY": v})), lambda v: f"{submission(v)} {submission(v)!r}"),
    "a dictionary of a dataclass": Sink(
        lambda v: json.dumps(dataclasses.asdict(Plain({"A_KEY": v}))),
        lambda v: result_or_error(lambda: json.dumps(dataclasses.asdict(submission(v)))),
    ),
    "a pickle": Sink(
        lambda v: repr(pickle.dumps(Plain({"A_KEY": v}))),
        lambda v: result_or_error(lambda: repr(pickle.dumps(submission(v)))),
    ),
}


@requirement("E5", "I10")
@pytest.mark.parametrize("name", list(SINKS))
def test_a_sink_that_leaks_plain_text_does_not_leak_our_values(name: str) -> None:
    made_canary = canary(name)
    assert made_canary.value in SINKS[name].naive(made_canary.value)
    assert Search([made_canary]).found(SINKS[name].ours(made_canary.value).encode()) == set()


@requirement("E5", "H12")
@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_remains_of_a_deleted_row_are_encrypted(suffix: str, tmp_path: Path) -> None:
    for name, text in (("naive", str), ("ours", sealed_text)):
        made_canary = canary(name)
        (tmp_path / name).mkdir()
        left = deleted_row_content(suffix, tmp_path / name, text(made_canary.value))
        assert bool(Search([made_canary]).found(left.encode("latin-1"))) is (name == "naive")


OTHER_SUBMISSIONS = {"with an old revision", "beside a saved one that is not there", "too large"}
"""Bodies that are refused by other code than their reader."""


@requirement("E5", "E6")
@pytest.mark.parametrize("origin", [way for way in SUBMISSIONS if way not in OTHER_SUBMISSIONS])
def test_a_refusal_holds_no_reference_to_the_sent_value(origin: str) -> None:
    made_canary = canary(origin, shape=SHAPES.get(origin, "{}{}{}{}{}"))
    error = refusal_of(origin, made_canary.value)
    problems_text = json.dumps([problem(error, locale=locale) for locale in ("en", "de")], ensure_ascii=False)
    plain = "".join(traceback.format_exception(error))
    for text in (*attached_texts(error), problems_text, plain):
        assert Search([made_canary]).found(text.encode()) == set()


@requirement("E5", "E6")
def test_a_value_that_looks_like_a_name_is_not_reported_as_one() -> None:
    made_canary = canary("in the place of a name", letters=string.ascii_uppercase)
    error = refusal_of("in the place of a name", made_canary.value)
    assert Search([made_canary]).found(json.dumps(problem(error, locale="en")).encode()) == set()
