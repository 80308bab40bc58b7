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

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[GoldenServer]:
    folder = tmp_path_factory.mktemp("golden")
    if request.param == "sqlite":
        running = GoldenServer(folder, CONVERSATIONS)
        yield running
        running.end(signal.SIGTERM)
        return
    postgres = request.getfixturevalue("postgres")
    name = asyncio.run(postgres.new())
    running = GoldenServer(folder, CONVERSATIONS, database=postgres.database(name).url)
    yield running
    running.end(signal.SIGTERM)
    asyncio.run(postgres.drop(name))


@pytest.mark.parametrize("name", CONVERSATIONS)
async def test_conversation(server: GoldenServer, name: str):
    server.start()
    await Player(server, name).play(CONVERSATIONS[name]["steps"])


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
