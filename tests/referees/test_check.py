"""The check of referee programs: what it finds out about our own, which can be made to lack each thing."""

import tomllib
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.conformance import programs
from engine.conformance.programs import ProgramCheck, Proof, check
from engine.errors import HostBusy
from engine.game import Game
from engine.referees.edition import NewGame, changed_edition, gather, load_edition, new_edition
from engine.referees.program import ProtocolKind, RefereeProgram, RepeatedBy, Reuse
from engine.sandbox.box import Box, BoxedProcess
from engine.sandbox.choice import open_sandbox
from engine.toolchains.program import Program
from tests.referees.compiled import referees
from tests.referees.live import WAITS, in_shell, in_turns

PICKER = 'while read -r line; do if [ $((${#line} % 2)) = 0 ]; then echo "PICK 0"; else echo WAIT; fi; done'
SDK, OLDER = ProtocolKind.SDK, ProtocolKind.BRUTALTESTER
COMMANDS = {
    "python": "python3 foragers.py",
    "java": "java -jar foragers.jar",
    "c": "./foragers",
    "c unseeded": "./foragers unseeded=1",
}


FIRST_LINE_STARTS = """
import sys, random
sys.stdin.readline()  # whatever comes first is taken for ###Start N
a = {drawn}
alive = list(range({players}))
for t in range(20):
    for p in list(alive):
        print(f"###Input {{p}}\\n{{a}}\\n###Output {{p}} 1", flush=True)
        line = sys.stdin.readline().strip()
        if line != "WAIT":
            {wrong}
            alive.remove(p)
    if len(alive) < 2:
        break
out = [p for p in range({players}) if p not in alive]
print("###End", "".join(map(str, alive)), *out, flush=True)
"""
"""A referee of the older protocol that knows no seed; `wrong` is what it does where an answer is not WAIT."""


DRAWN = ["random.randrange(10**9)", "5"]


@pytest.fixture(scope="module")
def bots() -> Sequence[Program]:
    return [in_shell(PICKER), in_shell(WAITS)]


@pytest.fixture(scope="module")
def waiters(bots: Sequence[Program]) -> Sequence[Program]:
    return bots[1:]


def a_game(
    language: str = "python",
    players: tuple[int, ...] = (2,),
    fault_line: str | None = None,
    folder: Path | None = None,
    **parameters: str,
) -> Game:
    kind = OLDER if language.startswith("c") else SDK
    command = COMMANDS[language]
    new = NewGame("foragers", "Foragers", kind, command, players, fault_line=fault_line, parameters=parameters)
    return load_edition(new_edition(new, gather(command, [], folder or referees())))


def checked(game: Game, bots: Sequence[Program]) -> tuple[ProgramCheck, Game, RefereeProgram]:
    """Return what is found, and the game and its program as they are after it."""
    found = check(game, bots, open_sandbox(), seeds=2)
    after = load_edition(changed_edition(game.folder, found.values, {}))
    assert after.program is not None
    return found, after, after.program


def proofs(found: ProgramCheck) -> dict[str, Proof]:
    return {finding.about: finding.proof for finding in found.findings}


def test_a_sound_game_is_known_in_all_its_parts(bots: Sequence[Program]) -> None:
    found, game, program = checked(a_game(players=(2, 3), rounds="3"), bots)
    assert found.is_sound
    assert set(proofs(found)) == {"repeated", "players", "seed", "time", "checked"}
    assert (program.seed_bits, program.repeated_by, program.has_time_bank) == (64, RepeatedBy.SEED, False)
    assert (program.proven, game.players) == (True, (2, 3))
    assert tomllib.loads((game.folder / "game.toml").read_text())["checked"] is True


def test_a_referee_that_breaks_at_wide_seeds_gets_narrow_ones(bots: Sequence[Program]) -> None:
    *_, program = checked(a_game(int_seed="1", rounds="2"), bots)
    assert (program.seed_bits, program.repeated_by) == (31, RepeatedBy.SEED)


def test_what_a_referee_draws_and_gives_back_repeats_its_matches(bots: Sequence[Program]) -> None:
    found, _, program = checked(a_game(draw="1", rounds="2"), bots)
    assert found.is_sound
    assert program.repeated_by is RepeatedBy.PARAMETERS


def test_chaos_is_not_repeatable_and_it_is_said_what_that_means(bots: Sequence[Program]) -> None:
    found, _, program = checked(a_game(chaos="1", rounds="2"), bots)
    assert not program.is_repeatable
    (words,) = (finding.words for finding in found.findings if finding.about == "repeated")
    assert "no match can be repeated (question " in words
    assert words.endswith("no pairs on one seed, no gauntlets with --baseline, no replays")


def test_a_seed_that_changes_nothing_is_named(bots: Sequence[Program]) -> None:
    found, *_ = checked(a_game(no_seed="1", rounds="2"), bots)
    assert proofs(found)["seed"] is Proof.UNPROVEN


def test_a_bank_of_time_is_told_from_limits(bots: Sequence[Program]) -> None:
    *_, program = checked(a_game(monitoring="1", bank_ms="2000", rounds="3"), bots)
    assert program.has_time_bank
    *_, program = checked(a_game(monitoring="1", rounds="3"), bots)
    assert not program.has_time_bank


