"""The parent process from which the tests fork commands: it has done their imports, and does nothing else.

It is started with one end of a socket, on which each message asks for a command and carries four descriptors: the
command's input, output and error output, and one to which the id of the process is written when it has begun
and its status when it has ended. When the other end of the socket is closed, it kills all running commands
and ends.

It imports slow packages, and the modules of askback that do not depend on arguments, environments and
terminals; the command imports the modules of `askback.cli`, as usual.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import importlib
import json
import os
import pkgutil
import runpy
import selectors
import signal
import socket
import sys
import termios
import threading
from contextlib import suppress
from io import TextIOWrapper
from typing import Any

PACKAGES = ("delivery", "domain", "ports", "service", "storage", "transports", "vault", "wire")
"""Of askback; many of their modules are imported when they are first used, by nearly every command and server."""
OTHERS = (
    *("askback.client", "askback.client.async_client", "askback.client.transport_websocket"),
    *(
        "askback.server.app",
        "askback.server.process",
        "askback.server.settings",
        "askback.server.bootstrap_tokens",
    ),
    *("anyio._backends._asyncio", "encodings.idna", "getpass", "httpx2", "websockets.asyncio.client"),
    *("rich.console", "rich.markdown", "rich.table", "rich.traceback"),
    *("typer._adapters", "typer._click.decorators", "typer.core", "typer.main", "typer.rich_utils"),
    *("uvicorn", "uvicorn.lifespan.off", "uvicorn.loops.uvloop", "uvicorn.protocols.http.httptools_impl"),
)


def warm_up() -> None:
    """Import everything, and build a server once, which imports the rest."""
    for package in PACKAGES:
        path = importlib.import_module(f"askback.{package}").__path__
        for module in pkgutil.walk_packages(path, f"askback.{package}."):
            importlib.import_module(module.name)
    for name in OTHERS:
        importlib.import_module(name)
    importlib.import_module("askback.server.app").create_app()


def main(control: socket.socket) -> dict[str, Any] | None:
    """Fork a process for each message; return the message in the new process, and None in this one at the end."""
    warm_up()
    gc.freeze()  # the objects are shared as long as nobody writes to them
    assert threading.active_count() == 1, "a process with threads cannot be forked"
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: dict[int, int] = {}
    with selectors.DefaultSelector() as ready:
        ready.register(control, selectors.EVENT_READ)
        ready.register(woken, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                if key.fd == woken:
                    with suppress(BlockingIOError):
                        os.read(woken, 4096)
                    report(running)
                elif (message := receive(control)) is None:
                    for pid in running:
                        os.kill(pid, signal.SIGKILL)
                    return None
                elif not begin(message, running):
                    return message


def receive(control: socket.socket) -> dict[str, Any] | None:
    """Read a message; None when there will be no more."""
    data, descriptors, *_ = socket.recv_fds(control, 65536, 4)
    if not data:
        return None
    size = int.from_bytes(data[:4], "big")
    while len(data) < size + 4:
        data += control.recv(65536)
    return {**json.loads(data[4:]), "descriptors": descriptors}


def begin(message: dict[str, Any], running: dict[int, int]) -> bool:
    """Fork; true in the parent, false in the new process."""
    *streams, status = message["descriptors"]
    pid = os.fork()
    if pid:
        os.write(status, f"{pid}\n".encode())
        running[pid] = status
        for descriptor in streams:
            os.close(descriptor)
    return pid != 0


def report(running: dict[int, int]) -> None:
    """Report the statuses of ended processes."""
    while running:
        pid, ended = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        status = running.pop(pid)
        with suppress(BrokenPipeError):  # nobody waits for it
            os.write(status, f"{os.waitstatus_to_exitcode(ended)}\n".encode())
        os.close(status)


def run_program(message: dict[str, Any]) -> None:
    """Turn this process into a started Python program with these arguments."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for target, descriptor in enumerate(message["descriptors"][:3]):
        os.dup2(descriptor, target)
    os.closerange(3, 256)
    if message["terminal"]:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl-C is a signal
    os.chdir(message["folder"])
    os.environ.clear()
    os.environ.update(message["environment"])
    through = bool(os.environ.get("PYTHONUNBUFFERED"))
    sys.stdin, sys.stdout, sys.stderr = (text_on(descriptor, mode) for descriptor, mode in enumerate("rww"))
    sys.stdout.reconfigure(line_buffering=os.isatty(1), write_through=through)
    sys.stderr.reconfigure(line_buffering=True, write_through=through, errors="backslashreplace")
    sys.argv = [message["program"], *message["arguments"]]
    if message["program"].endswith(".py"):
        sys.path[0] = os.path.dirname(message["program"])
    else:
        sys.path[0] = os.getcwd()


def run(program: str) -> None:
    """Run a file, or a module by its name."""
    if program.endswith(".py"):
        runpy.run_path(program, run_name="__main__")
    else:
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    end(None)


def text_on(descriptor: int, mode: str) -> TextIOWrapper:
    """Open a standard stream, which is never closed."""
    stream = os.fdopen(descriptor, mode, encoding="utf-8", closefd=False)
    assert isinstance(stream, TextIOWrapper)
    return stream


def end(status: object) -> None:
    """End this process like Python, but without destroying each object, which costs more than most commands."""
    if status is None or isinstance(status, int):
        threading._shutdown()  # pyright: ignore[reportAttributeAccessIssue] - waits for threads, as Python does
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status or 0)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as listening:
        program = main(listening)
        if program is not None:
            listening.detach()
    if program is not None:
        run_program(program)
        del program, listening
        try:
            run(sys.argv[0])
        except SystemExit as ended:
            end(ended.code)
            raise
