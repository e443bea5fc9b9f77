"""The check of referee programs: what it finds out about our own, which can be made to lack each thing."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.conformance.programs.check import check
from engine.conformance.programs.finding import ProgramCheck, Proof
from engine.game import Game
from engine.referees.edition import load_edition
from engine.referees.game_file import NewGame
from engine.referees.gathering import changed_edition, gather, new_edition
from engine.referees.program import ProtocolKind, RepeatedBy, Reuse
from engine.sandbox import open_sandbox
from engine.series import build_file
from engine.toolchains.program import Program
from tests.referees.compiled import referees

PICKER = """
import sys
for line in sys.stdin:
    print("PICK 0" if len(line) % 2 else "WAIT", flush=True)
"""
SDK, OLDER = ProtocolKind.SDK, ProtocolKind.BRUTALTESTER
COMMANDS = {
    "python": "python3 foragers.py",
    "java": "java -jar foragers.jar",
    "c": "./foragers",
    "c unseeded": "./foragers unseeded=1",
}


@pytest.fixture(scope="module")
def bots(open_folder: Path) -> Sequence[Program]:
    """Two bots that answer each question with one line."""
    file = open_folder / "picker.py"
    file.write_text(PICKER)
    other = open_folder / "waiter.py"
    other.write_text(PICKER.replace("PICK 0", "WAIT"))
    return [build_file(path, 100_000, None) for path in (file, other)]


def a_game(
    language: str = "python",
    players: tuple[int, ...] = (2,),
    fault_line: str | None = None,
    folder: Path | None = None,
    **parameters: str,
) -> Game:
    """Return the game of one of the three referees, with those parameters."""
    kind = OLDER if language.startswith("c") else SDK
    command = COMMANDS[language]
    new = NewGame("foragers", "Foragers", kind, command, players, fault_line=fault_line, parameters=parameters)
    return load_edition(new_edition(new, gather(command, kind, [], folder or referees())))


def checked(game: Game, bots: Sequence[Program]) -> tuple[ProgramCheck, Game]:
    """Check a game; return what was found, and the game with that written down."""
    found = check(game, bots, open_sandbox(), seeds=2)
    return found, load_edition(changed_edition(game.folder, found.values, {}))


def proofs(found: ProgramCheck) -> dict[str, Proof]:
    """Return how sure each thing is."""
    return {finding.about: finding.proof for finding in found.findings}


def test_a_sound_game_is_known_in_all_its_parts(bots: Sequence[Program]) -> None:
    found, game = checked(a_game(players=(2, 3), rounds="3"), bots)
    assert found.is_sound
    assert set(proofs(found)) == {"repeated", "players", "seed", "time", "checked"}
    program = game.program
    assert program is not None
    assert (program.seed_bits, program.repeated_by, program.has_time_bank) == (64, RepeatedBy.SEED, False)
    assert (program.proven, game.players) == (True, (2, 3))
    assert tomllib.loads((game.folder / "game.toml").read_text())["checked"] is True


def test_a_referee_that_breaks_at_wide_seeds_gets_narrow_ones(bots: Sequence[Program]) -> None:
    _, game = checked(a_game(int_seed="1", rounds="2"), bots)
    assert game.program is not None
    assert (game.program.seed_bits, game.program.repeated_by) == (31, RepeatedBy.SEED)


def test_what_a_referee_draws_and_gives_back_repeats_its_matches(bots: Sequence[Program]) -> None:
    found, game = checked(a_game(draw="1", rounds="2"), bots)
    assert found.is_sound
    assert game.program is not None
    assert game.program.repeated_by is RepeatedBy.PARAMETERS


def test_chaos_is_not_repeatable_and_it_is_said_what_that_means(bots: Sequence[Program]) -> None:
    found, game = checked(a_game(chaos="1", rounds="2"), bots)
    assert game.program is not None
    assert not game.program.is_repeatable
    (words,) = (finding.words for finding in found.findings if finding.about == "repeated")
    assert "no match can be repeated (question " in words
    assert words.endswith("no pairs on one seed, no gauntlets with --baseline, no replays")


def test_a_seed_that_changes_nothing_is_named(bots: Sequence[Program]) -> None:
    found, _ = checked(a_game(no_seed="1", rounds="2"), bots)
    assert proofs(found)["seed"] is Proof.UNPROVEN


def test_a_bank_of_time_is_told_from_limits(bots: Sequence[Program]) -> None:
    _, game = checked(a_game(monitoring="1", bank_ms="2000", rounds="3"), bots)
    assert game.program is not None
    assert game.program.has_time_bank
    _, game = checked(a_game(monitoring="1", rounds="3"), bots)
    assert game.program is not None
    assert not game.program.has_time_bank


def test_a_number_of_players_that_does_not_work_is_found(bots: Sequence[Program], tmp_path: Path) -> None:
    two = (referees() / "foragers.py").read_text().replace("Match(int(players),", "Match({'2': 2}[players],")
    (tmp_path / "foragers.py").write_text(two)
    found, game = checked(a_game(players=(2, 7), rounds="2", folder=tmp_path), bots)
    assert proofs(found)["players"] is Proof.SHOWN
    assert not found.is_sound
    assert any("7 players do not work: " in finding.words for finding in found.findings)
    assert game.players == (2,)


def test_a_referee_in_c_is_told_seeds_once_it_knows_them(bots: Sequence[Program]) -> None:
    found, game = checked(a_game("c", players=(2, 3), fault_line="OUT"), bots)
    assert found.is_sound, found.findings
    assert game.program is not None
    assert (game.program.seed_bits, game.program.repeated_by) == (31, RepeatedBy.SEED)
    assert proofs(found)["fault line"] is Proof.SHOWN


def test_a_referee_in_c_that_knows_no_seeds_gets_none_and_is_not_repeatable(bots: Sequence[Program]) -> None:
    found, game = checked(a_game("c unseeded"), bots)
    assert found.is_sound, found.findings
    assert game.program is not None
    assert (game.program.seed_bits, game.program.is_repeatable) == (0, False)


def test_a_fault_line_that_puts_nobody_out_is_found(bots: Sequence[Program]) -> None:
    found, _ = checked(a_game("c", players=(3,), fault_line="WAIT"), bots)
    assert proofs(found)["fault line"] is Proof.WRONG
    assert not found.is_sound


def test_a_jar_shows_whether_one_jvm_can_play_many_matches(bots: Sequence[Program]) -> None:
    _, game = checked(a_game("java", rounds="1"), bots)
    assert game.program is not None
    assert game.program.reuse is Reuse.LOADER


def test_a_jar_whose_matches_hang_on_an_order_of_hashes_gets_a_jvm_for_each(bots: Sequence[Program]) -> None:
    found, game = checked(a_game("java", rounds="1", hash_order="1"), bots)
    assert game.program is not None
    assert (game.program.repeated_by, game.program.reuse) == (RepeatedBy.SEED, Reuse.NONE)
    (words,) = (finding.words for finding in found.findings if finding.about == "reuse")
    assert words.startswith("each match needs a JVM of its own: ")


def test_without_bots_only_first_questions_are_compared() -> None:
    found, game = checked(a_game(players=(2, 3)), [])
    assert proofs(found) == dict.fromkeys(("players", "repeated", "seed"), Proof.UNPROVEN)
    assert game.program is not None
    assert not game.program.proven


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
    found, game = checked(a_game(language, **parameters), [])
    assert found.is_sound, found.findings
    assert game.program is not None
    assert game.program.seed_bits == bits
    said = next(finding.words for finding in found.findings if finding.about == "repeated")
    assert said == words.format("whether it goes on so takes bots to see")


def test_a_referee_that_begins_by_no_seed_at_all_is_not_sound_without_bots_either() -> None:
    found, _ = checked(a_game(bushes="many"), [])
    assert [(finding.about, finding.proof) for finding in found.findings] == [("players", Proof.WRONG)]
    assert found.values == {}


def test_a_referee_that_cannot_begin_is_not_sound(bots: Sequence[Program]) -> None:
    found, _ = checked(a_game(bushes="many"), bots)
    assert not found.is_sound
    assert found.findings[0].words.startswith("no match can be played: ")
