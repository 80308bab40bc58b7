"""Every vector gets its verdict, its codes and its sentences from the Python side."""

from __future__ import annotations

import re
from typing import Any

import pytest

from askback.cli.numbers import parse_number
from askback.domain.build_view import build_view
from askback.domain.faults import Faults
from askback.domain.lifecycle import IllegalTransition, Status, Transition, step
from askback.domain.patterns import browser_pattern, compile_pattern
from askback.domain.validation import check_answer, check_ask, check_form
from askback.messages.languages import choose
from tests.requirements import requirement
from tests.vectors.cases import as_vectors, cases, families


def by_family(name: str) -> pytest.MarkDecorator:
    result = families(name)
    return pytest.mark.parametrize("members", [m for _, m in result], ids=[family for family, _ in result])


def answer_verdict(case: dict[str, Any]) -> dict[str, Any]:
    form = check_form(case["form"])
    try:
        answer = check_answer(form, case["values"], case.get("skipped", ()), control=case.get("control"))
    except Faults as error:
        return {"faults": as_vectors(error.faults)}
    parts = {"skipped": answer.skipped, "control": answer.control}
    extra = {name: part for name, part in parts.items() if part}
    return {"answer": {"values": answer.values, "other": answer.other} | extra}


def form_verdict(case: dict[str, Any]) -> dict[str, Any]:
    try:
        form = check_ask(case["ask"]).form if "ask" in case else check_form(case["form"])
    except Faults as error:
        return {"faults": as_vectors(error.faults)}
    if "options" not in case:
        return {"ok": True}
    options = {
        field.id: [[option.value, option.label] for option in getattr(field, "options", ())]
        for field in form.all_fields
    }
    return {"ok": True, "options": options}


def differences(members: list[dict[str, Any]], verdict: Any, keys: tuple[str, ...]) -> list[Any]:
    expected = [{key: case[key] for key in keys if key in case} for case in members]
    return [
        (case["id"], case["shows"], got, want)
        for case, want in zip(members, expected, strict=True)
        if (got := verdict(case)) != want
    ]


@requirement(
    "D12", "D14", "D15", "D16", "D18", "F1", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F18", "I13", "P16"
)
@by_family("answers")
def test_answers_get_their_verdict(members: list[dict[str, Any]]) -> None:
    assert differences(members, answer_verdict, ("answer", "faults")) == []


@by_family("answers")
def test_the_encoded_values_of_the_page_are_accepted(members: list[dict[str, Any]]) -> None:
    sent = [
        case | {"values": case["page"]["sends"], "skipped": []}
        for case in members
        if "sends" in case.get("page", {})
    ]
    assert [(case["id"], faults) for case in sent if (faults := answer_verdict(case).get("faults"))] == []


@requirement("P16")
def test_the_page_refuses_only_what_the_server_refuses() -> None:
    refused_cases = [case for case in cases("answers") if "faults" in case.get("page", {})]
    assert [case["id"] for case in refused_cases if "answer" in case] == []
    left = [case for case in cases("answers") if case.get("page") == "server"]
    assert [case["id"] for case in left if "answer" in case] == []


def test_the_patterns_of_the_answers_are_those_that_the_server_sends_to_the_page() -> None:
    for case in cases("answers"):
        assert build_view(check_form(case["form"])).get("patterns") == case.get("patterns"), case["id"]


@requirement("A3", "A4", "A9", "A15", "D11", "F2", "F3", "L3", "L4", "I13")
@by_family("forms")
def test_forms_get_their_verdict(members: list[dict[str, Any]]) -> None:
    assert differences(members, form_verdict, ("ok", "options", "faults")) == []


def test_answers_keep_the_order_of_the_form() -> None:
    for case in cases("answers"):
        if "answer" in case:
            values = answer_verdict(case)["answer"]["values"]
            assert list(values) == list(case["answer"]["values"]), case["id"]


@requirement("D22")
def test_a_reader_gets_the_language_that_the_vectors_say() -> None:
    for case in cases("texts"):
        assert choose(case["text"], case["languages"]) == case["chosen"], case["id"]


@requirement("D7")
def test_typed_numbers_mean_what_the_vectors_say() -> None:
    for case in cases("numbers"):
        number = parse_number(case["text"], case["language"])
        assert number == (case["text"] if case["number"] is None else case["number"]), case["id"]


def test_actions_have_the_targets_of_the_vectors() -> None:
    for case in cases("lifecycle"):
        status, illegal = Status.PENDING, None
        for index, action in enumerate(case["actions"]):
            try:
                status = step(status, Transition(action))
            except IllegalTransition:
                illegal = index
                break
        assert (status, illegal) == (case["status"], case.get("illegal")), case["id"]


@requirement("D13", "D14")
def test_patterns_compile_match_and_reach_the_browser_as_the_vectors_say() -> None:
    for case in cases("patterns"):
        if not case["compiles"]:
            with pytest.raises(ValueError, match=r"\A[a-zA-Z\\ \[\]()]+\Z"):
                compile_pattern(case["pattern"])
            continue
        matcher = compile_pattern(case["pattern"])
        matched = [[text, matcher.fullmatch(text)] for text, _ in case["inputs"]]
        assert (matched, browser_pattern(case["pattern"])) == (case["inputs"], case["js"]), case["id"]


@pytest.mark.parametrize(
    ("name", "least"), [("answers", 300), ("forms", 150), ("lifecycle", 60), ("patterns", 60)]
)
def test_there_are_enough_vectors_and_each_has_its_own_id(name: str, least: int) -> None:
    ids = [case["id"] for case in cases(name)]
    assert len(ids) == len(set(ids)) >= least


def test_invalid_patterns_of_the_form_vectors_have_the_reason_that_the_vectors_give() -> None:
    for case in cases("forms"):
        for pattern, reason in case.get("re2", {}).items():
            with pytest.raises(ValueError, match=rf"\A{re.escape(reason)}\Z"):
                compile_pattern(pattern)
