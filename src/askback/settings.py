"""Settings of a server: `ASKBACK_*` variables, and flags that win over them.

    ASKBACK_HOST              address to bind                         127.0.0.1
    ASKBACK_PORT              port, 0 for a free one                  8787
    ASKBACK_DATA_DIR          folder of the database and server.json  ~/.local/share/askback
    ASKBACK_DATABASE_URL      sqlite:///path, or postgresql://…       askback.db in the data folder
    ASKBACK_BOOTSTRAP_TOKENS  role[/name][@tenant]:token,…            made at the first start
    ASKBACK_ALLOWED_HOSTS     names under which it may be addressed, with commas
    ASKBACK_ALLOWED_ORIGINS   other origins whose pages may talk to it, with commas
    ASKBACK_PUBLIC_URL        the address that people open, when a proxy stands before it
    ASKBACK_WEBHOOK_HOSTS     names and networks inside that webhooks may reach, with commas
    ASKBACK_LOG               text, or json for an object on each line  text
    ASKBACK_LOG_LEVEL         debug, info, warning or error           warning
    ASKBACK_BRAND             who speaks in what models read          askback
    ASKBACK_RETENTION_DAYS    days after which idle threads are erased
    ASKBACK_ON_RESTART        keep, or expire what agents waited for    keep
    ASKBACK_MASTER_KEYS       id:key,… for secrets, or off            master.key in the data folder; off with Postgres

`ASKBACK_URL` and `ASKBACK_TOKEN` belong to the client.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from askback.domain.modeltext import BRAND
from askback.domain.webhooks import Allowed
from askback.errors import AskbackError
from askback.logs import FORMS
from askback.service.access import STANDING

DEFAULT_TENANT = "default"
POSTGRES = ("postgresql", "postgres")
_POSTGRES_HOST = re.compile(r"(?:[\w.%-]*|\[[0-9a-fA-F:.%]+\])(?::\d{1,5})?")
_POSTGRES_NAME = re.compile(r"/[\w.%-]+")
_POSTGRES_OPTIONS = re.compile(r"(?:[\w.]+=[^@&=]*(?:&[\w.]+=[^@&=]*)*)?")
ON_RESTART = ("keep", "expire")
LOG_LEVELS = ("debug", "info", "warning", "error")
NOT_SERVER = frozenset({"ASKBACK_URL", "ASKBACK_TOKEN"})
"""Variables of the client: they may be set, and mean nothing to these settings."""
_HOST = re.compile(r"(?:[\w.-]+|\[[0-9a-fA-F:]+\])(?::\d{1,5})?")
_TOKEN = re.compile(
    r"(?P<role>requester|responder|admin)(?:/(?P<name>[^@:,]{1,200}))?(?:@(?P<tenant>[\w.-]{1,100}))?"
    r":(?P<token>[\w.~+/=-]{1,512})"
)
SHORT_TOKEN = 16
"""Characters below which a token may be guessed."""


class SettingsError(AskbackError):
    """A setting has a value that cannot be used; the message names the variable."""


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """A token that the deployer chose. It is left out of every repr."""

    role: str
    name: str
    tenant: str
    token: str

    def __repr__(self) -> str:
        return f"Bootstrap({self.role!r}, {self.name!r}, {self.tenant!r})"


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """The address of a Postgres database, `postgresql://…`. It may hold a password, which is left out of every text."""

    url: str = field(repr=False)

    def __str__(self) -> str:
        parts = urlsplit(self.url)
        return f"postgresql://{parts.netloc.rpartition('@')[2]}{parts.path}"


def default_data_dir() -> Path:
    """Return the folder of this user; the client looks for `server.json` in the same place."""
    return Path.home() / ".local" / "share" / "askback"


@dataclass(frozen=True, slots=True)
class Settings:
    """How one server runs.

    `database` is the file of an SQLite database, or the address of one of Postgres; `warnings` are what whoever starts
    the server should know.
    `master_keys` is the ring as it was given, `off` for a server without secrets, None for the key file.
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
    master_keys: str | None = field(default=None, repr=False)
    warnings: tuple[str, ...] = ()

    @property
    def key_file(self) -> Path:
        """Where the server keeps its master key when it was given none."""
        return self.data_dir / "master.key"

    @property
    def server_file(self) -> Path:
        """Where the server leaves its address and tokens for clients of the same user."""
        return self.data_dir / "server.json"

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host == "localhost" or (_is_address(self.host) and ip_address(self.host).is_loopback)

    @property
    def wildcard(self) -> bool:
        """Whether it binds every address of the machine."""
        return _is_address(self.host) and ip_address(self.host).is_unspecified


