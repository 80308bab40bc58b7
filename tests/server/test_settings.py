"""Settings: variables, flags, and errors that name the variable."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from askback import AsyncClient, Invalid
from askback.domain.limits import DEFAULTS
from askback.server.app import create_app
from askback.server.database_address import PostgresAddress, SettingsError
from askback.server.setting_readers import Bootstrap
from askback.server.settings import BACKED_UP_SETTINGS, load
from tests.requirements import requirement


def test_without_anything_it_listens_on_loopback_and_keeps_its_data_with_the_user() -> None:
    settings = load({})
    assert (settings.host, settings.port, settings.loopback) == ("127.0.0.1", 8787, True)
    assert settings.data_dir == Path.home() / ".local" / "share" / "askback"
    assert settings.database == settings.data_dir / "askback.db"


def test_every_variable_is_on_the_page_of_settings() -> None:
    [warning] = load({"ASKBACK_NOPE": "1"}).warnings
    page = (Path(__file__).parents[2] / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    frame_piece = warning.partition("known are ")[2].rstrip(".").split(", ")
    assert frame_piece[0] == "ASKBACK_ALLOWED_HOSTS"
    assert [name for name in frame_piece if f"| `{name}` |" not in page] == []


def test_a_flag_wins_over_its_variable(tmp_path: Path) -> None:
    settings = load({"ASKBACK_PORT": "1", "ASKBACK_DATA_DIR": "/nowhere"}, port=2, data_dir=tmp_path)
    assert (settings.port, settings.data_dir, settings.database) == (2, tmp_path, tmp_path / "askback.db")


def test_bootstrap_tokens_name_role_name_and_tenant() -> None:
    given = "requester:tok-aaaaaa, requester/ci@acme:tok-bbbbbb,responder@acme:tok-cccccc,"
    assert load({"ASKBACK_BOOTSTRAP_TOKENS": given}).bootstrap_tokens == (
        Bootstrap("requester", "requester", "default", "tok-aaaaaa"),
        Bootstrap("requester", "ci", "acme", "tok-bbbbbb"),
        Bootstrap("responder", "responder", "acme", "tok-cccccc"),
    )


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:////var/lib/a.db", Path("/var/lib/a.db")),
        ("sqlite:///a%20b.db", Path.cwd() / "a b.db"),
    ],
)
def test_a_database_url_is_relative_with_three_slashes_and_absolute_with_four(url: str, path: Path) -> None:
    assert load({"ASKBACK_DATABASE_URL": url}).database == path


@pytest.mark.parametrize(
    "url",
    [
        "postgresql:///askback",
        "postgresql://ada@/askback?host=/run/postgresql&port=5433",
        "postgresql://ada:a%2Fb%40c@[::1]:5432/ask-back?sslmode=verify-full&sslrootcert=/etc/ssl/ca.pem",
        "postgresql://ada:p:w@%2Frun%2Fpostgresql/askback",
        "postgresql://db.example/askback?options=-c%20geqo%3Doff",
    ],
)
def test_an_address_that_libpq_accepts_is_accepted(url: str) -> None:
    assert load({"ASKBACK_DATABASE_URL": url}).database == PostgresAddress(url)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_a_postgres_address_is_stored_unchanged_and_shown_without_its_password(scheme: str) -> None:
    url = f"{scheme}://ada:SECRET@one:5432,two:5433/askback?target_session_attrs=read-write"
    settings = load({"ASKBACK_DATABASE_URL": url, "ASKBACK_MASTER_KEYS": "off"})
    assert settings.database == PostgresAddress(url)
    assert str(settings.database) == "postgresql://one:5432,two:5433/askback"
    assert (settings.warnings, "SECRET" in repr(settings)) == ((), False)


def test_postgres_without_master_keys_is_warned_of() -> None:
    [warning] = load({"ASKBACK_DATABASE_URL": "postgresql:///askback"}).warnings
    assert "ASKBACK_MASTER_KEYS" in warning


def test_a_token_that_can_be_guessed_is_warned_of() -> None:
    given = f"requester:short,admin:{'x' * 16}"
    [warning] = load({"ASKBACK_BOOTSTRAP_TOKENS": given}).warnings
    assert "requester token" in warning
    assert "short" in warning


def test_variables_of_the_client_mean_nothing_to_the_server() -> None:
    assert load({"ASKBACK_URL": "http://x", "ASKBACK_TOKEN": "y", "PATH": "z"}) == load({})


def test_names_and_origins_are_lists_with_commas() -> None:
    settings = load(
        {
            "ASKBACK_ALLOWED_HOSTS": "a.example, b.example:99,[::1]",
            "ASKBACK_ALLOWED_ORIGINS": "https://App.example/",
            "ASKBACK_PUBLIC_URL": "https://askback.example/",
        }
    )
    assert settings.allowed_hosts == ("a.example", "b.example:99", "[::1]")
    assert settings.allowed_origins == ("https://app.example",)
    assert settings.public_url == "https://askback.example"


@requirement("L3")
async def test_every_limit_can_be_set_and_is_listed_and_enforced(tmp_path: Path) -> None:
    small = [name for name in asdict(DEFAULTS) if not name.endswith("_bytes") and name != "json_depth"]
    limits = {name: 20 + index for index, name in enumerate(small)}
    setting_text = ", ".join(f"{name} = {number}" for name, number in limits.items())
    settings = load({"ASKBACK_LIMITS": setting_text, "ASKBACK_MASTER_KEYS": "off"}, data_dir=tmp_path)
    assert asdict(settings.limits) == {**asdict(DEFAULTS), **limits}
    app = create_app(settings)
    async with AsyncClient(app=app) as agent:
        listed_limits = await agent.limits.get()
        assert {name: listed_limits[name] for name in limits} == limits
        with pytest.raises(Invalid) as exc_info:
            await agent.requests.create(
                {"fields": [{"id": "a", "type": "text", "label": "x" * (limits["label"] + 1)}]}, thread_id="t"
            )
    assert exc_info.value.field_errors[0]["path"] == "form.fields[0].label"


@requirement("L3")
def test_a_limit_has_its_own_variable_and_a_flag_that_wins() -> None:
    environment = {
        "ASKBACK_LIMITS": "options=1, label=2, title=3",
        "ASKBACK_LIMIT_LABEL": "4",
        "ASKBACK_LIMIT_TITLE": "5",
    }
    settings = load(environment, limits=["title=6", "title = 7"])
    assert settings.limits == replace(DEFAULTS, options=1, label=4, title=7)
    assert settings.warnings == ()


@requirement("L3")
@pytest.mark.parametrize(
    ("environment", "flags", "message"),
    [
        ({"ASKBACK_LIMIT_LABLE": "9"}, (), "ASKBACK_LIMIT_LABLE: 'lable' is not a limit. Did you mean label?"),
        ({"ASKBACK_LIMIT_OPTIONS": "many"}, (), "ASKBACK_LIMIT_OPTIONS: options must be a whole number from 1 to 2147483647."),
        ({}, ["options"], "--limit: options must be a whole number from 1 to 2147483647."),
        ({}, ["x=1"], "--limit: 'x' is not a limit. GET /v1/limits lists all of them."),
        ({}, ["json_depth=101"], "--limit: json_depth must be a whole number from 1 to 100."),
        (
            {"ASKBACK_LIMIT_REQUEST_BYTES": "2000000"}, (),
            "The limit request_bytes (2000000) must not be larger than body_bytes (1048576).",
        ),
    ],
)  # fmt: skip
def test_a_limit_that_cannot_be_set_is_named_at_start(
    environment: dict[str, str], flags: list[str], message: str
) -> None:
    with pytest.raises(SettingsError) as exc_info:
        load(environment, limits=flags)
    assert str(exc_info.value) == message


def test_proxies_and_the_metrics_token_are_read() -> None:
    settings = load({"ASKBACK_TRUSTED_PROXIES": "10.0.0.0/8, ::1", "ASKBACK_METRICS_TOKEN": "m" * 16})
    assert (settings.trusted_proxies, settings.metrics_token) == (("10.0.0.0/8", "::1"), "m" * 16)
    assert "mmmm" not in repr(settings)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ASKBACK_LIMITS", "labels=3"), ("ASKBACK_LIMITS", "label"), ("ASKBACK_LIMITS", "label=0"),
        ("ASKBACK_LIMITS", "label=-1"), ("ASKBACK_LIMITS", "label=1e3"), ("ASKBACK_LIMITS", "label=99999999999"),
        ("ASKBACK_TRUSTED_PROXIES", "proxy.lan"), ("ASKBACK_TRUSTED_PROXIES", "10.0.0.1/8"),
        ("ASKBACK_METRICS_TOKEN", "SECRET"), ("ASKBACK_METRICS_TOKEN", "SECRET but sixteen long"),
        ("ASKBACK_PORT", "http"), ("ASKBACK_PORT", "-1"), ("ASKBACK_PORT", "65536"), ("ASKBACK_PORT", "８０"),
        ("ASKBACK_HOST", "127.0.0.1:80"), ("ASKBACK_HOST", "http://x"), ("ASKBACK_HOST", "a b"),
        ("ASKBACK_DATABASE_URL", "mysql://u:SECRET@x/y"), ("ASKBACK_DATABASE_URL", "askback.db"),
        ("ASKBACK_DATABASE_URL", "postgresql://u:SECRET@x"), ("ASKBACK_DATABASE_URL", "postgresql://u:SECRET@[x/y"),
        ("ASKBACK_DATABASE_URL", "postgresql://u:SECRET/1@x/y"), ("ASKBACK_DATABASE_URL", "postgresql://u:SECRET#1@x/y"),
        ("ASKBACK_DATABASE_URL", "postgresql://u:SECRET/1?2@x/y"), ("ASKBACK_DATABASE_URL", "postgresql://u:9/SECRET@x/y"),
        ("ASKBACK_DATABASE_URL", "postgresql://u:9/1?SECRET=2@x/y"), ("ASKBACK_DATABASE_URL", "postgresql://x:SECRET/y"),
        ("ASKBACK_DATABASE_URL", "sqlite://"), ("ASKBACK_DATABASE_URL", "sqlite:///"),
        ("ASKBACK_DATABASE_URL", "sqlite://host/x.db"), ("ASKBACK_DATABASE_URL", "sqlite:///x?mode=ro"),
        ("ASKBACK_BOOTSTRAP_TOKENS", "root:SECRET-1234"), ("ASKBACK_BOOTSTRAP_TOKENS", "requester:"),
        ("ASKBACK_BOOTSTRAP_TOKENS", "requester:SECRET 1"), ("ASKBACK_BOOTSTRAP_TOKENS", "SECRET-1234"),
        ("ASKBACK_BOOTSTRAP_TOKENS", "requester@:SECRET-1234"), ("ASKBACK_BOOTSTRAP_TOKENS", "requester:SECRET-é"),
        ("ASKBACK_BOOTSTRAP_TOKENS", "requester:SECRET-1234,responder:SECRET-1234"),
        ("ASKBACK_ALLOWED_HOSTS", "https://x"), ("ASKBACK_ALLOWED_HOSTS", "*"),
        ("ASKBACK_ALLOWED_ORIGINS", "x.example"), ("ASKBACK_ALLOWED_ORIGINS", "https://x/y"), ("ASKBACK_ALLOWED_ORIGINS", "*"),
        ("ASKBACK_PUBLIC_URL", "ftp://x"), ("ASKBACK_LOG_LEVEL", "loud"),
    ],
)  # fmt: skip
def test_a_bad_value_is_refused_by_the_name_of_its_variable(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=variable) as exc_info:
        load({variable: value})
    assert "SECRET" not in str(exc_info.value)


def test_a_repr_shows_no_token_and_no_key() -> None:
    given = {"ASKBACK_BOOTSTRAP_TOKENS": "admin:tok-aaaaaa", "ASKBACK_MASTER_KEYS": "one:key-bbbbbb"}
    assert "tok-aaaaaa" not in repr(load(given))
    assert "key-bbbbbb" not in repr(load(given))


def test_a_backup_keeps_no_setting_that_is_named_like_a_credential() -> None:
    named = {name for name in BACKED_UP_SETTINGS if re.search("SECRET$|TOKEN|KEY|PASSWORD|URL$", name)}
    assert named == {"ASKBACK_PUBLIC_URL"}