def test_a_number_of_players_that_does_not_work_is_found(bots: Sequence[Program], tmp_path: Path) -> None:
    two = (referees() / "foragers.py").read_text().replace("Match(int(players),", "Match({'2': 2}[players],")
    (tmp_path / "foragers.py").write_text(two)
    found, game, _ = checked(a_game(players=(2, 7), rounds="2", folder=tmp_path), bots)
    assert proofs(found)["players"] is Proof.SHOWN
    assert not found.is_sound
    assert any("7 players do not work: " in finding.words for finding in found.findings)
    assert game.players == (2,)


def test_a_referee_in_c_is_told_seeds_once_it_knows_them(bots: Sequence[Program]) -> None:
    found, _, program = checked(a_game("c", players=(2, 3), fault_line="OUT"), bots)
    assert found.is_sound, found.findings
    assert (program.seed_bits, program.repeated_by) == (31, RepeatedBy.SEED)
    assert proofs(found)["fault line"] is Proof.SHOWN


def test_a_referee_in_c_that_knows_no_seeds_gets_none_and_is_not_repeatable(bots: Sequence[Program]) -> None:
    found, _, program = checked(a_game("c unseeded"), bots)
    assert found.is_sound, found.findings
    assert (program.seed_bits, program.is_repeatable) == (0, False)


def test_a_fault_line_that_puts_nobody_out_is_found(bots: Sequence[Program]) -> None:
    found, *_ = checked(a_game("c", players=(3,), fault_line="WAIT"), bots)
    assert proofs(found)["fault line"] is Proof.WRONG
    assert not found.is_sound


def test_a_jar_shows_whether_one_jvm_can_play_many_matches(bots: Sequence[Program]) -> None:
    *_, program = checked(a_game("java", rounds="1"), bots)
    assert program.reuse is Reuse.LOADER


def test_a_jar_whose_matches_hang_on_an_order_of_hashes_gets_a_jvm_for_each(bots: Sequence[Program]) -> None:
    found, _, program = checked(a_game("java", rounds="1", hash_order="1"), bots)
    assert (program.repeated_by, program.reuse) == (RepeatedBy.SEED, Reuse.NONE)
    (words,) = (finding.words for finding in found.findings if finding.about == "reuse")
    assert words.startswith("each match needs a JVM of its own: ")


def test_without_bots_only_first_questions_are_compared() -> None:
    found, _, program = checked(a_game(players=(2, 3)), [])
    assert proofs(found) == dict.fromkeys(("players", "repeated", "seed"), Proof.UNPROVEN)
    assert not program.proven


@pytest.mark.parametrize(
    ("language", "parameters", "bits", "words"),
    [
        ("python", {"int_seed": "1"}, 31, "the same seed begins the same match; {}; it gets seeds of 31 bits"),
        ("c unseeded", {}, 0, "each match begins in another way; {}; it gets no seed"),
    ],
)
def test_without_bots_the_widest_seeds_by_which_a_match_begins_are_taken(
    language: str, parameters: dict[str, Any], bits: int, words: str
) -> None:
    found, _, program = checked(a_game(language, **parameters), [])
    assert found.is_sound, found.findings
    assert program.seed_bits == bits
    said = next(finding.words for finding in found.findings if finding.about == "repeated")
    assert said == words.format("whether it goes on so takes bots to see")


def test_a_referee_that_begins_by_no_seed_at_all_is_not_sound_with_bots_or_without(bots: Sequence[Program]) -> None:
    game = a_game(bushes="many")
    found, *_ = checked(game, [])
    assert [(finding.about, finding.proof) for finding in found.findings] == [("players", Proof.WRONG)]
    assert found.values == {}
    found, *_ = checked(game, bots)
    assert not found.is_sound
    assert found.findings[0].words.startswith("no match can be played: ")


def older(folder: Path, source: str, players: tuple[int, ...] = (2,)) -> Game:
    (folder / "referee.py").write_text(source)
    new = NewGame("waits", "Waits", OLDER, "python3 referee.py", players, fault_line="OUT")
    return load_edition(new_edition(new, gather(new.command, [], folder)))


@pytest.mark.parametrize(
    ("wrong", "drawn"),
    in_turns(
        [
            'print(f"###Error {p} bad {line}\\n###End {1-p} {p}", flush=True); sys.exit()',
            'print(f"###End {1-p} {p}", flush=True); sys.exit()',
            'print(f"###Error {p} bad {line}", flush=True)',
            "pass",
        ],
        DRAWN,
    ),
)
def test_a_referee_that_takes_the_line_of_the_seed_for_another_one_is_given_none(
    waiters: Sequence[Program], tmp_path: Path, drawn: str, wrong: str
) -> None:
    found, _, program = checked(older(tmp_path, FIRST_LINE_STARTS.format(drawn=drawn, wrong=wrong, players=2)), waiters)
    assert found.is_sound, found.findings
    assert (program.seed_bits, program.is_repeatable) == (0, drawn == "5")
    (words,) = (finding.words for finding in found.findings if finding.about == "ways")
    assert words.startswith("with seeds of 31 bits its matches are none: ")


