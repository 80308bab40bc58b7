"""Claude's questions are forms that a person answers, in the shapes that the real CLI takes."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from askback import AsyncClient
from askback.adapters.claude import with_askback
from tests.adapters.claude.conftest import Options, result_of, run, wait_for_request
from tests.adapters.claude.fake_model import FakeModel, call
from tests.requirements import requirement

COLOUR = {
    "question": "Which colour?",
    "header": "Colour",
    "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}],
    "multiSelect": False,
}
PARTS = {
    "question": "Which parts?",
    "header": "Parts",
    "options": [{"label": "Roof", "description": "top"}, {"label": "Door", "description": "front"}],
    "multiSelect": True,
}
LAYOUT = {
    "question": "Which layout?",
    "header": "Layout",
    "options": [
        {"label": "Wide", "description": "", "preview": "+--+\n|  |\n+--+"},
        {"label": "Tall", "description": "", "preview": "| |"},
    ],
    "multiSelect": False,
}


def question(*questions: Any) -> dict[str, Any]:
    return call("AskUserQuestion", "toolu_question", questions=list(questions))


@requirement("C2", "C8", "C9")
@pytest.mark.parametrize(
    ("questions", "values", "read"),
    [
        ([COLOUR], {"q1": "Blue"}, 'Your questions have been answered: "Which colour?"="Blue".'),
        ([COLOUR, PARTS], {"q1": "Red", "q2": ["Roof", "Door"]}, '"Which parts?"="Roof, Door"'),
        ([COLOUR], {"q1": "Something green"}, 'The user answered: "Which colour?"="Something green"'),
        ([PARTS], {"q1": ["Roof", "a gable"]}, '"Which parts?"="Roof, a gable"'),
        (
            [LAYOUT],
            {"q1": "Wide"},
            'answered: "Which layout?"="Wide" selected preview:\n+--+\n|  |\n+--+. You can',
        ),
    ],
)
async def test_claude_reads_the_answer_of_a_person(
    questions: list[Any],
    values: dict[str, Any],
    read: str,
    agent: AsyncClient,
    person: AsyncClient,
    model: FakeModel,
    options: Options,
    thread: str,
) -> None:
    model.play("go", [question(*questions)])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run, with_askback(options(), agent, thread_id=thread), "go")
        request = await wait_for_request(person, thread)
        assert request.tool_call_id == "toolu_question"
        await person.requests.answer(request, values)
    assert read in model.results("go")["toolu_question"]


@requirement("C16", "C15")
async def test_a_declined_question_is_an_error_for_claude_and_no_answer(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str
) -> None:
    model.play("go", [question(COLOUR)])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run, with_askback(options(), agent, thread_id=thread), "go")
        await person.requests.decline(await wait_for_request(person, thread))
    assert model.results("go")["toolu_question"].startswith(
        'The person closed "Which colour?" without answering'
    )


@requirement("C14")
async def test_a_question_that_nobody_answers_in_time_is_no_answer(
    agent: AsyncClient, model: FakeModel, options: Options, thread: str
) -> None:
    model.play("go", [question(COLOUR)])
    await run(with_askback(options(), agent, thread_id=thread, timeout_s=1), "go")
    assert model.results("go")["toolu_question"].startswith('Nobody answered "Which colour?" in time.')


@requirement("C11")
async def test_two_questions_with_the_same_text_are_not_asked(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str
) -> None:
    model.play("go", [question(COLOUR, COLOUR)])
    assert result_of(await run(with_askback(options(), agent, thread_id=thread), "go")).result == "done"
    assert "unique" in model.results("go")["toolu_question"]
    assert not await person.requests.list(thread_id=thread)


@requirement("C2", "C3")
async def test_only_questions_are_asked_without_approvals(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str
) -> None:
    model.play("go", [call("Bash", "toolu_touch", command="touch made"), question(COLOUR)])
    claude_options = options(permission_mode="bypassPermissions")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run, with_askback(claude_options, agent, thread_id=thread, approvals=False), "go")
        await person.requests.answer(await wait_for_request(person, thread), {"q1": "Red"})
    assert '"Which colour?"="Red"' in model.results("go")["toolu_question"]
    assert [request.kind for request in await person.requests.list(thread_id=thread)] == ["form"]
