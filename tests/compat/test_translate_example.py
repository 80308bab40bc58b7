"""The example of the how-to prints its translations."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest


def test_the_example_writes_a_form_and_reads_two_answers(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(Path(__file__).parents[2] / "examples" / "translate.py"))
    assert capsys.readouterr().out.splitlines() == [
        "{'type': 'string', 'title': 'Format: Other'}",
        "['fields.format: It is not marked as required; the answer is refused without it.', 'fields.pages: MCP has no steps.']",
        "{'values': {'format': 'EPUB', 'pages': 3}}",
        "['createSurface', 'updateDataModel', 'updateComponents']",
        "Action(kind='submit', values={'format': 'Word', 'pages': 5}, context={'request_id': 'req_1'})",
    ]
