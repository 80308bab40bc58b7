"""The OAuth providers of the settings: `ASKBACK_OAUTH_PROVIDERS`, a JSON object of providers by name.

    {"hubspot": {"authorize_url": "https://…", "token_url": "https://…", "client_id": "…",
                 "client_secret_env": "HUBSPOT_CLIENT_SECRET", "scopes": ["crm.objects.contacts.read"]}}

A client secret is never in the JSON: `client_secret_env` names the environment variable that has it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from askback.domain.links import link_host
from askback.domain.oauth import PROVIDER, SCOPE, SCOPES, OauthProvider
from askback.domain.secrets.names import blocked_reason, is_well_formed
from askback.domain.secrets.secret import Secret
from askback.server.database_address import SettingsError

VARIABLE = "ASKBACK_OAUTH_PROVIDERS"


class _Provider(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    authorize_url: str
    token_url: str
    client_id: str
    client_secret_env: str | None = None
    scopes: list[str] | str = ""


def read_providers(text: str, environ: Mapping[str, str]) -> dict[str, OauthProvider]:
    """Return the providers by name; raises `SettingsError`, which never quotes a value."""
    try:
        document: object = json.loads(text)
    except ValueError:
        raise SettingsError(f"{VARIABLE} is not valid JSON.") from None
    if not isinstance(document, dict):
        raise SettingsError(f"{VARIABLE} must be a JSON object of providers by name.")
    return {name: _provider(name, raw, environ) for name, raw in cast("dict[str, Any]", document).items()}


def _provider(name: str, raw: object, environ: Mapping[str, str]) -> OauthProvider:
    source = f"{VARIABLE}: the provider {name!r}"
    if not PROVIDER.fullmatch(name):
        raise SettingsError(f"{source} needs a name of up to 40 lower-case letters, digits, - and _.")
    try:
        read = _Provider.model_validate(raw)
    except ValidationError as error:
        error_paths = ", ".join(sorted({".".join(map(str, item["loc"])) for item in error.errors()}))
        raise SettingsError(f"{source} is invalid: check {error_paths or 'its members'}.") from None
    for member in ("authorize_url", "token_url"):
        url: str = getattr(read, member)
        if not url.lower().startswith(("http://", "https://")) or link_host(url) is None or "#" in url:
            raise SettingsError(f"{source}: {member} must be an address such as https://example.com/oauth.")
    scopes = read.scopes.split() if isinstance(read.scopes, str) else read.scopes
    if len(scopes) > SCOPES or not all(SCOPE.fullmatch(scope) for scope in scopes):
        raise SettingsError(f"{source}: scopes are up to {SCOPES} texts without blanks.")
    secret = None
    if read.client_secret_env is not None:
        value = environ.get(read.client_secret_env)
        if not value:
            raise SettingsError(f"{source}: the environment has no variable {read.client_secret_env}.")
        secret = Secret(value)
    provider = OauthProvider(
        name, read.authorize_url, read.token_url, read.client_id, tuple(dict.fromkeys(scopes)), secret
    )
    if not is_well_formed(provider.secret_name) or blocked_reason(provider.secret_name) is not None:
        raise SettingsError(f"{source}: no secret may be called {provider.secret_name}. Choose another name.")
    return provider
