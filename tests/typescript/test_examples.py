"""The examples of the how-to page run unchanged, and find their server automatically."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askback import AsyncClient
from tests.client.servers import TOKENS, ServerProcess
from tests.typescript.conftest import Start, wait_for_requests
from tests.typescript.package import Project

# The first of them installs and compiles the project.
pytestmark = [pytest.mark.anyio]


async def test_the_agent_gets_the_answer_and_says_thanks(start: Start, person: AsyncClient) -> None:
    program = start("agent.js")
    [request] = await wait_for_requests(person, "reports")
    await person.requests.answer(request, {"format": "PDF", "topic": "rain"})
    assert await program.ended() == "{ format: 'PDF', topic: 'rain' }\n"


async def test_the_tool_writes_the_approved_content(
    start: Start, person: AsyncClient, project: Project
) -> None:
    program = start("requires_approval.js")
    [request] = await wait_for_requests(person, "files")
    await person.requests.decide(
        request, "approve", edited_input={"path": "hello.txt", "content": "Good morning!"}
    )
    assert await program.ended() == "hello.txt has 13 characters.\n"
    assert (project.folder / "hello.txt").read_text("utf-8") == "Good morning!"


async def test_the_command_gets_the_secret_and_the_model_its_name(start: Start, person: AsyncClient) -> None:
    program = start("use_a_secret.js")
    [request] = await wait_for_requests(person, "deploys")
    await person.requests.submit(request, {"DEPLOY_TOKEN": "s3cret-value"}, scope="session")
    out = await program.ended()
    assert "User submitted DEPLOY_TOKEN" in out
    assert "Deploying with a token of 12 characters." in out
    assert "s3cret-value" not in out


async def test_the_parked_call_continues_in_another_process(start: Start, person: AsyncClient) -> None:
    await start("resume.js", "park").ended()
    [request] = await wait_for_requests(person, "releases")
    await person.requests.decide(request, "approve")
    assert await start("resume.js").ended() == "Deploying to production.\n"


@pytest.mark.parametrize("setting_name", ["data folder", "credentials"])
async def test_the_server_of_this_machine_is_found(
    project: Project, server: ServerProcess, tmp_path: Path, setting_name: str
) -> None:
    credentials = tmp_path / "credentials.json"
    credentials.write_text(json.dumps({"url": server.url, "token": TOKENS["requester"]}))
    result = {"ASKBACK_DATA_DIR": str(server.data)}
    if setting_name == "credentials":
        result = {"ASKBACK_CREDENTIALS": str(credentials)}
    out, err = project.start("calls.js", "say", "ts-found", **result).communicate(timeout=120)
    assert out.startswith("undefined\n"), err


async def test_without_a_server_the_error_says_what_to_do(project: Project, tmp_path: Path) -> None:
    empty = {"ASKBACK_DATA_DIR": str(tmp_path)}
    out, _ = project.start("calls.js", "say", "ts-none", **empty).communicate(timeout=120)
    assert "Set ASKBACK_URL, or run `askback serve`." in out
