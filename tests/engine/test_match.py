"""Matches: the loop between referee and players, verdicts, and replays."""

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.bot.conditions import OFFICIAL
from engine.conversation import NO_ANSWER, OK, Ask, Outcome, Referee, SeatVerdict, TimeLimits, Verdict
from engine.errors import ArenaError, SandboxFault
from engine.game import Game
from engine.live import SMOKE_SEED, play, smoke
from engine.match import MatchResult, MatchSpec, converse, replay
from engine.sandbox.box import Box
from engine.sandbox.choice import open_sandbox
from engine.toolchains.build import build
from engine.toolchains.languages import language_of
from engine.toolchains.program import Program, missing_tools, present_folders
from engine.workspace import open_workspace
from tests.catalogue import GAMES
from tests.fakes import Scripted

GAME = GAMES.find("ocean-of-code")
STARTER_ENDINGS = (".py", ".cpp", ".java", ".js", ".rs")
SPEC = MatchSpec(GAME, 3, 1337)


def surface(ask: Ask) -> str:
    return "4 0" if ask.lines[0].startswith("15 15") else "SURFACE"


def house_bot(name: str) -> Program:
    path = GAME.bots_folder / name
    return build(path.read_text(), language_of(path), open_sandbox())


def in_python(source: str) -> Program:
    return build(source, language_of(Path("bot.py")), open_sandbox())


@pytest.fixture(scope="module")
def played() -> MatchResult:
    return play(SPEC, (house_bot("hunter.py"), house_bot("gunner.py")), open_sandbox())


def test_two_players_who_surface_die_in_turn() -> None:
    outcome, turns = converse(SPEC, [Scripted(surface), Scripted(surface)])
    assert (outcome.reason, outcome.scores, outcome.winner) == ("dead", (0, 1), 1)
    assert [turn.seat for turn in turns] == [0, 1] * 6 + [0]


@pytest.mark.parametrize(
    ("verdict", "reason"), [(Verdict.CRASHED, "crashed"), (Verdict.FLOODED, "flooded"), (Verdict.TIMEOUT, "timeout")]
)
def test_the_end_of_a_match_is_called_what_it_was_also_where_games_say_time_out(verdict: Verdict, reason: str) -> None:
    silent = Scripted(lambda _: None, SeatVerdict(verdict, "why"))
    outcome, _ = converse(MatchSpec(GAMES.find("ice-and-fire"), 1, 5), [silent, silent])
    assert outcome.reason == reason
    outcome, _ = converse(SPEC, [silent, silent])
    assert outcome.reason == "disabled", "this game has a word of its own for it"


def test_a_missing_answer_gets_the_players_own_fault_as_its_verdict() -> None:
    crash = SeatVerdict(Verdict.CRASHED, "the program ended with exit code 3")
    silent = Scripted(lambda ask: surface(ask) if ask.limit_ms == 1000 else None, crash)
    outcome, turns = converse(SPEC, [Scripted(surface), silent])
    assert outcome.verdicts == (SeatVerdict(Verdict.OK), crash)
    assert outcome.winner == 0
    assert turns[-1].line is None


def test_an_illegal_line_is_the_referees_verdict() -> None:
    outcome, _ = converse(SPEC, [Scripted(lambda _: "99 99"), Scripted(surface)])
    assert outcome.verdicts[0].verdict is Verdict.ILLEGAL
    assert outcome.winner == 1


def test_house_bots_play_a_match_to_its_end(played: MatchResult) -> None:
    assert [verdict.verdict for verdict in played.outcome.verdicts] == [Verdict.OK, Verdict.OK]
    assert len(played.turns) > 10
    assert all(turn.spent.wall_us > 0 for turn in played.turns)


def highest_number(seed: int, rules_level: int, limits: TimeLimits, players: int) -> Referee:
    """A game for any number of players: each says a number, and the highest wins; silence is worth nothing."""
    numbers = []
    for seat in range(players):
        line = yield Ask(seat, (f"{seed} {rules_level}",), limits.turn_ms)
        numbers.append(-1 if line is None else int(line))
    verdicts = tuple(NO_ANSWER if number < 0 else OK for number in numbers)
    return Outcome(tuple(numbers), "all_said", verdicts)


