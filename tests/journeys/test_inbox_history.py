"""Group K: settled requests are found in the history."""

from __future__ import annotations

from typing import Any

import pytest

from tests.journeys.people import Person, Team, faults, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


def form(title: str) -> dict[str, Any]:
    """A form with a title."""
    return {"title": title, "fields": [{"id": "q", "type": "text", "label": "Q"}]}


async def history(person: Person, **filters: Any) -> list[str]:
    """The ids of all pages of a search."""
    found: list[str] = []
    cursor = None
    while True:
        reply = await person.http.get(
            "/v1/history", params={**filters, **({"cursor": cursor} if cursor else {})}
        )
        assert reply.status_code == 200, reply.text
        page = reply.json()
        found += [request["id"] for request in page["requests"]]
        cursor = page["next_cursor"]
        if cursor is None:
            return found


@requirement("K14")
async def test_every_settled_request_is_found_by_each_filter(team: Team, thread: str) -> None:
    lunch = request_of(await team.agent.ask(thread, form("Größe der Pizza")))["id"]
    trip = request_of(await team.agent.ask(f"{thread}-trip", form("Which hotel?"), agent="planner"))["id"]
    call = request_of(await team.agent.bash(thread, "make deploy"))["id"]
    cancelled = request_of(await team.agent.ask(thread, form("Nobody cares")))["id"]
    open_ = request_of(await team.agent.ask(thread, form("Open")))["id"]
    await team.agent.http.patch(f"/v1/threads/{thread}-trip", json={"title": "Journey to Rome"})
    await team.ada.answer(lunch, {"q": "x"})
    await team.bob.decline(trip, "dismissed", note="Not now.")
    await team.bob.decide(call, "deny", note="Friday")
    await team.agent.cancel(cancelled)
    assert await history(team.ada) == await history(team.ada, limit=1) == [cancelled, call, trip, lunch]
    assert await history(team.ada, q=thread, limit=1) == [cancelled, call, trip, lunch]
    requester = (await team.agent.get(lunch))["requester"]["id"]
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"kind": "approval"}, [call]),
        ({"agent": requester}, [cancelled, call, trip, lunch]),
        ({"agent": "agt_none"}, []),
        ({"thread_id": thread}, [cancelled, call, lunch]),
        ({"by": team.bob.id}, [call, trip]),
        ({"by": team.bob.id, "kind": "form"}, [trip]),
        ({"outcome": "deny"}, [call]),
        ({"outcome": "dismissed"}, [trip]),
        ({"outcome": "cancelled"}, [cancelled]),
        ({"q": "größe PIZZA"}, [lunch]),
        ({"q": "GROSSE"}, [lunch]),
        ({"q": "pizzas"}, []),
        ({"q": "izz"}, [lunch]),
        ({"q": "planner"}, [trip]),
        ({"q": "rome journey"}, [trip]),
        ({"q": f"{thread} deploy"}, [call]),
        ({"q": "deploy", "by": team.ada.id}, []),
    ]
    for filters, expected in cases:
        assert await history(team.ada, **filters) == expected, filters
    denied_request = request_of(await team.agent.bash(thread, "make refused"))["id"]
    await team.carol.decline(denied_request, "refused")
    assert await history(team.ada, outcome="deny") == [call]
    assert await history(team.ada, outcome="refused") == [denied_request]
    (found,) = (await team.ada.http.get("/v1/history", params={"q": "hotel"})).json()["requests"]
    names = ("reason", "note", "thread_title", "level")
    assert [found[name] for name in names] == ["dismissed", "Not now.", "Journey to Rome", "all"]
    assert found["settled_by"]["name"] == "bob"
    ended_at = found["settled_at"]
    assert trip in await history(team.ada, settled_after=ended_at)
    assert trip not in await history(team.ada, settled_before=ended_at)
    assert open_ not in await history(team.ada, q="open")
    for wrong in ({"kind": "x"}, {"settled_after": "yesterday"}, {"limit": "x"}, {"colour": "red"}):
        assert refusal(await team.ada.http.get("/v1/history", params=wrong)) == (422, "invalid"), wrong
    assert refusal(await team.agent.http.get("/v1/history")) == (403, "forbidden")


@requirement("K14", "K8")
async def test_the_history_hides_what_a_person_may_not_see(team: Team, thread: str) -> None:
    secret = request_of(await team.agent.need(thread, "HIDDEN_KEY", hide_names=True))["id"]
    owned = {"owner": team.ada.id, "others": "none", "people": {team.bob.id: "view"}}
    await team.admin.http.put(f"/v1/threads/{thread}/access", json=owned)
    await team.ada.hand_over(secret, {"HIDDEN_KEY": "x" * 20})
    assert await history(team.carol) == []
    assert await history(team.bob) == await history(team.admin) == [secret]
    assert await history(team.ada, q="hidden_key") == []
    (visible_request,) = (await team.bob.http.get("/v1/history")).json()["requests"]
    assert visible_request["secret"]["names"] == []


async def test_an_unknown_filter_of_the_history_is_refused_with_the_known_ones(team: Team) -> None:
    for name in ("kind", "outcome"):
        unknown = await team.ada.http.get("/v1/history", params={name: "denied"})
        assert faults(unknown) == [(name, "unknown_value")]
