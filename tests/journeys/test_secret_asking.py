"""Group E: the secrets that an agent may ask for, and the card."""

from __future__ import annotations

from typing import Any

import pytest

from tests.journeys.people import Team, faults, leased_values, request_of, texts
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

BLOCKED = [
    *("LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH"),
    *("PATH", "SHELL", "HOME", "USER", "LOGNAME", "BASH_ENV", "ENV"),
    *(
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "PYTHONHOME",
        "PERL5LIB",
        "PERL5OPT",
        "RUBYOPT",
        "NODE_OPTIONS",
        "JAVA_TOOL_OPTIONS",
    ),
    *("GIT_SSH_COMMAND", "GIT_PROXY_COMMAND", "GIT_EXTERNAL_DIFF", "HTTPS_PROXY", "SSL_CERT_FILE"),
    *("ASKBACK_MASTER_KEYS", "ASKBACK_TOKEN", "ASKBACK_ANYTHING"),
]


@requirement("E1")
async def test_asking_returns_names_and_a_state_and_nothing_else_of_the_values(
    team: Team, thread: str
) -> None:
    request = request_of(await team.agent.need(thread, "HUBSPOT_API_KEY"))
    assert (request["kind"], request["status"], request["revision"]) == ("secret", "pending", 1)
    assert request["secret"] == {
        "names": ["HUBSPOT_API_KEY"],
        "reason": "to call the CRM",
        "default_scope": "session",
        "metadata": {},
        "probe": False,
        "hide_names": False,
        "present": {},
    }
    assert "expires_at" not in request


@requirement("E2")
async def test_names_come_back_sorted(team: Team, thread: str) -> None:
    request = request_of(await team.agent.need(thread, "B_KEY", "_C", "A_KEY"))
    assert request["secret"]["names"] == ["A_KEY", "B_KEY", "_C"]


@requirement("E2")
@pytest.mark.parametrize("count", [1, 10])
async def test_as_many_names_as_the_limit_says_are_asked_for(team: Team, thread: str, count: int) -> None:
    request = request_of(await team.agent.need(thread, *(f"KEY_{n}" for n in range(count))))
    assert len(request["secret"]["names"]) == count


@requirement("E2")
@pytest.mark.parametrize(
    ("names", "found"),
    [
        ([], ("secret.names", "too_few")),
        ([f"KEY_{n}" for n in range(11)], ("secret.names", "too_many")),
        (["A_KEY", "A_KEY"], ("secret.names[1]", "duplicate_value")),
        (["a-b"], ("secret.names[0]", "not_a_secret_name")),
        (["a_key"], ("secret.names[0]", "not_a_secret_name")),
        (["1KEY"], ("secret.names[0]", "not_a_secret_name")),
        (["A KEY"], ("secret.names[0]", "not_a_secret_name")),
        (["A_KEY\n"], ("secret.names[0]", "not_a_secret_name")),
        (["A_KEY="], ("secret.names[0]", "not_a_secret_name")),
        (["ÄKEY"], ("secret.names[0]", "not_a_secret_name")),
        (["KEY٢"], ("secret.names[0]", "not_a_secret_name")),
        ([""], ("secret.names[0]", "not_a_secret_name")),
        (["K" * 201], ("secret.names[0]", "not_a_secret_name")),
    ],
)
async def test_invalid_names_are_refused_and_nobody_is_asked(
    team: Team, thread: str, names: list[str], found: tuple[str, str]
) -> None:
    assert faults(await team.agent.need(thread, *names)) == [found]
    assert await team.ada.pending(thread) == []


async def test_a_probe_is_true_false_or_a_name(team: Team, thread: str) -> None:
    refused_reply = await team.agent.need(thread, "A_KEY", probe=5)
    assert texts(refused_reply) == {"secret.probe": "Must be true, false or a name."}


@requirement("E3")
async def test_a_name_that_decides_what_a_process_runs_cannot_be_asked_for(team: Team, thread: str) -> None:
    for name in BLOCKED:
        refusal = await team.agent.need(thread, "A_KEY", name)
        assert faults(refusal) == [("secret.names[1]", "secret_blocked")], name
        assert texts(refusal) == {"secret.names[1]": "Blocked by allow-list"}
    assert await team.ada.pending(thread) == []


