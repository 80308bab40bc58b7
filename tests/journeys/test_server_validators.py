"""Groups F and N: an answer is checked by a validator of any server (ADR 58)."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from askback.delivery.validators import ValidatorFunction
from askback.domain.fields import Form, Text
from askback.domain.limits import DEFAULTS
from askback.domain.verdict import Accept, AskAgain
from askback.errors import Unavailable
from askback.ports.validator import Submission
from askback.server.app import App, create_app
from askback.server.settings import load
from askback.server.system import SystemClock
from askback.service.jobs import deadlines
from tests.forks.process import Process, fork
from tests.requirements import requirement
from tests.transports.conftest import ask

pytestmark = pytest.mark.anyio

SCRIPT = Path(__file__).with_name("probing_server.py")
NOT_CHECKED = "The agent did not check your answer. Send it again or change it."
QUICK = replace(DEFAULTS, validator_s=1)


@dataclass
class ValidatorServer:
    """An agent and a person at a server with the validator `stock`."""

    app: App
    agent: httpx2.AsyncClient
    person: httpx2.AsyncClient

    async def ask(self, **extra: Any) -> dict[str, Any]:
        return (await self.agent.post("/v1/requests", json=ask(validator="stock", **extra))).json()

    async def answer(self, request: Mapping[str, Any], dish: str) -> dict[str, Any]:
        """Answer, and return the request once its check has ended."""
        url = f"/v1/requests/{request['id']}"
        body = {"revision": request["revision"], "values": {"dish": dish}}
        sent_reply = await self.person.post(f"{url}/answer", json=body)
        assert sent_reply.json()["status"] == "resolving", sent_reply.text
        return await self.changed(request)

    async def changed(self, request: Mapping[str, Any]) -> dict[str, Any]:
        url = f"/v1/requests/{request['id']}"
        return (await self.person.get(url, params={"wait": 20, "revision": request["revision"]})).json()


@asynccontextmanager
async def run_validator_server(
    data: Path, stock: ValidatorFunction, **parts: Any
) -> AsyncIterator[ValidatorServer]:
    app = create_app(load({}, data_dir=data), validators={"stock": stock}, **parts)

    def client(token: str) -> httpx2.AsyncClient:
        headers = {"Authorization": f"Bearer {token}"}
        transport = httpx2.ASGITransport(app=app)
        return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787", headers=headers)

    async with app.running():
        yield ValidatorServer(app, client(await app.token("requester")), client(await app.token("responder")))


def check_stock(submission: Submission) -> Accept | AskAgain:
    """A plain function, which runs in a thread."""
    if submission.answer.values["dish"] == "soup":
        return AskAgain({"dish": "Soup is off."}, form=Form(fields=[Text(id="dish", label="Main dish")]))
    return Accept(values={"dish": "Rice"}, result={"number": 12}, message="Booked, number 12.")


@requirement("F13", "F14")
async def test_a_function_of_the_server_asks_again_and_accepts(tmp_path: Path) -> None:
    async with run_validator_server(tmp_path, check_stock) as validator_server:
        second_request = await validator_server.answer(await validator_server.ask(delivery="resume"), "soup")
        assert (second_request["status"], second_request["revision"], second_request["submitted"]) == (
            "pending",
            2,
            {"values": {"dish": "soup"}},
        )
        assert second_request["field_errors"] == [{"path": "values.dish", "message": "Soup is off."}]
        assert second_request["form"]["fields"][0]["label"] == "Main dish"
        ended_request = await validator_server.answer(second_request, "rice")
        assert (ended_request["status"], ended_request["settled_by"]["name"], ended_request["answer"]) == (
            "answered",
            "responder",
            {"values": {"dish": "Rice"}, "result": {"number": 12}, "message": "Booked, number 12."},
        )
        [resume] = (await validator_server.agent.get("/v1/resumes")).json()["resumes"]
        assert 'The result of the check: {"number": 12}' in resume["text"]


async def _accept(_: Submission) -> None:
    return None


async def _text(submission: Submission) -> str | None:
    return "No." if submission.answer.values["dish"] == "soup" else None


@requirement("F13")
@pytest.mark.parametrize(("check", "status"), [(_accept, "answered"), (_text, "pending")])
async def test_short_verdicts(tmp_path: Path, check: ValidatorFunction, status: str) -> None:
    async with run_validator_server(tmp_path, check) as validator_server:
        assert (await validator_server.answer(await validator_server.ask(), "soup"))["status"] == status


async def raise_error(_: Submission) -> None:
    raise RuntimeError("4711")


async def hang(_: Submission) -> None:
    await anyio.sleep_forever()


async def name_unknown_field(_: Submission) -> Mapping[str, str]:
    return {"drink": "No."}


async def return_number(_: Submission) -> Any:
    return 5


async def accept_invalid_answer(_: Submission) -> Accept:
    return Accept(values={})


@requirement("F13", "N3")
@pytest.mark.parametrize(
    "check", [raise_error, hang, name_unknown_field, return_number, accept_invalid_answer]
)
async def test_without_a_verdict_the_person_is_asked_again(
    tmp_path: Path, check: ValidatorFunction, caplog: pytest.LogCaptureFixture
) -> None:
    async with run_validator_server(tmp_path, check, limits=QUICK) as validator_server:
        second_request = await validator_server.answer(await validator_server.ask(), "soup")
    assert (second_request["status"], second_request["error_summary"], second_request["submitted"]) == (
        "pending",
        NOT_CHECKED,
        {"values": {"dish": "soup"}},
    )
    assert "4711" not in caplog.text


@requirement("F15")
async def test_a_validator_asks_again_only_so_often(tmp_path: Path) -> None:
    async with run_validator_server(
        tmp_path, _text, limits=replace(DEFAULTS, reprompts=1)
    ) as validator_server:
        second_request = await validator_server.answer(await validator_server.ask(), "soup")
        ended_request = await validator_server.answer(second_request, "soup")
    assert (ended_request["status"], ended_request["reason"]) == ("cancelled", "failed")


@requirement("F13")
async def test_the_agent_decides_nothing_that_the_server_checks(tmp_path: Path) -> None:
    async with run_validator_server(tmp_path, hang) as validator_server:
        request = await validator_server.ask()
        url = f"/v1/requests/{request['id']}"
        await validator_server.person.post(f"{url}/answer", json={"revision": 1, "values": {"dish": "soup"}})
        for step, body in (("accept", {}), ("reprompt", {"error_summary": "No."}), ("check", {})):
            refusal = await validator_server.agent.post(f"{url}/{step}", json=body)
            assert (refusal.status_code, refusal.json()["error"]["code"]) == (409, "not_resolving")
        declined_reply = await validator_server.person.post(f"{url}/decline", json={"reason": "dismissed"})
        assert declined_reply.json()["status"] == "declined"


@requirement("F13")
@pytest.mark.parametrize("name", ["other", "STOCK", "stock "])
async def test_a_validator_that_there_is_not_is_refused_without_telling_which_there_are(
    tmp_path: Path, name: str
) -> None:
    async with run_validator_server(tmp_path, _accept) as validator_server:
        refusal = await validator_server.agent.post("/v1/requests", json=ask(validator=name))
        [fault] = refusal.json()["error"]["field_errors"]
        assert (refusal.status_code, fault["path"], fault["code"]) == (422, "validator", "unknown_value")
        assert "stock" not in refusal.text


class AdjustableClock(SystemClock):
    """A clock that can be set forward."""

    ahead_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.ahead_ms


@requirement("N3")
async def test_another_server_takes_over_after_the_lease_and_finally_reprompts(tmp_path: Path) -> None:
    clock = AdjustableClock()
    async with run_validator_server(tmp_path, _accept, clock=clock) as validator_server:
        services = validator_server.app.services
        request = await validator_server.ask()
        names = []
        for _ in range(4):
            result = await services.store.get("default", request["id"])
            assert result is not None
            names.append(result.status.value)
            if result.status.value == "pending" and result.revision == 1:
                # As after a server stopped before the check: the answer is stored, and nobody checks it.
                services.submissions.add = lambda _record: None  # type: ignore[method-assign] - the server is gone
                body = {"revision": 1, "values": {"dish": "soup"}}
                await validator_server.person.post(f"/v1/requests/{request['id']}/answer", json=body)
            clock.ahead_ms += 41_000
            await deadlines.sweep(services)
        second_request = await validator_server.changed(request)
    assert names == ["pending", "resolving", "resolving", "pending"]
    assert (second_request["status"], second_request["error_summary"]) == ("pending", NOT_CHECKED)


@requirement("N3", "H6")
async def test_a_killed_server_checks_again_when_it_is_back(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    tokens = {role: f"{role}-{'x' * 20}" for role in ("requester", "responder")}
    bootstrap_tokens = ",".join(f"{role}:{token}" for role, token in tokens.items())

    def start() -> tuple[Process, str]:
        environment = {**os.environ, "ASKBACK_BOOTSTRAP_TOKENS": bootstrap_tokens}
        process = fork(
            *(str(tmp_path / "data"), str(calls)),
            program=str(SCRIPT),
            environment=environment,
            stdin=0,
            stderr=2,
        )
        assert process.stdout is not None
        return process, process.stdout.readline().decode().strip()

    def client(url: str, role: str) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {tokens[role]}"})

    process, url = await anyio.to_thread.run_sync(start)
    try:
        async with client(url, "requester") as agent, client(url, "responder") as person:
            request = (await agent.post("/v1/requests", json=ask(validator="stock"))).json()
            body = {"revision": 1, "values": {"dish": "soup"}}
            sent_reply = await person.post(f"/v1/requests/{request['id']}/answer", json=body)
            assert sent_reply.json()["status"] == "resolving"
            with anyio.fail_after(120):
                while not (calls.exists() and calls.read_text()):
                    await anyio.lowlevel.checkpoint()
        process.kill()
        process.wait(120)
        process, url = await anyio.to_thread.run_sync(start)
        async with client(url, "responder") as person:
            ended_reply = await person.get(f"/v1/requests/{request['id']}", params={"wait": 20}, timeout=120)
    finally:
        process.kill()
        process.wait(120)
    assert (ended_reply.json()["status"], ended_reply.json()["answer"]["message"]) == (
        "answered",
        "It is in stock.",
    )
    assert calls.read_text().split() == [f"{request['id']}:1"] * 2


@requirement("N3")
async def test_a_store_that_fails_once_costs_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = AdjustableClock()
    async with run_validator_server(tmp_path, _accept, clock=clock) as place:
        services = place.app.services
        request = await place.ask()
        settle, failures = services.store.settle, [Unavailable("The database is away.")]

        async def fail_to_accept(settlement: Any, *parts: Any) -> Any:
            if settlement.status == "answered" and failures:
                raise failures.pop()
            return await settle(settlement, *parts)

        monkeypatch.setattr(services.store, "settle", fail_to_accept)
        body = {"revision": 1, "values": {"dish": "soup"}}
        sent_reply = await place.person.post(f"/v1/requests/{request['id']}/answer", json=body)
        assert sent_reply.json()["status"] == "resolving"
        with anyio.fail_after(120):
            while failures:
                await anyio.lowlevel.checkpoint()
        clock.ahead_ms += 41_000
        await deadlines.sweep(services)
        ended_request = await place.changed(request)
    assert ended_request["status"] == "answered"
