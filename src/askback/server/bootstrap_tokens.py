"""The tokens of a data folder: created at the first start and kept in `server.json`."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from askback.errors import StoreUnusable
from askback.server import server_file
from askback.server.app import App
from askback.server.owner import OWNER
from askback.server.settings import DEFAULT_TENANT, Settings
from askback.service.access import tokens
from askback.service.access.roles import digest
from askback.storage.sqlite.backup import draft_of
from askback.wire.operation import OPERATOR

log = logging.getLogger(__name__)

RUN = "run"
"""The token of `askback run`, which is a separate agent; its grants are for no other agent."""

NAMES = {
    "requester": "agent",
    RUN: "askback run",
    "responder": OWNER,
    "admin": "admin",
    OPERATOR: "operator",
}
"""The tokens of the first start: a role, or `RUN`, and the name on the page.

The operator's token is for commands on this machine, and is never printed.
"""

DATABASE = "database"
"""The key in `server.json` for the database file of its tokens."""


def require_database_of_tokens(settings: Settings) -> None:
    """Raise `StoreUnusable` if a start would create a new database in place of a missing one.

    `server.json` names the missing one, or may have before it was damaged, or a restore began to write it. A
    key file without a database is only a warning: it may be there for a new database.
    """
    if not settings.database_is_new or not isinstance(settings.database, Path):
        return
    if (draft := draft_of(settings.database)).exists():
        raise StoreUnusable(
            f"A restore of {settings.database} was interrupted. Remove {draft}, and restore again."
        )
    if server_file.is_damaged(settings.server_file):
        raise StoreUnusable(
            f"The database {settings.database} is missing or empty, and {settings.server_file} is damaged, so it does "
            "not tell whether a database is lost. Put the database back, or restore a backup into a new folder. To "
            "start with an empty database, move server.json away."
        )
    if server_file.read(settings.server_file).get(DATABASE) == str(settings.database):
        raise StoreUnusable(
            f"The database {settings.database} is missing or empty, and {settings.server_file} belongs to it. Put the "
            "database back, or restore a backup into a new folder. To start with an empty database, move "
            "server.json away."
        )
    if settings.key_file.exists():
        log.warning("%s is a new database, beside the master keys of an older one", settings.database)


async def open_keyring(application: App, *, url: str | None = None) -> Mapping[str, str]:
    """Return the tokens of the running app by role, and write them to `server.json` for programs of the same user.

    Tokens from the settings win over those in the file. `url` is the address of the app; without one the file
    keeps the address of the last server. A read-only server returns the tokens in its database, perhaps not
    one for each role, and changes only the address in the file until it accepts writes.
    """
    if application.services.read_only.reason is not None:
        if url is not None:
            _update_address(application.settings.server_file, url)
        application.when_writable(partial(_make, application, url=url))
        return await _valid_tokens(application, server_file.read(application.settings.server_file))
    return await _make(application, url=url)


async def _make(application: App, *, url: str | None) -> Mapping[str, str]:
    settings, services = application.settings, application.services
    server = server_file.read(settings.server_file)
    if server_file.is_damaged(settings.server_file):
        log.warning(
            "%s is damaged and is replaced, with new tokens. The old tokens keep working; revoke those that are unused "
            "(askback token list, askback token revoke)",
            settings.server_file,
        )
    result: dict[str, str] = {}
    for role, name in NAMES.items():
        configured = _configured_token(settings, role)
        result[role] = configured or server.get(_key(role)) or services.ids.token()
        if not configured:
            new_token = tokens.NewToken(
                role="requester" if role == RUN else role, name=name, tenant=DEFAULT_TENANT
            )
            await tokens.register(
                services, tokens.ConfiguredToken(result[role], new_token), source=tokens.LOCAL
            )
    tokens_by_key = {_key(role): token for role, token in result.items()}
    tokens_by_key["key"] = server.get("key") or services.ids.token()
    if isinstance(settings.database, Path):
        tokens_by_key[DATABASE] = str(settings.database)
    _write_missing(
        settings.server_file, {**server, **tokens_by_key} if url is None else {"url": url, **tokens_by_key}
    )
    return result


def _configured_token(settings: Settings, role: str) -> str | None:
    return next(
        (
            bootstrap_token.token
            for bootstrap_token in settings.bootstrap_tokens
            if bootstrap_token.role == role and bootstrap_token.tenant == DEFAULT_TENANT
        ),
        None,
    )


async def _valid_tokens(application: App, saved_tokens: Mapping[str, str]) -> Mapping[str, str]:
    """Return those tokens of the settings and of `server.json` that are in the database."""
    valid: dict[str, str] = {}
    for role in NAMES:
        for secret in (_configured_token(application.settings, role), saved_tokens.get(_key(role))):
            token = await application.services.store.token(digest(secret)) if secret else None
            if secret and token is not None and token.valid(application.services.clock.now_ms()):
                valid.setdefault(role, secret)
    return valid


def _write_missing(file: Path, content: Mapping[str, str]) -> None:
    try:
        server_file.write(file, content)
    except OSError as error:
        log.error(
            "%s cannot be written: %s. Programs need ASKBACK_URL and ASKBACK_TOKEN to find this server",
            file,
            error.strerror,
        )


def _update_address(file: Path, url: str) -> None:
    try:
        server_file.update_address(file, url)
    except OSError as error:
        log.error(
            "%s cannot be written: %s. It names another address; programs need ASKBACK_URL=%s to find this server",
            file,
            error.strerror,
            url,
        )


def _key(role: str) -> str:
    return f"{role}_token"
