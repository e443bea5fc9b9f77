"""The clock beside busy programs on the match's own core: `make fair` in short, with margins for any machine.

The busy programs are this many that wall time alone would blame every bot that computes.
"""

from collections.abc import Iterator

import pytest

from engine.bot.clock import Clock
from tests.fair import AT_ONCE, LIMIT_MS, Player, Portion, Taken, Work, busy_programs
from tests.processes import core_to_keep_busy

BUSY_PROGRAMS = 3


@pytest.fixture(scope="module")
def core() -> Iterator[int]:
    with core_to_keep_busy() as core:
        yield core


def test_a_bot_that_answers_at_once_is_charged_for_nothing_that_happens_while_it_is_let_go(core: int) -> None:
    """It answers while the referee, having handed it the core, waits to get that back from busy programs of its own.

    So it stands before the tests beside those that run to the end of the module.
    """
    with Player({core}, companions=4) as player:
        taken = player.play(Portion(AT_ONCE, 100))
    assert any(turn.spent.wall_us > 1000 * LIMIT_MS / 10 for turn in taken), "it did have to wait"
    assert max(turn.spent.charged_us for turn in taken) < 1000 * LIMIT_MS / 5


@pytest.fixture(scope="module")
def player(core: int) -> Iterator[Player]:
    with Player({core}) as player:
        player.play(Portion(AT_ONCE, 1))  # its bot is built before the core is busy
        with busy_programs(BUSY_PROGRAMS, {core}):
            yield player


def lost(taken: list[Taken]) -> set[bool]:
    return {turn.is_lost for turn in taken if not turn.is_void}


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(Work(40), id="one that computes"),
        pytest.param(Work(in_new_thread=40), id="one that starts a thread each turn, whose waits end with it"),
        pytest.param(Work(in_old_thread=40), id="one that lets another thread compute"),
        pytest.param(Work(in_many_threads=40), id="one that lets eight threads compute at once"),
    ],
)
def test_a_bot_that_computes_within_its_limit_is_never_timed_out(player: Player, work: Work) -> None:
    taken = player.play(Portion(work, 3))
    assert lost(taken) == {False}
    assert any(turn.spent.wall_us > 1000 * LIMIT_MS for turn in taken), "the core is busy, so wall time says otherwise"


def test_a_bot_that_sleeps_within_its_limit_is_never_timed_out(player: Player) -> None:
    taken = player.play(Portion(Work(slept=25), 3))
    assert lost(taken) == {False}
    for spent in (turn.spent for turn in taken):
        assert spent.cpu_us + spent.wait_us + spent.late_us <= spent.wall_us, "no time counts twice"


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(Work(70), id="one that computes"),
        pytest.param(Work(60, slept=50), id="one that sleeps as well"),
        pytest.param(Work(in_new_thread=70), id="one that lets a thread compute"),
        pytest.param(Work(70, afterwards=10), id="one that computes after its answer too"),
    ],
)
def test_a_bot_that_is_too_slow_is_timed_out_also_beside_busy_programs(player: Player, work: Work) -> None:
    assert lost(player.play(Portion(work, 2))) == {True}


def test_the_wall_clock_blames_bots_for_busy_programs(player: Player) -> None:
    """This is why it is not the one that counts unless a league says so."""
    assert True in lost(player.play(Portion(Work(40), 4, Clock.WALL)))
