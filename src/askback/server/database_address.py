"""The address of a database in the settings: an SQLite file or a Postgres server."""

from __future__ import annotations

import re
from dataclasses import field
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from askback.domain.values import frozen
from askback.errors import AskbackError

POSTGRES = ("postgresql", "postgres")
_POSTGRES_HOST = re.compile(r"(?:[\w.%-]*|\[[0-9a-fA-F:.%]+\])(?::\d{1,5})?")
_POSTGRES_NAME = re.compile(r"/[\w.%-]+")
_POSTGRES_OPTIONS = re.compile(r"(?:[\w.]+=[^@&=]*(?:&[\w.]+=[^@&=]*)*)?")


class SettingsError(AskbackError):
    """A setting has a value that cannot be used; the message names the variable."""


@frozen(slots=True)
class PostgresAddress:
    """The address of a Postgres database, `postgresql://…`. Texts omit its password."""

    url: str = field(repr=False)

    def __str__(self) -> str:
        parts = urlsplit(self.url)
        return f"postgresql://{parts.netloc.rpartition('@')[2]}{parts.path}"

    @property
    def without_password(self) -> str:
        """The address with its user and options, for other programs, which find the password by themselves."""
        parts = urlsplit(self.url)
        user, at_sign, host = parts.netloc.rpartition("@")
        options = [
            item for item in parts.query.split("&") if item and "password" not in item.partition("=")[0]
        ]
        query = f"?{'&'.join(options)}" if options else ""
        return f"postgresql://{user.partition(':')[0]}{at_sign}{host}{parts.path}{query}"


def read_database(variable: str, text: str) -> Path | PostgresAddress:
    """Read `sqlite:///path` or `postgresql://…`. Raises `SettingsError`, which never quotes the text."""
    # No message quotes the text: it may hold a password.
    try:
        url = urlsplit(text)
    except ValueError:
        raise SettingsError(f"{variable} is not a valid database address.") from None
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
    """Return whether an address was split as intended, and not inside a password with unencoded characters."""
    hosts = url.netloc.rpartition("@")[2].split(",")
    return (
        all(map(_POSTGRES_HOST.fullmatch, hosts))
        and _POSTGRES_NAME.fullmatch(url.path) is not None
        and _POSTGRES_OPTIONS.fullmatch(url.query) is not None
        and not url.fragment
    )
