"""The arguments of the tools by which models ask, and the texts about them that a model reads.

They are the same in every framework and over MCP, which adds arguments for clients that do not wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from inspect import cleandoc
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, JsonValue

from askback.client.questions import FIELD_ID
from askback.compat.claude_questions import card_of, checked_form_of, write_answers
from askback.domain.faults import Faults, fault, rename_path
from askback.domain.model import Model
from askback.domain.validation.ask import check_form

_QUESTION_KEYS = ("question", "questions", "form")
_FOR_QUESTION = ("options", "multiple", "allow_other", "allow_skip")


class Option(Model):
    """One option."""

    label: str
    value: str | None = Field(default=None, description="What is returned; without it, the label.")
    description: str | None = None
    recommended: bool = False


def _spelled_out(option: Any) -> Any:
    return {"label": option} if isinstance(option, str) else option


class AskUser(Model):
    """Ask a person one question, several questions or a form, and wait for the answer.

    Use it for a decision, a preference or a fact that only a person can give. Pass exactly one of question, questions
    and form. If the person declines or does not answer, that is not an answer: never make one up. Never ask for a
    password, a key or a token here: use request_env_vars.
    """

    question: str | None = Field(default=None, description="One question, as a full sentence.", min_length=1)
    options: (
        list[Annotated[Option, BeforeValidator(_spelled_out, json_schema_input_type=str | Option)]] | None
    ) = Field(
        default=None,
        description="Choices for the question. Without them the person types a text.",
        min_length=1,
    )
    multiple: bool = Field(default=False, description="Let the person choose several options.")
    allow_other: bool = Field(default=False, description="Let the person type an answer of their own.")
    allow_skip: bool = Field(default=False, description="Let the person skip the question.")
    questions: list[dict[str, Any]] | None = Field(
        default=None,
        description=(
            "1 to 4 questions, each {question, header (at most 12 characters), options: 2 to 4 of {label, "
            "description}, multiSelect}. The answers are by the text of the question."
        ),
    )
    form: dict[str, Any] | None = Field(
        default=None,
        description=(
            "A form: {title, description, fields: [{id, type, label, required, description, options, …}]}. "
            "Types: text, textarea, number, boolean, select, multiselect, radio, checkbox, date, time, datetime, "
            "file. The answers are by the id of the field."
        ),
    )


class RequestApproval(Model):
    """Ask whether you may run a tool call, before you run it.

    Use it for anything that changes, sends, publishes, pays or deletes something. Run the call only if it was approved,
    once, and with the input of the result: the person may have changed it. Anything else is not permission.
    """

    tool: str = Field(description="The name of the tool or the program.", min_length=1)
    input: JsonValue = Field(description="The exact arguments, complete, as you will run them.")
    reason: str | None = Field(default=None, description="Why you want to run it, in one sentence.")


def _without_project(scope: Any) -> Any:
    """Return the scope of askback that needs no name of a project, which a model does not know."""
    return "session" if scope == "project" else scope


class RequestEnvVars(Model):
    """Ask a person to provide secrets, such as API keys, by name. You never get the values.

    The person types them on an askback page, which stores them. Run the command that needs them with
    `askback run --secret NAME -- COMMAND`. Never ask for a secret in the chat.
    """

    names: list[str] = Field(
        description="Names such as STRIPE_API_KEY: capital letters, digits and underscores.",
        min_length=1,
        max_length=10,
    )
    reason: str = Field(description="What they are needed for, in one sentence.", min_length=1)
    instructions: str | None = Field(default=None, description="How to get them, as Markdown.")
    default_scope: Annotated[Literal["session", "global"], BeforeValidator(_without_project)] | None = Field(
        default=None, description="Where the person should store them; they can choose another scope."
    )


def description_of(arguments: type[Model]) -> str:
    """Return the description of a tool: the docstrings of its arguments, base classes first."""
    classes = [item for item in reversed(arguments.__mro__) if issubclass(item, Model) and item is not Model]
    return "\n\n".join(cleandoc(class_.__doc__) for class_ in classes if class_.__doc__)


MAX_FAULTS = 20
"""How many faults are listed; somebody who corrects them sees the others."""


def wrong_arguments(faults: Iterable[tuple[str, str]], *, consequence: str = "Nobody was asked.") -> str:
    """Return an error text: the `consequence`, then the invalid arguments with their paths and reasons."""
    lines = (f"- {rename_path(path, _PATHS_OF_BODY) or 'arguments'}: {message}" for path, message in faults)
    return "\n".join([f"{consequence} Correct this and call the tool again:", *islice(lines, MAX_FAULTS)])


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """A form; its answers are by the text of the questions (`answers_by_text`), or by the id of the field."""

    form: dict[str, Any]
    answers_by_text: bool = False

    def answers(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Return values as answers by the text of their questions."""
        card = card_of(check_form(self.form))
        return {} if card is None else write_answers(card, values)


def form_for(arguments: AskUser) -> QuestionForm:
    """Return the form to ask; raises `Faults`."""
    question_keys = [key for key in _QUESTION_KEYS if getattr(arguments, key) is not None]
    if len(question_keys) != 1:
        raise Faults([fault(question_keys[1] if question_keys else "question", "one_question")])
    if arguments.question is None:
        extra = [name for name in _FOR_QUESTION if getattr(arguments, name)]
        if extra:
            raise Faults([fault(extra[0], "only_for_question")])
    if arguments.form is not None:
        return QuestionForm(arguments.form)
    if arguments.questions is not None:
        return QuestionForm(
            form_of_questions({"questions": arguments.questions}, "questions"), answers_by_text=True
        )
    form = _question_arguments(arguments)
    try:
        check_form(form)
    except Faults as error:
        raise error.with_paths(_PATHS_OF_QUESTION) from None
    return QuestionForm(form)


_PATHS_OF_BODY = ((r"(?:approval|secret)\.", ""), (r"note$", "reason"))
"""The arguments that become parts of the body of a request or of its withdrawal, by their paths in it."""

_PATHS_OF_QUESTION = (
    (r"form\.fields\[0\]\.options\[(\d+)\]\.(value|label)", r"options[\1]"),
    (r"form\.fields\[0\]\.options", "options"),
    (r"form\.fields\[0\]\.label", "question"),
    (r"form$", "question"),
)
"""The arguments that become parts of the form, by their paths in it."""


def form_of_questions(tool_input: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return the form for questions in Claude's shape, which are at `place`; raises `Faults`."""
    try:
        return checked_form_of(tool_input)
    except Faults as error:
        raise error.with_paths([(r"input\.questions", place), (r"form$", place)]) from None


def _question_arguments(arguments: AskUser) -> dict[str, Any]:
    field: dict[str, Any] = {"id": FIELD_ID, "label": arguments.question, "required": True}
    if arguments.options is None:
        field |= {"type": "text"}
    else:
        options = [
            {"value": option.label, **option.model_dump(exclude_none=True)} for option in arguments.options
        ]
        kind = "multiselect" if arguments.multiple else "radio"
        field |= {"type": kind, "options": options, "allow_other": arguments.allow_other}
    return {"fields": [field], "format": "plain", "allow_skip": arguments.allow_skip}
