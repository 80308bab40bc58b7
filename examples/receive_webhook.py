"""A receiver of webhooks: an ASGI app (`uvicorn receive_webhook:app`) that continues with each resume once."""

import os

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from askback import BadSignature, verify_webhook

done: set[str] = set()  # yours is a table: it has to survive a restart


async def receive(request: Request) -> Response:
    body = await request.body()
    try:
        message = verify_webhook(body, request.headers, os.environ["WEBHOOK_SECRET"])
    except BadSignature:
        return Response(status_code=401)
    message_id = request.headers["webhook-id"]
    if message["type"] == "resume" and message_id not in done:
        done.add(message_id)
        print(message["data"]["text"], flush=True)  # what a model reads first in its next turn
    return Response(status_code=204)


app = Starlette(routes=[Route("/askback", receive, methods=["POST"])])
