"""Measure how long a server takes to restart over a backlog of pending requests, and its first call of each kind.

`ready_ms` is from the start of the process, Python's imports included, to a 200 of /readyz; the case without
a backlog shows the cost of the backlog. `ready_cpu_s` is the CPU time until then. `cpu_s` is the CPU time until some
seconds later, which would reveal background work on every row.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import httpx2

from bench.backlog import FIRST_THREAD, PER_THREAD, fill
from bench.measure import emit
from bench.payload import ANSWER, questionnaire
from bench.servers import REQUESTER, RESPONDER, Databases, serve

LATER_S = 4.0


def ask(agent: httpx2.Client, thread_id: str) -> httpx2.Response:
    """Ask, and leave it open."""
    form = questionnaire(0).model_dump(exclude_none=True)
    body = {"kind": "form", "thread_id": thread_id, "form": form}
    return agent.post("/v1/requests", json=body, headers={"Idempotency-Key": thread_id}).raise_for_status()


def create_requests(url: str, count: int) -> None:
    """Let a server write one request, and copy it."""
    with serve(url) as site, _client(site.agents, REQUESTER) as agent:
        ask(agent, FIRST_THREAD)
    if count:
        fill(url, count)


def case(url: str, thread_id: str, new: str) -> dict[str, Any]:
    """Start a server on a database, and use it: `new` is a new thread, `thread_id` an existing one."""
    figures: dict[str, float] = {}
    started_at = time.perf_counter()

    def note(name: str) -> None:
        nonlocal started_at
        now = time.perf_counter()
        figures[name], started_at = round((now - started_at) * 1e3, 1), now

    with serve(url) as site:
        started = started_at
        with _client(site.agents, REQUESTER) as agent, _client(site.persons, RESPONDER) as person:
            assert person.get("/readyz").status_code == 200
            note("ready_ms")
            figures["ready_cpu_s"] = round(site.servers[0].cpu_seconds(), 2)
            ask(agent, new)
            note("first_ask_ms")
            pending = person.get("/v1/requests", params={"thread_id": thread_id, "status": "pending"}).json()
            note("first_thread_ms")
            assert pending["requests"]
            assert person.get("/v1/requests", params={"status": "pending"}).json()["requests"]
            note("first_inbox_ms")
            answer = {"revision": 1, "values": ANSWER}
            answered_reply = person.post(f"/v1/requests/{pending['requests'][0]['id']}/answer", json=answer)
            assert answered_reply.status_code == 200, answered_reply.text
            note("first_answer_ms")
        time.sleep(max(0.0, started + LATER_S - time.perf_counter()))
        server = site.servers[0]
        return {
            **figures,
            "cpu_s": round(server.cpu_seconds(), 2),
            "rss_mb": round(server.rss_bytes() / 2**20),
        }


def _client(url: str, token: str) -> httpx2.Client:
    return httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60)


def main() -> None:
    """Fill a database of each size, and start a server on it `--repeat` times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", default="sqlite,postgres", help="stores, separated by commas")
    parser.add_argument(
        "--pending", default="0,100000,1000000", help="sizes of the backlog, separated by commas"
    )
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    with Databases() as databases:
        for store in args.store.split(","):
            for count in map(int, args.pending.split(",")):
                with databases.new(store) as url:
                    started_at = time.perf_counter()
                    create_requests(url, count)
                    fill_s = round(time.perf_counter() - started_at, 1)
                    for turn in range(args.repeat):
                        new = f"new-{turn}"
                        figures = case(url, f"t{count // PER_THREAD // 2 + turn}" if count else new, new)
                        emit("restart", f"{store}_pending_{count}", **figures, fill_s=fill_s)


if __name__ == "__main__":
    main()
