"""The golden conversations of each system, played against a running server, which some of them kill."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.compat.golden.player import Player
from tests.compat.golden.server import GoldenServer
from tests.compat.golden.values import Mismatch, Values

pytestmark = pytest.mark.anyio
FOLDER = Path(__file__).parents[2] / "vectors" / "compat"
CONVERSATIONS = {
    f"{path.parent.name}/{path.stem}": json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("*/*.json"))
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GoldenServer]:
    running = GoldenServer(tmp_path_factory.mktemp("golden"), CONVERSATIONS)
    yield running
    running.end(signal.SIGTERM)


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


def test_names_are_kept_and_filled_in():
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
