"""Ways on which a value is accepted: submitted, stored, tested, in a field, sent twice."""

from __future__ import annotations

import anyio

from tests.journeys.people import leased_values, refusal, request_of
from tests.leaks.canary import ODD, PEM, Canary
from tests.leaks.scene import THREAD, Scene


async def submit_values(scene: Scene) -> list[str]:
    """Submit values on every successful way; returns those that a lease must return."""
    return [
        *await _provide_secrets(scene),
        *await _store_secrets(scene),
        *await submit_with_probe(scene),
        *await submit_with_server_probe(scene),
        *await submit_as_fields(scene),
        *await submit_again(scene),
        *await submit_at_once(scene),
    ]


async def _lease(scene: Scene, *names: str) -> list[str]:
    return list(leased_values(await scene.agent.lease(THREAD, *names)).values())


async def _provide_secrets(scene: Scene) -> list[str]:
    for name, shape in (("PLAIN", "{}{}{}{}{}"), ("ODD", ODD), ("PEM", PEM)):
        request_id = await scene.need(name, default_scope="global")
        value = scene.value(f"given: {name}", shape=shape)
        assert (await scene.ada.hand_over(request_id, {name: value})).status_code == 200
    return await _lease(scene, "PLAIN", "ODD", "PEM")


async def _store_secrets(scene: Scene) -> list[str]:
    for origin in ("kept by hand", "kept in the place of another"):
        assert (await scene.ada.keep("KEPT", scene.value(origin))).status_code == 201
    erased = (await scene.ada.keep("ERASED", scene.value("erased"))).json()
    assert (await scene.ada.erase(erased["id"])).status_code == 204
    await scene.agent.need(THREAD, "KEPT", default_scope="global")
    return await _lease(scene, "KEPT")


async def submit_with_probe(scene: Scene) -> list[str]:
    request_id = await scene.need("TRIED", probe=True)
    await scene.ada.hand_over(request_id, {"TRIED": scene.value("tried, and it did not hold")})
    tried = leased_values(await scene.agent.lease(THREAD, "TRIED", request_id=request_id))
    wrong = [{"path": "secrets.TRIED", "message": "The service does not know it."}]
    assert (await scene.agent.reprompt(request_id, field_errors=wrong)).status_code == 200
    await scene.ada.hand_over(request_id, {"TRIED": scene.value("tried, and it held")}, revision=2)
    assert (await scene.agent.accept(request_id)).status_code == 200
    taken_back = await scene.need(probe=True)
    name = (await scene.agent.get(taken_back))["secret"]["names"][0]
    await scene.ada.hand_over(taken_back, {name: scene.value("tried, and the agent left")})
    assert (await scene.agent.cancel(taken_back)).status_code == 200
    return [*tried.values(), *await _lease(scene, "TRIED")]


async def submit_with_server_probe(scene: Scene) -> list[str]:
    for name in ("HOLDS", "BREAKS", "FAILS"):
        request_id = await scene.need(name, probe="crm")
        await scene.ada.hand_over(request_id, {name: scene.value(f"tried by the server: {name}")})
        ended_reply = await scene.ada.http.get(
            f"/v1/requests/{request_id}", params={"wait": 10, "revision": 1}
        )
        assert ended_reply.json()["status"] == ("pending" if name == "FAILS" else "answered"), (
            ended_reply.text
        )
    return await _lease(scene, "HOLDS", "BREAKS")


async def submit_as_fields(scene: Scene) -> list[str]:
    fields = [
        {"id": "user", "type": "text", "label": "User"},
        {"id": "pin", "type": "text", "label": "PIN", "sensitive": True},
        {"id": "notes", "type": "textarea", "label": "Notes", "sensitive": True},
        {"id": "own", "type": "select", "label": "Own", "sensitive": True, "options": ["a"], "allow_other": True},
        {"id": "many", "type": "multiselect", "label": "Many", "sensitive": True, "options": ["a"], "allow_other": True},
    ]  # fmt: skip
    request_id = request_of(await scene.agent.ask(THREAD, {"fields": fields}))["id"]
    values = {
        "user": "eva",
        "pin": scene.value("a sensitive text"),
        "notes": scene.value("a sensitive text of many lines", shape=PEM),
        "own": scene.value("a sensitive choice of one's own"),
        "many": ["a", scene.value("a sensitive choice among others")],
    }
    settled_request = await scene.ada.answer(request_id, values)
    assert settled_request.status_code == 200, settled_request.text
    given_values = settled_request.json()["answer"]["values"]
    refs = [given_values[name]["ref"] for name in ("pin", "notes", "own", "many")]
    return list(leased_values(await scene.agent.lease(THREAD, refs=refs)).values())


async def submit_again(scene: Scene) -> list[str]:
    request_id = await scene.need("AGAIN")
    value = scene.value("sent again with its key")
    first_reply, second_reply = [
        await scene.ada.hand_over(request_id, {"AGAIN": value}, key="k1") for _ in range(2)
    ]
    assert (first_reply.status_code, second_reply.status_code) == (200, 200)
    late_reply = await scene.ada.hand_over(request_id, {"AGAIN": scene.value("sent too late")}, key="k2")
    assert refusal(late_reply) == (409, "already_settled")
    other = {"AGAIN": scene.value("another value under a key that was used")}
    await scene.ada.hand_over(request_id, other, key="k1")
    return await _lease(scene, "AGAIN")


async def submit_at_once(scene: Scene) -> list[str]:
    request_id = await scene.need("ONCE")
    codes: list[int] = []

    async def send(value: str) -> None:
        codes.append((await scene.ada.hand_over(request_id, {"ONCE": value})).status_code)

    async with anyio.create_task_group() as hands:
        for n in range(8):
            hands.start_soon(send, scene.value(f"sent at once, {n}"))
    assert sorted(codes) == [200] + [409] * 7
    return await _lease(scene, "ONCE")


def submission_of(value: str, canaries: list[Canary]) -> str:
    """Return the way on which a value was sent."""
    return next(canary.origin for canary in canaries if value in (canary.value, f'["a", "{canary.value}"]'))
