"""The promises of every adapter of a framework, each as a test; a framework says how its agents are made and run.

`class TestPromises(Promises)` in `tests/adapters/NAME/test_promises.py` inherits the tests and overrides the methods.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from askback import Approval, AsyncClient, InputRequest
from askback.testing import Approve, Deny, LeaveOpen, ScriptedPerson, person
from tests.adapters.conftest import Server
from tests.adapters.examples import output_of
from tests.adapters.killing import killing
from tests.adapters.programs import PATIENCE_S, resume_after_kill

PROD, STAGE = {"to": "prod"}, {"to": "stage"}
ASK_TOOLS = ["ask_user", "request_approval", "request_env_vars"]
MOMENTS = (4, 6, 8, "ran", "resumed")
"""When programs die: while they ask, while they run the tool, and before they acknowledge."""
Call = tuple[str, Mapping[str, Any]]
Turn = Sequence[Call]


@dataclass
class Deployments:
    """A function that needs approval, and what it has done."""

    ran: list[str] = field(default_factory=list)

    def deploy(self, to: str) -> str:
        """Deploy."""
        self.ran.append(to)
        return f"deployed {to}"


@dataclass
class RunResult:
    """What an agent said at its end, what its model read of its tools, and what the framework returned."""

    text: str
    read: Sequence[str]
    result: Any = None


def approval_of(request: InputRequest) -> Approval:
    """Return what a request for approval asks."""
    assert request.approval is not None
    return request.approval


def agent_of(request: InputRequest) -> str | None:
    """Return the name of the agent that asks."""
    assert request.agent is not None
    return request.agent.name


@asynccontextmanager
async def client_answered_by(script: Any) -> AsyncIterator[tuple[AsyncClient, ScriptedPerson]]:
    ada = person(script)
    async with ada, AsyncClient(app=ada.app, thread_id="t1") as ask:
        yield ask, ada


class Promises(ABC):
    """The promises of one framework."""

    name: str
    """That of the adapter: the example and `tests.adapters.NAME.program` are found by it."""

    edits = False
    """Whether a person may change the arguments."""

    tells_call_ids = True
    """Whether the framework says which call it is about."""

    @abstractmethod
    def agent(
        self, *turns: Turn, deploy: Any = None, tools: Sequence[str] = (), name: str = "releaser"
    ) -> Any:
        """Return an agent with the ask tools that are named.

        Its model makes the calls of each turn, with the ids `call_1`, `call_2`, …, and then says "done".
        """

    @abstractmethod
    async def run(self, ask: AsyncClient, agent: Any) -> RunResult:
        """Run an agent to its end, in the thread of the client."""

    @abstractmethod
    async def delegate(self, ask: AsyncClient, inner: Any) -> RunResult:
        """Run an agent "boss" to its end that delegates to another one."""

    @abstractmethod
    async def mirror(self, ask: AsyncClient, result: Any) -> None:
        """Post the agent's messages to the thread of the client."""

    def check_call_ids(self, ada: ScriptedPerson) -> None:
        """Expect three requests, each with the id of its call."""
        result = sorted(item.request.tool_call_id or "" for item in ada.asked())
        assert result == (["call_1", "call_2", "call_3"] if self.tells_call_ids else [""] * 3)

    async def test_denied_never_runs_and_the_model_reads_why(self) -> None:
        deployments = Deployments()
        agent = self.agent([("deploy", PROD)], deploy=deployments.deploy)
        async with client_answered_by({"deploy": Deny("not on Friday")}) as (ask, ada):
            run_result = await self.run(ask, agent)
        assert (deployments.ran, run_result.text) == ([], "done")
        assert "not on Friday" in run_result.read[0]
        request = ada.asked_once("deploy").request
        call_id = "call_1" if self.tells_call_ids else None
        assert (request.thread_id, request.tool_call_id, request.agent.name) == ("t1", call_id, "releaser")
        assert (request.approval.input, request.approval.reason) == (PROD, None)

    async def test_approved_runs_once_with_the_arguments_that_were_approved(self) -> None:
        deployments = Deployments()
        agent = self.agent([("deploy", PROD)], deploy=deployments.deploy)
        async with client_answered_by({"deploy": Approve(input=STAGE) if self.edits else True}) as (ask, ada):
            run_result = await self.run(ask, agent)
        to = "stage" if self.edits else "prod"
        assert (deployments.ran, run_result.text) == ([to], "done")
        assert f"deployed {to}" in run_result.read[0]
        assert ada.asked_once("deploy").request.approval.allow_edit is self.edits

    async def test_parallel_calls_are_shown_together_and_decided_separately(self) -> None:
        deployments = Deployments()
        calls = [("deploy", PROD), ("deploy", STAGE), ("ask_user", {"question": "Which colour?"})]
        agent = self.agent(calls, deploy=deployments.deploy, tools=["ask_user"])
        async with client_answered_by(lambda r: "blue" if r.form else r.approval.input == STAGE) as (
            ask,
            ada,
        ):
            run_result = await self.run(ask, agent)
        assert deployments.ran == ["stage"]
        assert any("blue" in item for item in run_result.read)
        self.check_call_ids(ada)

    async def test_the_same_ids_in_another_run_are_other_calls(self) -> None:
        deployments = Deployments()
        async with client_answered_by([True, True]) as (ask, _):
            for _run in range(2):
                await self.run(ask, self.agent([("deploy", PROD)], deploy=deployments.deploy))
        assert deployments.ran == ["prod", "prod"]

    async def test_a_call_decided_by_the_policy_shows_no_card(self) -> None:
        deployments = Deployments()
        async with client_answered_by({}) as (ask, ada):
            assert not len(await ask.requests.list(thread_id="t1"))  # and the server has started
            async with AsyncClient(app=ada.app, token=await ada.app.token("admin")) as admin:
                await admin.rules.create("deploy(to=prod)", effect="deny")
                await admin.rules.create("deploy(to=stage)", effect="allow")
            agent = self.agent([("deploy", PROD), ("deploy", STAGE)], deploy=deployments.deploy)
            run_result = await self.run(ask, agent)
        assert (deployments.ran, run_result.text) == (["stage"], "done")
        assert ada.asked() == []

    async def test_the_tools_for_models_ask_for_approvals_and_secrets(self) -> None:
        calls = [
            ("ask_user", {"question": "Which?", "options": ["a", {"label": "b"}]}),
            ("request_approval", {"tool": "mail", "input": {"to": "bob"}}),
            ("request_env_vars", {"names": ["API_KEY"], "reason": "to search"}),
            ("request_env_vars", {"names": ["lower case"], "reason": "to search"}),
        ]
        script = {"Which?": "a", "mail": False, "API_KEY": {"API_KEY": "sk-canary"}}
        async with client_answered_by(script) as (ask, ada):
            run_result = await self.run(ask, self.agent(calls, tools=ASK_TOOLS))
        assert "a" in run_result.read[0]
        assert "denied" in run_result.read[1]
        assert "API_KEY" in run_result.read[2]
        assert "Nobody was asked" in run_result.read[3]
        assert "sk-canary" not in json.dumps(run_result.read)
        self.check_call_ids(ada)

    async def test_sub_agents_are_named_on_the_card(self) -> None:
        deployments = Deployments()
        inner = self.agent([("deploy", PROD)], deploy=deployments.deploy, name="release_team")
        async with client_answered_by({"deploy": True}) as (ask, ada):
            run_result = await self.delegate(ask, inner)
        request = ada.asked_once("deploy").request
        call_id = "call_1" if self.tells_call_ids else None
        assert (request.agent.name, request.tool_call_id) == ("release_team", call_id)
        assert (deployments.ran, run_result.text) == (["prod"], "done")

    async def test_messages_are_mirrored_into_the_thread(self) -> None:
        agent = self.agent([("deploy", PROD)], deploy=Deployments().deploy)
        async with client_answered_by({"deploy": True}) as (ask, _):
            run_result = await self.run(ask, agent)
            for _again in range(2):
                await self.mirror(ask, run_result.result)
            messages = (await ask.threads.get("t1"))["messages"]
        assert [block["type"] for message in messages for block in message["content"]] == ["tool", "text"]
        assert "deployed prod" in json.dumps(messages[0]["content"][0]["result"])


