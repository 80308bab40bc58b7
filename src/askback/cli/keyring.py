"""The tokens of one data folder: made at the first start, kept in `server.json`, the same ever after."""

from __future__ import annotations

from collections.abc import Mapping

from askback.app import App
from askback.cli import server_file
from askback.service import credentials
from askback.service.access import OPERATOR
from askback.settings import DEFAULT_TENANT

NAMES = {"requester": "agent", "responder": "owner", "admin": "admin", OPERATOR: "operator"}
"""The roles that get a token at the first start, and what the page calls whoever uses it.

The operator's is for commands on this machine, and is told to nobody else.
"""


async def open_keyring(application: App, *, url: str | None = None) -> Mapping[str, str]:
    """Return the tokens that the running app knows, by role, and keep them for the same user's programs.

    Tokens that the deployer chose win over those of `server.json`. `url` is where the app can be reached;
    without one the file goes on to name the server that ran last.
    """
    settings, services = application.settings, application.services
    kept = server_file.read(settings.server_file)
    tokens: dict[str, str] = {}
    for role, name in NAMES.items():
        chosen = [
            one.token
            for one in settings.bootstrap_tokens
            if one.role == role and one.tenant == DEFAULT_TENANT
        ]
        tokens[role] = chosen[0] if chosen else kept.get(_key(role)) or services.ids.token()
        if not chosen:
            await credentials.remember_token(
                services, tokens[role], role=role, name=name, tenant=DEFAULT_TENANT
            )
    known = {_key(role): token for role, token in tokens.items()}
    server_file.write(settings.server_file, {**kept, **known} if url is None else {"url": url, **known})
    return tokens


def _key(role: str) -> str:
    return f"{role}_token"