def test_three_bots_play_one_match_and_a_fault_is_its_own_seats() -> None:
    game = replace(GAME, name="highest-number", referee=highest_number, players=(2, 3))
    sayer = "import sys; input(); print({0}, file=sys.stderr); print({0}, flush=True); input()"
    programs = [*map(in_python, (sayer.format(5), "input(); raise SystemExit(3)", sayer.format(7)))]
    result = play(MatchSpec(game, 1, 42, players=3), programs, open_sandbox())
    assert (result.outcome.scores, result.outcome.places) == ((5, -1, 7), (2, 3, 1))
    assert [verdict.verdict for verdict in result.outcome.verdicts] == [Verdict.OK, Verdict.CRASHED, Verdict.OK]
    assert result.stderr == ("5\n", "", "7\n")
    assert [turn.stderr_chars for turn in result.turns] == [2, 0, 2]
    assert replay(result) == result


def test_a_replay_of_the_lines_gives_the_same_match_without_any_process(played: MatchResult) -> None:
    assert replay(played) == played


def test_lines_replayed_on_another_map_give_another_end(played: MatchResult) -> None:
    assert replay(replace(played, spec=replace(SPEC, seed=0))).outcome != played.outcome


def test_a_record_that_is_cut_short_is_noticed(played: MatchResult) -> None:
    with pytest.raises(ArenaError, match="record ends"):
        replay(replace(played, turns=played.turns[:4]))


class BrokenSandbox:
    """A sandbox whose boxes cannot be made."""

    name = "broken"

    def probe(self) -> None:
        raise SandboxFault("no namespaces here")

    def start(self, box: Box) -> None:
        raise SandboxFault("no namespaces here")


def test_a_broken_sandbox_is_our_fault_and_never_a_result() -> None:
    with pytest.raises(SandboxFault, match="no namespaces"):
        play(SPEC, (house_bot("trivial.c"), house_bot("trivial.c")), BrokenSandbox())  # type: ignore[arg-type]


@pytest.mark.usefixtures("workspace")
def test_what_a_match_is_played_with_is_not_trimmed_from_the_cache_while_it_takes_days() -> None:
    bot = house_bot("trivial.c")
    cache, entry = open_workspace(), bot.folder.parent

    class LongMatch(BrokenSandbox):
        def start(self, box: Box) -> None:
            os.utime(entry, (0, 0))
            assert cache.let_go(0) == 0
            super().start(box)

    with pytest.raises(SandboxFault, match="no namespaces"):
        play(SPEC, (bot, bot), LongMatch())  # type: ignore[arg-type]
    assert cache.let_go(0) == 1


def trial_of(game: Game, level: int) -> MatchSpec:
    return MatchSpec(game, level, SMOKE_SEED)


@pytest.mark.parametrize("name", sorted(path.name for path in GAME.bots_folder.iterdir() if path.is_file()))
@pytest.mark.parametrize("level", [1, 2, 3])
def test_every_house_bot_passes_its_trial_match_at_every_level(name: str, level: int) -> None:
    assert smoke(house_bot(name), trial_of(GAME, level), open_sandbox(), OFFICIAL) is None


def has_toolchain(ending: str) -> bool:
    ways = language_of(Path(f"starter{ending}")).toolchains
    return any(not missing_tools((*way.build_tools, *way.tools), present_folders(way.extra_paths)) for way in ways)


@pytest.mark.parametrize("game", GAMES.all, ids=lambda game: game.name)
@pytest.mark.parametrize("ending", [*filter(has_toolchain, STARTER_ENDINGS)])
def test_every_starter_passes_its_trial_match_at_every_higher_level(game: Game, ending: str) -> None:
    """The kit that `tests/conformance` runs tries it in the first league, and each boss in its own."""
    path = game.folder / "starters" / f"starter{ending}"
    program = build(path.read_text(), language_of(path), open_sandbox())
    for level in {league.rules_level for league in game.leagues[1:]}:
        assert smoke(program, trial_of(game, level), open_sandbox(), OFFICIAL) is None


