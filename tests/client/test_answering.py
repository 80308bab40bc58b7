"""People see in the Python client who else is answering, and show that they are."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio
import pytest

from askback import Answering, AsyncClient, Forbidden, NotFound
from askback.domain.fields import Form, Text
from askback.server.app import App, create_app
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

FORM = Form(title="Where?", fields=[Text(id="a", label="A")])


@pytest.fixture
async def app() -> AsyncIterator[App]:
    app = create_app()
    async with app.running():
        yield app


async def person(app: App, name: str) -> AsyncClient:
    return AsyncClient(app=app, token=await app.token("responder", name=name, user=name.lower()))


@requirement("K7")
async def test_the_name_of_the_answering_person_is_shown_until_they_stop_or_leave(app: App) -> None:
    async with AsyncClient(app=app) as agent, await person(app, "Eva") as eva:
        request = await agent.requests.create(FORM, thread_id="t1")
        other_request = await agent.requests.create(FORM, thread_id="t2")
        answerings: list[Answering] = []

        async def read() -> None:
            async for report in eva.answering("t1"):
                answerings.append(report)
                if len(answerings) == 4:
                    return

        with anyio.fail_after(120):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(read)
                await anyio.wait_all_tasks_blocked()
                await eva.requests.list()  # once this is back, the reader has subscribed
                async with await person(app, "Bob") as bob:
                    await bob.mark_answering(other_request)
                    await bob.mark_answering(request)
                    await eva.mark_answering(request)
                    await bob.mark_answering(request.id, active=False)
                    await bob.mark_answering(request)
        assert [
            (answering.thread_id, answering.request_id, answering.active) for answering in answerings
        ] == [("t1", request.id, active) for active in (True, False, True, False)]
        assert {answering.by.name for answering in answerings} == {"Bob"}


@requirement("K7")
async def test_events_and_reports_of_a_thread_do_not_mix(app: App) -> None:
    async with (
        AsyncClient(app=app) as agent,
        await person(app, "Eva") as eva,
        await person(app, "Bob") as bob,
    ):
        request = await agent.requests.create(FORM, thread_id="t1")
        events, reports = eva.events("t1", cursor=0), eva.answering("t1")
        with anyio.fail_after(120):
            assert (await anext(events))["type"] == "request.created"
            async with anyio.create_task_group() as tasks:

                async def read() -> None:
                    report = await anext(reports)
                    assert (report.by.name, report.active) == ("Bob", True)
                    await reports.aclose()

                tasks.start_soon(read)
                await eva.requests.list()
                await bob.mark_answering(request)
            await bob.requests.answer(request, {"a": "here"})
            assert (await anext(events))["type"] == "request.answered"
            await events.aclose()


async def test_reports_end_when_the_person_loses_access_to_the_thread(app: App) -> None:
    async with AsyncClient(app=app) as agent, await person(app, "Bob") as bob:
        await agent.requests.create(FORM, thread_id="t1")
        admin = AsyncClient(app=app, token=await app.token("admin"))
        async with admin:
            await admin.threads.share("t1", owner="eva", others="none")
        with pytest.raises(NotFound), anyio.fail_after(120):
            await anext(bob.answering("t1"))


async def test_an_agent_answers_nothing(app: App) -> None:
    async with AsyncClient(app=app) as agent:
        request = await agent.requests.create(FORM, thread_id="t1")
        with pytest.raises(Forbidden):
            await agent.mark_answering(request)
