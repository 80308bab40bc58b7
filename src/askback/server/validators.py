"""The validators of a server: webhooks of the settings, functions of installed packages, and those of the caller."""

from __future__ import annotations

from collections.abc import Mapping

from askback.delivery.calls import SignedCall
from askback.delivery.validators import FunctionValidator, ValidatorFunction, WebhookValidator
from askback.domain.spec import REQUESTER
from askback.domain.webhooks import decode_secret
from askback.ports.clock import Clock
from askback.ports.validator import Validator
from askback.ports.webhooks import WebhookClient
from askback.server.plugins import PluginUnusable, installed_validators
from askback.server.settings import Settings


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
