"""`make runtimes`: what it could not try or play it says, and neither passes for success."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.conversation import OK, Outcome
from engine.errors import HostBusy
from engine.match import MatchResult, MatchSpec, Turn
from engine.sandbox.choice import open_sandbox
from engine.series import MOST_TRIES
from engine.toolchains.program import Program
from tests.processes import finished
from tests.runtimes.__main__ import line, whole_status
from tests.runtimes.trial import OPPONENT, built, matches, tally

WITHOUT_KOTLIN = """
[kotlin.toolchains.kotlinc]
tools = ["no-such-runtime"]
[kotlin.toolchains.kotlinc-jdk8]
tools = ["no-such-runtime"]
"""
BUSY_WORDS = "the host left a bot without a CPU"


def test_a_language_that_is_missing_is_not_tried_and_the_exit_status_says_so(tmp_path: Path) -> None:
    table = tmp_path / "languages.toml"
    table.write_text(WITHOUT_KOTLIN)
    command = [sys.executable, "-m", "tests.runtimes", "--language", "kotlin", "--matches", "1"]
    done = finished(command, env={**os.environ, "LADDER_LANGUAGES": str(table)})
    rows = done.stdout.splitlines()[1:]
    assert [row.split()[:4] for row in rows] == [["kotlin", "0", "not", "tried:"], ["kotlin", "2", "not", "tried:"]]
    assert all("no-such-runtime" in row for row in rows)
    assert done.returncode == 5


@pytest.mark.parametrize(
    ("rows", "status"), [((0, 0), 0), ((0, 5), 5), ((5, 0), 5), ((5, 1), 1), ((1, 5), 1), ((0, 1), 1)]
)
def test_what_went_wrong_outweighs_a_missing_language_and_that_success(rows: tuple[int, ...], status: int) -> None:
    assert whole_status(rows) == status


class TestABusyHost:
    @pytest.fixture
    def program(self) -> Program:
        return built(OPPONENT, open_sandbox())

    @pytest.fixture
    def busy_for(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
        def begin(times: int) -> None:
            left = [times]

            def play(spec: MatchSpec, *_: object, **__: object) -> MatchResult:
                left[0] -= 1
                if left[0] >= 0:
                    raise HostBusy(BUSY_WORDS)
                return MatchResult(spec, Outcome((1, 0), "dead", (OK, OK)), (Turn(0, "WAIT"),))

            monkeypatch.setattr("engine.live.play", play)

        return begin

    def test_a_match_that_was_void_is_played_again(self, program: Program, busy_for: Callable[[int], None]) -> None:
        busy_for(MOST_TRIES - 1)
        done = tally(list(matches(program, 2)))
        assert (done.matches, done.unplayed) == (2, ())

    def test_one_that_is_void_every_time_is_reported_and_the_next_ones_are_played(
        self, program: Program, busy_for: Callable[[int], None]
    ) -> None:
        busy_for(MOST_TRIES)
        done = tally(list(matches(program, 2)))
        assert (done.matches, done.unplayed) == (1, (BUSY_WORDS,))
        assert line("java", 2, done).endswith(f"1 more not played, in 3 tries each: {BUSY_WORDS}")
