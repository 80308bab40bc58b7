"""Sealed secrets as a store keeps them, and the grants of agents. They never contain a value.

A secret is identified by tenant, owner, scope, subject and name. Its `version` counts its values from 1 and is part of
the binding that it is sealed for (`askback.ports.vault.Binding`). A grant records that a person gave a name to the
agent of a thread; without one nothing is leased.
"""

from __future__ import annotations

from askback.domain.values import frozen


class VersionTaken(Exception):
    """The secret has changed since it was read: read it again, seal again, write again."""


@frozen(slots=True)
class SecretRecord:
    """A sealed secret. `wire` is its JSON object for people: names and times, never a value.

    `scope` is session, project, global, or request for the sensitive fields of one answer; `subject` is the thread's
    id, the project's name, the request's id, or empty.
    """

    id: str
    tenant: str
    owner: str
    scope: str
    subject: str
    name: str
    version: int
    sealed: str
    wire: str


@frozen(slots=True)
class Grant:
    """The agent `requester` of a thread may use the secret `secret_id` under `name`, because of a request."""

    tenant: str
    thread_id: str
    requester: str
    name: str
    secret_id: str
    request_id: str


@frozen(slots=True)
class SecretUse:
    """The value of a secret was read at `at` (ms) by `actor`, a JSON object."""

    tenant: str
    secret_id: str
    at: int
    actor: str


@frozen(slots=True)
class SecretLocation:
    """A scope of secrets and its subject."""

    scope: str
    subject: str
