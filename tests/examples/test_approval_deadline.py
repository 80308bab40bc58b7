"""The first example of an approval shows its deadline."""

# ruff: noqa: F811 - fixtures are imported, and named again by the tests that use them

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest

from askback import AsyncClient
from tests.examples.server import EXAMPLES, data, run  # noqa: F401 - fixtures


@pytest.mark.parametrize("stated", ["timeout_s=300", ""])
async def test_the_first_approval_has_the_deadline_that_its_comment_says(
    data: Path, stated: str, tmp_path: Path
) -> None:
    text, thread = (EXAMPLES / "requires_approval.py").read_text("utf-8"), f"deadline-{bool(stated)}"
    assert "timeout_s=300" in text
    example = tmp_path / "example.py"
    example.write_text(text.replace("timeout_s=300", stated).replace('"files"', f'"{thread}"'), "utf-8")
    tokens = json.loads((data / "server.json").read_text())
    process = run(str(example), data)
    async with AsyncClient(tokens["url"], tokens["responder_token"]) as person:
        with anyio.fail_after(120):
            request = (await anext(person.events(thread, cursor=0)))["request"]
            await person.requests.decide(request["id"], "approve")
            await anyio.to_thread.run_sync(process.communicate)
    assert request["timeout_s"] == 300


def test_the_first_approval_does_not_run_after_its_deadline(data: Path, tmp_path: Path) -> None:
    text = (EXAMPLES / "requires_approval.py").read_text("utf-8")
    example = tmp_path / "example.py"
    example.write_text(text.replace("timeout_s=300", "timeout_s=1"), "utf-8")
    stored_secret_before = set(data.iterdir())
    out, err = run(str(example), data).communicate(timeout=120)
    assert "Nobody decided in time" in out, err
    assert set(data.iterdir()) == stored_secret_before
