"""The pure part of OAuth 2 with PKCE: the request, the grant, and the errors.

Sources: RFC 6749 (4.1), RFC 7636 (S256), RFC 9700 (2.1).
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, TypeGuard, cast

from askback.domain import jsontext
from askback.domain.faults import Faults
from askback.domain.limits import Limits
from askback.domain.secrets.secret import RawBody, Secret
from askback.domain.values import frozen

Failure = Literal["access_denied", "scopes_missing", "provider_error", "provider_unreachable"]
"""Why connecting an account failed; the request stays open."""
SCOPE = re.compile(r"[!#-\[\]-~]{1,200}")
SCOPES = 50
"""The maximum number of scopes of a request."""
PROVIDER = re.compile(r"[a-z][a-z0-9_-]{0,39}")


@frozen(slots=True)
class OauthProvider:
    """A provider of the settings. `scopes` are those that agents may ask for, and all that are asked by default."""

    name: str
    authorize_url: str
    token_url: str
    client_id: str
    scopes: tuple[str, ...] = ()
    client_secret: Secret | None = field(default=None, repr=False)

    @property
    def secret_name(self) -> str:
        """The name of the secret with the access token, unless a request chooses another."""
        return f"{self.name.upper().replace('-', '_')}_TOKEN"


@frozen(slots=True)
class Grant:
    """The tokens that a provider granted."""

    access_token: Secret
    refresh_token: Secret | None = None


class GrantRefused(Exception):
    """The reply of a provider is not a grant, or not the requested one."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure)
        self.failure: Failure = failure


def challenge(verifier: str) -> str:
    """Return the code challenge of a verifier (S256)."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def digest(state: str, browser: str) -> str:
    """Return the stored digest of a state and the browser's half."""
    return hashlib.sha256(f"{browser}\0{state}".encode("utf-8", "replace")).hexdigest()


def authorize_parameters(
    provider: OauthProvider, *, scopes: Sequence[str], state: str, verifier: str, redirect_uri: str
) -> Mapping[str, str]:
    """Return the query of the address at which a person decides."""
    parameters = {"scope": " ".join(scopes)} if scopes else {}
    return {
        "response_type": "code",
        "client_id": provider.client_id,
        "redirect_uri": redirect_uri,
        **parameters,
        "state": state,
        "code_challenge": challenge(verifier),
        "code_challenge_method": "S256",
    }


def token_parameters(
    provider: OauthProvider, *, code: str, verifier: Secret, redirect_uri: str
) -> Mapping[str, str]:
    """Return the form with which a code is exchanged for tokens."""
    client_secret = (
        {} if provider.client_secret is None else {"client_secret": provider.client_secret.reveal()}
    )
    return {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": redirect_uri,
        "client_id": provider.client_id,
        "code_verifier": verifier.reveal(),
        **client_secret,
    }


def read_grant(reply: RawBody, *, scopes: Sequence[str], limits: Limits) -> Grant:
    """Return the tokens of a provider's reply. Raises `GrantRefused`.

    A reply without `scope` grants the requested scopes (RFC 6749, section 5.1). Some providers separate scopes by
    commas.
    """
    try:
        return reply.read(lambda text: _parse_grant(text, scopes, limits))
    except Faults:
        raise GrantRefused("provider_error") from None


def _parse_grant(text: bytes, scopes: Sequence[str], limits: Limits) -> Grant:
    grant = jsontext.parse(text, limits=limits)
    grant_members = cast("dict[str, Any]", grant) if isinstance(grant, dict) else {}
    access, refresh = grant_members.get("access_token"), grant_members.get("refresh_token")
    kind, granted_scope = grant_members.get("token_type", "bearer"), grant_members.get("scope")
    if not _is_token(access, limits) or not isinstance(kind, str) or kind.lower() != "bearer":
        raise GrantRefused("provider_error")
    if granted_scope is not None and not isinstance(granted_scope, str):
        raise GrantRefused("provider_error")
    if granted_scope is not None and set(scopes) - set(re.split(r"[ ,]+", granted_scope)):
        raise GrantRefused("scopes_missing")
    return Grant(Secret(access), Secret(refresh) if _is_token(refresh, limits) else None)


def _is_token(value: object, limits: Limits) -> TypeGuard[str]:
    """Return whether a value can be a token: printable ASCII (RFC 6749, A.12) that fits into a secret."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= limits.secret_bytes
        and value.isascii()
        and value.isprintable()
    )
