"""Start a server of this user in the background, for clients that find none running."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import IO, TypeVar
from urllib.parse import urlsplit

from askback.client.blocking_calls import run_in_thread
from askback.client.discovery import named_data_dir
from askback.client.lease import OWN_PREFIX
from askback.client.program import program
from askback.client.server_proof import is_running
from askback.errors import AskbackError
from askback.server import server_file
from askback.storage.private import try_lock

LOG, PID, LOCK = "server.log", "server.pid", "start.lock"
STOPPED = "stopped"
"""Stands behind a process id that `askback stop` has told to end."""

START_S = 30.0
"""Seconds to wait for a server that is starting; afterwards it continues by itself."""
STOP_S = 15.0
"""Seconds to wait for a server that is stopping, which takes less than five."""
CHECK_S = 0.05
"""Seconds between two checks whether a server accepts requests, or has ended."""
WATCH_S, MAX_WATCH_S = 1.0, 60.0
"""Seconds between two checks whether a server was killed; the pause doubles until one stays up."""
PASSED_ON = frozenset({"ASKBACK_PORT"})
"""The variables of askback that a background server gets from the client that starts it."""

Result = TypeVar("Result")

log = logging.getLogger(__name__)


class ServerNotStarted(AskbackError):
    """The server did not start, or is not ready yet; the message says where to find the reason."""


class NotStopped(AskbackError):
    """The server has not ended in time; the message says how to end it."""


@asynccontextmanager
async def own_server() -> AsyncGenerator[None]:
    """Keep the server running that the credentials file names by its data folder; any other is not ours to start.

    A server that is killed meanwhile is started again. After `askback stop` it stays stopped.
    Raises `ServerNotStarted`.
    """
    if (data_dir := named_data_dir()) is None:
        yield
        return
    await run_in_thread(partial(ensure_server, data_dir))
    watching = asyncio.create_task(_watch(data_dir))
    try:
        yield
    finally:
        watching.cancel()


async def _watch(data_dir: Path) -> None:
    pause_s = WATCH_S
    while True:
        await asyncio.sleep(pause_s)
        is_down = True
        try:
            if is_down := await run_in_thread(partial(_was_killed, data_dir)):
                await run_in_thread(partial(ensure_server, data_dir))
        except Exception as error:  # noqa: BLE001 - the next check tries again
            log.warning("the server of %s cannot be watched: %s", data_dir, error)
        pause_s = min(2 * pause_s, MAX_WATCH_S) if is_down else WATCH_S


def ensure_server(data_dir: Path, *, start_s: float = START_S) -> None:
    """Start the server of a folder if none runs, and wait until it accepts requests, at most `start_s` seconds.

    The server keeps running when this program ends. Of several concurrent callers, one starts it. A server that
    something else starts meanwhile is used too. Raises `ServerNotStarted`.
    """
    if _is_running(data_dir):
        return
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    end = time.monotonic() + start_s
    for port in _ports(data_dir):
        try:
            if _is_running(data_dir) or _start(data_dir, port, end):
                return
        except TimeoutError:
            raise ServerNotStarted(
                f"The askback server is not ready after {start_s:g} seconds; {data_dir / LOG} may say why. Try "
                "again in a minute. If that does not help, tell the user to run `askback stop` and `askback serve`."
            ) from None
        except OSError as error:
            raise ServerNotStarted(f"The askback server cannot be started: {error}.") from None
        if not _process_id(data_dir):
            raise ServerNotStarted("The askback server was stopped with `askback stop` while it started.")
    if not _is_running(data_dir):
        raise ServerNotStarted(
            f"The askback server did not start; {data_dir / LOG} says why. Tell the user to run `askback serve`."
        )


def _ports(data_dir: Path) -> Iterable[Sequence[str]]:
    """Give the options for the port of the settings, of the last server, and of any that is free.

    That of a killed server comes first: addresses in messages and of calls that wait stay valid. Another program may
    have a port.
    """
    last_port = urlsplit(server_file.read(data_dir / "server.json").get("url", "")).port
    ports: list[Sequence[str]] = [(), *([("--port", str(last_port))] if last_port else [])]
    return *(reversed(ports) if _process_id(data_dir) else ports), ("--port", "0")


def _process_id(data_dir: Path) -> str:
    """Return the process id of the background server; empty after `askback stop`, and if there was none."""
    try:
        text = (data_dir / PID).read_text()
    except FileNotFoundError:
        return ""
    return "" if STOPPED in text else text.strip()


def _was_killed(data_dir: Path) -> bool:
    """Return whether the background server has ended without `askback stop`, and none runs in its place."""
    if not _process_id(data_dir):
        return False
    with _open(data_dir / PID, "a") as pid, _open(data_dir / LOCK, "w") as lock:
        if not (try_lock(lock.fileno()) and try_lock(pid.fileno())):
            return False  # it runs, or is being started or stopped
        if is_replaced := _is_running(data_dir):
            pid.truncate(0)  # this server is not ours to restart
        return not is_replaced


def _is_running(data_dir: Path) -> bool:
    return is_running(server_file.read(data_dir / "server.json"))


def _start(data_dir: Path, port: Sequence[str], end: float) -> bool:
    """Start a server, or wait for one that something else starts; return whether it is ready.

    `end` is in seconds of the monotonic clock. Raises `TimeoutError`.
    """
    while (output := _launch(data_dir, port)) is None:
        if _is_running(data_dir):
            return True
        if time.monotonic() >= end:
            raise TimeoutError
        time.sleep(CHECK_S)
    lines: list[bytes] = []
    reader = threading.Thread(target=_read_ready_line, args=(output, lines), daemon=True)
    reader.start()
    reader.join(max(0.0, end - time.monotonic()))
    if reader.is_alive():
        raise TimeoutError
    return bool(lines[0])


_DETACHED = ("/bin/sh", "-c", '"$@" & echo $! >"$0"', PID)
"""Starts a command that is no child of this process, and notes its id: Claude Code kills what a hook has started."""


def _launch(data_dir: Path, port: Sequence[str]) -> IO[bytes] | None:
    """Start a server, and return its output, a line of JSON when it is ready; None while another one runs."""
    words = program("serve", "--data-dir", str(data_dir), "--ready-json", *port)
    with _open(data_dir / LOCK, "w") as lock, _open(data_dir / PID, "a+") as pid:
        if not (try_lock(lock.fileno()) and try_lock(pid.fileno())):
            return None
        with _open(data_dir / LOG, "w") as log:
            process = subprocess.Popen(  # noqa: S603 - our own module
                (*_DETACHED, *words),
                cwd=data_dir,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                pass_fds=(pid.fileno(),),  # with it the lock, until the server ends
                start_new_session=True,  # it serves other clients too, so it does not end with this one
            )
        process.wait()  # the shell; it has noted the id even if this process is killed before
    return process.stdout


def _environment() -> dict[str, str]:
    """Return the environment of the server: that of the client, without askback's variables but the port.

    Some clients read variables from a file of the folder in which they start, such as `.env` of a cloned repository.
    Its author would choose the tokens, the database or the keys of the server.
    """
    return {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(OWN_PREFIX) or name in PASSED_ON
    }


def _read_ready_line(output: IO[bytes], lines: list[bytes]) -> None:
    """Append the first line of a server, or an empty one when it has ended without any."""
    with output:
        lines.append(output.readline())


def stop_server(data_dir: Path, *, stop_s: float = STOP_S) -> bool:
    """Stop the background server of a folder, and wait until it has ended, at most `stop_s` seconds.

    Return False if none runs. Raises `NotStopped`.
    """
    try:
        pid = _open(data_dir / PID, "r+")
    except FileNotFoundError:
        return False
    end = time.monotonic() + stop_s
    with pid, _open(data_dir / LOCK, "w") as lock:
        while not try_lock(lock.fileno()):  # one that is just being started has written its id by then
            if time.monotonic() >= end:
                raise NotStopped(f"Another process has kept {data_dir / LOCK} locked. Try again.")
            time.sleep(CHECK_S)
        if try_lock(pid.fileno()):
            pid.truncate(0)
            return False
        words = pid.read().split()
        if not words:
            raise NotStopped("The server has only just been started. Try again.")
        process_id = int(words[0])
        pid.seek(0)
        pid.write(f"{process_id} {STOPPED}\n")
        pid.flush()  # before it ends, so that no call that waits starts it again
        os.kill(process_id, signal.SIGTERM)
        while not try_lock(pid.fileno()):
            if time.monotonic() >= end:
                raise NotStopped(
                    f"The server, process {process_id}, has not ended after {stop_s:g} seconds; {data_dir / LOG} may "
                    f"say why. End it with `kill -9 {process_id}`: everything that is stored stays."
                )
            time.sleep(CHECK_S)
        pid.truncate(0)
    return True


def _open(path: Path, mode: str) -> IO[str]:
    return open(path, mode, opener=_open_private)


def _open_private(path: str, flags: int) -> int:
    """Open a file for its owner only. Anybody who can read it can lock it, and a lock stops every start."""
    descriptor = os.open(path, flags, 0o600)
    os.fchmod(descriptor, 0o600)  # earlier versions let others read it
    return descriptor
