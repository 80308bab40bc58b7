"""The pytest plugin (entry point `pytest11`): the fixture `askback_person`."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from askback.server.app import App
    from askback.testing.scripted_person import Script, ScriptedPerson

_PEOPLE: pytest.StashKey[list[ScriptedPerson]] = pytest.StashKey()


class MakePerson(Protocol):
    """`askback.testing.person` for one test."""

    def __call__(self, script: Script = (), *, app: App | None = None) -> ScriptedPerson:
        """Return a person who answers by a script."""
        ...


@pytest.fixture
def askback_person(request: pytest.FixtureRequest) -> MakePerson:
    """Make people who answer by a script; see `askback.testing.person`.

    `ada = askback_person({"deploy": False})` returns one. The test fails if the script of one of them had an error.
    """
    from askback.testing.scripted_person import person

    people = request.node.stash.setdefault(_PEOPLE, [])

    def make(script: Script = (), *, app: App | None = None) -> ScriptedPerson:
        people.append(person(script, app=app))
        return people[-1]

    return make


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Fail a test whose script had an error, in place of the error that the agent raised because of it."""
    try:
        yield
    except Exception as error:
        for person in _people(item):
            person.__exit__(type(error), error, error.__traceback__)
        raise
    for person in _people(item):
        person.check()


def _people(item: pytest.Item) -> list[ScriptedPerson]:
    no_people: list[ScriptedPerson] = []
    return item.stash.get(_PEOPLE, no_people)
