"""Sealed secrets as a store keeps them, and who may use which of them. There is never a value in these.

A secret has one place: tenant, owner, scope, subject, name. Its `version` counts the values it has had, from 1, and is
part of what its text is sealed to (`askback.ports.vault.Binding`). A grant says that a person gave a name to the agent
of a thread; without one nothing is leased.
"""

from __future__ import annotations

from dataclasses import dataclass


class VersionTaken(Exception):
    """Somebody else wrote this secret meanwhile: read it again, seal again, write again."""


@dataclass(frozen=True, slots=True)
class SecretRecord:
    """A sealed secret. `wire` is the JSON object that is shown of it: names and times, never a value.

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


@dataclass(frozen=True, slots=True)
class Grant:
    """The agent `requester` of a thread may use the secret `secret_id` under `name`, because of a request."""

    tenant: str
    thread_id: str
    requester: str
    name: str
    secret_id: str
    request_id: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look for names: a scope and its subject."""

    scope: str
    subject: str
