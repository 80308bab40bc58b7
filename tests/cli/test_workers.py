"""`askback serve --workers N`: several processes behind one port, and their supervisor."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import psutil
import pytest

from askback import AsyncClient, Form, Text
from tests.cli.conftest import start, start_new_process
from tests.cli.scripts import complete
from tests.postgres_server import PostgresServer

FORM = Form(fields=[Text(id="a", label="A")])


@pytest.fixture
def url(postgres: PostgresServer) -> Iterator[str]:
    name = asyncio.run(postgres.new(template="template0"))
    yield postgres.database(name).url
    asyncio.run(postgres.drop(name))


@contextmanager
def run_workers(
    url: str, data: Path, *, workers: int = 2
) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, Any], list[psutil.Process]]]:
    """Start a server with workers; give its process, its ready line and the workers."""
    flags = ("--port", "0", "--workers", str(workers), "--ready-json")
    with start_new_process("serve", *flags, ASKBACK_DATABASE_URL=url, ASKBACK_DATA_DIR=str(data)) as process:
        try:
            assert process.stdout is not None
            ready = json.loads(process.stdout.readline())
            yield process, ready, psutil.Process(process.pid).children()
        finally:
            process.kill()


def create_request(ready: dict[str, Any]) -> int:
    headers = {"Authorization": f"Bearer {ready['requester_token']}"}
    body = {"kind": "form", "thread_id": "t", "form": FORM.model_dump(exclude_none=True)}
    return httpx2.post(f"{ready['url']}/v1/requests", headers=headers, json=body, timeout=120).status_code


async def test_an_agent_and_a_person_at_different_workers_reach_each_other(url: str, tmp_path: Path) -> None:
    with run_workers(url, tmp_path) as (process, ready, workers):
        assert len(workers) == 2
        assert set(ready) == {"url", "requester_token", "responder_token", "admin_token", "login_url"}
        with anyio.fail_after(120):
            for _ in range(4):
                async with (
                    AsyncClient(ready["url"], ready["requester_token"]) as agent,
                    AsyncClient(ready["url"], ready["responder_token"]) as person,
                ):
                    request = await agent.requests.create(FORM, thread_id="t")
                    await person.requests.answer(request.id, {"a": "b"})
                    assert (await agent.wait(request.id)).status == "answered"
        process.terminate()
        status, out, _ = complete(process)
        assert (status, out) == (0, "")
        assert [worker.is_running() for worker in workers] == [False, False]


def test_a_worker_that_dies_is_replaced(url: str, tmp_path: Path) -> None:
    with run_workers(url, tmp_path) as (process, ready, workers):
        for worker in workers:
            worker.kill()
        psutil.wait_procs(workers, timeout=120)
        while (
            create_request(ready) != 201
        ):  # the socket is the supervisor's, so a connection waits for the next worker
            pass
        process.send_signal(signal.SIGINT)
        status, out, err = complete(process)
        assert (status, out) == (0, "")
        assert err.count("ended with status -9; another is started") == 2


def test_workers_stop_when_their_supervisor_is_killed(url: str, tmp_path: Path) -> None:
    with run_workers(url, tmp_path) as (process, _, workers):
        process.kill()
        assert psutil.wait_procs(workers, timeout=120)[1] == []


def test_a_worker_that_cannot_start_ends_the_server_with_its_reason(tmp_path: Path) -> None:
    flags = ("--port", "0", "--workers", "3", "--database-url", "postgresql://ada@127.0.0.1:9/askback")
    status, out, err = complete(start_new_process("serve", *flags, ASKBACK_DATA_DIR=str(tmp_path)))
    assert (status, out) == (1, "")
    assert err.count("postgresql://127.0.0.1:9/askback") == 1


def test_sqlite_has_one_process_and_the_error_says_why(tmp_path: Path) -> None:
    status, out, err = complete(start("serve", "--workers", "2", ASKBACK_DATA_DIR=str(tmp_path)))
    assert (status, out) == (1, "")
    assert err.startswith(
        "askback: --workers 2 needs a Postgres database (--database-url postgresql://…). Only one"
    )
    assert os.listdir(tmp_path) == []
