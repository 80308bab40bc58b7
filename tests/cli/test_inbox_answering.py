"""`askback inbox` shows who else is answering, and shows others that its own person is."""

from __future__ import annotations

import anyio

from askback import AsyncClient
from askback.domain.fields import Form, Text
from tests.cli.conftest import Server
from tests.cli.terminals import run_on_terminal
from tests.requirements import requirement

FORM = Form(title="Trip", fields=[Text(id="to", label="Where to?"), Text(id="by", label="By what?")])


@requirement("K7")
async def test_another_person_answering_is_shown_once_and_the_prompt_is_repeated(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    async with server.client("admin") as other_client:
        request = await agent.requests.create(FORM, thread_id=thread)
        other_request = await agent.requests.create(FORM, thread_id=f"{thread}-2")
        async with run_on_terminal(server.data, "inbox", "--request", request.id) as (screen, process):
            await screen.shows("Where to?")
            with anyio.fail_after(120):
                while " is answering." not in screen.text:
                    await other_client.mark_answering(other_request)
                    await other_client.mark_answering(request)
                    await other_client.mark_answering(request)
                    with anyio.move_on_after(1):
                        await screen.shows(" is answering.")
            await screen.shows(" is answering.\r\ntext: ")
            screen.type("Rome\nTrain\ny\n")
            screen_text = await screen.rest()
            assert process.wait() == 0
        before, _, text_after = screen_text.partition(" is answering.")
        name, prompt = before.splitlines()[-1], before.splitlines()[-2]
        assert (name, text_after.splitlines()[1]) == ("admin", f"{prompt}Rome"), screen_text
        assert "is answering" not in text_after
        assert (await agent.requests.get(request.id)).status == "answered"


@requirement("K7")
async def test_others_see_that_the_person_at_the_terminal_is_answering(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    async with server.client("admin") as other_client:
        request = await agent.requests.create(FORM, thread_id=thread)
        async with run_on_terminal(server.data, "inbox", "--request", request.id) as (screen, process):
            await screen.shows("Where to?")
            reports = other_client.answering(thread)
            with anyio.fail_after(120):
                async with anyio.create_task_group() as tasks:

                    async def read() -> None:
                        first = await anext(reports)
                        assert (first.request_id, first.active) == (request.id, True)
                        screen.type(":later\n")
                        while (await anext(reports)).active:
                            pass

                    tasks.start_soon(read)
                    await anyio.wait_all_tasks_blocked()
                    await other_client.requests.list(limit=1)  # once this is back, the reader has subscribed
                    screen.type("Rome\n")
            await reports.aclose()
            await screen.rest()
            assert process.wait() == 0
        assert (await agent.requests.get(request.id)).status == "pending"
