"""The short form of `make fleet`: a hundred processes on one PostgreSQL all play, and nothing is lost or doubled."""

import pytest

from tests.fleet.run import Fleet, Outcome, run

pytestmark = pytest.mark.weekly
FLEET = Fleet(processes=100, length_s=12.0, max_connections=80, seconds=10)
"""The first match is over after 6 seconds, and all begin at once."""


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return run(FLEET)


def test_nearly_all_of_a_hundred_processes_play(outcome: Outcome) -> None:
    """Before, the 65th and all others had nothing to do."""
    assert outcome.share_playing > 0.7, outcome.seen.playing


def test_nothing_is_lost_doubled_or_begun_again(outcome: Outcome) -> None:
    assert outcome.faults == []
    assert len(outcome.played) > 0
    assert (outcome.lost, outcome.begun_again) == (0, 0)


def test_they_share_few_sessions(outcome: Outcome) -> None:
    """One for each of thirteen workers that lasts, some that are borrowed, and those that the run itself takes."""
    assert max(outcome.seen.sessions) < FLEET.max_connections
    assert sum(outcome.seen.sessions) / len(outcome.seen.sessions) < FLEET.processes * 0.6
