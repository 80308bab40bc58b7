"""The allowed content of the log: sentences from the code, numbers, and places in the code; never inserted data."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from typing import Any

import pytest

from askback import logs
from tests.requirements import requirement

SENTENCE = "< %s, %d bytes in %.1f s"
CANARY = "canary-81c2-77af"


def record(msg: object, *args: Any, name: str = "websockets.server", source: str = __file__) -> str:
    """The line that a handler writes of a record."""
    made_record = logs.Record(name, logging.DEBUG, source, 7, msg, args, None)
    return logging.Formatter(logs.LINE).format(made_record)


@requirement("I10")
def test_messages_of_libraries_are_logged_with_numbers_only() -> None:
    assert record(SENTENCE, CANARY, 12, 0.5) == "DEBUG websockets.server: < …, 12 bytes in 0.5 s"
    assert record("%(name)s has %(count)d", {"name": CANARY, "count": 3}).endswith("… has 3")
    assert record("%r", [CANARY]).endswith(": …")


@requirement("I10")
@pytest.mark.parametrize(
    "msg", [f"got {CANARY}", json.dumps({"a": CANARY}), CANARY.encode(), ValueError(CANARY)]
)
def test_a_preformatted_message_is_logged_only_by_its_location(msg: object) -> None:
    assert record(msg) == "DEBUG websockets.server: … (test_logs.py, line 7)"


@pytest.mark.parametrize("source", ["/nowhere/at_all.py", "<string>"])
def test_without_its_source_nothing_is_known_to_be_a_sentence(source: str) -> None:
    assert SENTENCE not in record(SENTENCE, 1, 2, 3.0, source=source)


def test_messages_of_askback_are_logged_unchanged() -> None:
    assert (
        record("the %s is gone", "key", name="askback.server.app")
        == "DEBUG askback.server.app: the key is gone"
    )
    assert record("the %s is gone", "key", name="askbacks").endswith("the … is gone")


@requirement("E5", "I10")
def test_an_exception_is_logged_by_its_type_and_line_numbers() -> None:
    def fails(value: str) -> None:
        try:
            try:
                raise KeyError(value)
            except KeyError as error:
                raise ExceptionGroup(value, [ValueError(value), OSError(28, value)]) from error
        except ExceptionGroup:
            raise RuntimeError(value)

    with pytest.raises(RuntimeError) as exc_info:
        fails(CANARY)
    outline = logs.outline(exc_info.value)
    assert [line for line in outline.splitlines() if not line.startswith(" ")] == [
        "RuntimeError",
        "after ExceptionGroup",
        "after ValueError",
        "after OSError ENOSPC",
        "after KeyError",
    ]
    assert "raise RuntimeError(value)" in outline
    assert CANARY not in outline


@requirement("E5")
def test_a_record_keeps_nothing_of_an_exception_for_a_handler_to_find() -> None:
    error = ValueError(CANARY)
    made_record = logs.Record("askback", 40, "", 1, "failed", (), (ValueError, error, None))
    assert "ValueError" in logging.Formatter(logs.LINE).format(made_record)
    assert (made_record.exc_info, CANARY in repr(vars(made_record))) == (None, False)


UNCAUGHT = {
    "by the program": "raise ValueError(value)",
    "by a thread": "t = threading.Thread(target=int, args=[value]); t.start(); t.join()",
    "where nobody can be told": "class A:\n  def __del__(self): raise ValueError(value)\nA()",
    "in a callback of the loop": "async def main():\n  asyncio.get_running_loop().call_soon(int, value)\n"
    "  await asyncio.sleep(0)\nasyncio.run(main(), debug=True)",
    "by a task that nobody waits for": "async def bad(v): raise ValueError(v)\nasync def main():\n"
    "  asyncio.create_task(bad(value))\n  await asyncio.sleep(0)\nasyncio.run(main(), debug=True)",
    "in a warning": "import warnings; warnings.warn(value, RuntimeWarning)\nprint('ValueError', file=sys.stderr)",
    "in a log that fails": "logging.getLogger('x').warning('%d', value)\nprint('ValueError', file=sys.stderr)",
}


@requirement("E5", "I10")
@pytest.mark.parametrize("hook_name", UNCAUGHT)
def test_an_uncaught_exception_is_logged_without_its_text(hook_name: str) -> None:
    begin = "import asyncio, logging, sys, threading; from askback import logs; logs.set_up('debug')\n"
    program = f"{begin}value = sys.stdin.read()\n{UNCAUGHT[hook_name]}\n"
    result = subprocess.run(
        [sys.executable, "-X", "dev", "-c", program],
        input=CANARY,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "ValueError" in result.stderr
    assert "canary" not in result.stderr + result.stdout


def test_a_record_names_the_call_that_it_belongs_to() -> None:
    token = logs.request_id.set("call-1234")
    try:
        assert record("the %s is gone", "key", name="askback.server.app").endswith(
            "the key is gone [call-1234]"
        )
    finally:
        logs.request_id.reset(token)


@requirement("I10")
def test_a_json_record_is_one_line_with_the_same_redaction() -> None:
    error = ValueError(CANARY)
    token = logs.request_id.set("call-1234")
    try:
        made_record = logs.Record(
            "websockets", 40, __file__, 7, SENTENCE, (CANARY, 1, 2.0), (ValueError, error, None)
        )
    finally:
        logs.request_id.reset(token)
    line = logs.JsonLines().format(made_record)
    record = json.loads(line)
    logged_at = record.pop("at")
    assert record == {
        "level": "error",
        "logger": "websockets",
        "message": "< …, 1 bytes in 2.0 s",
        "request_id": "call-1234",
        "error": "ValueError",
    }
    assert logged_at.endswith("+00:00")
    assert "\n" not in line
