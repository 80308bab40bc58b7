"""Write the metrics of a server as text: counts since its start, and open items now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from askback.domain.kinds import KINDS
from askback.domain.metrics import gauge, head, sample
from askback.ports.health import Counts, Pressure
from askback.ports.store import Principal
from askback.service import access
from askback.service.context import Services


async def exposition(ctx: Services, principal: Principal, connections: Mapping[str, int]) -> str:
    """Return every number as text; `connections` says how many of each kind there are now."""
    await access.require(ctx, principal, "metrics")
    counts = await ctx.store.counts(now_ms=ctx.clock.now_ms())
    kinds = (({"kind": kind}, n) for kind, n in connections.items())
    lines = [
        *ctx.metrics.lines(),
        *_waiting(counts),
        *_writer(ctx.store.pressure()),
        *gauge("askback_connections", "What is open.", kinds),
    ]
    return "\n".join(lines) + "\n"


def _waiting(counts: Counts) -> Iterator[str]:
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
    for name, about, kind, value in (
        ("askback_writer_groups_total", "Transactions of the writer.", "counter", pressure.groups),
        ("askback_writer_changes_total", "Changes in them.", "counter", pressure.changes),
        ("askback_writer_queue", "Changes that wait for the writer.", "gauge", pressure.queued),
    ):
        yield head(name, about, kind)
        yield sample(name, {}, value)
