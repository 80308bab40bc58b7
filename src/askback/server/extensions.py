"""Extensions of a server: webhooks of the settings, functions of installed packages, and those of the caller."""

from __future__ import annotations

from collections.abc import Mapping

from askback.delivery.calls import SignedCall
from askback.delivery.file_scans import WebhookFileScan
from askback.delivery.option_sources import FunctionSource, SourceFunction, WebhookSource
from askback.delivery.validators import FunctionValidator, ValidatorFunction, WebhookValidator
from askback.domain.spec import REQUESTER
from askback.domain.webhooks import decode_secret
from askback.ports.clock import Clock, Ids
from askback.ports.filescan import FileScan
from askback.ports.option_source import OptionSource
from askback.ports.validator import Validator
from askback.ports.webhooks import WebhookClient
from askback.server.plugins import (
    PluginUnusable,
    installed_file_scans,
    installed_option_sources,
    installed_validators,
)
from askback.server.settings import Settings


def build_file_scans(
    settings: Settings, custom: FileScan | None, *, client: WebhookClient, clock: Clock, ids: Ids
) -> dict[str, FileScan]:
    """Return the scans by name, all of which a file has to pass. Raises `PluginUnusable`."""
    scans = {**installed_file_scans(), **({"file_scan": custom} if custom else {})}
    key = decode_secret(settings.file_scan_secret or "") or b""
    for name, url in settings.file_scans:
        if name in scans:
            raise PluginUnusable(f"Two file scans are named {name}. Rename the one in ASKBACK_FILE_SCANS.")
        scans[name] = WebhookFileScan(
            SignedCall(url, key=key, client=client, clock=clock), clock=clock, ids=ids
        )
    return scans


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


def build_validators(
    settings: Settings, custom: Mapping[str, ValidatorFunction], *, client: WebhookClient, clock: Clock
) -> dict[str, Validator]:
    """Return the validators by name. Raises `PluginUnusable`."""
    functions = {**installed_validators(), **custom}
    if REQUESTER in functions:
        raise PluginUnusable(f"No validator can be named {REQUESTER}: that is the agent that asked.")
    key = decode_secret(settings.validator_secret or "") or b""
    webhooks = {
        name: WebhookValidator(SignedCall(url, key=key, client=client, clock=clock))
        for name, url in settings.validators
    }
    return {**webhooks, **{name: FunctionValidator(function) for name, function in functions.items()}}
