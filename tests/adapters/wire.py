"""Pass data between two programs, and do something at a chosen piece of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass


@dataclass
class Moment:
    """A piece of the data that passes, counted over all wires that share the moment; `strike` runs when it comes."""

    left: int = 0
    """How many pieces are left until then; none if it is 0 or less already."""
    strike: Callable[[], None] = lambda: None

    async def passes(self) -> bool:
        """Count a piece, and return whether it is the one."""
        self.left -= 1
        if self.left != 0:
            return False
        await asyncio.to_thread(self.strike)
        return True


@dataclass
class Wire:
    """Passes data between a program and the server at `to`; the piece at the moment is lost with its connection."""

    to: str
    moment: Moment
    url: str = ""

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on one connection until either end closes it."""
        with suppress(OSError):
            far_reader, far_writer = await asyncio.open_connection(
                "127.0.0.1", int(self.to.rpartition(":")[2])
            )
            ways = [self._pass(reader, far_writer), self._pass(far_reader, writer)]
            tasks = [asyncio.create_task(task) for task in ways]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            far_writer.close()
        writer.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(1 << 16):
                if await self.moment.passes():
                    return
                writer.write(data)


@asynccontextmanager
async def wire_to(address: str, moment: Moment) -> AsyncIterator[Wire]:
    """Listen on a port of its own, and pass on what comes to the address."""
    wire = Wire(address, moment)
    listening = await asyncio.start_server(wire.accept, "127.0.0.1", 0)
    wire.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    yield wire
    listening.close()
