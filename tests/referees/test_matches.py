"""Matches that referee programs lead in real boxes: bots of all kinds, in two to four seats, by both protocols."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.bot.clock import Policy, TimeRule
from engine.bot.conditions import OFFICIAL
from engine.conversation import OK, Verdict
from engine.errors import ArenaError, GameFault, RefereeFault, Refused
from engine.live import play
from engine.match import MatchResult, MatchSpec, replay
from engine.referees.program import ProtocolKind, RefereeProgram
from engine.rejudge import LEFT_TO_REFEREE, RejudgedEnd, limits_of, rejudge
from engine.replay import replay_of
from engine.sandbox.choice import open_sandbox
from engine.toolchains.program import Program
from ladder.matches.record import Recording, pack, unpack
from ladder.matches.seat_results import count_overruns
from tests.referees.cgroups import NIM, TRUSTING
from tests.referees.compiled import referees
from tests.referees.live import game_of, in_python, in_shell, in_turns, laid_out, played, program_of

PICKER = """
import sys
for number, line in enumerate(sys.stdin):
    if len(line.split()) == 6:
        print("PICK", number % 6, flush=True)
"""
"""Picks wherever it is asked: the last line of a question has the berries of six bushes."""
PICKER_IN_SHELL = """
number=0
while read -r line; do
    set -- $line
    if [ $# = 6 ]; then echo "PICK $((number % 6))"; fi
    number=$((number + 1))
done
"""
LATE = PICKER.replace("    if", "    if number > 8:\n        import time; time.sleep(3)\n    if")
CRASHING = PICKER.replace("    if", "    if number > 8:\n        sys.exit(7)\n    if")
FLOODING = PICKER.replace("    if", "    if number > 8:\n        while True: print('x' * 9999, end='')\n    if")
SLOW = PICKER.replace("import sys", "import sys, time").replace(
    "        print",
    "        until_s = time.process_time() + .085\n        while time.process_time() < until_s: pass\n        print",
)
"""Over the limit in each turn, and within the 50 ms more after which nobody waits."""
TURN_US = 50_000
TALKATIVE = PICKER.replace('"PICK", number % 6', '"PICK 0\\n" * 3 + "[[SCORES] 2]"')
FOREIGN_LINE_ENDS = PICKER.replace('"PICK", number % 6', '"PICK 1\\u2028PICK 2\\x85"')
FAULTS = {
    "late": (LATE, Verdict.TIMEOUT),
    "crashing": (CRASHING, Verdict.CRASHED),
    "flooding": (FLOODING, Verdict.FLOODED),
}


@pytest.fixture(scope="module")
def folder() -> Path:
    return referees()


def in_python_sdk(folder: Path, **parameters: int) -> RefereeProgram:
    return with_parameters(program_of(folder, "python3", "-I", "foragers.py"), **parameters)


def in_java(folder: Path, **parameters: int) -> RefereeProgram:
    return with_parameters(program_of(folder, "java", "-jar", "foragers.jar"), **parameters)


def in_c(folder: Path) -> RefereeProgram:
    return program_of(folder, "./foragers", kind=ProtocolKind.BRUTALTESTER, fault_line="OUT", seed_bits=31)


def with_parameters(program: RefereeProgram, **parameters: int) -> RefereeProgram:
    return replace(program, parameters=tuple((name, str(value)) for name, value in parameters.items()))


def bots(players: int, last: str = PICKER) -> list[Program]:
    """Return bots that pick, all but the last in shell, which starts sooner."""
    return [*(in_shell(PICKER_IN_SHELL) for _ in range(players - 1)), in_python(last)]


def said(result: MatchResult) -> list[tuple[int, str | None]]:
    return [(turn.seat, turn.line) for turn in result.turns]


def test_three_referees_lead_one_match(folder: Path) -> None:
    java, python, c = (played(program, bots(3)) for program in (in_java(folder), in_python_sdk(folder), in_c(folder)))
    assert java.notes is not None
    assert python.notes is not None
    assert c.notes is not None
    assert said(java) == said(python) == said(c)
    assert java.notes.questions == python.notes.questions
    assert [question.lines for question in c.notes.questions] == [question.lines for question in java.notes.questions]
    assert java.outcome == python.outcome
    assert java.outcome.places == c.outcome.places
    assert java.outcome.verdicts == c.outcome.verdicts == (OK, OK, OK)
    assert java.notes.parameters == (("seed", "42"),)
    assert [question.limit_ms for question in java.notes.questions[:4]] == [1000, 1000, 1000, 50]
    assert "berries" in java.notes.metadata
    assert java.notes.summaries[:2] == ("", "$0 picked 2 from bush 0")
    assert java.sandbox == python.sandbox != ""


@pytest.mark.parametrize(("fault", "players"), in_turns([*FAULTS], [2, 3, 4]))
def test_a_seat_that_fails_is_last_and_the_others_play_on(folder: Path, fault: str, players: int) -> None:
    source, verdict = FAULTS[fault]
    for program in (in_python_sdk(folder), in_c(folder)):
        result = played(program, bots(players, source))
        assert [found.verdict for found in result.outcome.verdicts] == [Verdict.OK] * (players - 1) + [verdict]
        assert result.outcome.places[-1] == players
        assert [turn.line for turn in result.turns if turn.seat == players - 1][-1] is None
        later = {turn.seat for turn in result.turns[result.turns.index(next(t for t in result.turns if not t.line)) :]}
        assert (len(later) == players) == (players > 2)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_seat_that_says_too_much_gains_nothing_by_it(folder: Path, players: int) -> None:
    result = played(in_python_sdk(folder), bots(players, TALKATIVE))
    answers = [turn.line for turn in result.turns if turn.seat == players - 1]
    assert answers == ["PICK 0", "PICK 0", "PICK 0", "[[SCORES] 2]"]
    assert result.outcome.verdicts[-1].verdict is Verdict.ILLEGAL
    assert result.early_lines[-1] > 0


def test_line_ends_of_java_void_nothing(folder: Path) -> None:
    result = played(in_java(folder), bots(2, FOREIGN_LINE_ENDS))
    assert result.outcome.verdicts[0] == OK
    assert result.outcome.verdicts[1].verdict is Verdict.ILLEGAL
    assert said(result)[1] == (1, "PICK 1\u2028PICK 2\x85")


def test_a_referee_that_counts_strikes_hears_of_them(folder: Path) -> None:
    """By the policy `codingame`; by `strict` the first overrun loses, whatever it forgives.

    The clock leaves out how late it was itself to see an answer. So on a busy machine some turns are not overruns.
    """
    program = in_python_sdk(folder, monitoring=1, strikes=2, rounds=40)
    lenient = replace(OFFICIAL, time=TimeRule(Policy.CODINGAME))
    forgiven, strict = (played(program, bots(2, SLOW), conditions=conditions) for conditions in (lenient, OFFICIAL))
    _, *later = [turn for turn in forgiven.turns if turn.seat == 1]
    assert all(turn.line is not None for turn in later)
    assert [turn for turn in later if turn.spent.charged_us > TURN_US][2:] == later[-1:], "out by the third strike"
    assert forgiven.outcome.verdicts[1].verdict is Verdict.ILLEGAL
    assert strict.outcome.verdicts[1].verdict is Verdict.TIMEOUT


def test_a_stored_match_knows_its_questions_limits_and_overruns(folder: Path) -> None:
    """No rules here lead to them again."""
    lenient = TimeRule(Policy.CODINGAME)
    program = in_python_sdk(folder, monitoring=1, strikes=9, news=1)
    result = played(program, bots(2, SLOW), conditions=replace(OFFICIAL, time=lenient))
    assert result.outcome.verdicts == (OK, OK)
    stored = unpack(pack(Recording(result.turns, result.rules_version, result.notes)))
    again = replace(result, turns=stored.turns, notes=stored.notes)
    assert again == result
    overruns = sum(turn.spent.charged_us > TURN_US for turn in result.turns[2:] if turn.seat == 1)
    assert overruns > 0
    assert count_overruns(again, lenient) == (0, overruns)
    found = replay_of(again, lenient)
    assert found.fault == ""
    assert {turn.limit_ms for turn in found.turns} == {1000, 50}
    assert found.turns[2].input is not None
    assert found.turns[2].input[0].startswith("NEWS 2")
    assert [event.text for turn in found.turns for event in turn.events if event.kind == "overrun"] == [
        f"Takes longer than its limit: {LEFT_TO_REFEREE}."
    ] * overruns
    assert rejudge(again, limits_of(again), lenient).end is RejudgedEnd.SAME
    assert rejudge(again, limits_of(again), TimeRule()).end is RejudgedEnd.TIMEOUT
    with pytest.raises(ArenaError, match="not recorded"):
        limits_of(replace(again, notes=None))
    with pytest.raises(GameFault, match="the referee of a-game is a program"):
        replay(again)


def test_a_referee_that_breaks_at_a_seed_breaks_no_other_match(folder: Path) -> None:
    program = in_python_sdk(folder, int_seed=1)
    with pytest.raises(RefereeFault, match="more than 32 bits"):
        played(program, bots(2), seed=2**40)
    assert played(program, bots(2), seed=7).outcome.verdicts == (OK, OK)


def test_a_command_that_starts_the_bots_plays_in_no_tier_but_the_one_that_holds_them_all() -> None:
    with laid_out(NIM) as folder:
        program = program_of(folder, "python3", "nim.py", "{SEED}", "{PLAYERS}", kind=ProtocolKind.COMMAND)
        spec = MatchSpec(game_of(program, players=(2, 3)), 19, 1)
        with pytest.raises(Refused, match=r"a-game needs the sandbox bubblewrap\+cgroup"):
            play(spec, bots(2), open_sandbox("bubblewrap"), TRUSTING)
