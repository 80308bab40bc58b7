"""How long single calls take over 10³, 10⁵ and, on demand, 10⁶ pending requests: a flat line, or a reason.

python -m bench growth --backend sqlite,postgres --sizes 1000,100000 [--sizes 1000,100000,1000000]

Each size is a database of its own, filled with copies of a request (`backlog.py`). Calls are made one at a time over
HTTP, `--repeat` times and on the sizes by turns; the table has their medians in milliseconds.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

import httpx2

from bench.backlog import FIRST_THREAD, PER_THREAD, fill
from bench.measure import emit
from bench.payload import ANSWER
from bench.restart import ask
from bench.servers import REQUESTER, RESPONDER, Databases, serve

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

Call = Callable[[int], httpx2.Response]


def calls(agent: httpx2.Client, person: httpx2.Client, ids: Sequence[str]) -> Iterator[tuple[str, Call]]:
    """Give each call by its name; it is called with the number of the repetition."""

    def answer(n: int) -> httpx2.Response:
        return person.post(f"/v1/requests/{ids[n]}/answer", json={"revision": 1, "values": ANSWER})

    def listing(client: httpx2.Client, params: Mapping[str, str]) -> Call:
        return lambda _: client.get("/v1/requests", params=params)

    yield "create", lambda n: ask(agent, f"new-{n}")
    yield "answer", answer
    yield "inbox", listing(person, {"status": "pending"})
    for name, params in LISTS.items():
        yield f"{name}, as agent", listing(agent, params)
    yield "thread", lambda _: person.get("/v1/threads/t9")


@contextmanager
def filled(databases: Databases, backend: str, size: int, repeat: int) -> Generator[Mapping[str, Call]]:
    """Serve a database that has so many requests; give its calls until the block ends."""
    with databases.new(backend) as url:
        with serve(url) as site, _client(site.agents, REQUESTER) as agent:
            ask(agent, FIRST_THREAD)
        fill(url, size)
        with (
            serve(url) as site,
            _client(site.agents, REQUESTER) as agent,
            _client(site.persons, RESPONDER) as person,
        ):
            threads = [f"t{n}" for n in range(1, repeat // PER_THREAD + 2)]
            pages = [person.get("/v1/requests", params={"thread_id": thread}).json() for thread in threads]
            yield dict(calls(agent, person, [each["id"] for page in pages for each in page["requests"]]))


def measure(sizes: Mapping[int, Mapping[str, Call]], repeat: int) -> Mapping[int, Mapping[str, float]]:
    """Make each call on each size by turns; return the medians in milliseconds."""
    samples: dict[int, dict[str, list[float]]] = {size: {} for size in sizes}
    for name in next(iter(sizes.values())):
        for n in range(repeat):
            for size, by_name in sizes.items():
                began = time.perf_counter()
                by_name[name](n).raise_for_status()
                samples[size].setdefault(name, []).append(time.perf_counter() - began)
    return {
        size: {name: round(statistics.median(each) * 1e3, 2) for name, each in by_name.items()}
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


def _client(url: str, token: str) -> httpx2.Client:
    return httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60)


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill a database of each size, measure on it, and print a table for each backend."""
    parser = argparse.ArgumentParser(
        prog="python -m bench growth",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--backend", default="sqlite,postgres", help="sqlite, postgres, with commas")
    parser.add_argument("--sizes", default=SIZES, help="pending requests, with commas")
    parser.add_argument("--repeat", type=int, default=40)
    args = parser.parse_args(arguments)
    report: list[str] = []
    with Databases() as databases:
        for backend in args.backend.split(","):
            with ExitStack() as stack:
                sizes = {
                    size: stack.enter_context(filled(databases, backend, size, args.repeat))
                    for size in map(int, args.sizes.split(","))
                }
                measured = measure(sizes, args.repeat)
            for size, figures in measured.items():
                emit("growth", f"{backend}_{size}", **figures)
            report += ["", f"**{backend}**", "", *table(measured)]
    print("\n".join(report))


if __name__ == "__main__":
    main()
