"""Texts in several languages on the wire, in the client and in texts for models."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from askback import ActionAsk, AsyncClient, Form, Invalid, Select, Text
from askback.domain.approval import Approval
from askback.domain.fields import Messages
from askback.domain.modeltext import model_text
from askback.domain.validation import check_form
from askback.domain.validation.answer import parse_reply
from askback.server.app import create_app
from askback.server.settings import load
from tests.requirements import requirement

LINK = "https://shop.example.com"
LABEL = {"en": "Drink", "de": "Getränk"}
OPTIONS: list[Any] = [
    {"value": "tea", "label": {"en": "Tea", "de": "Tee"}},
    {"value": "water", "label": {"en": "Water", "de": "Wasser"}},
]
FORM: dict[str, Any] = {
    "locale": "de",
    "fields": [{"id": "d", "type": "select", "label": LABEL, "options": OPTIONS}],
}


TOKENS = {role: f"{role}-of-this-test" for role in ("requester", "responder", "admin")}


@pytest.fixture
async def team(tmp_path: Path) -> AsyncIterator[dict[str, AsyncClient]]:
    bootstrap_tokens = ",".join(f"{role}:{token}" for role, token in TOKENS.items())
    app = create_app(load({"ASKBACK_BOOTSTRAP_TOKENS": bootstrap_tokens}, data_dir=tmp_path))
    async with AsyncExitStack() as stack:
        yield {
            role: await stack.enter_async_context(AsyncClient(app=app, token=token))
            for role, token in TOKENS.items()
        }


async def answer_form(team: Any, form: Any, values: dict[str, Any], languages: list[str] | None) -> Any:
    request = await team["requester"].requests.create(form, thread_id="t")
    return await team["responder"].requests.answer(request, values, languages=languages)


@requirement("D22")
@pytest.mark.parametrize(
    ("languages", "expected_texts"),
    [
        (["en-GB", "de"], {"locale": "en", "labels": {"d": "Drink"}, "options": {"d": ["Water"]}}),
        (["fr", "de-CH"], {"locale": "de", "labels": {"d": "Getränk"}, "options": {"d": ["Wasser"]}}),
        (None, {"locale": "de", "labels": {"d": "Getränk"}, "options": {"d": ["Wasser"]}}),
    ],
)
async def test_an_answer_says_which_texts_the_person_saw(
    team: Any, languages: list[str] | None, expected_texts: dict[str, Any]
) -> None:
    settled_request = await answer_form(team, FORM, {"d": "water"}, languages)
    assert settled_request.form.fields[0].label == LABEL
    assert settled_request.answer.shown.model_dump(exclude_none=True) == expected_texts
    assert model_text(settled_request) == 'The person answered "Getränk": "Wasser" ("water")'


async def test_an_answer_to_a_form_in_one_language_says_nothing_of_it(team: Any) -> None:
    settled_request = await answer_form(team, Form(fields=[Text(id="a", label="A")]), {"a": "x"}, ["de"])
    assert settled_request.answer.shown is None


async def test_a_chosen_value_that_is_sensitive_is_not_in_the_texts_that_were_seen(team: Any) -> None:
    field = Select(id="d", label={"en": "Drink", "de": "Getränk"}, options=OPTIONS, sensitive=True)
    settled_request = await answer_form(team, Form(fields=[field]), {"d": "water"}, ["de"])
    assert settled_request.answer.shown.model_dump(exclude_none=True) == {
        "locale": "de",
        "labels": {"d": "Getränk"},
        "options": {},
    }


@pytest.mark.parametrize("languages", [["x"], ["en"] * 21, [""]])
async def test_languages_that_are_none_are_refused_with_their_path(team: Any, languages: list[str]) -> None:
    with pytest.raises(Invalid) as exc_info:
        await answer_form(team, FORM, {"d": "water"}, languages)
    assert exc_info.value.field_errors[0]["path"] in {"languages", "languages[0]"}


async def test_the_answer_and_the_audit_log_of_an_approval_have_the_shown_text(
    team: Any,
) -> None:
    approval = Approval(
        tool="deploy", input={"to": "web"}, title="Deploy", reason={"en": "To publish", "de": "Zum Zeigen"}
    )
    request = await team["requester"].requests.create(approval, thread_id="t")
    settled_request = await team["responder"].requests.decide(request, "approve", languages=["de"])
    expected_texts = {"locale": "de", "title": "Deploy", "reason": "Zum Zeigen"}
    assert settled_request.answer.shown.model_dump(exclude_none=True, exclude_defaults=True) == expected_texts
    entries = (await team["admin"].audit.list()).entries
    assert [entry["shown"] for entry in entries if entry["action"] == "decide"] == [expected_texts]


async def test_a_reply_in_the_conversation_is_the_label_of_any_language() -> None:
    form = check_form({"fields": [{**FORM["fields"][0], "required": True}]})
    assert [parse_reply(form, text).values for text in ("Tee", "WATER", "tea", "Wein")] == [
        {"d": "tea"},
        {"d": "water"},
        {"d": "tea"},
        None,
    ]


async def test_the_answer_and_the_audit_log_of_an_action_have_the_shown_text(team: Any) -> None:
    action = ActionAsk(
        title={"en": "Install it", "de": "Einbauen"}, description={"de": "*Gleich*"}, label="Los", url=LINK
    )
    request = await team["requester"].requests.create(action, thread_id="t")
    assert request.view.languages == ["en", "de"]
    assert list(request.view.markdown) == ["action.description.de"]
    with pytest.raises(Invalid) as exc_info:
        await team["responder"].requests.finish(request, "done", languages=["?"])
    assert exc_info.value.field_errors[0]["path"] == "languages[0]"
    settled_request = await team["responder"].requests.finish(request, "done", languages=["de"])
    expected_texts = {"locale": "de", "title": "Einbauen", "description": "*Gleich*", "label": "Los"}
    assert settled_request.answer.shown.model_dump(exclude_none=True, exclude_defaults=True) == expected_texts
    assert "Install it" in model_text(settled_request)
    [entry] = [item for item in (await team["admin"].audit.list()).entries if item["action"] == "decide"]
    assert (entry["title"], entry["shown"]) == ("Install it", expected_texts)


async def test_an_action_in_one_language_says_nothing_of_it(team: Any) -> None:
    request = await team["requester"].requests.create(ActionAsk(title="Install it"), thread_id="t")
    settled_request = await team["responder"].requests.finish(
        request, "failed", reason="no", languages=["de"]
    )
    assert settled_request.answer.shown is None


@requirement("D22")
@pytest.mark.parametrize("sensitive", [False, True])
async def test_an_error_text_of_the_agent_is_shown_in_the_language_of_the_reader(
    team: Any, sensitive: bool
) -> None:
    sentence = {"en": "A town, please.", "fr": "Une ville, s'il vous plaît."}
    town = Text(
        id="t", label="Town", required=True, validate_on_client=False, messages=Messages(required=sentence)
    )
    more = [Text(id="pin", label="PIN", sensitive=True)] if sensitive else []
    request = await team["requester"].requests.create(Form(fields=[town, *more]), thread_id="t")
    for languages, expected_text in ((["fr-CA", "de"], sentence["fr"]), (["de"], sentence["en"])):
        with pytest.raises(Invalid) as exc_info:
            await team["responder"].requests.answer(request, {"t": " "}, languages=languages)
        assert exc_info.value.field_errors[0]["message"] == expected_text
