"""The examples of `askback.testing` run unchanged."""

# ruff: noqa: F811 - fixtures are imported, and named again by the tests that use them

from __future__ import annotations

import json
from pathlib import Path

import anyio

from askback import AsyncClient
from tests.examples.server import ENVIRONMENT, EXAMPLES, data, run  # noqa: F401 - fixtures
from tests.forks.process import fork


def test_the_example_tests_pass(tmp_path: Path) -> None:
    """The plugin is loaded by its entry point."""
    names = [str(EXAMPLES / name) for name in ("test_an_agent.py", "test_with_the_plugin.py")]
    arguments = ("-q", "-p", "no:cacheprovider", "-c", "/dev/null", *names)
    process = fork(*arguments, program="pytest", environment=ENVIRONMENT, folder=tmp_path, stdin=0)
    out, err = process.communicate(timeout=120)
    assert b"3 passed" in out, (out + err).decode()


async def test_the_evaluation_measures_and_replays_answers_of_people(data: Path) -> None:
    tokens = json.loads((data / "server.json").read_text())
    process = run("evaluate_an_agent.py", data)
    async with AsyncClient(tokens["url"], tokens["responder_token"]) as person:
        with anyio.fail_after(120):
            async for event in person.events("evaluation", cursor=0):
                if event["type"] == "request.created":
                    request = event["request"]
                    staging = request["approval"]["input"]["to"] == "staging"
                    await person.requests.decide(request["id"], "approve" if staging else "deny")
                    if not staging:
                        break
            out, err = await anyio.to_thread.run_sync(process.communicate)
    assert out == "deploy: 1 of 2 approved, 0 with changes\nsame\n", err
