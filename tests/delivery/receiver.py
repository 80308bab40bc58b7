"""A receiver of webhooks on this machine, with scripted answers and a record of messages."""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.abc import ByteStream
from anyio.streams.tls import TLSListener

OK = b"HTTP/1.1 204 No Content\r\n\r\n"


def reply(status: int, *headers: str) -> bytes:
    """An answer without a body."""
    lines = [f"HTTP/1.1 {status} X", "content-length: 0", *headers, "", ""]
    return "\r\n".join(lines).encode()


@dataclass
class ReceivedMessage:
    """One message."""

    line: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """It returns `answers` in turn, and then repeats the last one."""

    port: int = 0
    answers: list[bytes] = field(default_factory=lambda: [OK])
    got: list[ReceivedMessage] = field(default_factory=list[ReceivedMessage])
    silent: bool = False
    endless: bool = False

    async def serve(self, stream: ByteStream) -> None:
        """Take one message and answer it."""
        async with stream:
            data = b""
            try:
                while b"\r\n\r\n" not in data:
                    data += await stream.receive()
                head, _, body = data.partition(b"\r\n\r\n")
                line, *rest = head.decode().split("\r\n")
                headers = {k.lower(): v for k, _, v in (item.partition(": ") for item in rest)}
                while len(body) < int(headers.get("content-length", 0)):
                    body += await stream.receive()
                self.got.append(ReceivedMessage(line, headers, body))
                if self.silent:
                    await anyio.sleep_forever()
                await stream.send(self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])
                while self.endless:
                    await stream.send(b"x" * 65536)
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                return


@asynccontextmanager
async def receiving(tls: ssl.SSLContext | None = None) -> AsyncGenerator[Receiver]:
    """Listen on a free port of 127.0.0.1."""
    receiver = Receiver()
    plain = await anyio.create_tcp_listener(local_host="127.0.0.1")
    receiver.port = plain.extra(anyio.abc.SocketAttribute.local_port)
    listener = plain if tls is None else TLSListener(plain, tls, standard_compatible=False)
    async with plain, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, receiver.serve)
        yield receiver
        tasks.cancel_scope.cancel()
