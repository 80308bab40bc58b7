"""`askback login` and `askback token create` identify a person."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.cli.conftest import Server
from tests.cli.scripts import complete
from tests.signing_in import sign_in_now


def identity_of(server: Server, **credential: Any) -> dict[str, Any]:
    """The identity of the bearer of a credential."""
    with httpx2.Client(base_url=server.url, trust_env=False, **credential) as http:
        return http.get("/v1/session").json()["principal"]


@pytest.mark.parametrize(
    ("name", "expected_text"), [(("--name", "Dora"), "Dora"), ((), "dora")], ids=["named", "unnamed"]
)
def test_a_login_and_a_token_of_one_person_are_the_same_person(
    server: Server, name: tuple[str, ...], expected_text: str
) -> None:
    person = (*name, "--user", "dora", "--group", "ops", "--group", "dev")
    _, link, err = complete(server.run("login", *person))
    assert link, err
    _, token, err = complete(server.run("token", "create", "--role", "responder", *person))
    assert token, err
    with httpx2.Client(trust_env=False) as browser:
        sign_in_now(browser, link.strip())
        session = identity_of(server, cookies=browser.cookies, headers=browser.headers)
    bearer = identity_of(server, headers={"Authorization": f"Bearer {token.strip()}"})
    for principal in (session, bearer):
        assert {key: principal[key] for key in ("name", "user", "groups", "role")} == {
            "name": expected_text,
            "user": "dora",
            "groups": ["dev", "ops"],
            "role": "responder",
        }
    assert session["id"] != bearer["id"]


def test_a_login_without_a_name_is_the_person_of_the_terminal(server: Server) -> None:
    _, link, err = complete(server.run("login"))
    assert link, err
    with httpx2.Client(trust_env=False) as browser:
        sign_in_now(browser, link.strip())
        session = identity_of(server, cookies=browser.cookies, headers=browser.headers)
    terminal = identity_of(server, headers={"Authorization": f"Bearer {server.tokens['responder']}"})
    assert [(item["name"], item["user"]) for item in (session, terminal)] == [("owner", terminal["id"])] * 2


def test_a_login_of_an_admin_may_list_tokens_and_another_may_not(server: Server) -> None:
    for options, status in ((["--admin"], 200), ([], 403)):
        _, link, err = complete(server.run("login", "--name", "Dora", *options))
        assert link, err
        with httpx2.Client(trust_env=False, base_url=server.url) as browser:
            sign_in_now(browser, link.strip())
            assert browser.get("/v1/tokens").status_code == status


def test_a_login_that_is_refused_says_why(server: Server) -> None:
    status, _, err = complete(server.run("login", "--user", ""))
    assert (status, "user: Must not be empty." in err) == (1, True), err
