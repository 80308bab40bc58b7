"""`askback inbox`: a path at the prompt uploads the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from askback import AsyncClient
from askback.domain.fields import File, Form
from tests.cli.conftest import Server
from tests.cli.scripts import run_inbox_from_pipe

FORM = Form(
    fields=[
        File(id="scan", label="Scan", required=True, accept=[".txt"]),
        File(id="more", label="More", max_files=2),
    ]
)


async def test_files_are_uploaded_by_their_paths(
    server: Server, agent: AsyncClient, thread: str, tmp_path: Path
) -> None:
    one, two, program = tmp_path / "one.txt", tmp_path / "two words.txt", tmp_path / "three.txt"
    one.write_text("1")
    two.write_text("22")
    program.write_bytes(b"MZ\0")
    request = await agent.requests.create(FORM, thread_id=thread)
    out = await run_inbox_from_pipe(
        server, thread,
        "", str(tmp_path / "none.txt"), str(program), str(one),
        f'"{two}" {one} {one}', f'"{two}" {one}',
        "y",
    )  # fmt: skip
    settled_request = await agent.requests.get(request.id)
    assert settled_request.status == "answered", out
    assert settled_request.answer is not None
    values: Any = settled_request.answer.values
    assert (values["scan"]["name"], [item["name"] for item in values["more"]]) == (
        "one.txt",
        ["two words.txt", "one.txt"],
    )
    assert await agent.files.read(values["more"][0]) == b"22"
    for expected_line in (
        "none.txt cannot be read",
        "This type of file is not accepted here",
        "At most 2 files.",
    ):
        assert expected_line in out
