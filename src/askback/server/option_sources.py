"""The sources of options of a server: webhooks of the settings, functions of installed packages, and the caller's."""

from __future__ import annotations

from collections.abc import Mapping

from askback.delivery.calls import SignedCall
from askback.delivery.option_sources import FunctionSource, SourceFunction, WebhookSource
from askback.domain.webhooks import decode_secret
from askback.ports.clock import Clock, Ids
from askback.ports.option_source import OptionSource
from askback.ports.webhooks import WebhookClient
from askback.server.plugins import installed_option_sources
from askback.server.settings import Settings


def build_option_sources(
    settings: Settings,
    custom: Mapping[str, SourceFunction] | None,
    *,
    client: WebhookClient,
    clock: Clock,
    ids: Ids,
) -> dict[str, OptionSource]:
    """Return the sources by name. Raises `PluginUnusable`."""
    functions = {**installed_option_sources(), **(custom or {})}
    key = decode_secret(settings.option_source_secret or "") or b""
    webhooks = {
        name: WebhookSource(SignedCall(url, key=key, client=client, clock=clock), clock=clock, ids=ids)
        for name, url in settings.option_sources
    }
    return {**webhooks, **{name: FunctionSource(function) for name, function in functions.items()}}
