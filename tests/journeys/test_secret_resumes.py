"""Requirement E8: an agent that has ended its turn reads the exact outcome of its request for secrets."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from askback import AsyncClient
from askback.server.app import create_app
from askback.server.settings import load
from tests.journeys.people import Team, create_team
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

BASE = "http://127.0.0.1:8787"
ONE, TWO = ("HUBSPOT_API_KEY",), ("A_KEY", "B_KEY")

SUBMITTED = {
    ONE: "User submitted HUBSPOT_API_KEY (scope: global). You can now retry the operation that needed it.",
    TWO: "User submitted A_KEY, B_KEY (scope: global). You can now retry the operation that needed them.",
}
DISMISSED = {
    names: f"User dismissed the request for {', '.join(names)}. Do not re-request immediately — ask whether to "
    "proceed without, or move on to other work."
    for names in (ONE, TWO)
}
EXISTING = {
    ONE: "HUBSPOT_API_KEY was already configured. You can proceed.",
    TWO: "A_KEY, B_KEY were already configured. You can proceed.",
}


async def resumed(team: Team) -> str:
    """The text that the agent reads when it continues."""
    [resume] = (await team.agent.http.get("/v1/resumes", params={"wait": 10})).json()["resumes"]
    await team.agent.http.post(f"/v1/resumes/{resume['id']}/ack", json={"attempt": resume["attempt"]})
    return resume["text"]


@requirement("E8")
@pytest.mark.parametrize("brand", [None, "Agor"])
async def test_the_resume_has_the_exact_words_for_one_name_and_for_two(
    tmp_path: Path, brand: str | None
) -> None:
    environ = {} if brand is None else {"ASKBACK_BRAND": brand}
    app = create_app(load(environ, data_dir=tmp_path))
    says = f"[{brand or 'askback'}]"
    async with app.running():
        transport = httpx2.ASGITransport(app=app)
        async with create_team(BASE, await app.token("admin"), transport=transport) as team:
            for names in (ONE, TWO):
                request_members = {"default_scope": "global", "delivery": "resume"}
                dismissed = (await team.agent.need("t1", *names, **request_members)).json()
                await team.ada.decline(dismissed["id"], "dismissed")
                assert await resumed(team) == f"{says} {DISMISSED[names]}"
                request = (await team.agent.need("t2", *names, **request_members)).json()
                await team.ada.hand_over(request["id"], dict.fromkeys(names, "value"))
                assert await resumed(team) == f"{says} {SUBMITTED[names]}"


@requirement("E8")
async def test_a_client_with_its_own_texts_uses_them(tmp_path: Path) -> None:
    tokens = ",".join(f"{role}:{role}-of-the-test" for role in ("requester", "responder"))
    app = create_app(load({"ASKBACK_BRAND": "House", "ASKBACK_BOOTSTRAP_TOKENS": tokens}, data_dir=tmp_path))
    async with AsyncClient(app=app, token="responder-of-the-test") as person:
        for brand, says in ((None, "[House]"), ("Agor", "[Agor]")):
            async with AsyncClient(app=app, token="requester-of-the-test", brand=brand) as agent:
                request = await agent.secrets.request(
                    ONE, reason="x", thread_id=says, wait=False, delivery="resume"
                )
                assert request.request is not None
                await person.requests.decline(request.request, reason="dismissed")
                [resume] = await agent.resumes.pull(wait=10)
                assert resume.text == f"{says} {DISMISSED[ONE]}"
                await agent.resumes.ack(resume)


@requirement("E8", "E9")
async def test_stored_secrets_are_reported_immediately_in_the_specified_words() -> None:
    app = create_app()
    async with AsyncClient(app=app, brand="Agor") as agent:
        await agent.requests.list()  # now the app is running
        async with AsyncClient(app=app, token=await app.token("responder")) as person:
            for name in (*ONE, *TWO):
                await person.secrets.set_agents(
                    await person.secrets.set(name, "value", scope="global"), "all"
                )
        for names in (ONE, TWO):
            stored_reply = await agent.secrets.request(
                names, reason="x", thread_id="t", default_scope="global"
            )
            assert (stored_reply.status, stored_reply.text) == (
                "already_present",
                f"[Agor] {EXISTING[names]}",
            )
