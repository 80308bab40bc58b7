"""Measure a round trip over the network: ask, store, push to a browser-like client, answer, store, return.

One `AsyncClient` carries all agents, each person follows one thread. With two servers agents use one and
persons the other, so both halves of each round trip go from server to server.
"""

from __future__ import annotations

import argparse
from typing import Any

import uvloop

from askback import AsyncClient
from bench.measure import closed_loop, emit, latency
from bench.payload import ANSWER, questionnaire
from bench.persons import person
from bench.servers import REQUESTER, STORES, Databases, Site, serve


async def case(site: Site, databases: Databases, at_once: int, total: int) -> dict[str, Any]:
    """Measure `total` round trips with `at_once` conversations."""
    persons = [await person(site.persons, f"t{i}") for i in range(at_once)]
    free_numbers = list(range(at_once))
    async with AsyncClient(site.agents, REQUESTER) as agents:

        async def cycle(i: int) -> None:
            thread = free_numbers.pop()
            answer = await agents.form(questionnaire(i), thread_id=f"t{thread}")
            free_numbers.append(thread)
            assert answer.values == ANSWER

        await closed_loop(at_once, max(20, at_once * 4), cycle)
        servers, postgres = site.cpu_seconds(), databases.postgres_cpu_seconds()
        samples, seconds = await closed_loop(at_once, total, cycle)
        servers, postgres = site.cpu_seconds() - servers, databases.postgres_cpu_seconds() - postgres
    for listener in persons:
        assert not listener.refused_frames, listener.refused_frames[:1]
        listener.transport.disconnect()
    return {
        "cycles_s": round(total / seconds),
        "server_cpu_us": round(servers / total * 1e6, 1),
        "postgres_cpu_us": round(postgres / total * 1e6, 1),
        **latency(samples),
    }


def main() -> None:
    """Measure each store and degree of concurrency, `--repeat` times, interleaved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", default=",".join(STORES), help="stores, separated by commas")
    parser.add_argument("--at-once", default="1,64", help="conversations at once, separated by commas")
    parser.add_argument(
        "--total", type=int, default=8000, help="round trips per case, except at one conversation"
    )
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    with Databases() as databases:
        for _ in range(args.repeat):
            for store in args.store.split(","):
                for at_once in map(int, args.at_once.split(",")):
                    total = args.total if at_once > 1 else args.total // 8
                    with databases.new(store) as url, serve(url, servers=STORES[store]) as site:
                        figures = uvloop.run(case(site, databases, at_once, total))
                    emit("roundtrip", f"{store}_at_once_{at_once}", **figures)


if __name__ == "__main__":
    main()
