"""Tests of an agent that asks: a scripted person answers through the real server, in memory."""

from pathlib import Path

from askback import Client
from askback.testing import Approve, Deny, load, person, replay, save


def release(ask: Client) -> str:
    """The agent under test."""
    version = ask.ask("Which version?", ["1.4", "2.0"])
    decision = ask.approve("deploy", {"version": version, "to": "production"}, allow_edit=True)
    return f"Deployed to {decision.input['to']}." if decision else decision.text


def test_a_denied_deployment_does_not_run() -> None:
    ada = person({"Which version?": "2.0", "deploy": Deny("not on Friday")})
    with ada, Client(app=ada.app, thread_id="t1") as ask:
        assert "not on Friday" in release(ask)
    deploy = ada.asked_once("deploy")
    assert deploy.denied
    assert deploy.input == {"version": "2.0", "to": "production"}


def test_the_agent_does_the_same_with_the_same_answers(tmp_path: Path) -> None:
    ada = person(["2.0", Approve(input={"version": "2.0", "to": "staging"})])
    with ada, Client(app=ada.app, thread_id="t1") as ask:
        assert release(ask) == "Deployed to staging."
    save(ada.requests, tmp_path / "release.jsonl")

    bob = person(replay(load(tmp_path / "release.jsonl")))
    with bob, Client(app=bob.app, thread_id="t1") as ask:
        assert release(ask) == "Deployed to staging."
