"""Commands that play whole matches, in real boxes: what they and the bots may do there, and whose fault what is."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from engine.boxes import CGROUP
from engine.conformance.programs import ProgramCheck, Proof, check
from engine.conversation import Verdict
from engine.errors import RefereeFault, Refused
from engine.game import Game
from engine.match import MatchResult
from engine.referees.program import ProgramBounds, ProtocolKind
from engine.sandbox.choice import open_sandbox
from engine.series import build_file
from engine.toolchains.program import Program
from tests.referees.cgroups import NIM, SLOW, TRUSTING
from tests.referees.live import game_of, in_python, in_shell, laid_out, played, program_of

pytestmark = pytest.mark.takes_cgroup
CLEVER = in_shell('while read -r heap; do take=$((heap % 4)); echo "$((take ? take : 1))"; done')
CHEAT = in_shell("read -r heap; echo 99")
C_BOT = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    int heap;
    while (scanf("%d", &heap) == 1) { printf("%d\\n", heap % 4 ? heap % 4 : atoi(getenv("STEP"))); fflush(stdout); }
}
"""


@contextmanager
def nim(*command: str, **settings: object) -> Iterator[Game]:
    with laid_out(NIM) as folder:
        words = command or ("python3", "nim.py", "{SEED}", "{PLAYERS}")
        yield game_of(program_of(folder, *words, kind=ProtocolKind.COMMAND, **settings), players=(2, 3))


def ended(game: Game, *bots: Program, seed: int = 42) -> MatchResult:
    assert game.program
    return played(game.program, bots, seed, TRUSTING)


def fault_of(*command: str, bots: Sequence[Program] = (SLOW, SLOW), **settings: object) -> RefereeFault:
    with nim(*command, **settings) as game, pytest.raises(RefereeFault) as caught:
        ended(game, *bots)
    return caught.value


@pytest.mark.parametrize(
    "command",
    [
        ("python3", "nim.py", "{SEED}", "{PLAYERS}"),
        ("python3", "nim.py", "--scores", "{SEED}", "{P1}", "{P2}", "{P3}"),
        ("sh", "-c", 'exec python3 nim.py "$@"', "sh", "%SEED%", "%DIR%/%ALL_PLAYERS%.exe"),
    ],
)
def test_bots_of_several_languages_play_by_the_signs_of_each_tool(command: Sequence[str], open_folder: Path) -> None:
    source = open_folder / "clever.c"
    source.write_text(C_BOT)
    in_c = replace(build_file(source, 100_000, None), environment={"STEP": "1"})
    with nim(*command) as game:
        result = ended(game, SLOW, in_c, in_python("while True: input(); print(1, flush=True)"))
    assert sorted(result.outcome.places) == [1, 2, 2]
    assert {verdict.verdict for verdict in result.outcome.verdicts} == {Verdict.OK}
    assert result.turns == ()
    assert result.sandbox == CGROUP


def test_errors_are_faults_of_unknown_kind_and_metrics_are_kept() -> None:
    with nim() as game:
        result = ended(game, CLEVER, CHEAT)
    assert [verdict.verdict for verdict in result.outcome.verdicts] == [Verdict.OK, Verdict.UNKNOWN]
    assert result.outcome.places == (1, 2)
    assert result.notes
    assert [metrics["moves"] for metrics in result.notes.metrics] == ["1", "1"]
    assert result.notes.metrics[0]["heap"] == result.notes.metrics[1]["heap"]


def test_a_command_may_write_to_its_tmp() -> None:
    script = "echo x >/tmp/x && cat /tmp/x >&2; mkdir /tmp/y || exit 1; touch /bot/z && exit 2; echo 1 0"
    with nim("sh", "-c", script, "sh", "{PLAYERS}") as game:
        result = ended(game, SLOW, SLOW)
    assert result.notes
    assert result.notes.stray.startswith("x\n")


