"""Checks requests for secrets and the submitted values: the only place where values are looked at.

A submission is parsed by hand. No model, and no exception except `Faults`, ever holds a value, so that none can end
up in a message, a traceback or a log. A fault names the field, and a secret only by a name that was asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, cast

from askback.domain import jsontext
from askback.domain.faults import Fault, Faults, fault, join
from askback.domain.limits import DEFAULTS, Limits
from askback.domain.request import SecretRequest
from askback.domain.secrets.names import blocked_reason, is_well_formed
from askback.domain.secrets.request import SCOPES, ShownSecret
from askback.domain.secrets.secret import RawBody, Secret
from askback.domain.validation.envelope import read_asked
from askback.domain.validation.report import Report
from askback.domain.validation.text_check import check_languages
from askback.domain.validation.texts import is_blank
from askback.domain.values import frozen

_MEMBERS = frozenset({"revision", "secrets", "use_existing", "scope", "languages"})


def check_secret(body: object, *, limits: Limits = DEFAULTS, blocked: Collection[str] = ()) -> SecretRequest:
    """Return the body of `POST /v1/requests` with kind secret, its names sorted; raises `Faults` with their paths.

    `blocked` are names that are refused in addition to the built-in ones.
    """
    secret_request, text_check = read_asked(SecretRequest, body, limits)
    report = text_check.report
    secret = secret_request.secret
    _check_names(secret.names, report, limits, blocked)
    text_check.line("secret", "reason", secret.reason, limits.secret_reason)
    text_check.lines("secret", "instructions", secret.instructions, limits.secret_instructions)
    text_check.line("secret", "project", secret.project, limits.identifier)
    if secret.default_scope == "project" and secret.project is None:
        report.add("secret.project", "subject_required")
    for name, raw in secret.metadata.items():
        item_path = join("secret.metadata", name if is_well_formed(name) else "?")
        if name not in secret.names:
            report.add(item_path, "metadata_unknown")
        text_check.lines(item_path, "description", raw.description, limits.secret_help)
        text_check.hint(item_path, "placeholder", raw.placeholder, limits.secret_placeholder)
        text_check.hint(item_path, "format_hint", raw.format_hint, limits.secret_hint)
    report.finish()
    return secret_request.model_copy(
        update={"secret": secret.model_copy(update={"names": sorted(secret.names)})}
    )


def _check_names(names: Sequence[str], report: Report, limits: Limits, blocked: Collection[str]) -> None:
    if not names:
        report.add("secret.names", "too_few", min=1)
    if len(names) > limits.secrets:
        report.add("secret.names", "too_many", max=limits.secrets)
    for index, name in enumerate(names[: limits.secrets]):
        path = join("secret.names", index)
        if not is_well_formed(name):
            report.add(path, "not_a_secret_name")
        elif blocked_reason(name) is not None or name in blocked:
            report.add(path, "secret_blocked")
        elif name in names[:index]:
            report.add(path, "duplicate_value")


@frozen(slots=True)
class Submission:
    """A person's submission: values by name, names whose stored value is used, and their scope."""

    revision: int
    values: Mapping[str, Secret]
    existing: frozenset[str]
    scope: str
    languages: Sequence[str] = ()

    @property
    def names(self) -> list[str]:
        """Every name that the agent may use now, sorted."""
        return sorted({*self.values, *self.existing})


def read_submission(body: RawBody, request: ShownSecret, *, limits: Limits = DEFAULTS) -> Submission:
    """Return the submission for a request; raises `Faults` that name fields and never contain their values.

    Whether a stored value exists for a name in `use_existing` is not known here.
    """
    return body.read(lambda text: _submission(text, request, limits))


def _submission(body: bytes, request: ShownSecret, limits: Limits) -> Submission:
    raw = jsontext.parse(body, limits=limits)
    if not isinstance(raw, dict):
        raise Faults([fault("", "wrong_type.object")])
    members = cast("dict[str, Any]", raw)
    report = Report()
    for name in members:
        if name not in _MEMBERS:
            report.add("", "unknown_field.key")
    revision = members.get("revision")
    if revision is None:
        report.add("revision", "missing_required")
    elif type(revision) is not int:
        report.add("revision", "wrong_type.integer")
    scope = _scope(members.get("scope", request.default_scope), request, report)
    values = _values(members.get("secrets"), request, report, limits)
    existing = _existing(members.get("use_existing"), request, report)
    languages = check_languages(members.get("languages"), report, limits)
    for name in request.names:
        if name in values and name in existing:
            report.add(join("secrets", name), "secret_both", name=name)
    # If all names are optional, one is still needed: a person who has none dismisses the request.
    required_names = request.required or ([] if values or existing else request.names)
    for name in required_names:
        if name not in values and name not in existing and not report.has_fault(join("secrets", name)):
            report.add(join("secrets", name), "secret_missing")
    report.finish()
    return Submission(cast("int", revision), values, frozenset(existing), scope, languages)


def _scope(raw: object, request: ShownSecret, report: Report) -> str:
    # Otherwise all threads without a project would share one.
    scopes = [scope for scope in SCOPES if scope != "project" or request.project is not None]
    scope = "session" if raw == "thread" else raw
    if isinstance(scope, str) and scope in scopes:
        return scope
    report.add("scope", "unknown_value", allowed=", ".join(scopes))
    return "session"


def _values(raw: object, request: ShownSecret, report: Report, limits: Limits) -> dict[str, Secret]:
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        report.add("secrets", "wrong_type.object")
        return {}
    values: dict[str, Secret] = {}
    for name, value in cast("dict[str, object]", raw).items():
        key = value_fault(value, limits) if name in request.names else "secret_not_requested"
        if blocked_reason(name) is not None:
            key = "secret_blocked"
        if key is None:
            values[name] = Secret(cast("str", value))
        else:
            report.add(_name_path(name, request), key, max=limits.secret_bytes)
    return values


def is_padded(value: Secret) -> bool:
    """Return whether a value begins or ends with white space, which is often pasted by mistake (E7)."""
    text = value.reveal()
    return is_blank(text[:1]) or is_blank(text[-1:])


def padding_warnings(values: Mapping[str, Secret], path: str) -> list[Fault]:
    """Return a warning for each padded value: it is accepted and stored unchanged."""
    return [fault(join(path, name), "secret_padded") for name, value in values.items() if is_padded(value)]


def value_fault(value: object, limits: Limits) -> str | None:
    """Return the key of the fault of a value; None if it is valid."""
    if not isinstance(value, str):
        return "secret_not_text"
    if is_blank(value):
        return "secret_blank"
    if "\0" in value:
        return "secret_nul"
    return "too_long.bytes" if len(value.encode()) > limits.secret_bytes else None


def _existing(raw: object, request: ShownSecret, report: Report) -> set[str]:
    if raw is None:
        return set()
    items = cast("list[object]", raw) if isinstance(raw, list) else None
    if items is None or not all(isinstance(name, str) for name in items):
        report.add("use_existing", "wrong_type.list")
        return set()
    names = cast("Iterable[str]", items)
    existing: set[str] = set()
    for name in names:
        if name in request.names:
            existing.add(name)
        else:
            report.add(_name_path(name, request), "secret_not_requested")
    return existing


def _name_path(name: str, request: ShownSecret) -> str:
    """Return the path of a name; an unrequested name is not repeated, because it may be a pasted value."""
    return join("secrets", name) if name in request.names else "secrets"