@pytest.mark.parametrize(
    ("wrong_and_words", "drawn"),
    in_turns(
        [
            ('print(f"###Error {p} bad {line}", flush=True)', "seat 0 is asked at most 1 times, and at least 20 times"),
            ('print(f"###Error {p} bad {line}", flush=True); alive.append(p)', "seat 0 is blamed in each of them"),
        ],
        DRAWN,
    ),
)
def test_a_seat_that_only_seeds_put_out_shows_that_they_are_not_known(
    waiters: Sequence[Program], tmp_path: Path, drawn: str, wrong_and_words: tuple[str, str]
) -> None:
    wrong, words = wrong_and_words
    source = FIRST_LINE_STARTS.format(drawn=drawn, wrong=wrong, players=3)
    found, _, program = checked(older(tmp_path, source, (3,)), waiters)
    assert program.seed_bits == 0
    assert any(words in finding.words for finding in found.findings), found.findings


@pytest.mark.parametrize("drawn", DRAWN)
def test_without_bots_a_referee_on_whose_beginning_seeds_do_nothing_is_given_none(tmp_path: Path, drawn: str) -> None:
    *_, program = checked(older(tmp_path, FIRST_LINE_STARTS.format(drawn=drawn, wrong="pass", players=2)), [])
    assert program.seed_bits == 0


SILENT_ABOUT = """
import sys
first = sys.stdin.readline()
players = int((first if "Start" in first else sys.stdin.readline()).split()[1])
for p in range(min(players, {asked})):
    print(f"###Input {{p}}\\n1\\n###Output {{p}} 1", flush=True)
    sys.stdin.readline()
{words}
print("###End", "".join(map(str, range(players))), flush=True)
"""


@pytest.mark.parametrize(
    ("asked", "words"),
    in_turns(
        [0, 2],
        [
            'print("Failure: invalid input", flush=True)',
            'print("###Error 0 Failure: invalid input", flush=True)',
            'print("Failure: invalid input", file=sys.stderr, flush=True)',
        ],
    ),
)
def test_a_number_of_players_of_which_the_referee_does_not_ask_all_is_wrong_in_its_own_words(
    waiters: Sequence[Program], tmp_path: Path, asked: int, words: str
) -> None:
    fault = "the referee never asks seat 2" if asked else "the referee ended the match without a question to a bot"
    found, game, _ = checked(older(tmp_path, SILENT_ABOUT.format(asked=asked, words=words), (2, 3)), waiters)
    assert not found.is_sound
    wrong = [finding.words for finding in found.findings if finding.proof is Proof.WRONG]
    said = next(one for one in wrong if fault in one)
    assert "Failure: invalid input" in said
    if asked == 2:
        assert said.startswith("3 players do not work: ")
        assert game.players == (2,)


def test_without_bots_a_referee_that_asks_nobody_is_wrong_too(tmp_path: Path) -> None:
    words = 'print("Failure: invalid input", flush=True)'
    found, *_ = checked(older(tmp_path, SILENT_ABOUT.format(asked=0, words=words)), [])
    assert not found.is_sound
    assert any('its words: "Failure: invalid input"' in finding.words for finding in found.findings)


def test_a_seat_that_is_not_asked_as_another_failed_is_no_fault_of_the_referee(waiters: Sequence[Program]) -> None:
    found, *_ = checked(a_game("c"), [in_shell("exit 1"), *waiters])
    assert found.is_sound, found.findings


class OftenBusy:
    """A sandbox that is too busy for some of the boxes that it is asked for, counted from 1."""

    def __init__(self, busy: Container[int]) -> None:
        self._sandbox, self._busy, self._asked = open_sandbox(), busy, 0
        self.name = self._sandbox.name

    def probe(self) -> None:
        self._sandbox.probe()

    def start(self, box: Box) -> BoxedProcess:
        self._asked += 1
        if self._asked in self._busy:
            raise HostBusy("too many programs")
        return self._sandbox.start(box)


def test_a_check_goes_on_after_a_pause_where_the_host_was_too_busy(
    bots: Sequence[Program], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(programs, "PAUSES_S", (0.01, 0.02))
    found = check(a_game(rounds="2"), bots, OftenBusy({2, 7, 12}), seeds=2)
    assert found.is_sound
    assert proofs(found)["checked"] is Proof.SHOWN
    assert "too many programs; the check goes on in 0.01 s" in capsys.readouterr().err


def test_a_check_keeps_what_it_has_found_where_the_host_stays_too_busy(
    bots: Sequence[Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "PAUSES_S", (0.01,))
    game = a_game(rounds="2")
    found = check(game, bots, OftenBusy(range(10, 10**6)), seeds=2)
    assert proofs(found)["host"] is Proof.UNPROVEN
    assert found.values[""]["seed_bits"] == 64
    assert "checked" not in found.values[""]
    with pytest.raises(HostBusy):
        check(game, bots, OftenBusy(range(1, 10**6)), seeds=2)