@requirement("E3")
async def test_a_name_that_decides_what_a_process_runs_cannot_be_stored_by_hand(
    team: Team,
) -> None:
    for name in BLOCKED:
        refusal = await team.ada.keep(name, "x")
        assert texts(refusal) == {"name": "Blocked by allow-list"}, name
    assert await team.ada.list_secrets() == []


@requirement("E3")
async def test_a_blocked_name_is_refused_at_the_submission_as_well(team: Team, thread: str) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY"))
    for name in BLOCKED:
        refusal = await team.ada.hand_over(request["id"], {"A_KEY": "value", name: "/tmp/evil.so"})
        assert texts(refusal) == {"secrets": "Blocked by allow-list"}
    assert await team.ada.get(request["id"]) == request


@requirement("E21")
async def test_the_card_explains_where_to_find_each_value(team: Team, thread: str) -> None:
    metadata: dict[str, Any] = {
        "DEPLOY_KEY": {
            "description": "d" * 200,
            "placeholder": "p" * 120,
            "format_hint": "f" * 80,
            "input": "textarea",
            "optional": True,
        }
    }
    extra = {"metadata": metadata, "reason": "r" * 500, "instructions": "i" * 2_000}
    request = request_of(await team.agent.need(thread, "DEPLOY_KEY", **extra))
    shown_secret = (await team.ada.get(request["id"]))["secret"]
    assert {name: shown_secret[name] for name in extra} == extra


@requirement("E21")
@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({"metadata": {"A_KEY": {"description": "d" * 201}}}, ("secret.metadata.A_KEY.description", "too_long")),
        ({"metadata": {"A_KEY": {"placeholder": "p" * 121}}}, ("secret.metadata.A_KEY.placeholder", "too_long")),
        ({"metadata": {"A_KEY": {"format_hint": "f" * 81}}}, ("secret.metadata.A_KEY.format_hint", "too_long")),
        ({"metadata": {"A_KEY": {"input": "email"}}}, ("secret.metadata.A_KEY.input", "unknown_value")),
        ({"metadata": {"A_KEY": {"value": "v"}}}, ("secret.metadata.A_KEY.value", "unknown_field")),
        ({"metadata": {"B_KEY": {}}}, ("secret.metadata.B_KEY", "metadata_unknown")),
        ({"reason": "r" * 501}, ("secret.reason", "too_long")),
        ({"reason": "  "}, ("secret.reason", "empty")),
        ({"instructions": "i" * 2_001}, ("secret.instructions", "too_long")),
        ({"default_scope": "everywhere"}, ("secret.default_scope", "unknown_value")),
        ({"values": {"A_KEY": "v"}}, ("secret.values", "unknown_field")),
    ],
)  # fmt: skip
async def test_a_request_that_breaks_a_rule_is_refused_at_its_path(
    team: Team, thread: str, more: dict[str, Any], found: tuple[str, str]
) -> None:
    assert faults(await team.agent.need(thread, "A_KEY", **more)) == [found]
    assert await team.ada.pending(thread) == []


@requirement("E21")
async def test_a_key_of_many_lines_keeps_every_byte(team: Team, thread: str) -> None:
    pem = "-----BEGIN KEY-----\r\n\tAAA\\n\u2028é\U0001f511\n-----END KEY-----\n\n"
    metadata = {"DEPLOY_KEY": {"input": "textarea"}}
    request = request_of(await team.agent.need(thread, "DEPLOY_KEY", metadata=metadata))
    assert (await team.ada.hand_over(request["id"], {"DEPLOY_KEY": pem})).status_code == 200
    assert leased_values(await team.agent.lease(thread, "DEPLOY_KEY")) == {"DEPLOY_KEY": pem}


@requirement("I8")
async def test_the_card_says_whose_token_asks_and_what_the_agent_writes_stays_text(
    team: Team, thread: str
) -> None:
    posing = '<button onclick="go()">Approve</button> [see](javascript:alert(1)) **now**'
    extra = {"instructions": posing, "agent": {"name": "your administrator"}}
    request = request_of(await team.agent.need(thread, "A_KEY", **extra))
    assert request["requester"]["name"] == "agent"
    assert request["agent"] == {"name": "your administrator"}
    text = '<button onclick="go()">Approve</button> [see](javascript:alert(1)) '
    paragraphs = [{"type": "p", "children": [text, {"type": "strong", "children": ["now"]}]}]
    assert request["view"] == {"markdown": {"secret.instructions": paragraphs}}
