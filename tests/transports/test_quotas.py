"""Quotas: durable if necessary, visible in advance, and reset by time or an admin."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from askback.domain.limits import Limits
from askback.domain.timestamps import rfc3339
from askback.server.app import create_app
from askback.server.settings import load
from tests.requirements import requirement
from tests.transports.conftest import ANSWER, BASE, LIMITS, Api, ManualClock, ask, create_request

pytestmark = pytest.mark.anyio

APPROVAL = {"kind": "approval", "thread_id": "t1", "approval": {"tool": "deploy", "input": {"n": 1}}}


async def set_policy(api: Api, **body: Any) -> None:
    reply = await (await api.as_("admin")).post("/v1/policy", json=body)
    assert reply.status_code == 200, reply.text


async def post(api: Api, body: Any, who: str = "requester") -> httpx2.Response:
    return await (await api.as_(who)).post("/v1/requests", json=body)


async def used_quota(api: Api, thread: str = "t1") -> dict[str, Any]:
    reply = await (await api.as_("requester")).get("/v1/limits", params={"thread_id": thread})
    return reply.json()["thread"]


def code(reply: httpx2.Response) -> tuple[int, str]:
    return reply.status_code, reply.json()["error"]["code"]


@requirement("D8", "L1", "L7")
async def test_the_eleventh_question_is_refused_until_the_window_has_passed(api: Api) -> None:
    words = "Maximum clarification limit (10) reached for this conversation."
    await set_policy(api, thread_id="t1", max_questions=10, questions_window_s=3600, max_questions_text=words)
    window_start = api.clock.now
    for _ in range(10):
        assert (await post(api, ask())).status_code == 201
        api.clock.advance(seconds=1)
    eleventh = await post(api, ask())
    assert code(eleventh) == (429, "too_many_questions")
    assert eleventh.json()["error"]["message"] == words
    assert eleventh.headers["retry-after"] == "3590"
    assert (await post(api, APPROVAL)).status_code == 201
    assert (await post(api, ask(thread_id="t2"))).status_code == 201
    usage = await used_quota(api)
    assert (usage["questions"], usage["pending"]) == (10, 11)
    api.clock.now = window_start + 3600 * 1000
    assert (await used_quota(api))["questions"] == 0
    assert (await post(api, ask())).status_code == 201
    assert (await used_quota(api))["questions"] == 1


@requirement("D8")
async def test_a_question_knows_its_number_and_the_limit(api: Api) -> None:
    await set_policy(api, thread_id="t1", max_questions=10, questions_window_s=3600)
    first_request, second_request = await create_request(api), await create_request(api)
    assert [(item["ordinal"], item["of"]) for item in (first_request, second_request)] == [(1, 10), (2, 10)]
    agent = await api.as_("requester")
    assert (await agent.get(f"/v1/requests/{second_request['id']}")).json()["ordinal"] == 2
    requests = (await agent.get("/v1/requests", params={"thread_id": "t1"})).json()["requests"]
    assert sorted((request["ordinal"], request["of"]) for request in requests) == [(1, 10), (2, 10)]
    changed_reply = await agent.patch(f"/v1/requests/{second_request['id']}", json={"form": ask()["form"]})
    assert (changed_reply.json()["ordinal"], changed_reply.json()["of"]) == (2, 10)
    answered_reply = await (await api.as_("responder")).post(
        f"/v1/requests/{first_request['id']}/answer", json={"revision": 1, "values": {"dish": "x"}}
    )
    assert (answered_reply.json()["ordinal"], answered_reply.json()["of"]) == (1, 10)
    assert "ordinal" not in (await post(api, APPROVAL)).json()
    api.clock.advance(seconds=3601)
    assert (await create_request(api))["ordinal"] == 1


@requirement("D8", "L1", "L7")
async def test_a_tool_and_an_agent_have_their_own_limits(api: Api) -> None:
    agent = {"name": "Bot", "tool": "ask_user"}
    requester = (await create_request(api))["requester"]["id"]
    limits = [{"tool": "ask_user", "max": 2, "text": "No more."}, {"agent": requester, "max": 3}]
    await set_policy(api, question_limits=limits)
    shown_reply = await (await api.as_("admin")).get("/v1/policy")
    assert [
        {k: v for k, v in limit.items() if v is not None} for limit in shown_reply.json()["question_limits"]
    ] == limits
    for _ in range(2):
        assert (await create_request(api, agent=agent))["of"] == 10_000
    third_reply = await post(api, ask(agent=agent))
    assert code(third_reply) == (429, "too_many_questions")
    assert third_reply.json()["error"]["message"] == "No more."
    assert (await post(api, ask(agent=agent, thread_id="t2"))).status_code == 201
    assert (await post(api, ask(agent={"name": "Bot", "tool": "other"}))).status_code == 201
    assert code(await post(api, ask())) == (429, "too_many_questions")
    assert (await post(api, APPROVAL)).status_code == 201
    finished_reply = await (await api.as_("admin")).post("/v1/limits/reset", json={"thread_id": "t1"})
    assert finished_reply.status_code == 200
    assert (await post(api, ask(agent=agent))).status_code == 201
    await set_policy(api, question_limits=None)
    for _ in range(3):
        assert (await post(api, ask(agent=agent))).status_code == 201


@requirement("L7")
async def test_the_use_of_a_thread_has_the_limits_of_tools_and_agents(api: Api) -> None:
    requester = (await create_request(api, thread_id="t2"))["requester"]["id"]
    assert (await used_quota(api))["question_limits"] == []
    tool, own, another = (
        {"tool": "ask_user", "max": 2},
        {"agent": requester, "max": 3},
        {"agent": "x", "max": 4},
    )
    both = {"tool": "ask_user", "agent": requester, "max": 5}
    await set_policy(api, questions_window_s=3600, question_limits=[tool, own, another, both])
    await set_policy(api, thread_id="t3", question_limits=[tool])
    window_start = api.clock.now
    await create_request(api, agent={"name": "Bot", "tool": "ask_user"})
    await create_request(api)

    async def list_usage(who: str, thread: str = "t1") -> list[tuple[dict[str, Any], int, str | None]]:
        reply = await (await api.as_(who)).get("/v1/limits", params={"thread_id": thread})
        limits = reply.json()["thread"]["question_limits"]
        assert {limit.pop("set_by") for limit in limits} <= {"policy"}
        return [(limit, limit.pop("used"), limit.pop("reset_at")) for limit in limits]

    ends = rfc3339(window_start + 3_600_000)
    of_agent = [(tool, 1, ends), (own, 2, ends), (both, 1, ends)]
    assert await list_usage("requester") == of_agent
    assert await list_usage("responder") == [*of_agent[:2], (another, 0, None), of_agent[2]]
    assert await list_usage("requester", "t3") == [(tool, 0, None)]
    reset = await (await api.as_("admin")).post("/v1/limits/reset", json={"thread_id": "t1"})
    assert [limit["used"] for limit in reset.json()["question_limits"]] == [0, 0, 0, 0]
    await create_request(api)
    api.clock.now = window_start + 3_600_000
    assert await list_usage("requester") == [(tool, 0, None), (own, 0, None), (both, 0, None)]


@requirement("D8", "D9", "L1")
async def test_an_agent_limits_itself_as_long_as_the_thread_exists(api: Api) -> None:
    extra: dict[str, Any] = {
        "agent": {"name": "Bot", "tool": "ask_user"},
        "question_limit": {"max": 2, "text": "No more."},
    }
    await create_request(api)
    first_request, second_request = await create_request(api, **extra), await create_request(api, **extra)
    assert [(item["ordinal"], item["of"]) for item in (first_request, second_request)] == [(1, 2), (2, 2)]
    assert "question_limit" not in first_request
    api.clock.advance(seconds=30 * 24 * 3600)
    third_reply = await post(api, ask(**extra))
    assert (code(third_reply), third_reply.json()["error"]["message"]) == (
        (429, "too_many_questions"),
        "No more.",
    )
    own_request = await create_request(api, question_limit={"max": 1})
    assert own_request["ordinal"] == 1
    listing = [
        {"agent": own_request["requester"]["id"], "max": 1, "used": 1, "reset_at": None, "set_by": "asker"},
        {"tool": "ask_user", "max": 2, "used": 2, "reset_at": None, "set_by": "asker"},
    ]
    assert sorted((await used_quota(api))["question_limits"], key=lambda item: item["max"]) == listing
    assert code(await post(api, ask(question_limit={"max": 1}))) == (429, "too_many_questions")
    await set_policy(api, question_limits=[{"tool": "ask_user", "max": 3, "text": "Three."}])
    assert [(await create_request(api, **extra))[name] for name in ("ordinal", "of")] == [1, 3]
    [of_tool] = [limit for limit in (await used_quota(api))["question_limits"] if "tool" in limit]
    assert (of_tool["max"], of_tool["used"], of_tool["set_by"]) == (3, 2, "policy")
    admin = await api.as_("admin")
    assert (await admin.post("/v1/limits/reset", json={"thread_id": "t1"})).status_code == 200
    await set_policy(api, question_limits=None)
    assert [(await create_request(api, **extra))[name] for name in ("ordinal", "of")] == [1, 2]


@pytest.mark.parametrize(
    ("limits", "path"),
    [
        ([{"max": 1}], "question_limits[0].tool"),
        ([{"tool": "", "max": 1}], "question_limits[0].tool"),
        ([{"tool": "a", "max": -1}], "question_limits[0].max"),
        ([{"tool": "a", "max": 1, "text": "a\u202e"}], "question_limits[0].text"),
        ([{"tool": "a", "max": 1}, {"tool": "a", "max": 2}], "question_limits[1]"),
        ([{"tool": "a", "max": 1, "more": 1}], "question_limits[0].more"),
        ([{"tool": "a", "max": 1}] * 51, "question_limits"),
    ],
)
async def test_limits_of_tools_are_checked(api: Api, limits: list[Any], path: str) -> None:
    refusal = await (await api.as_("admin")).post("/v1/policy", json={"question_limits": limits})
    assert refusal.status_code == 422
    assert [error["path"] for error in refusal.json()["error"]["field_errors"]] == [path]


@requirement("D8")
async def test_questions_are_counted_over_a_restart(tmp_path: Any) -> None:
    tokens: dict[str, str] = {}
    for expected in (201, 429):
        app = create_app(load({"ASKBACK_MASTER_KEYS": "off"}, data_dir=tmp_path), clock=ManualClock())
        async with app.running():
            api = Api(app, ManualClock(), tokens)
            await set_policy(api, max_questions=1)
            assert (await post(api, ask())).status_code == expected


@requirement("D9", "L7")
async def test_an_admin_resets_the_count_of_a_thread(api: Api) -> None:
    await set_policy(api, max_questions=1)
    await create_request(api)
    assert code(await post(api, ask())) == (429, "too_many_questions")
    finished_reply = await (await api.as_("admin")).post("/v1/limits/reset", json={"thread_id": "t1"})
    assert (finished_reply.json()["questions"], finished_reply.json()["questions_reset_at"]) == (0, None)
    assert (await post(api, ask())).status_code == 201
    log = (await (await api.as_("admin")).get("/v1/audit")).json()["entries"]
    assert [e["thread_id"] for e in log if e["action"] == "limits.reset"] == ["t1"]


@requirement("D9")
@pytest.mark.parametrize(("refund", "status"), [(True, 201), (False, 429)])
async def test_a_withdrawn_question_does_not_count_if_configured(api: Api, refund: bool, status: int) -> None:
    await set_policy(api, max_questions=1, refund_questions=refund)
    request = await create_request(api)
    await (await api.as_("requester")).post(f"/v1/requests/{request['id']}/cancel", json={})
    assert (await post(api, ask())).status_code == status


@requirement("L2")
async def test_no_more_requests_are_open_in_a_thread_or_of_an_agent_than_was_set(api: Api) -> None:
    await set_policy(api, max_pending=3, max_pending_per_agent=4)
    first_request = await create_request(api)
    for body in (APPROVAL, ask()):
        assert (await post(api, body)).status_code == 201
    refusal = await post(api, ask())
    assert code(refusal) == (429, "too_many_pending")
    assert "`max_pending`" in refusal.json()["error"]["message"]
    assert (await post(api, ask(thread_id="t2"))).status_code == 201
    refusal = await post(api, ask(thread_id="t3"))
    assert code(refusal) == (429, "too_many_pending")
    assert "`max_pending_per_agent`" in refusal.json()["error"]["message"]
    assert (await post(api, ask(thread_id="t3"), "requester/other")).status_code == 201
    await (await api.as_("requester")).post(f"/v1/requests/{first_request['id']}/cancel", json={})
    assert (await post(api, ask())).status_code == 201


@requirement("N16")
async def test_a_new_server_limits_the_requests_and_messages_of_an_agent() -> None:
    limits = Limits()
    app = create_app(clock=ManualClock())
    async with app.running():
        api = Api(app, app.services.clock)  # pyright: ignore[reportArgumentType]
        agent = await api.as_("requester")
        for number in range(limits.max_pending_per_agent):
            assert (await post(api, ask(thread_id=f"t{number // limits.max_pending}"))).status_code == 201
        assert code(await post(api, ask(thread_id="t0"))) == (429, "too_many_pending")
        assert code(await post(api, ask(thread_id="new"))) == (429, "too_many_pending")
        assert (await post(api, ask(thread_id="x"), "requester/other")).status_code == 201
        message = {"content": [{"type": "text", "text": "Hello"}]}
        statuses = [
            (await agent.post("/v1/threads/t0/messages", json=message)).status_code
            for _ in range(limits.max_messages_per_hour + 1)
        ]
        assert statuses == [201] * limits.max_messages_per_hour + [429]
        assert (await agent.post("/v1/threads/t1/messages", json=message)).status_code == 201


@requirement("N16")
async def test_wrong_tokens_are_counted_by_address_and_lock_nobody_out(api: Api) -> None:
    def guess_token(address: str) -> Any:
        transport = httpx2.ASGITransport(app=api.app, client=(address, 1))
        return httpx2.AsyncClient(
            transport=transport, base_url=BASE, headers={"Authorization": "Bearer wrong"}
        ).get("/v1/requests")

    statuses = [(await guess_token("10.0.0.1")).status_code for _ in range(21)]
    assert statuses == [401] * 19 + [429] * 2
    assert (await guess_token("10.0.0.2")).status_code == 401
    token = await api.app.token("responder")
    transport = httpx2.ASGITransport(app=api.app, client=("10.0.0.1", 1))
    async with httpx2.AsyncClient(transport=transport, base_url=BASE) as right:
        reply = await right.get("/v1/requests", headers={"Authorization": f"Bearer {token}"})
        assert reply.status_code == 200
    api.clock.advance(seconds=60)
    assert (await guess_token("10.0.0.1")).status_code == 401


@requirement("N16")
async def test_calls_that_a_role_may_not_make_fill_no_audit_log(api: Api) -> None:
    agent = await api.as_("requester")
    for _ in range(50):
        assert (await agent.get("/v1/audit")).status_code == 403
    api.clock.advance(seconds=60)
    assert (await agent.get("/v1/audit")).status_code == 403
    log = (await (await api.as_("admin")).get("/v1/audit")).json()["entries"]
    refusal_entries = [entry for entry in log if entry["action"] == "refused"]
    assert (len(refusal_entries), refusal_entries[-1]["left_out"]) == (21, 30)


@requirement("L6")
async def test_a_person_who_answers_too_fast_gets_the_time_to_retry(api: Api) -> None:
    await set_policy(api, max_submissions_per_minute=2)
    requests = [await create_request(api) for _ in range(3)]
    person = await api.as_("responder")

    async def answer(request: dict[str, Any]) -> httpx2.Response:
        return await person.post(f"/v1/requests/{request['id']}/answer", json=ANSWER)

    assert [(await answer(request)).status_code for request in requests] == [200, 200, 429]
    refusal = await answer(requests[2])
    assert code(refusal) == (429, "rate_limited")
    other_client = await api.as_("responder/bob")
    assert (
        await other_client.post(f"/v1/requests/{requests[2]['id']}/decline", json={"reason": "x"})
    ).status_code == 422
    api.clock.advance(seconds=int(refusal.headers["retry-after"]))
    assert (await answer(requests[2])).status_code == 200
    assert code(await answer(requests[2])) == (429, "rate_limited")
    await set_policy(api, max_submissions_per_minute=1_000)
    api.clock.advance(seconds=1)
    assert code(await answer(requests[2])) == (409, "already_settled")


@requirement("L7")
async def test_limits_are_shown_with_the_changed_values(api: Api) -> None:
    await set_policy(api, max_questions=7)
    await set_policy(api, thread_id="t1", max_questions=5)
    agent = await api.as_("requester")
    default_limits = (await agent.get("/v1/limits")).json()
    body = (await agent.get("/v1/limits", params={"thread_id": "t1"})).json()
    assert (default_limits["max_questions"], body["max_questions"]) == (7, 5)
    assert default_limits["body_bytes"] == LIMITS.body_bytes
    assert default_limits["set_by"] == body["set_by"] == {"body_bytes": "server", "max_questions": "policy"}
    assert "thread" not in default_limits
    await set_policy(api, thread_id="t1", max_questions=None)
    assert (await agent.get("/v1/limits", params={"thread_id": "t1"})).json()["max_questions"] == 7


async def test_only_an_admin_says_how_much_may_be_asked(api: Api) -> None:
    person = await api.as_("responder")
    refusal = await person.post("/v1/policy", json={"thread_id": "t1", "max_questions": 10**6})
    assert code(refusal) == (403, "forbidden")
    reply = await person.post("/v1/policy", json={"thread_id": "t1", "free_text": "queue"})
    assert (reply.status_code, reply.json()["free_text"]) == (200, "queue")
    admin = await api.as_("admin")
    for body in (
        {"max_pending": 0},
        {"questions_window_s": 0},
        {"thread_id": "t1", "max_pending_per_agent": 3},
    ):
        assert (await admin.post("/v1/policy", json=body)).status_code == 422


async def test_a_principal_has_no_more_event_streams_than_are_allowed() -> None:
    app = create_app(limits=Limits(connections=0))
    async with app.running():
        api = Api(app, ManualClock())
        refusal = await (await api.as_("responder")).get("/v1/events")
        assert code(refusal) == (429, "rate_limited")
