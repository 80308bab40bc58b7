"""Ways on which a value is refused: it breaks a rule, is cut, is in the wrong place, comes from the wrong person."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from tests.journeys.people import refusal, request_of
from tests.leaks.canary import ODD
from tests.leaks.participants import THREAD, Participants

Body = Callable[[str], bytes]


def submission_body(secrets: Any, **extra: Any) -> bytes:
    return json.dumps({"revision": 1, "secrets": secrets, **extra}).encode()


def cut_body(body: bytes, cut_point: str) -> bytes:
    """Cut a body in the middle of a value."""
    return body[: body.index(cut_point.encode()) + len(cut_point) // 2]


SUBMISSIONS: Mapping[str, Body] = {
    "too long": lambda v: submission_body({"A_KEY": v * 300}),
    "with a NUL": lambda v: submission_body({"A_KEY": f"{v}\0"}),
    "in a list": lambda v: submission_body({"A_KEY": [v]}),
    "in an object": lambda v: submission_body({"A_KEY": {v: v}}),
    "as a number": lambda v: b'{"revision": 1, "secrets": {"A_KEY": %d}}' % int.from_bytes(v.encode()),
    "for a name that nobody asked for": lambda v: submission_body({"A_KEY": "x", "OTHER_KEY": v}),
    "for a blocked name": lambda v: submission_body({"A_KEY": "x", "LD_PRELOAD": v}),
    "in the place of a name": lambda v: submission_body({v: "x"}),
    "in the place of all": lambda v: submission_body(v),
    "in a list of all": lambda v: submission_body([{"name": "A_KEY", "value": v}]),
    "beside a good one": lambda v: submission_body({"A_KEY": "x"}, value=v),
    "as a member": lambda v: submission_body({"A_KEY": "x"}, **{v: "x"}),
    "as the revision": lambda v: submission_body({"A_KEY": "x"}, revision=v),
    "with an old revision": lambda v: submission_body({"A_KEY": v}, revision=7),
    "with a revision in words": lambda v: submission_body({"A_KEY": v}, revision="1"),
    "as the scope": lambda v: submission_body({"A_KEY": "x"}, scope=v),
    "in the scope": lambda v: submission_body({"A_KEY": "x"}, scope=[v]),
    "with a wrong scope": lambda v: submission_body({"A_KEY": v}, scope="everywhere"),
    "among those to be reused": lambda v: submission_body({}, use_existing=[v]),
    "in the place of those to be reused": lambda v: submission_body({}, use_existing=v),
    "beside a saved one that is not there": lambda v: submission_body({"A_KEY": v}, use_existing=["B_KEY"]),
    "and reused at once": lambda v: submission_body({"A_KEY": v, "B_KEY": v}, use_existing=["A_KEY"]),
    "for one name of two": lambda v: submission_body({"A_KEY": v}),
    "cut in the middle": lambda v: cut_body(submission_body({"A_KEY": v}), v),
    "cut after the value": lambda v: submission_body({"A_KEY": v})[:-2],
    "cut in an escape": lambda v: cut_body(submission_body({"A_KEY": v}), v) + b"\\u12",
    "with a name twice": lambda v: b'{"revision":1,"secrets":{"A_KEY":"%b","A_KEY":"%b"}}' % (v.encode(), v.encode()),
    "not in UTF-8": lambda v: submission_body({"A_KEY": v}).replace(v.encode(), v.encode() + b"\xff"),
    "with half a character": lambda v: submission_body({"A_KEY": f"{v}\ud800"}),
    "too deep": lambda v: submission_body(json.loads("[" * 40 + f'"{v}"' + "]" * 40)),
    "with an endless number": lambda v: submission_body({"A_KEY": v, "B_KEY": float("inf")}),
    "as a text of JSON": lambda v: json.dumps(v).encode(),
    "as a list of JSON": lambda v: json.dumps([v]).encode(),
    "in single quotes": lambda v: repr({"revision": 1, "secrets": {"A_KEY": v}}).encode(),
    "as it is": str.encode,
    "as lines": lambda v: f"A_KEY={v}\nB_KEY={v}\n".encode(),
    "too large": lambda v: submission_body({"A_KEY": v * 40_000}),
}  # fmt: skip

SHAPES: Mapping[str, str] = {"in single quotes": ODD, "in a list": ODD, "cut after the value": ODD}
"""Values that are more than letters."""

REFUSED_BODIES: Mapping[str, Body] = {
    "too long": lambda v: _keep(value=v * 300),
    "with a NUL": lambda v: _keep(value=f"{v}\0"),
    "in a list": lambda v: _keep(value=[v]),
    "as the name": lambda v: _keep(name=v, value="x"),
    "for a blocked name": lambda v: _keep(name="PATH", value=v),
    "as the scope": lambda v: _keep(value="x", scope=v),
    "with a wrong scope": lambda v: _keep(value=v, scope="everywhere"),
    "without a thread": lambda v: _keep(value=v, scope="session"),
    "with a thread too many": lambda v: _keep(value=v, thread_id="t"),
    "as a thread too many": lambda v: _keep(value="x", thread_id=v),
    "as a member": lambda v: _keep(value="x", **{v: "x"}),
    "cut in the middle": lambda v: cut_body(_keep(value=v), v),
    "as a text of JSON": lambda v: json.dumps(v).encode(),
}


def _keep(**extra: Any) -> bytes:
    return json.dumps({"name": "A_KEY", "scope": "global", **extra}).encode()


_KINDS: Mapping[str, dict[str, Any]] = {
    "short": {"type": "text", "max_length": 9},
    "long": {"type": "text", "min_length": 99},
    "digits": {"type": "text", "pattern": "[0-9]+", "pattern_message": "Digits, please."},
    "number": {"type": "number"},
    "choice": {"type": "select", "options": ["a", "b"]},
    "choices": {"type": "multiselect", "options": ["a", "b"]},
    "date": {"type": "date"},
    "needed": {"type": "text", "required": True},
}
FORM = {"fields": [{"id": name, "label": name, "sensitive": True, **kind} for name, kind in _KINDS.items()]}
"""A form with a sensitive field of each kind, one of them required."""

FIELDS: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "too long": lambda v: {"short": v},
    "too short": lambda v: {"long": v},
    "against the pattern": lambda v: {"digits": v},
    "not a number": lambda v: {"number": v},
    "not among the options": lambda v: {"choice": v},
    "not among the options of many": lambda v: {"choices": ["a", v]},
    "not a date": lambda v: {"date": v},
    "in a list": lambda v: {"short": [v]},
    "in an object": lambda v: {"short": {v: v}},
    "with a NUL": lambda v: {"short": f"{v}\0"},
    "in the place of all": lambda v: {"values": v},
    "and nothing of what is required": lambda v: {"long": v * 3},
}


async def send_refused_values(participants: Participants) -> None:
    """Send values on every way on which they are refused; the requests are still open at the end."""
    await send_refused_submissions(participants)
    await set_refused_secrets(participants)
    await send_refused_fields(participants)
    await send_as_other_people(participants)
    await send_to_ended_requests(participants)


async def send_refused_submissions(participants: Participants) -> None:
    request_id = await participants.need("A_KEY", "B_KEY")
    for origin, write in SUBMISSIONS.items():
        value = participants.value(f"submitted {origin}", shape=SHAPES.get(origin, "{}{}{}{}{}"))
        reply = await participants.post(request_id, write(value))
        assert reply.status_code in (409, 413, 422), (origin, reply.text)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        value = participants.value(f"submitted as {kind}")
        reply = await participants.post(request_id, f"A_KEY={value}".encode(), **{"content-type": kind})
        assert reply.status_code == 422
    value = participants.value("submitted in pieces, and too large")

    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(400):
            yield f"{value} ".encode() * 100

    reply = await participants.ada.http.post(f"/v1/requests/{request_id}/answer", content=pieces())
    assert refusal(reply) == (413, "too_large")
    assert (await participants.ada.get(request_id))["status"] == "pending"


async def set_refused_secrets(participants: Participants) -> None:
    for origin, write in REFUSED_BODIES.items():
        body = write(participants.value(f"kept {origin}"))
        reply = await participants.ada.http.post("/v1/secrets", content=body)
        assert reply.status_code == 422, (origin, reply.text)


async def send_refused_fields(participants: Participants) -> None:
    request_id = request_of(await participants.agent.ask(THREAD, FORM))["id"]
    for origin, write in FIELDS.items():
        values = write(participants.value(f"a sensitive field {origin}"))
        reply = await participants.ada.answer(request_id, values.get("values", values))
        assert reply.status_code == 422, (origin, reply.text)
    value = participants.value("a sensitive field cut in the middle")
    body = json.dumps({"revision": 1, "values": {"short": value}}).encode()
    assert (await participants.post(request_id, cut_body(body, value))).status_code == 422
    stale = await participants.ada.answer(
        request_id, {"long": participants.value("a sensitive field, late")}, revision=7
    )
    assert refusal(stale) == (409, "stale_revision")
    submission = {
        "revision": 1,
        "values": {},
        "secrets": {"long": participants.value("beside a sensitive field")},
    }
    assert (await participants.post(request_id, json.dumps(submission).encode())).status_code == 422


async def send_as_other_people(participants: Participants) -> None:
    request_id = await participants.need("A_KEY", assignees=["responder"])
    for person, found in (
        (participants.agent, (403, "forbidden")),
        (participants.bob, (403, "not_assigned")),
        (participants.foreigner, (404, "not_found")),
        (participants.stranger, (401, "unauthorized")),
    ):
        origin = f"submitted by somebody who is told {found[1]}"
        assert refusal(await person.hand_over(request_id, {"A_KEY": participants.value(origin)})) == found
    by_agent = await participants.agent.keep("A_KEY", participants.value("kept by an agent"))
    assert refusal(by_agent) == (403, "forbidden")


async def send_to_ended_requests(participants: Participants) -> None:
    """Send values to ended requests, and to requests of another kind."""
    cancelled, dismissed = await participants.need("C_KEY"), await participants.need("D_KEY")
    await participants.agent.cancel(cancelled)
    await participants.ada.decline(dismissed, "dismissed")
    for request_id, name, origin in ((cancelled, "C_KEY", "cancelled"), (dismissed, "D_KEY", "dismissed")):
        late_reply = await participants.ada.hand_over(
            request_id, {name: participants.value(f"submitted, but it was {origin}")}
        )
        assert refusal(late_reply) == (409, "already_settled")
    waits = await participants.need("E_KEY")
    for origin, body in (
        (
            "as values of a form",
            {"revision": 1, "values": {"E_KEY": participants.value("as values of a form")}},
        ),
        (
            "as a decision",
            {"revision": 1, "decision": "approve", "note": participants.value("as a decision")},
        ),
    ):
        assert (await participants.post(waits, json.dumps(body).encode())).status_code == 422, origin
    form = {"fields": [{"id": "q", "type": "text", "label": "Q"}]}
    for request in (
        await participants.agent.ask(THREAD, form),
        await participants.agent.bash(THREAD, "make deploy"),
    ):
        value = participants.value(f"submitted to {request_of(request)['kind']}")
        assert (await participants.ada.hand_over(request.json()["id"], {"A_KEY": value})).status_code == 422
        reply = await participants.ada.decline(request.json()["id"], "dismissed", secrets={"A_KEY": value})
        assert reply.status_code == 422
    verdicts = await participants.need("F_KEY", probe=True)
    await participants.ada.hand_over(
        verdicts, {"F_KEY": participants.value("tried, and the verdict was wrong")}
    )
    wrong = [{"path": participants.value("as the path of a verdict"), "message": "no"}]
    assert (await participants.agent.reprompt(verdicts, field_errors=wrong)).status_code == 422
    asks = await participants.agent.need(
        THREAD, participants.value("in the place of a name that is asked for")
    )
    assert asks.status_code == 422
    metadata = {participants.value("in the place of a name that is explained"): {"description": "d"}}
    assert (await participants.agent.need(THREAD, "A_KEY", metadata=metadata)).status_code == 422
