"""The log of a server: only values that are safe to log are logged.

1. askback's own messages are logged unchanged; the tests search them for values at every level.
2. Of other messages (the HTTP server, the WebSocket, the event loop) only the constant text in their code is logged,
   and numbers. The other values may be a frame, a header or an address with a code in it, and are left out.
3. Of an exception, only its type and its traceback are logged. Its text is often the refused value.

Records are created this way, so no handler can write more, not even a handler of another package.
A record names the HTTP call that it belongs to, by the id that the caller got as well.
"""

from __future__ import annotations

import ast
import errno
import json
import logging
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO, cast, final

OWN_LOGGER = "askback"
LINE = "%(levelname)s %(name)s: %(message)s%(call)s"
FORMS = ("text", "json")

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""Of the HTTP call that this code serves; empty outside of one."""

_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None] | None

_log = logging.getLogger(__name__)


def set_up(level: str, form: str = "text") -> None:
    """Set up the log of this process from a level on, including unhandled exceptions, by the rules above.

    `form` is one of `FORMS`: lines to read, or an object of JSON on each line.
    """
    logging.setLogRecordFactory(Record)
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if form == "json" else logging.Formatter(LINE))
    logging.basicConfig(level=level.upper(), handlers=[handler])
    sys.excepthook = _log_uncaught
    sys.unraisablehook = _log_unraisable
    threading.excepthook = _log_thread_error
    warnings.showwarning = _log_warning


def outline(error: BaseException) -> str:
    """Return the types and tracebacks of an exception and of its causes, without their texts."""
    return "\nafter ".join(f"{_name(item)}\n{_lines(item)}".rstrip() for item in _chain(error, set()))


class Record(logging.LogRecord):
    """A log record without values that must not be logged."""

    def __init__(
        self,
        name: str,
        level: int,
        pathname: str,
        lineno: int,
        msg: object,
        args: Any,
        exc_info: _ExcInfo,
        func: str | None = None,
        sinfo: str | None = None,
        **more: object,
    ) -> None:
        if name != OWN_LOGGER and not name.startswith(f"{OWN_LOGGER}."):
            msg, args = _redact_foreign(msg, args, source=pathname, line=lineno)
        super().__init__(name, level, pathname, lineno, msg, args, None, func, sinfo, **more)
        if exc_info and exc_info[1] is not None:
            self.exc_text = outline(exc_info[1])
        self.request_id = request_id.get()
        self.call = f" [{self.request_id}]" if self.request_id else ""


class JsonLines(logging.Formatter):
    """Writes a record as one line of JSON: `at`, `level`, `logger`, `message`, and `request_id` and `error` if any."""

    def format(self, record: logging.LogRecord) -> str:
        """Write it."""
        members = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": getattr(record, "request_id", ""),
            "error": record.exc_text,
        }
        return json.dumps({name: text for name, text in members.items() if text}, ensure_ascii=False)


@final
class _OmittedValue:
    """Replaces a value that must not be logged; every format writes it as an ellipsis."""

    def __repr__(self) -> str:
        return "…"


_OMITTED = _OmittedValue()


def _redact_foreign(msg: object, args: Any, *, source: str, line: int) -> tuple[object, Any]:
    if not isinstance(msg, str) or msg not in _sentences(source):
        # The message was formatted by its caller, so it may contain any value.
        return f"… ({Path(source).name}, line {line})", ()
    if len(args or ()) == 1 and isinstance(args[0], Mapping):
        return msg, ({name: _number(item) for name, item in args[0].items()},)
    return msg, tuple(_number(item) for item in args or ())


def _number(value: object) -> object:
    return value if isinstance(value, int | float) else _OMITTED


@cache
def _sentences(source: str) -> frozenset[str]:
    """Return every string constant in a Python file; none if there is no such file."""
    try:
        tree = ast.parse(Path(source).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return frozenset()
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return frozenset(text for text in texts if isinstance(text, str))


def _chain(error: BaseException | None, seen_ids: set[int]) -> Iterator[BaseException]:
    while error is not None and id(error) not in seen_ids:
        seen_ids.add(id(error))
        yield error
        if isinstance(error, BaseExceptionGroup):
            for exception in cast("BaseExceptionGroup[BaseException]", error).exceptions:
                yield from _chain(exception, seen_ids)
        hidden = None if error.__suppress_context__ else error.__context__
        error = error.__cause__ or hidden


def _name(error: BaseException) -> str:
    """Return the type, and for an error of the operating system its name."""
    number = error.errno if isinstance(error, OSError) else None
    name = errno.errorcode.get(number or 0, "")
    return f"{type(error).__name__} {name}".rstrip()


def _lines(error: BaseException) -> str:
    return "".join(traceback.format_tb(error.__traceback__))


# --- unhandled exceptions ---------------------------------------------------------------------


def _log_uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
    else:
        _log.critical("unhandled exception", exc_info=error)


def _log_thread_error(thread: threading.ExceptHookArgs) -> None:
    _log.error("unhandled exception in a thread", exc_info=thread.exc_value or True)


def _log_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    _log.error("exception ignored by the interpreter", exc_info=unraisable.exc_value or True)


def _log_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,  # noqa: ARG001 - the signature is Python's
    line: str | None = None,  # noqa: ARG001 - as above
) -> None:
    del message  # it may quote any value
    _log.warning("%s (%s, line %d)", category.__name__, Path(filename).name, lineno)
