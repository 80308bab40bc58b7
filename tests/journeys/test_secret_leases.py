"""Group E: only a lease returns values, to the agent that got the grant, in its thread."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.journeys.people import Person, Team, faults, leased_values, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

NOT_GRANTED = (404, "not_granted")


async def provide_secret(team: Team, thread: str, value: str = "value", **extra: Any) -> dict[str, Any]:
    """Let ada give `A_KEY` to the agent of a thread; returns the settled request."""
    request = request_of(await team.agent.need(thread, "A_KEY"))
    settled_reply = await team.ada.hand_over(request["id"], {"A_KEY": value}, **extra)
    assert settled_reply.status_code == 200, settled_reply.text
    return settled_reply.json()


@pytest.fixture
async def other(server: Any, team: Team) -> AsyncIterator[Person]:
    """A second agent of the same tenant."""
    reply = await team.admin.http.post("/v1/tokens", json={"role": "requester", "name": "other"})
    async with Person(server.url, reply.json()["token"]) as person:
        yield person


@requirement("E17", "E5")
async def test_a_lease_has_value_scope_and_expiry_and_is_never_cached(team: Team, thread: str) -> None:
    await provide_secret(team, thread, scope="global")
    reply = await team.agent.lease(thread, "A_KEY")
    body = reply.json()
    assert body.pop("expires_at") > "2026"
    assert body == {"secrets": {"A_KEY": {"value": "value", "scope": "global", "version": 1}}}
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["content-type"] == "application/json"


@requirement("E17")
async def test_a_stored_secret_is_not_leased_without_a_grant(team: Team, thread: str) -> None:
    await team.ada.keep("A_KEY", "value")
    await team.ada.keep("A_KEY", "value", "session", thread_id=thread)
    refused_reply = await team.agent.lease(thread, "A_KEY")
    assert refusal(refused_reply) == NOT_GRANTED
    absent = await team.agent.lease(thread, "B_KEY")
    assert refused_reply.text.replace("A_KEY", "B_KEY") == absent.text


@requirement("E17", "I12")
async def test_a_secret_for_one_agent_in_one_thread_is_leased_by_no_other(
    server: Any, team: Team, thread: str, other: Person
) -> None:
    await provide_secret(team, thread, scope="global")
    assert refusal(await other.lease(thread, "A_KEY")) == NOT_GRANTED
    assert refusal(await team.agent.lease(f"{thread}-2", "A_KEY")) == NOT_GRANTED
    async with server.person("requester@acme") as stranger:
        assert refusal(await stranger.lease(thread, "A_KEY")) == NOT_GRANTED
    for person in (team.ada, team.admin):
        assert refusal(await person.lease(thread, "A_KEY")) == (403, "forbidden")
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": "value"}


@requirement("E17")
async def test_several_names_are_leased_all_or_none(team: Team, thread: str) -> None:
    await provide_secret(team, thread)
    refused_reply = await team.agent.lease(thread, "A_KEY", "B_KEY")
    assert refusal(refused_reply) == NOT_GRANTED
    assert [error["path"] for error in refused_reply.json()["error"]["field_errors"]] == ["names[1]"]
    assert "_KEY" not in refused_reply.text
    entries, _ = await team.admin.audit()
    assert [entry["action"] for entry in entries] == ["decide"]


@requirement("E17")
@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"thread_id": "t"}, ("names", "too_few")),
        ({"thread_id": "t", "names": []}, ("names", "too_few")),
        ({"names": ["A_KEY"]}, ("thread_id", "missing_required")),
        ({"thread_id": "t", "names": ["A_KEY", "A_KEY"]}, ("names[1]", "duplicate_value")),
        ({"thread_id": "t", "names": "A_KEY"}, ("names", "wrong_type")),
        ({"thread_id": "t", "names": ["A_KEY"], "owner": "ada"}, ("owner", "unknown_field")),
        ({"thread_id": "t", "names": [f"K{n}" for n in range(201)]}, ("names", "too_many")),
        ({"thread_id": "t", "names": ["bad"] * 6000}, ("names", "too_many")),
    ],
)
async def test_a_lease_that_breaks_a_rule_is_refused_at_its_path(
    team: Team, body: Any, found: tuple[str, str]
) -> None:
    assert faults(await team.agent.http.post("/v1/secrets/lease", json=body)) == [found]


@requirement("E17", "E5")
async def test_an_invalid_name_is_refused_and_not_repeated(team: Team, thread: str) -> None:
    refused_reply = await team.agent.lease(thread, "canary-4711")
    assert faults(refused_reply) == [("names[0]", "not_a_secret_name")]
    assert "4711" not in refused_reply.text


@requirement("E17", "E19")
async def test_an_erased_secret_is_not_leased_and_is_asked_for_again(team: Team, thread: str) -> None:
    await provide_secret(team, thread)
    [secret] = await team.ada.list_secrets()
    assert (await team.ada.erase(secret["id"])).status_code == 204
    assert refusal(await team.agent.lease(thread, "A_KEY")) == (409, "secret_gone")
    await provide_secret(team, thread, "a new one")
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": "a new one"}


@requirement("E17")
async def test_the_newest_grant_of_a_name_is_the_one_that_counts(team: Team, thread: str) -> None:
    both = [request_of(await team.agent.need(thread, "A_KEY")) for _ in range(2)]
    for request, value, scope in zip(both, ("everywhere", "here"), ("global", "session"), strict=True):
        settled_reply = await team.ada.hand_over(request["id"], {"A_KEY": value}, scope=scope)
        assert settled_reply.status_code == 200, settled_reply.text
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": "here"}


@requirement("E17")
async def test_a_dismissed_cancelled_or_open_request_leases_nothing(team: Team, thread: str) -> None:
    await team.ada.keep("A_KEY", "saved", agents=[])
    for end in ("open", "dismissed", "cancelled"):
        request = request_of(await team.agent.need(f"{thread}-{end}", "A_KEY"))
        if end == "dismissed":
            await team.ada.decline(request["id"], "dismissed")
        elif end == "cancelled":
            await team.agent.cancel(request["id"])
            late_reply = await team.ada.hand_over(request["id"], {"A_KEY": "late"})
            assert refusal(late_reply) == (409, "already_settled")
        assert refusal(await team.agent.lease(f"{thread}-{end}", "A_KEY")) == NOT_GRANTED
    assert [item["version"] for item in await team.ada.list_secrets()] == [1]


@requirement("E17", "B28")
async def test_every_lease_is_logged_with_its_agent_and_names(team: Team, thread: str) -> None:
    settled_request = await provide_secret(team, thread)
    for _ in range(2):
        await team.agent.lease(thread, "A_KEY")
    entries, _ = await team.admin.audit()
    assert [
        (entry["action"], entry["actor"]["name"], entry["names"], entry["thread_id"]) for entry in entries
    ] == [
        ("decide", "ada", ["A_KEY"], thread),
        ("secret.lease", "agent", ["A_KEY"], thread),
        ("secret.lease", "agent", ["A_KEY"], thread),
    ]
    assert entries[0]["request_id"] == settled_request["id"]
    assert "value" not in entries[0]


@requirement("E17", "G2")
async def test_no_operation_of_the_websocket_takes_or_returns_a_value(team: Team, thread: str) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY"))
    body = {"revision": 1, "secrets": {"A_KEY": "value"}}
    refused_frame = await team.ada.frame(op="answer_request", request_id=request["id"], body=body)
    assert (refused_frame["error"]["status"], refused_frame["error"]["code"]) == (409, "http_only")
    assert await team.ada.get(request["id"]) == request
    lease = {"thread_id": thread, "names": ["A_KEY"]}
    keep = {"name": "A_KEY", "value": "value", "scope": "global"}
    for person, op, sent in (
        (team.agent, "lease", lease),
        (team.agent, "lease_secrets", lease),
        (team.ada, "keep", keep),
        (team.ada, "keep_secret", keep),
        (team.ada, "submit", body),
    ):
        refused_frame = await person.frame(op=op, request_id=request["id"], body=sent, **sent)
        assert refused_frame["error"]["status"] == 422, op
    assert await team.ada.list_secrets() == []


# --- tokens that may only lease ---------------------------------------------------------------


async def runner(server: Any, team: Team, **lease: list[str]) -> Person:
    """A caller with a token that may only lease these names in these threads."""
    reply = await team.admin.http.post("/v1/tokens", json={"role": "runner", "name": "ci", "lease": lease})
    assert reply.status_code == 201, reply.text
    return Person(server.url, reply.json()["token"])


@requirement("E17")
async def test_a_runner_leases_the_names_and_threads_that_its_token_is_made_for(
    server: Any, team: Team, thread: str
) -> None:
    for other_thread in (thread, f"{thread}-2"):
        request = request_of(await team.agent.need(other_thread, "HUBSPOT_KEY", "OTHER_KEY"))
        values = {"HUBSPOT_KEY": f"hubspot of {other_thread}", "OTHER_KEY": "other"}
        assert (await team.ada.hand_over(request["id"], values)).status_code == 200
    async with await runner(server, team, names=["HUBSPOT_*"], threads=[thread]) as ci:
        assert leased_values(await ci.lease(thread, "HUBSPOT_KEY")) == {"HUBSPOT_KEY": f"hubspot of {thread}"}
        assert refusal(await ci.lease(thread, "OTHER_KEY")) == (403, "forbidden")
        assert refusal(await ci.lease(thread, "HUBSPOT_KEY", "OTHER_KEY")) == (403, "forbidden")
        assert refusal(await ci.lease(f"{thread}-2", "HUBSPOT_KEY")) == (403, "forbidden")
        assert refusal(await ci.lease(thread, "HUBSPOT_UNKNOWN")) == NOT_GRANTED
    entries, _ = await team.admin.audit()
    records = [
        (entry["action"], entry["actor"]["name"], entry["actor"]["role"])
        for entry in entries
        if "lease" in entry["action"]
    ]
    assert records == [("secret.lease", "ci", "runner")]


@requirement("E17")
async def test_a_runner_leases_no_sensitive_field_that_its_names_do_not_cover(
    server: Any, team: Team, thread: str
) -> None:
    form = {"fields": [{"id": "pin", "type": "text", "label": "PIN", "sensitive": True}]}
    request = request_of(await team.agent.ask(thread, form))
    settled_request = (await team.ada.answer(request["id"], {"pin": "4711"})).json()
    ref = settled_request["answer"]["values"]["pin"]["ref"]
    async with await runner(server, team, names=["HUBSPOT_*"], threads=[thread]) as ci:
        assert (await ci.lease(thread, refs=[ref])).status_code in (403, 404)


_FOR_EVERYBODY = ("/healthz", "/readyz", "/openapi.json", "/v1/limits", "/v1/oauth/callback")


@requirement("E17", "I1")
async def test_a_runner_can_do_nothing_but_lease(server: Any, team: Team, thread: str) -> None:
    settled_request = await provide_secret(team, thread)
    [secret] = await team.ada.list_secrets()
    for_everybody = {("GET", path) for path in _FOR_EVERYBODY}
    own = {
        ("GET", "/v1/session"),
        ("DELETE", "/v1/session"),
        ("POST", "/v1/sessions"),
        ("POST", "/v1/secrets/lease"),
    }
    reads = {("GET", "/v1/requests"), ("GET", "/v1/requests/{id}")}
    async with await runner(server, team, names=["*"], threads=["*"]) as ci:
        document = (await ci.http.get("/openapi.json")).json()
        routes = {(m.upper(), p) for p, item in document["paths"].items() for m in item}
        for method, path in routes - for_everybody - own - reads:
            name = (
                secret["id"] if "secrets" in path else thread if "threads" in path else settled_request["id"]
            )
            body = {"revision": 1, "secrets": {"A_KEY": "x"}} if "answer" in path else {}
            reply = await ci.http.request(method, path.replace("{id}", name), json=body)
            assert refusal(reply) == (403, "forbidden"), (method, path)
        assert (await ci.http.get("/v1/requests")).json() == {"requests": [], "next_cursor": None}
        assert refusal(await ci.http.get(f"/v1/requests/{settled_request['id']}")) == (404, "not_found")


@requirement("E17")
@pytest.mark.parametrize(
    "body",
    [
        {"role": "runner"},
        {"role": "runner", "lease": {}},
        {"role": "runner", "lease": {"names": ["A_KEY"]}},
        {"role": "runner", "lease": {"threads": ["t"]}},
        {"role": "runner", "lease": {"names": [], "threads": []}},
        {"role": "requester", "lease": {"names": ["A_KEY"], "threads": ["t"]}},
    ],
)
async def test_a_runner_token_needs_the_names_that_it_may_lease(team: Team, body: Any) -> None:
    assert refusal(await team.admin.http.post("/v1/tokens", json=body)) == (422, "invalid")


async def test_people_see_when_a_secret_was_last_read_and_by_which_agent(team: Team, thread: str) -> None:
    await provide_secret(team, thread, scope="global")
    [unused] = (await team.ada.http.get("/v1/secrets")).json()["secrets"]
    assert "used_at" not in unused
    await team.agent.lease(thread, "A_KEY")
    [used_secret] = (await team.ada.http.get("/v1/secrets")).json()["secrets"]
    entries, _ = await team.admin.audit()
    [leased_entry] = [entry for entry in entries if entry["action"] == "secret.lease"]
    assert (used_secret["used_at"], used_secret["used_by"]) == (
        leased_entry["at"],
        {name: leased_entry["actor"][name] for name in ("id", "name")},
    )
