"""`AsyncClient`: the asynchronous client for agents and programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from askback.client import discovery
from askback.client.answers import Answers
from askback.client.approvals import Approvals
from askback.client.channel import Connector, Via
from askback.client.discovery import Server
from askback.client.forms import Forms
from askback.client.hooks import Hook
from askback.client.keeping import Keeping
from askback.client.link import Link
from askback.client.policies import Policies
from askback.client.requests import Requests
from askback.client.resumes import Resumes
from askback.client.road import Road
from askback.client.secrets import SecretRequests
from askback.client.threads import Threads
from askback.client.webhooks import Webhooks
from askback.domain.modeltext import with_texts

Transport = Literal["auto", "websocket", "http"]

RETRY_S = 30.0


class AsyncClient(
    Forms, Approvals, SecretRequests, Requests, Resumes, Answers, Policies, Keeping, Webhooks, Threads
):
    """A connection to an askback server, which carries every call and every wait.

    `url` and `token` default to `ASKBACK_URL` and `ASKBACK_TOKEN`, and those to the server that
    runs on this machine. `app=create_app(…)` talks to an app in this process instead. A lost
    connection is made again by itself: waits go on for as long as they are awaited, other calls
    are tried for `retry_for` seconds and then raise `ConnectionLost`, or `Unavailable` where the
    server was there and could not store anything.

    `hooks` may refuse any call that is asked by `approve`. `texts` replaces what a model reads about an outcome, by
    the keys of `askback.domain.modeltext.TEXTS`, and `brand` is who speaks there about secrets. `via` is what the audit
    log says of the way on which this client came.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        app: Any = None,
        transport: Transport = "auto",
        retry_for: float = RETRY_S,
        hooks: Sequence[Hook] = (),
        texts: Mapping[str, str] | None = None,
        brand: str | None = None,
        via: Via = "api",
    ) -> None:
        connector, road = _ways(url, token, app=app, transport=transport, via=via)
        wording = with_texts(texts or {}, brand=brand)
        super().__init__(Link(connector), road, retry_for=retry_for, texts=wording, hooks=hooks)


def _ways(
    url: str | None, token: str | None, *, app: Any, transport: Transport, via: Via
) -> tuple[Connector, Road]:
    """Return what connects to the server, and the road to it for secret values."""
    if app is not None:
        from askback.client.channel_app import AppConnector, Residence
        from askback.client.road_app import AppRoad

        residence = Residence(app, token)
        return AppConnector(residence, via=via), AppRoad(residence, via=via)
    from askback.client.road_http import HttpRoad

    server = discovery.find(url, token)
    return _connector(server, transport, via=via), HttpRoad(server.url, server.token, via=via)


def _connector(server: Server, transport: Transport, *, via: Via) -> Connector:
    if transport == "http":
        from askback.client.channel_http import HttpConnector

        return HttpConnector(server.url, server.token, via=via)
    if transport == "websocket":
        from askback.client.channel_websocket import WebSocketConnector

        return WebSocketConnector(server.url, server.token, via=via)
    from askback.client.channel_auto import AutoConnector

    return AutoConnector(server.url, server.token, via=via)
