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
    ASKBACK_ON_RESTART        keep or expire open requests on restart; expire is for SQLite only   keep
    ASKBACK_LIMITS            name=number,… to change limits (see below)
    ASKBACK_LIMIT_NAME        one limit, such as ASKBACK_LIMIT_OPTIONS=500; wins over ASKBACK_LIMITS
    ASKBACK_TRUSTED_PROXIES   addresses and networks of proxies whose X-Forwarded-For is trusted, comma-separated
    ASKBACK_METRICS_TOKEN     token for reading /metrics
    ASKBACK_BLOCKED_SECRET_NAMES  names of secrets that nobody may ask for or store, comma-separated
    ASKBACK_OAUTH_PROVIDERS   JSON of the providers at which people can connect accounts (see Send people somewhere)
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from askback.domain.limits import DEFAULTS, Limits
from askback.domain.modeltext import BRAND
from askback.domain.oauth import OauthProvider
from askback.domain.spec import REQUESTER
from askback.domain.values import frozen
from askback.errors import StoreUnusable
from askback.logs import FORMS
from askback.server import oauth_settings, setting_readers
from askback.server.database_address import PostgresAddress, SettingsError, read_database
from askback.server.limit_settings import LIMIT, LIMITS, read_limits
from askback.server.setting_readers import Bootstrap
from askback.service.access import roles

DEFAULT_TENANT = roles.DEFAULT_TENANT
ON_RESTART = ("keep", "expire")
LOG_LEVELS = ("debug", "info", "warning", "error")
NOT_SERVER = frozenset({"ASKBACK_URL", "ASKBACK_TOKEN", "ASKBACK_THREAD", "ASKBACK_HOOK"})
"""Variables of the client, which these settings ignore."""
SHORT_TOKEN = 16
"""Minimum length of a token, so that it cannot be guessed."""


def default_data_dir() -> Path:
    """Return the folder of this user; the client looks for `server.json` in the same place."""
    return Path.home() / ".local" / "share" / "askback"


def data_folders(*further_folders: Path | None) -> tuple[str, ...]:
    """Return the paths of askback's own data, as written and with links resolved. No rule lets an agent read them."""
    configured_folder = os.environ.get("ASKBACK_DATA_DIR")
    places = [default_data_dir(), Path(configured_folder) if configured_folder else None, *further_folders]
    folders = [path.expanduser().absolute() for path in places if path is not None]
    return tuple(dict.fromkeys(str(item) for path in folders for item in (path, os.path.realpath(path))))


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
        return self.host == "localhost" or (
            setting_readers.is_address(self.host) and ip_address(self.host).is_loopback
        )

    @property
    def wildcard(self) -> bool:
        """Whether it binds every address of the machine."""
        return setting_readers.is_address(self.host) and ip_address(self.host).is_unspecified


def load(environ: Mapping[str, str] | None = None, *, limits: Sequence[str] = (), **flags: Any) -> Settings:
    """Read the settings; a flag that is not None wins over its variable, and so do `limits`, each `NAME=VALUE`.

    Raises `SettingsError`, which names each as it was given.
    """
    environ = os.environ if environ is None else environ
    variables = {name: value for name, value in environ.items() if name.startswith("ASKBACK_") and value}
    set_flags = {name: value for name, value in flags.items() if value is not None}
    variables |= {f"ASKBACK_{name.upper()}": str(value) for name, value in set_flags.items()}
    options = {f"ASKBACK_{name.upper()}": f"--{name.replace('_', '-')}" for name in set_flags}
    data_dir = Path(variables.get("ASKBACK_DATA_DIR") or default_data_dir()).expanduser().absolute()
    read: dict[str, Any] = {
        "host": "127.0.0.1",
        "port": 8787,
        "data_dir": data_dir,
        "database": data_dir / "askback.db",
    }
    for variable, (attribute, reader) in _READERS.items():
        if variable in variables and attribute not in _READ_APART:
            read[attribute] = reader(options.get(variable, variable), variables[variable].strip())
    if read.get("on_restart") == "expire" and isinstance(read["database"], PostgresAddress):
        raise SettingsError(
            "ASKBACK_ON_RESTART=expire needs a SQLite database: on Postgres, other servers may continue the requests."
        )
    read["limits"] = read_limits(variables, limits)
    providers = variables.get(oauth_settings.VARIABLE)
    read["oauth_providers"] = {} if providers is None else oauth_settings.read_providers(providers, environ)
    for subject in ("validator", "option_source", "file_scan"):
        if read.get(f"{subject}s") and f"{subject}_secret" not in read:
            name = f"ASKBACK_{subject.upper()}"
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


