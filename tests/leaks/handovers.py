"""Ways on which a value is accepted: submitted, stored, tested, in a field, sent twice."""

from __future__ import annotations

import anyio

from tests.journeys.people import leased_values, refusal, request_of
from tests.leaks.canary import ODD, PEM, Canary
from tests.leaks.participants import THREAD, Participants


async def submit_values(participants: Participants) -> list[str]:
    """Submit values on every successful way; returns those that a lease must return."""
    return [
        *await _provide_secrets(participants),
        *await _store_secrets(participants),
        *await submit_with_probe(participants),
        *await submit_with_server_probe(participants),
        *await submit_as_fields(participants),
        *await submit_again(participants),
        *await submit_at_once(participants),
    ]


async def _lease(participants: Participants, *names: str) -> list[str]:
    return list(leased_values(await participants.agent.lease(THREAD, *names)).values())


async def _provide_secrets(participants: Participants) -> list[str]:
    for name, shape in (("PLAIN", "{}{}{}{}{}"), ("ODD", ODD), ("PEM", PEM)):
        request_id = await participants.need(name, default_scope="global")
        value = participants.value(f"given: {name}", shape=shape)
        assert (await participants.ada.hand_over(request_id, {name: value})).status_code == 200
    return await _lease(participants, "PLAIN", "ODD", "PEM")


async def _store_secrets(participants: Participants) -> list[str]:
    for origin in ("kept by hand", "kept in the place of another"):
        assert (await participants.ada.keep("KEPT", participants.value(origin))).status_code == 201
    erased = (await participants.ada.keep("ERASED", participants.value("erased"))).json()
    assert (await participants.ada.erase(erased["id"])).status_code == 204
    await participants.agent.need(THREAD, "KEPT", default_scope="global")
    return await _lease(participants, "KEPT")


async def submit_with_probe(participants: Participants) -> list[str]:
    request_id = await participants.need("TRIED", probe=True)
    await participants.ada.hand_over(request_id, {"TRIED": participants.value("tried, and it did not hold")})
    tried = leased_values(await participants.agent.lease(THREAD, "TRIED", request_id=request_id))
    wrong = [{"path": "secrets.TRIED", "message": "The service does not know it."}]
    assert (await participants.agent.reprompt(request_id, field_errors=wrong)).status_code == 200
    await participants.ada.hand_over(
        request_id, {"TRIED": participants.value("tried, and it held")}, revision=2
    )
    assert (await participants.agent.accept(request_id)).status_code == 200
    taken_back = await participants.need(probe=True)
    name = (await participants.agent.get(taken_back))["secret"]["names"][0]
    await participants.ada.hand_over(taken_back, {name: participants.value("tried, and the agent left")})
    assert (await participants.agent.cancel(taken_back)).status_code == 200
    return [*tried.values(), *await _lease(participants, "TRIED")]


async def submit_with_server_probe(participants: Participants) -> list[str]:
    for name in ("HOLDS", "BREAKS", "FAILS"):
        request_id = await participants.need(name, probe="crm")
        await participants.ada.hand_over(
            request_id, {name: participants.value(f"tried by the server: {name}")}
        )
        ended_reply = await participants.ada.http.get(
            f"/v1/requests/{request_id}", params={"wait": 10, "revision": 1}
        )
        assert ended_reply.json()["status"] == ("pending" if name == "FAILS" else "answered"), (
            ended_reply.text
        )
    return await _lease(participants, "HOLDS", "BREAKS")


async def submit_as_fields(participants: Participants) -> list[str]:
    fields = [
        {"id": "user", "type": "text", "label": "User"},
        {"id": "pin", "type": "text", "label": "PIN", "sensitive": True},
        {"id": "notes", "type": "textarea", "label": "Notes", "sensitive": True},
        {"id": "own", "type": "select", "label": "Own", "sensitive": True, "options": ["a"], "allow_other": True},
        {"id": "many", "type": "multiselect", "label": "Many", "sensitive": True, "options": ["a"], "allow_other": True},
    ]  # fmt: skip
    request_id = request_of(await participants.agent.ask(THREAD, {"fields": fields}))["id"]
    values = {
        "user": "eva",
        "pin": participants.value("a sensitive text"),
        "notes": participants.value("a sensitive text of many lines", shape=PEM),
        "own": participants.value("a sensitive choice of one's own"),
        "many": ["a", participants.value("a sensitive choice among others")],
    }
    settled_request = await participants.ada.answer(request_id, values)
    assert settled_request.status_code == 200, settled_request.text
    given_values = settled_request.json()["answer"]["values"]
    refs = [given_values[name]["ref"] for name in ("pin", "notes", "own", "many")]
    return list(leased_values(await participants.agent.lease(THREAD, refs=refs)).values())


async def submit_again(participants: Participants) -> list[str]:
    request_id = await participants.need("AGAIN")
    value = participants.value("sent again with its key")
    first_reply, second_reply = [
        await participants.ada.hand_over(request_id, {"AGAIN": value}, key="k1") for _ in range(2)
    ]
    assert (first_reply.status_code, second_reply.status_code) == (200, 200)
    late_reply = await participants.ada.hand_over(
        request_id, {"AGAIN": participants.value("sent too late")}, key="k2"
    )
    assert refusal(late_reply) == (409, "already_settled")
    other = {"AGAIN": participants.value("another value under a key that was used")}
    await participants.ada.hand_over(request_id, other, key="k1")
    return await _lease(participants, "AGAIN")


async def submit_at_once(participants: Participants) -> list[str]:
    request_id = await participants.need("ONCE")
    codes: list[int] = []

    async def send(value: str) -> None:
        codes.append((await participants.ada.hand_over(request_id, {"ONCE": value})).status_code)

    async with anyio.create_task_group() as hands:
        for n in range(8):
            hands.start_soon(send, participants.value(f"sent at once, {n}"))
    assert sorted(codes) == [200] + [409] * 7
    return await _lease(participants, "ONCE")


def submission_of(value: str, canaries: list[Canary]) -> str:
    """Return the way on which a value was sent."""
    return next(canary.origin for canary in canaries if value in (canary.value, f'["a", "{canary.value}"]'))