def test_a_command_reaches_no_network() -> None:
    connect = "import socket; socket.create_connection(('127.0.0.1', 1))"
    assert "exit code 1" in str(fault_of("python3", "-c", connect, "{PLAYERS}"))


def test_bots_that_are_left_end_with_the_match() -> None:
    leaves = 'for bot; do "$bot" </dev/zero >/dev/null 2>&1 & done; sleep 1000 & echo 1 0'
    with nim("sh", "-c", leaves, "sh", "{PLAYERS}") as game:
        assert ended(game, in_shell("sleep 1000"), SLOW).outcome.scores == (1, 0)


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("exit 3", "the command failed: the program ended with exit code 3"),
        ("echo gone wrong >&2; exit 4", 'the program ended with exit code 4; its last words: "gone wrong"'),
        ("true", "the command printed no result"),
        ("echo player 1 wins", "neither JSON nor 2 scores at the end, but: player 1 wins"),
        ("sleep 100", "the match was not over within the 1 s that it may last (`match_s` in game.toml)"),
        ("yes | head -c 2000000; echo; echo 1 0", "the command printed more than 1024 kB"),
    ],
)
def test_what_goes_wrong_is_the_commands_fault_and_no_bots(script: str, why: str) -> None:
    fault = fault_of("sh", "-c", script, "sh", "{PLAYERS}", bounds=ProgramBounds(match_s=1))
    assert why in str(fault)
    assert "--- what it said" in fault.evidence


def test_the_command_and_its_bots_share_one_limit_on_memory() -> None:
    eats = "x = b'x' * (200 << 20); input()"
    small = replace(TRUSTING, limits=replace(TRUSTING.limits, memory_mb=64))
    script = 'for bot; do { sleep 20; } | "$bot" & done; sleep 20; echo 1 0'
    with nim("sh", "-c", script, "sh", "{PLAYERS}", memory_mb=128) as game, pytest.raises(RefereeFault) as caught:
        assert game.program
        played(game.program, [in_python(eats)] * 2, conditions=small)
    assert "used more than the 256 MB of memory that a match has" in str(caught.value)


def test_nobody_plays_so_without_trust() -> None:
    with nim() as game:
        assert game.program
        with pytest.raises(Refused, match="is played only with bots that one trusts"):
            played(game.program, [SLOW, SLOW])


class TestTheCheck:
    def found(self, lend: Callable[[], AbstractContextManager[Game]], *bots: Program) -> ProgramCheck:
        with lend() as game:
            return check(game, bots, open_sandbox(), seeds=2)

    def test_a_seed_that_repeats_matches_is_found(self) -> None:
        found = self.found(nim, CLEVER, SLOW)
        assert found.values[""] == {
            "seed_bits": 64,
            "repeatable": True,
            "repeated_by": "seed",
            "players": [2, 3],
            "checked": True,
        }
        assert found.is_sound

    def test_luck_repeats_nothing(self) -> None:
        found = self.found(lambda: nim("python3", "nim.py", "--luck", "{SEED}", "{PLAYERS}"), CLEVER, SLOW)
        assert found.values[""]["repeatable"] is False

    def test_narrow_seeds_are_tried_where_wide_ones_do_not_play(self) -> None:
        narrow = 'case "$1" in -*|????????????*) exit 1;; esac; echo 1 0'
        lend = lambda: nim("sh", "-c", narrow, "sh", "{SEED}", "{PLAYERS}")  # noqa: E731
        assert self.found(lend, SLOW).values[""]["seed_bits"] == 31

    def test_numbers_of_players_that_do_not_work_are_wrong(self) -> None:
        found = self.found(lambda: nim("sh", "-c", "[ $# = 2 ] && echo 1 0", "sh", "{PLAYERS}"), SLOW)
        assert not found.is_sound
        assert found.values[""]["players"] == [2]
        assert found.values[""]["seed_bits"] == 0

    def test_without_bots_nothing_is_proven(self) -> None:
        (finding,) = self.found(nim).findings
        assert finding.proof is Proof.UNPROVEN