def load(environ: Mapping[str, str] | None = None, **flags: Any) -> Settings:
    """Read the settings; a flag that is not None wins over its variable. Raises `SettingsError`."""
    environ = os.environ if environ is None else environ
    given = {name: value for name, value in environ.items() if name.startswith("ASKBACK_") and value}
    given |= {f"ASKBACK_{name.upper()}": str(value) for name, value in flags.items() if value is not None}
    data_dir = Path(given.get("ASKBACK_DATA_DIR") or default_data_dir()).expanduser().absolute()
    read: dict[str, Any] = {
        "host": "127.0.0.1",
        "port": 8787,
        "data_dir": data_dir,
        "database": data_dir / "askback.db",
    }
    for variable, (attribute, reader) in _READERS.items():
        if variable in given and attribute != "data_dir":
            read[attribute] = reader(variable, given[variable].strip())
    if read.get("on_restart") == "expire" and isinstance(read["database"], PostgresAddress):
        raise SettingsError(
            "ASKBACK_ON_RESTART=expire is for a server with a database of its own: on Postgres others may go on."
        )
    return Settings(**read, warnings=tuple(_warnings(given, read.get("bootstrap_tokens", ()))))


def _warnings(given: Mapping[str, str], tokens: Sequence[Bootstrap]) -> Iterator[str]:
    for variable in sorted(given.keys() - _READERS.keys() - NOT_SERVER):
        yield f"{variable} is not a setting and is ignored; known are {', '.join(sorted(_READERS))}."
    for token in tokens:
        if len(token.token) < SHORT_TOKEN:
            yield f"The {token.role} token in ASKBACK_BOOTSTRAP_TOKENS is short enough to be guessed."
    if given.get("ASKBACK_DATABASE_URL", "").startswith("postgres") and "ASKBACK_MASTER_KEYS" not in given:
        yield "Secrets are off: servers that share a database need the same ASKBACK_MASTER_KEYS."


def _host(variable: str, text: str) -> str:
    if not re.fullmatch(r"[\w.-]+|[0-9a-fA-F:]+", text):
        raise SettingsError(f"{variable} must be a host name or an address, without a port.")
    return text


def _port(variable: str, text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > 65535:
        raise SettingsError(f"{variable} must be a number from 0 to 65535.")
    return int(text)


def _database(variable: str, text: str) -> Path | PostgresAddress:
    # No message quotes the text: it may hold a password.
    try:
        url = urlsplit(text)
    except ValueError:
        raise SettingsError(f"{variable} is no address that can be read.") from None
    if url.scheme in POSTGRES:
        if not _reads_as_meant(url):
            raise SettingsError(
                f"{variable} must be as in postgresql://user:password@host:5432/askback?sslmode=verify-full. "
                "A password with other characters than letters and digits has to be percent-encoded."
            )
        return PostgresAddress(text)
    if url.scheme != "sqlite":
        raise SettingsError(f"{variable} must be sqlite:///path or postgresql://user:password@host/database.")
    if url.netloc or len(url.path) < 2 or url.query or url.fragment:
        raise SettingsError(f"{variable} must be sqlite:///path, or sqlite:////path for an absolute one.")
    return Path(unquote(url.path[1:])).expanduser().absolute()


def _reads_as_meant(url: SplitResult) -> bool:
    """Whether no part of an address can be of a password that was not encoded: where it is named, that is left out."""
    hosts = url.netloc.rpartition("@")[2].split(",")
    return (
        all(map(_POSTGRES_HOST.fullmatch, hosts))
        and _POSTGRES_NAME.fullmatch(url.path) is not None
        and _POSTGRES_OPTIONS.fullmatch(url.query) is not None
        and not url.fragment
    )


def _bootstrap(variable: str, text: str) -> tuple[Bootstrap, ...]:
    found: list[Bootstrap] = []
    for i, entry in enumerate(filter(None, (part.strip() for part in text.split(","))), start=1):
        match = _TOKEN.fullmatch(entry)
        if match is None:
            # Not the entry itself: it holds a secret.
            raise SettingsError(
                f"{variable}: entry {i} must be role[/name][@tenant]:token, with role one of "
                f"{', '.join(STANDING)} and a token of 1 to 512 letters, digits or . ~ + / = _ -."
            )
        role = match["role"]
        found.append(
            Bootstrap(role, match["name"] or role, match["tenant"] or DEFAULT_TENANT, match["token"])
        )
    if len({entry.token for entry in found}) < len(found):
        raise SettingsError(f"{variable} gives the same token twice; each one stands for one role.")
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
            Allowed.of([name])
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


def _public_url(variable: str, text: str) -> str:
    return _origin(variable, text)


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
    "ASKBACK_DATABASE_URL": ("database", _database),
    "ASKBACK_BOOTSTRAP_TOKENS": ("bootstrap_tokens", _bootstrap),
    "ASKBACK_ALLOWED_HOSTS": ("allowed_hosts", _hosts),
    "ASKBACK_ALLOWED_ORIGINS": ("allowed_origins", _origins),
    "ASKBACK_PUBLIC_URL": ("public_url", _public_url),
    "ASKBACK_WEBHOOK_HOSTS": ("webhook_hosts", _webhook_hosts),
    "ASKBACK_LOG": ("log_form", _log_form),
    "ASKBACK_LOG_LEVEL": ("log_level", _log_level),
    "ASKBACK_BRAND": ("brand", _brand),
    "ASKBACK_RETENTION_DAYS": ("retention_days", _days),
    "ASKBACK_ON_RESTART": ("on_restart", _on_restart),
    "ASKBACK_MASTER_KEYS": ("master_keys", lambda _variable, text: text),
}
