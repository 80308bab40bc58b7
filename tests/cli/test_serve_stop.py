"""The end of `askback serve`: what a signal does to open connections."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from websockets import ConnectionClosed, Subprotocol
from websockets.sync.client import connect

from tests.cli.scripts import complete
from tests.cli.test_serve import ASK, caller, run_server


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_server_cleanly_during_a_wait(tmp_path: Path, number: int) -> None:
    with run_server(tmp_path) as (process, ready):
        with caller(ready, "requester") as http:
            body = http.post("/v1/requests", json=ASK).json()
            started_event = threading.Event()

            def wait() -> None:
                with http.stream("GET", "/v1/threads/t1/events?cursor=0") as events:
                    for line in events.iter_lines():
                        if line.startswith("id:"):
                            started_event.set()

            def poll() -> None:
                caller(ready, "requester").get(f"/v1/requests/{body['id']}?wait=60")

            threads = [
                threading.Thread(target=ignore_errors(wait)),
                threading.Thread(target=ignore_errors(poll)),
            ]
            for thread in threads:
                thread.start()
            assert started_event.wait(120)
            process.send_signal(number)
            ended = complete(process)
            for thread in threads:
                thread.join(120)
                assert not thread.is_alive()
        assert ended == (0, "", "")
        assert not (tmp_path / "askback.db-wal").exists()


def test_a_server_that_stops_ends_held_calls_with_a_503_and_streams_as_complete_replies(
    tmp_path: Path,
) -> None:
    call = {"tool_name": "Bash", "tool_use_id": "c1", "input": {"command": "git push"}}
    with run_server(tmp_path) as (process, ready), ThreadPoolExecutor() as threads:
        agent, person = caller(ready, "requester"), caller(ready, "responder")
        socket_url = f"{ready['url'].replace('http', 'ws')}/v1/ws"
        bearer = f"bearer.{ready['requester_token']}"
        with (
            connect(socket_url, subprotocols=[Subprotocol("askback.v1"), Subprotocol(bearer)]) as native,
            person.stream("GET", "/v1/events?cursor=0") as inbox,
            person.stream("GET", "/compat/ihub/api/apps/app/chat/c2") as ihub,
        ):
            events, chat = inbox.iter_lines(), ihub.iter_lines()
            held = threads.submit(agent.post, "/compat/gobby/api/conversations/c1/can_use_tool", json=call)
            assert next(line for line in events if line == "event: request.created")
            assert next(line for line in chat if line == "event: connected")
            process.send_signal(signal.SIGTERM)
            reply = held.result(120)
            assert (reply.status_code, reply.json()["error"]["code"]) == (503, "unavailable")
            assert [list(lines)[-1] for lines in (events, chat)] == ["", ""]  # each ends with a whole event
            with pytest.raises(ConnectionClosed):
                while native.recv(120):
                    pass
            assert native.close_code == 1012
        assert complete(process) == (0, "", "")


def ignore_errors(work: Any) -> Any:
    def guarded() -> None:
        with suppress(httpx2.HTTPError):
            work()

    return guarded