class ProgramPromises(Promises):
    """And that of its example."""

    @pytest.mark.timeout(4 * PATIENCE_S)
    async def test_the_example_deploys_the_approved_version(self, server: Server) -> None:
        out = await output_of(self.name, server, "release", version="2.0", decision="approve")
        assert "Deploying to production.\n" in out
        assert "2.0" in out


class DurablePromises(ProgramPromises):
    """Those of a framework whose runs can be stored and continued."""

    asks_a_turn_at_once = True
    """Whether the approvals and the questions of one turn are open at the same time."""

    @abstractmethod
    async def park(self, ask: AsyncClient, agent: Any) -> Any:
        """Run an agent to its first pause and park it."""

    @abstractmethod
    async def resume(self, ask: AsyncClient, agent: Any, parked: Any) -> RunResult | None:
        """Continue what was parked with an agent of another process; None if something is open."""

    def check_again(self, second_result: RunResult) -> None:
        """Expect that a run that was resumed for the second time made no call."""
        assert any("has been started before" in item for item in second_result.read)

    async def requests_by_kind(self, ask: AsyncClient) -> Mapping[str, InputRequest]:
        """Return the requests of the thread by their kind."""
        return {request.kind: request for request in await ask.requests.list(thread_id="t1")}

    async def test_a_parked_run_is_resumed_once_all_of_its_calls_are_answered(self) -> None:
        deployments = Deployments()
        edited: Any = {"edited_input": STAGE} if self.edits else {}
        to = "stage" if self.edits else "prod"
        calls = [("deploy", PROD), ("ask_user", {"question": "Which?"})]

        def agent(*turns: Turn) -> Any:
            return self.agent(*turns, deploy=deployments.deploy, tools=["ask_user"])

        async with client_answered_by({"*": LeaveOpen()}) as (ask, ada):
            parked = await self.park(ask, agent(calls))
            assert await self.resume(ask, agent(), parked) is None
            async with AsyncClient(app=ada.app, token=await ada.app.token("responder")) as bob:
                requests = await self.requests_by_kind(ask)
                assert len(requests) == (2 if self.asks_a_turn_at_once else 1)
                await bob.requests.decide(requests["approval"], "approve", **edited)
                assert await self.resume(ask, agent(), parked) is None
                await bob.requests.answer((await self.requests_by_kind(ask))["form"], {"answer": "blue"})
            resumes = await ask.resumes.pull("t1", limit=9)
            run_result = await self.resume(ask, agent(), parked)
            assert run_result is not None
            assert (deployments.ran, run_result.text) == ([to], "done")
            assert any("blue" in item for item in run_result.read)
            second_run = await self.resume(ask, agent(), parked)
        assert len(resumes) == 2
        assert second_run is not None
        assert deployments.ran == [to]
        self.check_again(second_run)

    @pytest.mark.timeout(4 * PATIENCE_S)
    async def test_another_process_continues_after_kill_9_of_the_program_and_the_server(
        self, own_server: Server, tmp_path: Path
    ) -> None:
        program = f"tests.adapters.{self.name}.program"
        edited_input = {"to": "edited"} if self.edits else None
        first, _ = await resume_after_kill(program, tmp_path, own_server, edited_input=edited_input)
        assert first.approval is not None
        approved = edited_input or first.approval.input
        assert (tmp_path / "ran").read_text() == f"{approved['to']}\n"

    @pytest.mark.timeout(4 * PATIENCE_S)
    async def test_a_program_continues_from_any_point_at_which_it_died(
        self, server: Server, tmp_path: Path
    ) -> None:
        run_result = "edited\n" if self.edits else "prod\n"
        async with killing(server, self.name, tmp_path, edits=self.edits) as kills:
            for moment in MOMENTS:
                outcome = await kills.run_lives(f"{self.name}-{moment}", moment)
                assert (moment, outcome.death_count, outcome.wrong(cards=2, ran=run_result)) == (
                    moment,
                    1,
                    [],
                )
