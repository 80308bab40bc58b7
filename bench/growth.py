"""Measure single calls over 10³, 10⁵ and, on demand, 10⁶ requests.

python -m bench growth --backend sqlite,postgres --sizes 1000,100000 [--sizes 1000,100000,1000000]

Each size has a separate database, filled with copies of a request (`backlog.py`), half of which have ended. Calls are
made one at a time over HTTP, `--repeat` times and on the sizes by turns; the table has their medians in milliseconds.
The jobs of the server (`sweep`, `retention`) then run in this process, on the same databases.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from askback.server.app import create_app
from askback.server.settings import load
from askback.service.context import Services
from askback.service.jobs import deadlines
from askback.service.threads import erase
from bench.backlog import FIRST_THREAD, PER_THREAD, fill, settle
from bench.measure import emit
from bench.payload import ANSWER
from bench.restart import ask
from bench.servers import ADMIN, METRICS, REQUESTER, RESPONDER, Databases, serve

SIZES = "1000,100000"
LISTS: Mapping[str, Mapping[str, str]] = {
    "list": {},
    "list, one status": {"status": "pending"},
    "list, two statuses": {"status": "pending,answered"},
    "list, one kind": {"kind": "form"},
    "list, kind and status": {"kind": "form", "status": "pending"},
    "list, one thread": {"thread_id": "t7"},
    "list, thread and status": {"thread_id": "t7", "status": "pending"},
}

HISTORY: Mapping[str, Mapping[str, str]] = {
    "history": {},
    "history, one thread": {"thread_id": "t7"},
    "history, one person": {"by": "tok_of_a_person"},
    "history, one kind": {"kind": "form"},
    "history, one outcome": {"outcome": "expired"},
    "history, text that none has": {"q": "nothing has this"},
    "history, since": {"settled_after": "2026-01-01T00:00:00Z"},
}
PREVIEW = {"rule": {"rule": "bash(git push *)", "effect": "ask"}}
Call = Callable[[int], httpx2.Response]
Job = Callable[[Services], Coroutine[Any, Any, object]]
JOBS: Mapping[str, Job] = {
    "sweep": deadlines.sweep,
    "retention": lambda services: erase.erase_expired(services, 30),
}


def calls(
    agent: httpx2.Client,
    newcomer: httpx2.Client,
    person: httpx2.Client,
    admin: httpx2.Client,
    ids: Sequence[str],
) -> Iterator[tuple[str, Call]]:
    """Return each call by its name; it is called with the number of the repetition.

    The agent has all the requests. The `newcomer` creates the new ones: a create counts what its agent has open, and no
    real agent has more than its limit.
    """

    def answer(n: int) -> httpx2.Response:
        return person.post(f"/v1/requests/{ids[n]}/answer", json={"revision": 1, "values": ANSWER})

    def listing(client: httpx2.Client, params: Mapping[str, str]) -> Call:
        return lambda _: client.get("/v1/requests", params=params)

    yield "create", lambda n: ask(newcomer, f"new-{n}")
    yield "answer", answer
    yield "inbox", listing(person, {"status": "pending"})
    for name, params in LISTS.items():
        yield f"{name}, as agent", listing(agent, params)
    yield "thread", lambda _: person.get("/v1/threads/t9")
    for name, params in HISTORY.items():
        yield name, lambda _, params=params: person.get("/v1/history", params=params)
    yield "missed", lambda _: person.get("/v1/missed")
    yield "conversations", lambda _: person.get("/v1/conversations")
    yield (
        "conversations, text that none has",
        lambda _: person.get("/v1/conversations", params={"q": "nothing"}),
    )
    yield "threads", lambda _: agent.get("/v1/threads")
    yield "audit, newest", lambda _: admin.get("/v1/audit/entries")
    yield "audit, one action", lambda _: admin.get("/v1/audit/entries", params={"action": "decide"})
    yield "audit, one request", lambda _: admin.get("/v1/audit/entries", params={"request_id": ids[0]})
    yield "preview of a rule", lambda _: admin.post("/v1/rules/preview", json=PREVIEW)
    yield "metrics", lambda _: admin.get("/metrics", headers=_bearer(METRICS))


@dataclass(frozen=True)
class Filled:
    """A database of one size: its calls, and the milliseconds of each job."""

    calls: Mapping[str, Call]
    jobs: Mapping[str, float]


@contextmanager
def serve_filled_database(databases: Databases, backend: str, size: int, repeat: int) -> Generator[Filled]:
    """Serve a database with this many requests, until the block ends."""
    with databases.new(backend) as url:
        with serve(url) as site, _client(site.agents, REQUESTER) as agent:
            ask(agent, FIRST_THREAD)
        fill(url, size)
        settle(url)
        jobs = asyncio.run(_run_jobs(url))
        with (
            serve(url) as site,
            _client(site.agents, REQUESTER) as agent,
            _client(site.persons, RESPONDER) as person,
            _client(site.persons, ADMIN) as admin,
            _client(site.agents, _new_token(admin)) as newcomer,
        ):
            threads = [f"t{n}" for n in range(1, 2 * repeat // PER_THREAD + 2)]
            pages = [person.get("/v1/requests", params={"thread_id": thread}).json() for thread in threads]
            open_ids = [
                request["id"]
                for page in pages
                for request in page["requests"]
                if request["status"] == "pending"
            ]
            yield Filled(dict(calls(agent, newcomer, person, admin, open_ids)), jobs)


async def _run_jobs(url: str) -> Mapping[str, float]:
    """Run each job once to get warm, then return the milliseconds of the second run."""
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(
            load({"ASKBACK_DATABASE_URL": url, "ASKBACK_MASTER_KEYS": "off"}, data_dir=Path(folder))
        )
        async with app.running(serves=False):
            for name, job in JOBS.items():
                await job(app.services)
                started_at = time.perf_counter()
                await job(app.services)
                figures[name] = round((time.perf_counter() - started_at) * 1e3, 2)
    return figures


def measure(sizes: Mapping[int, Filled], repeat: int) -> Mapping[int, Mapping[str, float]]:
    """Make each call on each size by turns; return the medians in milliseconds."""
    samples: dict[int, dict[str, list[float]]] = {size: {} for size in sizes}
    for name in next(iter(sizes.values())).calls:
        for n in range(repeat):
            for size, database in sizes.items():
                started_at = time.perf_counter()
                database.calls[name](n).raise_for_status()
                samples[size].setdefault(name, []).append(time.perf_counter() - started_at)
    return {
        size: {name: round(statistics.median(item) * 1e3, 2) for name, item in by_name.items()}
        | dict(sizes[size].jobs)
        for size, by_name in samples.items()
    }


def table(measured: Mapping[int, Mapping[str, float]]) -> Iterator[str]:
    """Give a Markdown table of the medians: a row for each call, a column for each size, and the growth."""
    sizes = sorted(measured)
    yield f"| ms | {' | '.join(f'{size:,}' for size in sizes)} | growth |"
    yield f"|---|{'---|' * len(sizes)}---|"
    for name in measured[sizes[0]]:
        row = [measured[size][name] for size in sizes]
        yield f"| {name} | {' | '.join(f'{ms:.2f}' for ms in row)} | {row[-1] / row[0]:.1f} × |"


def _new_token(admin: httpx2.Client) -> str:
    """Make a token of another agent."""
    new_token = admin.post("/v1/tokens", json={"role": "requester", "name": "newcomer"}).raise_for_status()
    return new_token.json()["token"]


def _client(url: str, token: str) -> httpx2.Client:
    return httpx2.Client(base_url=url, headers=_bearer(token), timeout=60)


def _bearer(token: str) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {token}"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill a database of each size, measure on it, and print a table for each backend."""
    parser = argparse.ArgumentParser(
        prog="python -m bench growth",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--backend", default="sqlite,postgres", help="sqlite, postgres, separated by commas")
    parser.add_argument("--sizes", default=SIZES, help="pending requests, separated by commas")
    parser.add_argument("--repeat", type=int, default=40)
    args = parser.parse_args(arguments)
    report: list[str] = []
    with Databases() as databases:
        for backend in args.backend.split(","):
            with ExitStack() as stack:
                sizes = {
                    size: stack.enter_context(serve_filled_database(databases, backend, size, args.repeat))
                    for size in map(int, args.sizes.split(","))
                }
                measured = measure(sizes, args.repeat)
            for size, figures in measured.items():
                emit("growth", f"{backend}_{size}", **figures)
            report += ["", f"**{backend}**", "", *table(measured)]
    print("\n".join(report))


if __name__ == "__main__":
    main()