_READERS: dict[str, tuple[str, Callable[[str, str], Any]]] = {
    "ASKBACK_HOST": ("host", setting_readers.read_host),
    "ASKBACK_PORT": ("port", setting_readers.read_port),
    "ASKBACK_DATA_DIR": ("data_dir", lambda _variable, text: Path(text)),
    "ASKBACK_DATABASE_URL": ("database", read_database),
    "ASKBACK_BOOTSTRAP_TOKENS": ("bootstrap_tokens", setting_readers.read_bootstrap),
    "ASKBACK_ALLOWED_HOSTS": ("allowed_hosts", setting_readers.read_hosts),
    "ASKBACK_ALLOWED_ORIGINS": ("allowed_origins", setting_readers.read_origins),
    "ASKBACK_PUBLIC_URL": ("public_url", setting_readers.read_origin),
    "ASKBACK_WEBHOOK_HOSTS": ("webhook_hosts", setting_readers.read_webhook_hosts),
    "ASKBACK_LOG": ("log_form", partial(setting_readers.read_choice, choices=FORMS)),
    "ASKBACK_LOG_LEVEL": ("log_level", partial(setting_readers.read_choice, choices=LOG_LEVELS)),
    "ASKBACK_BRAND": ("brand", setting_readers.read_brand),
    "ASKBACK_REPORTED_APPROVALS": ("reported_approvals", setting_readers.read_switch),
    "ASKBACK_MCP_WAIT_S": ("mcp_wait_s", setting_readers.read_seconds),
    "ASKBACK_MCP_PROGRESS_S": ("mcp_progress_s", setting_readers.read_seconds),
    "ASKBACK_RETENTION_DAYS": ("retention_days", setting_readers.read_days),
    "ASKBACK_ON_RESTART": ("on_restart", partial(setting_readers.read_choice, choices=ON_RESTART)),
    "ASKBACK_TRUSTED_PROXIES": ("trusted_proxies", setting_readers.read_trusted_proxies),
    "ASKBACK_METRICS_TOKEN": ("metrics_token", setting_readers.read_metrics_token),
    "ASKBACK_BLOCKED_SECRET_NAMES": ("blocked_secret_names", setting_readers.read_blocked_names),
    oauth_settings.VARIABLE: ("oauth_providers", lambda _variable, text: text),
    "ASKBACK_VALIDATORS": ("validators", partial(setting_readers.read_calls, reserved=REQUESTER)),
    "ASKBACK_VALIDATOR_SECRET": ("validator_secret", setting_readers.read_secret),
    "ASKBACK_OPTION_SOURCES": ("option_sources", setting_readers.read_calls),
    "ASKBACK_OPTION_SOURCE_SECRET": ("option_source_secret", setting_readers.read_secret),
    "ASKBACK_FILE_SCANS": ("file_scans", setting_readers.read_calls),
    "ASKBACK_FILE_SCAN_SECRET": ("file_scan_secret", setting_readers.read_secret),
    "ASKBACK_MASTER_KEYS": ("master_keys", lambda _variable, text: text),
}

_READ_APART = frozenset({"data_dir", "oauth_providers"})

BACKED_UP_SETTINGS = frozenset(_READERS) - {
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
