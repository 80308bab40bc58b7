"""Each question that iHub refuses is refused in its words, and each that it may ask waits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.compat.ihub_chat import PDF, PICK, call, pending
from tests.requirements import requirement
from tests.transports.conftest import Api, api, shared_api

__all__ = ["api", "shared_api"]

pytestmark = pytest.mark.anyio
REQUIRED = "Question is required and must be a string"
ARRAY = (
    "Options array is required for input_type '{}'. Either provide options like "
    '[{{label: "Option 1", value: "opt1"}}] or use input_type: \'text\' for open-ended questions.'
)
TYPES = "Invalid input_type. Supported types: text, select, multiselect, confirm, number, date"
UNSAFE = "Regex pattern contains potentially unsafe nested quantifiers (ReDoS risk)"


def with_options(*options: Any) -> dict[str, Any]:
    return {**PICK, "options": list(options)}


REFUSED = [
    ({}, "question", "missing_required", REQUIRED),
    ({"question": None}, "question", "missing_required", REQUIRED),
    ({"question": 5}, "question", "wrong_type", REQUIRED),
    ({"question": ""}, "question", "empty", REQUIRED),
    ({"question": " \t\u2003"}, "question", "empty", REQUIRED),
    ("{", "", "malformed_json", REQUIRED),
    ('{"question":"a","question":"b"}', "", "duplicate_key", "An object in the body contains the same key twice."),
    ('{"question":"a\\ud800"}', "", "lone_surrogate", "Contains a lone surrogate. Send valid Unicode."),
    ('{"question":' + "[" * 40 + "]" * 40 + "}", "", "too_deep", "The body is nested deeper than 32 levels."),
    ([], "", "wrong_type", REQUIRED),
    ({"question": "😀" * 501}, "question", "too_long", "Question too long (max 500 chars, got 501)"),
    ({**PICK, "input_type": "SELECT"}, "input_type", "unknown_type", TYPES),
    ({**PICK, "input_type": ["select"]}, "input_type", "wrong_type", TYPES),
    ({**PICK, "input_type": 0}, "input_type", "wrong_type", TYPES),
    ({**PICK, "options": []}, "options", "option_required", ARRAY.format("select")),
    ({**PICK, "input_type": "multiselect", "options": None}, "options", "option_required", ARRAY.format("multiselect")),
    ({**PICK, "options": "a,b"}, "options", "wrong_type", ARRAY.format("select")),
    (with_options(*({"label": f"{n}"} for n in range(21))), "options", "too_many", "Too many options (max 20, got 21)"),
    (with_options("PDF"), "options[0]", "wrong_type", "Option at index 0 must be an object"),
    (with_options(*PDF, ["A", "a"]), "options[2]", "wrong_type", "Option at index 2 must be an object"),
    (with_options({"value": "a"}), "options[0].label", "missing_required", "Option at index 0 must have a string label"),
    (with_options({"label": 1}), "options[0].label", "wrong_type", "Option at index 0 must have a string label"),
    (with_options({"label": ""}), "options[0].label", "empty", "Option at index 0 must have a string label"),
    (with_options({"label": "x" * 101}), "options[0].label", "too_long", "Option label at index 0 too long (max 100 chars)"),
    (with_options({"label": "a", "value": "x" * 101}), "options[0].value", "too_long", "Option value at index 0 too long (max 100 chars)"),
    (with_options({"label": "a", "value": {}}), "options[0].value", "wrong_type", None),
    (with_options({"label": "A", "value": "a"}, {"label": "A", "value": "b"}), "options[1].label", "duplicate_option", None),
    (with_options({"label": "A", "value": "a"}, {"label": "B", "value": "a"}), "options[1].value", "duplicate_option", None),
    (with_options({"label": "A"}, {"label": "A"}), "options[1].label", "duplicate_option", None),
    ({"question": "N?", "allow_other": "yes"}, "allow_other", "wrong_type", None),
    ({**PICK, "allow_skip": "yes"}, "allow_skip", "wrong_type", None),
    ({**PICK, "allow_other": 1}, "allow_other", "wrong_type", None),
    ({"question": "N?", "placeholder": "x" * 5_000}, "placeholder", "too_long", "Placeholder too long (max 200 chars, got 5000)"),
    ({"question": "N?", "context": "x" * 50_000}, "context", "too_long", "Context too long (max 500 chars, got 50000)"),
    ({"question": "N?", "context": 5}, "context", "wrong_type", None),
    ({"question": "N?", "validation": "x"}, "validation", "wrong_type", None),
    ({"question": "N?", "validation": {"pattern": "x" * 201}}, "validation.pattern", "too_long", "Regex pattern too long (max 200 characters)"),
    ({"question": "N?", "validation": {"pattern": 5}}, "validation.pattern", "wrong_type", None),
    *(
        ({"question": "N?", "validation": {"pattern": pattern}}, "validation.pattern", "unsafe_pattern", UNSAFE)
        for pattern in ("(.*)+", "(.+)+", "(a+)+", "^(a*)*$", r"x(?:[a-z\d]+)*y")
    ),
    ({"question": "N?", "validation": {"pattern": "[z-a]"}}, "validation.pattern", "invalid_pattern", "Invalid regex pattern: invalid character class range"),
    ({"question": "N?", "validation": {"pattern": "(?=x)y"}}, "validation.pattern", "invalid_pattern", "Invalid regex pattern: invalid perl operator"),
    ({**PICK, "validation": {"pattern": "(a+)+"}}, "validation.pattern", "unsafe_pattern", UNSAFE),
    ({**PICK, "validation": {"pattern": "[z-a]"}}, "validation.pattern", "invalid_pattern", "Invalid regex pattern: invalid character class range"),
    ({"question": "N?", "validation": {"min": 5, "max": 1}}, "validation.min", "contradiction", "validation.min: The minimum is above the maximum."),
    ({"question": "N?", "input_type": "number", "validation": {"max": "5"}}, "validation.max", "wrong_type", "validation.max: Must be a number."),
    ({"question": "N?", "input_type": "date", "validation": {"min": "1.1.2026"}}, "validation.min", "invalid_date", None),
    ({"question": "N?", "validation": {"message": "x" * 201}}, "validation.message", "too_long", "Message too long (max 200 chars, got 201)"),
    ({"question": "safe\u202etxt"}, "question", "control_chars", None),
    ({"question": "N?", "validation": {"pattern": "a", "message": "a\u202e"}}, "validation.message", "control_chars", None),
]  # fmt: skip


@requirement("D10", "D11", "D12", "D13", "D14")
@pytest.mark.parametrize(("arguments", "path", "code", "text"), REFUSED)
async def test_a_bad_question_is_refused_in_the_words_of_ihub(
    shared_api: Api, arguments: Any, path: str, code: str, text: str | None
) -> None:
    result, faults = await call(
        shared_api, arguments if isinstance(arguments, str) else json.dumps(arguments)
    )
    message_text = f"Invalid clarification request: {faults[0]['message'] if text is None else text}"
    if text is None:
        message_text = f"Invalid clarification request: {path}: {faults[0]['message']}"
    assert result == {"error": True, "code": "INVALID_CLARIFICATION_PARAMS", "message": message_text}
    assert (faults[0]["tool_call_id"], faults[0]["path"], faults[0]["code"]) == ("call_1", path, code)
    assert await pending(shared_api) == []


@requirement("D2", "D12", "D13")
@pytest.mark.parametrize(
    "arguments",
    [
        {"question": "😀" * 500},
        {"question": "Go?", "input_type": "confirm"},
        {"question": "Go?", "input_type": "confirm", "options": [{"label": "Ship"}, {"label": "Hold"}]},
        {"question": "When?", "input_type": "date", "validation": {"min": "2026-01-01"}},
        *({**PICK, "input_type": kind, "validation": {"pattern": "a", "min": 5, "max": "1"}} for kind in ("select", "confirm")),
        *({"question": "N?", "input_type": kind, "validation": {"pattern": "a"}} for kind in ("number", "date")),
        {**PICK, "input_type": "multiselect", "validation": {"pattern": "a", "min": 1, "message": "m"}},
        {"question": "What?", "input_type": "", "options": None, "validation": {}, "context": ""},
        {"question": "What?", "options": [{"label": "a"}], "unknown": 1, "__proto__": {}},
        {**PICK, "options": [{"label": f"{n}", "value": n} for n in range(20)]},
        *({"question": "N?", "validation": {"pattern": p}} for p in (r"^[a-z]+(,[a-z]+)*$", r"(\+\d)+", r"^[\w.+-]+@[\w-]+\.[\w.-]+$", r"^(a|a)+$", r"^((a)+)+$", r"^(a+){2,}$", r"^(\d+-?){3,}$")),
    ],
)  # fmt: skip
async def test_a_good_question_waits(api: Api, arguments: dict[str, Any]) -> None:
    result, faults = await call(api, arguments)
    assert (result["status"], result["clarificationNumber"], faults) == ("awaiting_user_response", 1, None)
    assert [item["tool_call_id"] for item in await pending(api)] == ["call_1"]


@requirement("D11")
async def test_long_texts_are_cut_only_where_that_is_wanted(api: Api) -> None:
    long = {
        "question": "N?",
        "placeholder": "p" * 900,
        "context": "c" * 900,
        "validation": {"message": "m" * 900},
    }
    assert (await call(api, long))[0]["error"]
    assert (await call(api, long, truncate="true"))[0]["status"] == "awaiting_user_response"
    [request] = await pending(api)
    field = request["form"]["fields"][0]
    lengths = [
        len(item)
        for item in (field["placeholder"], request["form"]["description"], field["messages"]["type"])
    ]
    assert lengths == [200, 500, 200]
