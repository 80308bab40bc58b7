"""Health, readiness, metrics, and the OpenAPI document."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache

import anyio

from askback.domain.kinds import KINDS
from askback.domain.metrics import CONTENT_TYPE, gauge, metric_head, metric_sample
from askback.errors import Unavailable
from askback.ports.health import Counts, Pressure
from askback.ports.store import Principal
from askback.service.access import roles
from askback.service.context import Services
from askback.transports.endpoint import HttpHandler
from askback.transports.http import HttpCall, Reply, json_reply, text_reply

FRESH_S = 1.0
PATIENCE_S = 5.0

log = logging.getLogger(__name__)


class Readiness:
    """The handler of `GET /readyz`: 200 while a change can be stored, else 503 with the reason.

    The route is public, so the store is checked at most once a second.
    """

    def __init__(self) -> None:
        self._lock = anyio.Lock()
        self._looked: float | None = None
        self._why_not_ready: str | None = None

    async def __call__(self, call: HttpCall) -> Reply:
        """Answer."""
        call.ctx.read_only.require_writable()
        async with self._lock:
            if self._looked is None or anyio.current_time() - self._looked > FRESH_S:
                self._why_not_ready = await _why_not_ready(call.ctx)
                self._looked = anyio.current_time()
        if self._why_not_ready is not None:
            raise Unavailable(self._why_not_ready, retry_after=PATIENCE_S)
        return json_reply({"status": "ready"})


def metrics(connections: Callable[[], Mapping[str, int]]) -> HttpHandler:
    """Return the handler of `GET /metrics`; `connections` counts open connections by kind."""

    async def show(call: HttpCall) -> Reply:
        text = await exposition(call.ctx, call.principal, connections())
        return Reply(200, text.encode(), ((b"content-type", CONTENT_TYPE.encode()),))

    return show


async def get_health(call: HttpCall) -> Reply:
    """Return 200 while the process responds and its reads end.

    A database that is away is no reason to restart the process, which reconnects automatically; see `Readiness`.
    """
    with suppress(Unavailable):
        await call.ctx.store.next_deadline()
    return json_reply({"status": "ok"})


@cache
def _document() -> str:
    from askback.wire import openapi  # loads every model, which only this route needs

    return openapi.text()


async def get_openapi(_call: HttpCall) -> Reply:
    """Return the OpenAPI document."""
    return text_reply(_document())


async def _why_not_ready(ctx: Services) -> str | None:
    try:
        with anyio.fail_after(PATIENCE_S):
            await ctx.store.check_writable()
    except Unavailable as error:
        log.warning("not ready: %s", error.message)
        return f"This server cannot store anything right now. {error.message}"
    except TimeoutError:
        log.warning("not ready: the store did not answer within %.0f s", PATIENCE_S)
        return "This server cannot store anything right now."
    return None


async def exposition(ctx: Services, principal: Principal, connections: Mapping[str, int]) -> str:
    """Return all metrics as text; `connections` has the number of open connections by kind."""
    await roles.require(ctx, principal, "get_metrics")
    counts = await ctx.store.counts(now_ms=ctx.clock.now_ms())
    kinds = (({"kind": kind}, n) for kind, n in connections.items())
    lines = [
        *ctx.metrics.lines(),
        *_open_items(counts),
        *_writer(ctx.store.pressure()),
        *gauge("askback_connections", "What is open.", kinds),
    ]
    return "\n".join(lines) + "\n"


def _open_items(counts: Counts) -> Iterator[str]:
    yield from gauge(
        "askback_requests_open",
        "Requests without an end.",
        (({"kind": kind}, counts.open.get(kind, 0)) for kind in sorted(KINDS)),
    )
    resumes = {"waiting": counts.resumes_waiting, "leased": counts.resumes_leased}
    yield from gauge(
        "askback_resumes",
        "Resumes that nobody has finished.",
        (({"state": s}, n) for s, n in resumes.items()),
    )
    deliveries = {"waiting": counts.deliveries_waiting, "dead": counts.deliveries_dead}
    yield from gauge(
        "askback_webhook_deliveries",
        "Messages to webhooks that were not taken.",
        (({"state": s}, n) for s, n in deliveries.items()),
    )


def _writer(pressure: Pressure) -> Iterator[str]:
    for name, help_text, kind, value in (
        ("askback_writer_groups_total", "Transactions of the writer.", "counter", pressure.groups),
        ("askback_writer_changes_total", "Changes in them.", "counter", pressure.changes),
        ("askback_writer_queue", "Changes that wait for the writer.", "gauge", pressure.queued),
    ):
        yield metric_head(name, help_text, kind)
        yield metric_sample(name, {}, value)
