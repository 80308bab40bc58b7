"""Settings of a server: `ASKBACK_*` variables, and flags that win over them.

    ASKBACK_HOST              address to bind                         127.0.0.1
    ASKBACK_PORT              port, 0 for a free one                  8787
    ASKBACK_DATA_DIR          folder of the database and server.json  ~/.local/share/askback
    ASKBACK_DATABASE_URL      sqlite:///path, or postgresql://…       askback.db in the data folder
    ASKBACK_BOOTSTRAP_TOKENS  role[/name][@tenant]:token,…            made at the first start
    ASKBACK_ALLOWED_HOSTS     host names that clients may use, comma-separated
    ASKBACK_ALLOWED_ORIGINS   other origins whose pages may call with a bearer token, comma-separated
    ASKBACK_PUBLIC_URL        the address that people open, if there is a proxy
    ASKBACK_WEBHOOK_HOSTS     internal hosts and networks that webhooks may reach, comma-separated
    ASKBACK_LOG               text, or json for one JSON object per line  text
    ASKBACK_LOG_LEVEL         debug, info, warning or error           warning
    ASKBACK_BRAND             product name in texts for the model     askback
    ASKBACK_REPORTED_APPROVALS  on to take approvals that agents report from their own client  off
    ASKBACK_MCP_WAIT_S        seconds that a call of an MCP tool waits at most  240
    ASKBACK_MCP_PROGRESS_S    seconds between two progress reports to an MCP client  20
    ASKBACK_RETENTION_DAYS    days after which idle threads are deleted
    ASKBACK_ON_RESTART        keep or expire open requests on restart   keep
    ASKBACK_LIMITS            name=number,… to change limits (see below)
    ASKBACK_LIMIT_NAME        one limit, such as ASKBACK_LIMIT_OPTIONS=500; wins over ASKBACK_LIMITS
    ASKBACK_TRUSTED_PROXIES   addresses and networks of proxies whose X-Forwarded-For is trusted, comma-separated
    ASKBACK_METRICS_TOKEN     token for reading /metrics
    ASKBACK_BLOCKED_SECRET_NAMES  names of secrets that nobody may ask for or store, comma-separated
    ASKBACK_OAUTH_PROVIDERS   JSON of the providers at which people can connect accounts (see oauth_settings.py)
    ASKBACK_VALIDATORS        name=url,… of webhooks that check answers of forms
    ASKBACK_VALIDATOR_SECRET  whsec_… that these calls are signed with
    ASKBACK_OPTION_SOURCES    name=url,… of webhooks that options of forms come from
    ASKBACK_OPTION_SOURCE_SECRET  whsec_… that these calls are signed with
    ASKBACK_FILE_SCANS        name=url,… of webhooks that check uploaded files
    ASKBACK_FILE_SCAN_SECRET  whsec_… that these calls are signed with
    ASKBACK_MASTER_KEYS       id:key,… for secrets, or off            master.key in the data folder; off with Postgres

`ASKBACK_URL` and `ASKBACK_TOKEN` belong to the client.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from askback.domain.limits import DEFAULTS, Limits
from askback.domain.modeltext import BRAND
from askback.domain.oauth import OauthProvider
from askback.domain.spec import REQUESTER
from askback.domain.values import frozen
from askback.domain.webhooks import AllowedTargets
from askback.errors import StoreUnusable
from askback.logs import FORMS
from askback.server import call_settings, mcp_settings, oauth_settings, secret_settings
from askback.server.database_address import PostgresAddress, SettingsError, read_database
from askback.server.limit_settings import LIMIT, LIMITS, read_limits
from askback.service.access import roles
from askback.service.access.roles import BOOTSTRAP_ROLES

DEFAULT_TENANT = roles.DEFAULT_TENANT
ON_RESTART = ("keep", "expire")
LOG_LEVELS = ("debug", "info", "warning", "error")
NOT_SERVER = frozenset({"ASKBACK_URL", "ASKBACK_TOKEN", "ASKBACK_THREAD"})
"""Variables of the client, which these settings ignore."""
_HOST = re.compile(r"(?:[\w.-]+|\[[0-9a-fA-F:]+\])(?::\d{1,5})?")
_TOKEN = re.compile(
    r"(?P<role>requester|responder|admin)(?:/(?P<name>[^@:,]{1,200}))?(?:@(?P<tenant>[\w.-]{1,100}))?"
    r":(?P<token>[\w.~+/=-]{1,512})"
)
SHORT_TOKEN = 16
"""Minimum length of a token, so that it cannot be guessed."""


@frozen(slots=True)
class Bootstrap:
    """A token that the deployer chose. It is left out of every repr."""

    role: str
    name: str
    tenant: str
    token: str

    def __repr__(self) -> str:
        return f"Bootstrap({self.role!r}, {self.name!r}, {self.tenant!r})"


def default_data_dir() -> Path:
    """Return the folder of this user; the client looks for `server.json` in the same place."""
    return Path.home() / ".local" / "share" / "askback"


def data_folders(*more: Path | None) -> tuple[str, ...]:
    """Return the paths of askback's own data, as written and with links resolved. No rule lets an agent read them."""
    chosen = os.environ.get("ASKBACK_DATA_DIR")
    places = [default_data_dir(), Path(chosen) if chosen else None, *more]
    found = [path.expanduser().absolute() for path in places if path is not None]
    return tuple(dict.fromkeys(str(each) for path in found for each in (path, os.path.realpath(path))))


