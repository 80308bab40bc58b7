"""A scripted person answers through the real server, and a wrong script fails the test."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from askback import AsyncClient, Client, Declined, Form, InputRequest, Number, Text
from askback.server.app import create_app
from askback.testing import (
    Approve,
    Decline,
    Deny,
    Fail,
    LeaveOpen,
    Rate,
    ScriptedPerson,
    ScriptError,
    approval_rates,
    load,
    person,
    replay,
    save,
)

pytest_plugins = ["pytester"]
AGE_FORM = Form(title="Who?", fields=[Text(id="name", label="Name", required=True), Number(id="age", max=99)])


def connect(ada: ScriptedPerson) -> AsyncClient:
    return AsyncClient(app=ada.app, thread_id="t1")


async def test_a_script_by_name_answers_every_kind_and_records_the_requests() -> None:
    ada = person(
        {
            "deploy": Deny("not on Friday"),
            "mail": Approve(input={"to": "eva"}),
            "Which city?": "Rome",
            "Sure?": True,
            "Who?": {"name": "Bo", "age": 7},
            "API_KEY": {"API_KEY": "sk-1"},
            "Install it": True,
            "Connect it": Fail("no account"),
            "*": Decline("refused"),
        }
    )
    async with ada, connect(ada) as ask:
        denied_decision = await ask.approve("deploy", {"to": "prod"})
        mail_decision = await ask.approve("mail", {"to": "bob"}, allow_edit=True)
        assert (await ask.ask("Which city?"), await ask.confirm("Sure?")) == ("Rome", True)
        assert (await ask.form(AGE_FORM)).values == {"name": "Bo", "age": 7}
        assert (await ask.secrets.request("API_KEY", reason="to search")).status == "answered"
        link = "https://example.com"
        done = [await ask.action(title, url=link) for title in ("Install it", "Connect it")]
        with pytest.raises(Declined):
            await ask.ask("Anything else?")
    assert (bool(denied_decision), denied_decision.note, mail_decision.input) == (
        False,
        "not on Friday",
        {"to": "eva"},
    )
    assert [item.outcome for item in done] == ["done", "failed"]
    request = ada.asked_once("deploy")
    assert (request.denied, request.approved, request.input) == (True, False, {"to": "prod"})
    assert ada.asked_once("mail").approved
    assert ada.asked_once("Who?").values == {"name": "Bo", "age": 7}
    assert len(ada.asked()) == 9


def test_a_sequence_answers_in_order_for_a_program_without_an_event_loop() -> None:
    ada = person([True, "blue"])
    with ada, Client(app=ada.app, thread_id="t1") as ask:
        assert ask.approve("deploy", {})
        assert ask.ask("Which colour?") == "blue"


async def test_a_function_answers_and_may_leave_a_request_open() -> None:
    async def reply(request: InputRequest) -> Any:
        return LeaveOpen() if request.approval else "Rome"

    ada = person(reply)
    async with ada, connect(ada) as ask:
        waiting_decision = await ask.approve("deploy", {}, wait=False)
        assert await ask.ask("Which city?") == "Rome"
        assert (await ask.decision(waiting_decision.request.id)).status == "pending"  # type: ignore[union-attr] - it was asked


async def test_the_policy_decides_before_the_person_is_asked() -> None:
    ada = person({})
    async with ada, connect(ada) as ask:
        assert (await ask.approve("bash", {"command": "pwd"})).source == "policy"
    assert not ada.asked()


async def test_a_server_that_starts_again_keeps_its_requests() -> None:
    ada = person({"deploy": True})
    async with ada:
        async with connect(ada) as ask:
            await ask.approve("deploy", {}, idempotency_key="k")
        async with connect(ada) as ask:
            assert await ask.approve("deploy", {}, idempotency_key="k")
    ada.asked_once("deploy")


async def test_a_person_answers_on_a_server_with_its_own_settings() -> None:
    ada = person({"deploy": True}, app=create_app())
    async with ada, connect(ada) as ask:
        assert await ask.approve("deploy", {})


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ({"Who?": {"name": "Bo", "age": 100}}, "values.age"),
        ({"Who?": "Bo"}, "reply with a mapping"),
        ({"Who?": True}, "reply with a mapping"),
        ({"Who?": Deny()}, "does not answer a request of the kind form"),
        ({"deploy": True}, r"no reply for the form 'Name', 'Who\?', 'age', 'name'"),
        ([], "none is left"),
        (lambda _: 1 / 0, "ZeroDivisionError"),
    ],
)
async def test_a_reply_that_the_form_refuses_fails_the_test(script: Any, says: str) -> None:
    with pytest.raises(ScriptError, match=says):
        async with person(script) as ada, connect(ada) as ask:
            await ask.form(AGE_FORM)


@pytest.mark.parametrize("reply", ["yes", Approve(input={"to": "eva"}), {"to": "eva"}])
async def test_a_reply_that_the_card_does_not_offer_fails_the_test(reply: Any) -> None:
    with pytest.raises(ScriptError):
        async with person({"deploy": reply}) as ada, connect(ada) as ask:
            await ask.approve("deploy", {"to": "prod"})


async def test_a_wrong_secret_is_not_in_the_error() -> None:
    with pytest.raises(ScriptError) as exc_info:
        async with person({"API_KEY": {"OTHER": "sk-canary"}}) as ada, connect(ada) as ask:
            await ask.secrets.request("API_KEY", reason="to search")
    assert "sk-canary" not in str(exc_info.value)


async def test_replies_that_nobody_asked_for_fail_the_test() -> None:
    with pytest.raises(ScriptError, match="1 more replies"):
        async with person([True, True]) as ada, connect(ada) as ask:
            await ask.approve("deploy", {})


async def test_asked_once_lists_the_requests_if_it_fails() -> None:
    async with person({"*": True}) as ada, connect(ada) as ask:
        await ask.approve("deploy", {})
    with pytest.raises(
        AssertionError, match=r"'mail' was asked 0 times, not once. Asked were: \[\['deploy'\]\]"
    ):
        ada.asked_once("mail")


async def test_a_recording_is_replayed_and_measured(tmp_path: Path) -> None:
    replies = [Approve(input={"to": "stage"}), False, True, "Rome", {"KEY": "canary-1"}, Decline("refused")]

    async def conversation(ask: AsyncClient) -> list[Any]:
        calls = [await ask.approve("deploy", {"to": "prod"}, allow_edit=True) for _ in range(2)]
        mail = await ask.approve("mail", {})
        city = await ask.ask("Which city?")
        key = await ask.secrets.request("KEY", reason="to search")
        remaining_outcome = await ask.try_form(AGE_FORM)
        return [
            *((item.status, item.input) for item in (*calls, mail)),
            city,
            key.status,
            type(remaining_outcome),
        ]

    async with person(replies) as ada, connect(ada) as ask:
        first = await conversation(ask)
    save(ada.requests, tmp_path / "run.jsonl")
    recorded = load(tmp_path / "run.jsonl")
    async with person(replay(recorded, secrets={"KEY": "canary-2"})) as bob, connect(bob) as ask:
        second_conversation = await conversation(ask)
    assert second_conversation == first
    expected: Mapping[str, Rate] = {"deploy": Rate(2, 1, 1), "mail": Rate(1, 1, 0)}
    assert approval_rates(recorded) == approval_rates(bob.requests) == expected
    assert expected["deploy"].share == 0.5
    assert "canary-1" not in (tmp_path / "run.jsonl").read_text()


async def test_a_question_that_was_not_recorded_fails_the_replay() -> None:
    with pytest.raises(ScriptError, match="no answer for approval"):
        async with person(replay([])) as ada, connect(ada) as ask:
            await ask.approve("deploy", {})


def test_the_plugin_fails_a_test_with_an_invalid_script(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from askback import Client, Form, Number

        FORM = Form(fields=[Number(id="age", label="Age", max=99)])

        def ask(ada):
            with Client(app=ada.app, thread_id="t1") as ask:
                return ask.try_form(FORM)

        def test_right(askback_person):
            assert ask(askback_person({"Age": 7})).values == {"age": 7}

        def test_wrong(askback_person):
            ask(askback_person({"Age": 100}))

        def test_wrong_and_raises(askback_person):
            assert ask(askback_person({"Age": 100})).values
        """
    )
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*ScriptError: The script's reply 100 to the form*"])
