"""The server itself."""

from __future__ import annotations

from askback.service import server
from askback.transports import texts
from askback.transports.call import OperationCall, Result


async def get_server(call: OperationCall) -> Result:
    """Read the version of this server, its database and its audit log."""
    return Result(texts.server_text(await server.get_server(call.ctx, call.principal)))
