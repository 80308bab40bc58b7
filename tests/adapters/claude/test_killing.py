"""A few programs of `killing.py`, whose parts are killed at the same moments in each run."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from tests.adapters.claude.killing import Program, start_world
from tests.adapters.claude.sane_model import Step
from tests.requirements import requirement

PROGRAMS = (
    Program(
        "durable-",
        [Step("helper", "durable-0"), Step("pair", "durable-1"), Step("question", "durable-2")],
        durable=True,
        troubles=[("both", 9), ("agent", 25)],
    ),
    Program(
        "blocking-",
        [Step("secret", "blocking-0"), Step("call", "blocking-1", denied=True)],
        durable=False,
        troubles=[("cli", 14), ("server", 20)],
    ),
)


@requirement("G8")
async def test_a_killed_program_runs_each_approved_call_and_asks_nothing_twice() -> None:
    with TemporaryDirectory(dir="/tmp") as folder:
        async with start_world(Path(folder)) as world:
            for program in PROGRAMS:
                outcome = await world.run(program)
                assert not outcome.wrong, "\n".join([*outcome.wrong, *outcome.lives])