@pytest.mark.parametrize("ending", [*filter(has_toolchain, STARTER_ENDINGS)])
def test_two_bots_that_begin_as_a_starter_do_not_start_on_one_cell_and_play_the_same_match_again(ending: str) -> None:
    """On one cell they would mirror each other, and the seat alone would decide."""
    path = GAME.folder / "starters" / f"starter{ending}"
    program = build(path.read_text(), language_of(path), open_sandbox())
    first, again = (play(SPEC, (program, program), open_sandbox()) for _ in range(2))
    starts = [turn.line for turn in first.turns[:2]]
    assert starts[0] != starts[1]
    assert [turn.line for turn in again.turns[:2]] == starts


def test_there_is_a_starter_in_each_of_five_languages_for_every_game() -> None:
    for game in GAMES.all:
        assert {path.suffix for path in (game.folder / "starters").iterdir()} == set(STARTER_ENDINGS), game.name


def test_a_bot_that_breaks_the_rules_fails_its_trial_with_the_reason() -> None:
    complaint = complaint_of(in_python("print('hello there', flush=True); input()"))
    assert "illegal" in complaint
    assert "hello there" in complaint


def test_of_a_bot_that_wrote_much_before_it_failed_its_trial_the_end_is_quoted() -> None:
    said = "import sys; print('\\n'.join(f'line {n}' for n in range(9000)), file=sys.stderr); sys.exit('why')"
    complaint = complaint_of(in_python(said))
    first, second, third, *_, last = complaint.splitlines()
    assert (first.partition(": ")[0], second) == ("in a trial match against itself", "the end of its stderr:")
    assert re.fullmatch(r"line \d+", third)
    assert (last, len(complaint) < 5_000) == ("why", True)


WALKER = """
import sys, time
def burn(ms):
    end = time.process_time() + ms / 1000
    while time.process_time() < end: pass
rows = [input() for _ in range(16)][1:]
y, x = next((y, x) for y in range(15) for x in range(14) if rows[y][x:x + 2] == "..")
print(x, y, flush=True)
for turn in range(9999):
    [input() for _ in range(3)]
    burn(COST)
    print("SURFACE" if turn % 2 else "MOVE " + "EW"[turn // 2 % 2], flush=True)
"""
"""Does nothing but walk there and back, and computes for so long in each turn."""


def walker(cost: str) -> Program:
    """Build a bot that walks there and back, and computes `cost` milliseconds in each turn."""
    return in_python(WALKER.replace("COST", cost))


def complaint_of(program: Program) -> str:
    """Let a bot play its trial match; return why it fails."""
    return smoke(program, trial_of(GAME, 1), open_sandbox(), OFFICIAL) or ""


def test_a_bot_that_is_a_little_late_once_in_each_trial_passes() -> None:
    assert complaint_of(walker("65 if turn == 5 else 0")) == ""


def test_a_bot_that_is_late_in_several_turns_fails_its_trial_with_the_count() -> None:
    complaint = complaint_of(walker("65 if 0 < turn < 5 else 0"))
    assert re.search(r": \d+ of \d+ answers took longer than the limit, .* 50 ms for each later one$", complaint)


def test_a_bot_that_is_far_too_late_once_in_each_trial_fails_it() -> None:
    complaint = complaint_of(walker("300 if turn == 5 else 0"))
    assert "time-out on its turn 7 (match turn 13): no complete line within 100 ms, it computed " in complaint
    assert complaint.splitlines()[0].endswith(" (each limit was 50 ms longer than in its league)")


@pytest.mark.parametrize("late", [1, 2])
def test_a_bot_far_too_late_in_one_or_two_trials_only_passes(monkeypatch: pytest.MonkeyPatch, late: int) -> None:
    tried: list[MatchSpec] = []

    def play_and_count(spec: MatchSpec, _: object, *others: Any) -> MatchResult:
        tried.append(spec)
        program = walker("300" if len(tried) <= late else "0")
        return play(spec, (program, program), *others)

    monkeypatch.setattr("engine.live.play", play_and_count)
    assert complaint_of(walker("0")) == ""
    assert len(tried) == late + 1
