"""A small OAuth provider on this machine: it issues codes, and exchanges them by RFC 6749 and RFC 7636."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from askback.domain.oauth import challenge

CLIENT_SECRET = "canary-client-secret"  # noqa: S105 - made up
ACCESS, REFRESH = "canary-access-token", "canary-refresh-token"


@dataclass
class Provider:
    """A provider with its calls and scripted replies: `reply` is the token reply, `status` the token endpoint's status."""

    port: int = 0
    attempts: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    forms: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    reply: dict[str, Any] = field(default_factory=dict[str, Any])
    status: int = 200

    @property
    def settings(self) -> str:
        """The setting that names it."""
        base_url = f"http://127.0.0.1:{self.port}"
        crm = {
            "authorize_url": f"{base_url}/authorize",
            "token_url": f"{base_url}/token",
            "client_id": "askback",
            "client_secret_env": "CRM_CLIENT_SECRET",
            "scopes": ["contacts.read", "contacts.write"],
        }
        return json.dumps({"crm": crm})

    def allow(self, url: str) -> tuple[str, str]:
        """Be the person who allows the connection: return the state and the code of the callback."""
        request_members = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        code = f"code-{len(self.attempts)}"
        self.attempts[code] = request_members
        return request_members["state"], code

    def exchange(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """Exchange a code once, for the client that began with it."""
        self.forms.append(form)
        attempt = self.attempts.pop(form.get("code", ""), None)
        if self.status != 200:
            return self.status, {"error": "temporarily_unavailable"}
        is_valid = attempt is not None and (
            form["grant_type"],
            form["client_id"],
            form["client_secret"],
            form["redirect_uri"],
            challenge(form["code_verifier"]),
        ) == (
            "authorization_code",
            attempt["client_id"],
            CLIENT_SECRET,
            attempt["redirect_uri"],
            attempt["code_challenge"],
        )
        if not is_valid:
            return 400, {"error": "invalid_grant"}
        return 200, {
            "access_token": ACCESS,
            "refresh_token": REFRESH,
            "token_type": "Bearer",
            "scope": attempt["scope"] if attempt else "",
            **self.reply,
        }

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one call."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        except asyncio.IncompleteReadError:
            writer.close()
            return  # a browser opens connections that it may need
        length = next((int(line[15:]) for line in head.splitlines() if line.startswith("content-length:")), 0)
        sent = parse_qs((await reader.readexactly(length)).decode())
        status, body = self.exchange({name: values[0] for name, values in sent.items()})
        text = json.dumps(body).encode()
        writer.write(
            b"HTTP/1.1 %d x\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % (status, len(text))
        )
        writer.write(text)
        await writer.drain()
        writer.close()


@asynccontextmanager
async def provider() -> AsyncIterator[Provider]:
    """Run a provider on a free port."""
    running_provider = Provider()
    server = await asyncio.start_server(running_provider.serve, "127.0.0.1", 0)
    running_provider.port = server.sockets[0].getsockname()[1]
    with closing(server):  # without a wait for the connections that are still open
        yield running_provider
