"""The vectors of forms and answers, asked by the client in TypeScript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from askback import AsyncClient
from tests.typescript.conftest import Start
from tests.vectors.cases import cases

# The first of them installs and compiles the project.
pytestmark = [pytest.mark.anyio]

NOT_JAVASCRIPT = ('"options_from"', "lone_surrogate", "1000000000000000000000")
"""A source of the server; half a character, for which REST refuses the whole body; a number that JavaScript rounds."""
UNSUPPORTED_KEYS = ('"file"', '"options_from"', '"sensitive"')
"""What needs more than a form: an upload, a source of the server, a store of secrets."""
FORMS = [
    case
    for case in cases("forms")
    if isinstance(case.get("form"), dict) and not any(word in json.dumps(case) for word in NOT_JAVASCRIPT)
]
ANSWERS = [
    case
    for case in cases("answers")
    if "answer" in case
    and not {"skipped", "control"} & case.keys()
    and not any(word in json.dumps(case) for word in UNSUPPORTED_KEYS)
]


def write_forms(path: Path, cases: list[dict[str, Any]]) -> str:
    path.write_text(json.dumps([{"id": case["id"], "form": case["form"]} for case in cases]), "utf-8")
    return str(path)


async def test_every_form_is_accepted_or_refused_as_in_the_vectors(start: Start, tmp_path: Path) -> None:
    program = start("vectors.js", write_forms(tmp_path / "forms.json", FORMS))
    outcomes = json.loads(await program.ended())
    for case in FORMS:
        result = outcomes[case["id"]]
        if case.get("ok"):
            assert isinstance(result, str), case["id"]
        else:
            expected = sorted((fault["path"], fault["code"]) for fault in case["faults"])
            assert sorted((item["path"], item["code"]) for item in result) == expected, case["id"]


async def test_every_answer_comes_back_as_the_vectors_say(
    start: Start, person: AsyncClient, tmp_path: Path
) -> None:
    program = start("vectors.js", write_forms(tmp_path / "answers.json", ANSWERS), "wait")
    request_frame = json.loads(await program.line())
    for case in ANSWERS:
        await person.requests.answer(request_frame[case["id"]], case["values"])
    assert program.process.stdin is not None
    program.process.stdin.write("answered\n")
    program.process.stdin.flush()
    answers = json.loads(await program.line())
    for case in ANSWERS:
        assert answers[case["id"]].get("values", {}) == case["answer"]["values"], case["id"]
        assert answers[case["id"]].get("other", {}) == case["answer"].get("other", {}), case["id"]
