"""Faults of rules and refusals of the policy, in the language of the caller."""

from __future__ import annotations

from dataclasses import replace

from askback.ports.policy import SideEffects
from tests.requirements import requirement
from tests.transports.conftest import Api


@requirement("D22", "N10")
async def test_a_fault_of_a_rule_is_in_the_language_of_the_caller(api: Api) -> None:
    person = await api.as_("responder", **{"Accept-Language": "de"})
    texts: list[str] = []
    for rule in ("ssh:*", "make $x:*", "bash(make $(cat x))", "bash(*)"):
        refusal = await person.post("/v1/rules", json={"rule": rule})
        texts += [error["message"] for error in refusal.json()["error"]["field_errors"]]
    assert [text.partition(". ")[0] for text in texts] == [
        "Die Regel `ssh:*` erlaubt nichts: `ssh` führt Befehle auf anderen Rechnern aus",
        "Die Regel `make $x:*` lässt sich nicht lesen: an Stelle 6 steht eine Variable (`$`)",
        "Der Befehl sagt nicht, was laufen würde: er enthält eine Befehlsersetzung",
        "Eine Regel kann nicht jeden Befehl erlauben",
    ]


@requirement("D22", "N10")
async def test_a_stored_rule_that_allows_nothing_says_so_in_english_and_as_a_code(api: Api) -> None:
    admin = await api.as_("admin")
    reply = await admin.post("/v1/rules", json={"rule": "git status:*"})
    store = api.app.services.store
    stored = await store.rule("default", reply.json()["id"])
    assert stored is not None
    old = replace(stored, id="rul_old", text="bash(ssh:*)", wire=stored.wire.replace(stored.id, "rul_old"))
    await store.write(SideEffects(rules=(old,)))
    rules = {rule["id"]: rule for rule in (await admin.get("/v1/rules")).json()["rules"]}
    assert "needs_choice" not in rules[stored.id]
    assert rules["rul_old"]["needs_choice"].startswith(
        "The rule `ssh:*` allows nothing: `ssh` runs commands on"
    )
    assert rules["rul_old"]["needs_choice_code"] == {
        "code": "rule_allows_nothing",
        "params": {"words": "ssh", "why": {"code": "runs_remotely", "params": {"program": "ssh"}}},
    }