@frozen(slots=True)
class Settings:
    """How one server runs.

    `database` is an SQLite file or a Postgres address; `warnings` are shown at the start. `master_keys` is the
    key ring as text, `off` for a server without secrets, None for the key file.
    """

    host: str
    port: int
    data_dir: Path
    database: Path | PostgresAddress
    bootstrap_tokens: tuple[Bootstrap, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    public_url: str | None = None
    webhook_hosts: tuple[str, ...] = ()
    log_form: str = "text"
    log_level: str = "warning"
    brand: str = BRAND
    retention_days: int | None = None
    on_restart: str = "keep"
    limits: Limits = DEFAULTS
    trusted_proxies: tuple[str, ...] = ()
    metrics_token: str | None = field(default=None, repr=False)
    blocked_secret_names: frozenset[str] = frozenset()
    validators: tuple[tuple[str, str], ...] = ()
    validator_secret: str | None = field(default=None, repr=False)
    option_sources: tuple[tuple[str, str], ...] = ()
    option_source_secret: str | None = field(default=None, repr=False)
    file_scans: tuple[tuple[str, str], ...] = ()
    file_scan_secret: str | None = field(default=None, repr=False)
    master_keys: str | None = field(default=None, repr=False)
    reported_approvals: bool = False
    mcp_wait_s: float = 240.0
    mcp_progress_s: float = 20.0
    oauth_providers: Mapping[str, OauthProvider] = field(default_factory=dict[str, OauthProvider])
    warnings: tuple[str, ...] = ()

    @property
    def key_file(self) -> Path:
        """The file with the master key if the settings have none."""
        return self.data_dir / "master.key"

    @property
    def own_paths(self) -> tuple[str, ...]:
        """The paths that agents never read without asking: the data folder and a database file outside of it."""
        return data_folders(self.data_dir, self.database if isinstance(self.database, Path) else None)

    @property
    def server_file(self) -> Path:
        """The file with the address and tokens for clients of the same user."""
        return self.data_dir / "server.json"

    @property
    def database_is_new(self) -> bool:
        """Whether the database is a file that does not exist yet."""
        return isinstance(self.database, Path) and not (
            self.database.exists() and (self.database.stat().st_size or not self.database.is_file())
        )

    def require_database(self) -> None:
        """Raise `StoreUnusable` if the database is a missing or empty file, which reading must not create."""
        if self.database_is_new:
            raise StoreUnusable(
                f"There is no database {self.database}. Check --data-dir, or start a server there: askback serve"
            )

    @property
    def loopback(self) -> bool:
        """Whether only this machine can connect."""
        return self.host == "localhost" or (_is_address(self.host) and ip_address(self.host).is_loopback)

    @property
    def wildcard(self) -> bool:
        """Whether it binds every address of the machine."""
        return _is_address(self.host) and ip_address(self.host).is_unspecified


def load(environ: Mapping[str, str] | None = None, *, limits: Sequence[str] = (), **flags: Any) -> Settings:
    """Read the settings; a flag that is not None wins over its variable, and so do `limits`, each `NAME=VALUE`.

    Raises `SettingsError`, which names each as it was given.
    """
    environ = os.environ if environ is None else environ
    variables = {name: value for name, value in environ.items() if name.startswith("ASKBACK_") and value}
    passed = {name: value for name, value in flags.items() if value is not None}
    variables |= {f"ASKBACK_{name.upper()}": str(value) for name, value in passed.items()}
    shown = {f"ASKBACK_{name.upper()}": f"--{name.replace('_', '-')}" for name in passed}
    data_dir = Path(variables.get("ASKBACK_DATA_DIR") or default_data_dir()).expanduser().absolute()
    read: dict[str, Any] = {
        "host": "127.0.0.1",
        "port": 8787,
        "data_dir": data_dir,
        "database": data_dir / "askback.db",
    }
    for variable, (attribute, reader) in _READERS.items():
        if variable in variables and attribute not in _READ_APART:
            read[attribute] = reader(shown.get(variable, variable), variables[variable].strip())
    if read.get("on_restart") == "expire" and isinstance(read["database"], PostgresAddress):
        raise SettingsError(
            "ASKBACK_ON_RESTART=expire needs a SQLite database: on Postgres, other servers may continue the requests."
        )
    read["limits"] = read_limits(variables, limits)
    providers = variables.get(oauth_settings.VARIABLE)
    read["oauth_providers"] = {} if providers is None else oauth_settings.read_providers(providers, environ)
    for what in ("validator", "option_source", "file_scan"):
        if read.get(f"{what}s") and f"{what}_secret" not in read:
            name = f"ASKBACK_{what.upper()}"
            raise SettingsError(f"{name}S needs {name}_SECRET, which signs each call.")
    return Settings(**read, warnings=tuple(_warnings(variables, read.get("bootstrap_tokens", ()))))


def _warnings(variables: Mapping[str, str], tokens: Sequence[Bootstrap]) -> Iterator[str]:
    for variable in sorted(variables.keys() - _READERS.keys() - NOT_SERVER):
        if variable == LIMITS or variable.startswith(LIMIT):
            continue
        if variable in variables.get(oauth_settings.VARIABLE, ""):
            continue  # the client secret of a provider
        yield f"{variable} is not a setting and is ignored; known are {', '.join(sorted(_READERS))}."
    for token in tokens:
        if len(token.token) < SHORT_TOKEN:
            yield f"The {token.role} token in ASKBACK_BOOTSTRAP_TOKENS is short enough to be guessed."
    if (
        variables.get("ASKBACK_DATABASE_URL", "").startswith("postgres")
        and "ASKBACK_MASTER_KEYS" not in variables
    ):
        yield "Secrets are off: servers that share a database need the same ASKBACK_MASTER_KEYS."


def _host(variable: str, text: str) -> str:
    if not re.fullmatch(r"[\w.-]+|[0-9a-fA-F:]+", text):
        raise SettingsError(f"{variable} must be a host name or an address, without a port.")
    return text


def _port(variable: str, text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > 65535:
        raise SettingsError(f"{variable} must be a number from 0 to 65535.")
    return int(text)


def _bootstrap(variable: str, text: str) -> tuple[Bootstrap, ...]:
    found: list[Bootstrap] = []
    for i, entry in enumerate(filter(None, (part.strip() for part in text.split(","))), start=1):
        match = _TOKEN.fullmatch(entry)
        if match is None:
            # Not the entry itself: it holds a secret.
            raise SettingsError(
                f"{variable}: entry {i} must be role[/name][@tenant]:token, with role one of "
                f"{', '.join(BOOTSTRAP_ROLES)} and a token of 1 to 512 letters, digits or . ~ + / = _ -."
            )
        role = match["role"]
        found.append(
            Bootstrap(role, match["name"] or role, match["tenant"] or DEFAULT_TENANT, match["token"])
        )
    if len({entry.token for entry in found}) < len(found):
        raise SettingsError(f"{variable} contains the same token twice. Use a different token for each role.")
    return tuple(found)


def _hosts(variable: str, text: str) -> tuple[str, ...]:
    names = _split(text)
    for name in names:
        if not _HOST.fullmatch(name):
            raise SettingsError(
                f"{variable}: {name!r} is not a name such as askback.example.com or name:8787."
            )
    return names


def _webhook_hosts(variable: str, text: str) -> tuple[str, ...]:
    names = _split(text)
    for name in names:
        try:
            AllowedTargets.parse([name])
        except ValueError:
            raise SettingsError(
                f"{variable}: {name!r} is not a name such as hooks.lan, an address, or a network such as 10.0.0.0/8."
            ) from None
    return names


def _origins(variable: str, text: str) -> tuple[str, ...]:
    return tuple(_origin(variable, one) for one in _split(text))


def _origin(variable: str, text: str) -> str:
    url = _web(variable, text)
    if url.path not in ("", "/"):
        raise SettingsError(f"{variable}: an origin has no path, as in https://app.example.com.")
    return f"{url.scheme}://{url.netloc}".lower()


def _web(variable: str, text: str) -> Any:
    url = urlsplit(text)
    if url.scheme not in ("http", "https") or not url.hostname or url.username or url.query or url.fragment:
        raise SettingsError(f"{variable} must be an address such as https://askback.example.com.")
    return url


def _log_form(variable: str, text: str) -> str:
    if text.lower() not in FORMS:
        raise SettingsError(f"{variable} must be one of {', '.join(FORMS)}.")
    return text.lower()


def _log_level(variable: str, text: str) -> str:
    if text.lower() not in LOG_LEVELS:
        raise SettingsError(f"{variable} must be one of {', '.join(LOG_LEVELS)}.")
    return text.lower()


def _brand(variable: str, text: str) -> str:
    if not re.fullmatch(r"[\w .&'+-]{1,40}", text):
        raise SettingsError(f"{variable} must be 1 to 40 letters, digits, blanks or . & ' + - _.")
    return text


def _days(variable: str, text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= 36_500:
        raise SettingsError(f"{variable} must be a number of days from 1 to 36500.")
    return int(text)


def _on_restart(variable: str, text: str) -> str:
    if text.lower() not in ON_RESTART:
        raise SettingsError(f"{variable} must be one of {', '.join(ON_RESTART)}.")
    return text.lower()


def _trusted_proxies(variable: str, text: str) -> tuple[str, ...]:
    for one in _split(text):
        try:
            ip_network(one)
        except ValueError:
            raise SettingsError(
                f"{variable}: {one!r} is not an address such as 127.0.0.1 or a network such as 10.0.0.0/8."
            ) from None
    return _split(text)


def _split(text: str) -> tuple[str, ...]:
    return tuple(part for part in (piece.strip() for piece in text.split(",")) if part)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


_READERS: dict[str, tuple[str, Callable[[str, str], Any]]] = {
    "ASKBACK_HOST": ("host", _host),
    "ASKBACK_PORT": ("port", _port),
    "ASKBACK_DATA_DIR": ("data_dir", lambda _variable, text: Path(text)),
    "ASKBACK_DATABASE_URL": ("database", read_database),
    "ASKBACK_BOOTSTRAP_TOKENS": ("bootstrap_tokens", _bootstrap),
    "ASKBACK_ALLOWED_HOSTS": ("allowed_hosts", _hosts),
    "ASKBACK_ALLOWED_ORIGINS": ("allowed_origins", _origins),
    "ASKBACK_PUBLIC_URL": ("public_url", _origin),
    "ASKBACK_WEBHOOK_HOSTS": ("webhook_hosts", _webhook_hosts),
    "ASKBACK_LOG": ("log_form", _log_form),
    "ASKBACK_LOG_LEVEL": ("log_level", _log_level),
    "ASKBACK_BRAND": ("brand", _brand),
    "ASKBACK_REPORTED_APPROVALS": ("reported_approvals", mcp_settings.read_switch),
    "ASKBACK_MCP_WAIT_S": ("mcp_wait_s", mcp_settings.read_seconds),
    "ASKBACK_MCP_PROGRESS_S": ("mcp_progress_s", mcp_settings.read_seconds),
    "ASKBACK_RETENTION_DAYS": ("retention_days", _days),
    "ASKBACK_ON_RESTART": ("on_restart", _on_restart),
    "ASKBACK_TRUSTED_PROXIES": ("trusted_proxies", _trusted_proxies),
    "ASKBACK_METRICS_TOKEN": ("metrics_token", secret_settings.read_metrics_token),
    "ASKBACK_BLOCKED_SECRET_NAMES": ("blocked_secret_names", secret_settings.read_blocked_names),
    oauth_settings.VARIABLE: ("oauth_providers", lambda _variable, text: text),
    "ASKBACK_VALIDATORS": ("validators", partial(call_settings.read_calls, reserved=REQUESTER)),
    "ASKBACK_VALIDATOR_SECRET": ("validator_secret", call_settings.read_secret),
    "ASKBACK_OPTION_SOURCES": ("option_sources", call_settings.read_calls),
    "ASKBACK_OPTION_SOURCE_SECRET": ("option_source_secret", call_settings.read_secret),
    "ASKBACK_FILE_SCANS": ("file_scans", call_settings.read_calls),
    "ASKBACK_FILE_SCAN_SECRET": ("file_scan_secret", call_settings.read_secret),
    "ASKBACK_MASTER_KEYS": ("master_keys", lambda _variable, text: text),
}

_READ_APART = frozenset({"data_dir", "oauth_providers"})

PLAIN = frozenset(_READERS) - {
    "ASKBACK_BOOTSTRAP_TOKENS",
    "ASKBACK_DATABASE_URL",
    "ASKBACK_DATA_DIR",
    "ASKBACK_MASTER_KEYS",
    "ASKBACK_METRICS_TOKEN",
    "ASKBACK_VALIDATOR_SECRET",
    "ASKBACK_OPTION_SOURCE_SECRET",
    "ASKBACK_FILE_SCAN_SECRET",
}
"""The settings that hold no credential and name no place, which a backup keeps."""
