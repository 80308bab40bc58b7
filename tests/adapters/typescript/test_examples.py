"""The promises about agents of TypeScript frameworks, by their examples with a fake model."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import anyio
import pytest

from askback import InputRequest
from tests.adapters.conftest import TOKENS, Server
from tests.adapters.programs import PATIENCE_S, ROOT

# The first of them compiles the examples.
pytestmark = [pytest.mark.anyio]

FOLDER = ROOT / "examples" / "frameworks" / "typescript"
PROGRAMS = ["ai_sdk", "mastra", "fetch"]
TURNS = [
    [("call-of-turn-1", "ask_user", {"question": "Which version?", "options": ["1.4", "2.0"]})],
    [("call-of-turn-2", "deploy", {"to": "production"})],
]


class FakeModel(BaseHTTPRequestHandler):
    """Chat completions: the turns by the number of answers of the assistant so far, then "Done."."""

    turns = TURNS

    def do_POST(self) -> None:
        sent = json.loads(self.rfile.read(int(self.headers["content-length"])))
        done = sum(message["role"] == "assistant" for message in sent["messages"])
        if done < len(self.turns):
            calls = [
                {"id": id_, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
                for id_, name, args in self.turns[done]
            ]
            message: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": calls}
        else:
            read = [item["content"] for item in sent["messages"] if item["role"] == "tool"]
            message = {"role": "assistant", "content": f"Done. {json.dumps(read)}"}
        body = json.dumps({"choices": [{"message": message}]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        pass


@pytest.fixture(scope="session")
def model_url() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), FakeModel)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples, compiled by the strict compiler."""
    out = FOLDER / "build"
    compiler = FOLDER / "node_modules" / "typescript" / "bin" / "tsc"
    finished_result = subprocess.run(
        ["node", str(compiler), "-p", str(FOLDER)], capture_output=True, text=True, check=False
    )
    assert finished_result.returncode == 0, finished_result.stdout
    return out


async def run_example(
    name: str, built: Path, server: Server, model_url: str, **decided: Any
) -> tuple[str, InputRequest]:
    """Run an example, answer its question and decide about its call; returns what it prints, and the approval."""
    environment = {
        **os.environ,
        "ASKBACK_URL": server.url,
        "ASKBACK_TOKEN": TOKENS["requester"],
        "MODEL_URL": model_url,
        "MASTRA_TELEMETRY_DISABLED": "1",
    }
    process = subprocess.Popen(
        ["node", str(built / f"{name}_agent.js")],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    async with server.client("responder") as ada:
        with anyio.fail_after(PATIENCE_S):
            async for event in ada.events("release", cursor=0):
                if event["type"] != "request.created":
                    continue
                request = InputRequest.model_validate(event["request"])
                if request.kind == "form":
                    await ada.requests.answer(request, {"answer": "2.0"})
                else:
                    await ada.requests.decide(request, **decided)
                    break
            out, err = await anyio.to_thread.run_sync(partial(process.communicate, timeout=PATIENCE_S))
    assert process.returncode == 0, err
    return out, request


@pytest.mark.parametrize("name", PROGRAMS)
async def test_an_approved_call_runs_once_with_the_approved_arguments(
    name: str, built: Path, own_server: Server, model_url: str
) -> None:
    out, request = await run_example(
        name, built, own_server, model_url, decision="approve", edited_input={"to": "stage"}
    )
    assert out.count("Deploying to ") == 1
    assert "Deploying to stage.\n" in out
    assert "Deployed to stage." in out.replace("Deploying", "")
    assert "2.0" in out
    assert "Done." in out
    assert request.tool_call_id == "call-of-turn-2"


@pytest.mark.parametrize("name", PROGRAMS)
async def test_a_denied_call_never_runs_and_the_model_reads_why(
    name: str, built: Path, own_server: Server, model_url: str
) -> None:
    out, _ = await run_example(name, built, own_server, model_url, decision="deny", note="not on Friday")
    assert "Deploying to " not in out
    assert "not on Friday" in out
    assert "Done." in out
