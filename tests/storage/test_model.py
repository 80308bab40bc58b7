"""All stores behave alike: for any sequence of calls, each returns the same as the model.

`MODEL_EXAMPLES` is the number of conversations with a store, each of up to forty calls.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from askback.ports.store import Store
from askback.storage.sqlite import SqliteStore
from tests.contracts.suite import OnCommit
from tests.postgres_server import PostgresServer
from tests.requirements import requirement
from tests.storage.conversation import Conversation, Place
from tests.storage.faulty_stores import FAULTS
from tests.temporary_store import TemporaryStore

EXAMPLES = os.environ.get("MODEL_EXAMPLES")


def run_conversations(place: Place, *, examples: int, shrink: bool = True) -> None:
    """Hold this many conversations with a store; raises if it differs from the model."""

    class Here(Conversation):
        pass

    Here.place = place
    some = settings(
        max_examples=int(EXAMPLES or examples),
        stateful_step_count=40,
        deadline=None,
        derandomize=EXAMPLES is None,
        report_multiple_bugs=False,
        database=None,
        print_blob=True,
        phases=[Phase.generate, Phase.shrink] if shrink else [Phase.generate],
    )
    run_state_machine_as_test(Here, settings=some)


@contextmanager
def open_place(make: Callable[[OnCommit], Store], *, reopened: bool = True) -> Iterator[Place]:
    with asyncio.Runner() as runner:
        place = Place(make, runner, reopened=reopened)
        try:
            yield place
        finally:
            place.run(place.store.close())


@pytest.mark.parametrize("fault", FAULTS)
def test_a_store_with_a_fault_is_not_the_model(fault: type[TemporaryStore]) -> None:
    with (
        open_place(lambda tell: fault(on_commit=tell), reopened=False) as place,
        pytest.raises(AssertionError),
    ):
        run_conversations(place, examples=500, shrink=False)


@requirement("H2", "H4", "H5")
def test_sqlite_is_the_model(tmp_path: Path) -> None:
    with open_place(lambda tell: SqliteStore(tmp_path / "askback.db", on_commit=tell)) as place:
        run_conversations(place, examples=20)


@requirement("H2", "H4", "H5")
def test_postgres_is_the_model(postgres: PostgresServer) -> None:
    from askback.storage.postgres import PostgresStore

    name = asyncio.run(postgres.new())
    with open_place(lambda tell: PostgresStore(postgres.database(name), on_commit=tell)) as place:
        run_conversations(place, examples=6)
    asyncio.run(postgres.drop(name))
