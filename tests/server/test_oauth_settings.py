"""The OAuth providers of the settings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from askback.server.database_address import SettingsError
from askback.server.settings import load

GOOD = {
    "authorize_url": "https://a.example/authorize",
    "token_url": "https://a.example/token",
    "client_id": "x",
}
CANARY = "canary-client-secret"


def read(providers: Any, **environ: str) -> Any:
    return load({"ASKBACK_OAUTH_PROVIDERS": json.dumps(providers), **environ})


def test_a_provider_has_its_secret_from_the_environment_and_shows_it_nowhere() -> None:
    extra = {"scopes": "a b", "client_secret_env": "ASKBACK_CRM_SECRET"}
    settings = read({"crm": {**GOOD, **extra}}, ASKBACK_CRM_SECRET=CANARY)
    found = settings.oauth_providers["crm"]
    assert (found.scopes, found.secret_name) == (("a", "b"), "CRM_TOKEN")
    assert found.client_secret.reveal() == CANARY
    assert CANARY not in repr(settings)
    assert settings.warnings == ()


@pytest.mark.parametrize(
    ("providers", "says"),
    [
        ([], "must be a JSON object"),
        ({"CRM": GOOD}, "needs a name"),
        ({"a" * 41: GOOD}, "needs a name"),
        ({"crm": {**GOOD, "client_secret": CANARY}}, "check client_secret"),
        ({"crm": {"client_id": "x"}}, "check authorize_url, token_url"),
        ({"crm": None}, "check its members"),
        ({"crm": {**GOOD, "token_url": "ftp://a.example"}}, "token_url must be an address"),
        ({"crm": {**GOOD, "token_url": "mailto:a@b.example"}}, "token_url must be an address"),
        ({"crm": {**GOOD, "authorize_url": "https://a.example/#x"}}, "authorize_url must be an address"),
        ({"crm": {**GOOD, "scopes": ["a b"]}}, "texts without blanks"),
        ({"crm": {**GOOD, "client_secret_env": "NOT_THERE"}}, "no variable NOT_THERE"),
        ({"ld": GOOD}, "no secret may be called LD_TOKEN"),
        ({"askback": GOOD}, "no secret may be called ASKBACK_TOKEN"),
    ],
)
def test_a_provider_that_cannot_work_stops_the_start(providers: Any, says: str) -> None:
    with pytest.raises(SettingsError) as exc_info:
        read(providers)
    assert says in str(exc_info.value)
    assert CANARY not in str(exc_info.value)


def test_a_setting_that_is_no_json_stops_the_start() -> None:
    with pytest.raises(SettingsError, match="is not valid JSON"):
        load({"ASKBACK_OAUTH_PROVIDERS": "{"})
