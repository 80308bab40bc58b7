"""The golden conversations of each system, played against a running server, which some of them kill."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from tests.compat.golden.player import Player
from tests.compat.golden.server import CONVERSATIONS, GoldenServer
from tests.compat.golden.values import Mismatch, Values
from tests.postgres_server import PostgresServer

pytestmark = pytest.mark.anyio


ON_POSTGRES = list({name.partition("/")[0]: name for name in CONVERSATIONS}.values())
"""One conversation of each system: the contracts of the store make the databases equal, and `make soak` plays all on both."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GoldenServer]:
    running_golden_server = GoldenServer(tmp_path_factory.mktemp("golden"), CONVERSATIONS)
    yield running_golden_server
    running_golden_server.end(signal.SIGTERM)


@pytest.fixture(scope="module")
def server_on_postgres(
    postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[GoldenServer]:
    name = asyncio.run(postgres.new())
    database = postgres.database(name).url
    running_golden_server = GoldenServer(tmp_path_factory.mktemp("golden"), CONVERSATIONS, database=database)
    yield running_golden_server
    running_golden_server.end(signal.SIGTERM)
    asyncio.run(postgres.drop(name))


@pytest.mark.parametrize("name", CONVERSATIONS)
async def test_conversation(server: GoldenServer, name: str):
    server.start()
    await Player(server, name).play(CONVERSATIONS[name]["steps"])


@pytest.mark.parametrize("name", ON_POSTGRES)
async def test_conversation_on_postgres(server_on_postgres: GoldenServer, name: str):
    server_on_postgres.start()
    await Player(server_on_postgres, name).play(CONVERSATIONS[name]["steps"])


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": 1}, {"a": True}),
        ({"a": 1, "...": True}, {"b": 1}),
        (["$x", "$x"], [1, 2]),
        ("$$x", "x"),
        ({"$json": {"a": 1}}, '{"a":2}'),
        ([1], [1, 1]),
        ("to ${new}", "to x"),
    ],
)
def test_a_value_that_differs_is_seen(expected: Any, value: Any):
    values = Values()
    values.by_name["new"] = "y"
    with pytest.raises(Mismatch):
        values.match(expected, value)


def test_placeholders_are_remembered_and_filled_in():
    values = Values()
    values.match(
        {
            "id": "$id",
            "same": "$id",
            "at": "$*",
            "of": {"k": 1, "...": True},
            "$$": "$$x",
            "j": {"$json": [1]},
        },
        {"id": "r1", "same": "r1", "at": 3, "of": {"k": 1, "m": 2}, "$": "$x", "j": "[1]"},
    )
    assert values.fill(
        ["$id", "/x/${id}", {"$repeat": ["x", 3]}, {"$repeat_list": ["$id", 2]}, {"$json": "$id"}]
    ) == [
        "r1",
        "/x/r1",
        "xxx",
        ["r1", "r1"],
        '"r1"',
    ]
