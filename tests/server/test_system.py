"""The server's reading of the machine's clock."""

from __future__ import annotations

from askback.server.system import SystemClock

SECOND = 1_000_000_000


class Machine:
    """A machine whose wall clock can be set; its monotonic clock only runs."""

    def __init__(self) -> None:
        self.wall, self.steady = 1_795_000_000 * SECOND, 5 * SECOND

    def run(self, seconds: float) -> None:
        self.wall += int(seconds * SECOND)
        self.steady += int(seconds * SECOND)

    def clock(self) -> SystemClock:
        return SystemClock(wall=lambda: self.wall, steady=lambda: self.steady)


def test_the_clock_runs_with_the_machine() -> None:
    machine = Machine()
    clock = machine.clock()
    machine.run(1.5)
    assert clock.now_ms() == 1_795_000_001_500


def test_a_clock_that_is_set_back_continues_from_its_last_time() -> None:
    machine = Machine()
    clock = machine.clock()
    machine.run(10)
    before = clock.now_ms()
    machine.wall -= 3 * 3600 * SECOND
    assert clock.now_ms() == before
    machine.run(2)
    assert clock.now_ms() == before + 2_000


def test_a_clock_that_is_set_forward_is_followed() -> None:
    machine = Machine()
    clock = machine.clock()
    machine.wall += 3600 * SECOND
    assert clock.now_ms() == machine.wall // 1_000_000
