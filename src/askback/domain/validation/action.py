"""Checks requests for actions, and reports about them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from askback.domain.action import ActionAnswerBody, ActionAsk, OutcomeBody, ShownAction
from askback.domain.faults import join
from askback.domain.limits import DEFAULTS, Limits
from askback.domain.links import link_host
from askback.domain.oauth import OauthProvider
from askback.domain.request import ActionRequest
from askback.domain.secrets.names import blocked_reason, is_well_formed
from askback.domain.validation.envelope import read_asked
from askback.domain.validation.report import Report
from askback.domain.validation.text_check import TextCheck, check_languages
from askback.domain.validation.texts import is_blank, typed_text_fault

NO_PROVIDERS: Mapping[str, OauthProvider] = MappingProxyType({})


def check_action(
    body: object, *, limits: Limits = DEFAULTS, providers: Mapping[str, OauthProvider] = NO_PROVIDERS
) -> ActionRequest:
    """Return the body of `POST /v1/requests` with kind action; raises `Faults` with their paths in the body."""
    action, text_check = read_asked(ActionRequest, body, limits)
    _check_destination(action.action, text_check, limits)
    _check_provider(action.action, text_check.report, providers)
    text_check.report.finish()
    return action


def _check_destination(action: ActionAsk, text_check: TextCheck, limits: Limits) -> None:
    path, report = "action", text_check.report
    text_check.line(path, "title", action.title, limits.title)
    text_check.lines(path, "description", action.description, limits.description)
    text_check.line(path, "label", action.label, limits.button_label)
    if action.url is not None and link_host(action.url) is None:
        report.add("action.url", "invalid_link")


def _check_provider(action: ActionAsk, report: Report, providers: Mapping[str, OauthProvider]) -> None:
    if action.provider is None:
        for name in ("scopes", "secret"):
            if getattr(action, name) is not None:
                report.add(f"action.{name}", "no_provider")
        return
    if action.url is not None:
        report.add("action.url", "link_and_provider")
    provider = providers.get(action.provider)
    if provider is None:
        report.add("action.provider", "unknown_value.provider", allowed=", ".join(sorted(providers)) or "–")
        return
    scopes = action.scopes or ()
    for index, scope in enumerate(scopes):
        item_path = join("action.scopes", index)
        if scope not in provider.scopes:
            report.add(item_path, "unknown_value", allowed=", ".join(provider.scopes) or "–")
        if scope in scopes[:index]:
            report.add(item_path, "duplicate_value")
    if action.scopes is not None and not action.scopes:
        report.add("action.scopes", "too_few", min=1)
    if action.secret is not None and not is_well_formed(f"{action.secret}_REFRESH"):
        report.add("action.secret", "not_a_secret_name")
    elif action.secret is not None and blocked_reason(action.secret) is not None:
        report.add("action.secret", "secret_blocked")


def check_outcome(payload: OutcomeBody, action: ShownAction, limits: Limits) -> None:
    """Raise `Faults` for a reason with characters that nobody types, and for an account that is not connected."""
    report = Report()
    if isinstance(payload, ActionAnswerBody):
        check_languages(payload.languages, report, limits)
    if payload.outcome == "done" and action.provider is not None:
        report.add("outcome", "not_connected")
    if payload.outcome == "done" and payload.reason is not None:
        report.add("reason", "only_for_failures")
    elif payload.reason is not None and is_blank(payload.reason):
        report.add("reason", "empty")
    elif payload.reason is not None and len(payload.reason) > limits.note:
        report.add("reason", "too_long", max=limits.note)
    elif payload.reason is not None and (key := typed_text_fault(payload.reason, lines=True)):
        report.add("reason", key)
    if payload.outcome == "done" and payload.retry:
        report.add("retry", "only_for_failures")
    report.finish()
