"""Of what bots die: where they fell behind for good, in the game's own words, and counted."""

from collections import Counter
from dataclasses import replace

import pytest

from cli.texts.matches import loss_text, turns_text
from engine.bot.clock import Spent
from engine.conversation import OK, Outcome, SeatVerdict, Verdict
from engine.match import MatchResult, MatchSpec, Turn
from engine.replay import Replay, replay_of
from ladder.ids import MatchId
from ladder.views.turns.lost_matches import (
    By,
    Defeat,
    LossExample,
    LossStory,
    defeat_in,
    groups,
    loss_of,
    lost_by,
    turns_of_group,
)
from ladder.views.turns.rows import TurnRow, turn_rows
from ladder.views.turns.watched_match import WatchedMatch, WatchedSeat
from tests.catalogue import GAMES
from tests.unit.test_replay import WAR, recorded

OCEAN = GAMES.find("ocean-of-code")
NAMES = ("kraken@v3", "wahoo@v2")


def lost(
    *lines: str | None, scores: tuple[int, int], verdicts: tuple[SeatVerdict, SeatVerdict] = (OK, OK)
) -> LossStory:
    """How a match on the map of seed 0 was lost, whose seats speak in turn."""
    turns = tuple(Turn(index % 2, line) for index, line in enumerate(lines))
    outcome = Outcome(scores, "dead", verdicts)
    found = loss_of(replay_of(MatchResult(MatchSpec(OCEAN, 3, 0), outcome, turns), views=False), outcome, NAMES)
    assert found is not None
    return found


DUEL: list[str | None] = ["0 0", "4 0", *["MOVE S TORPEDO", "MOVE S TORPEDO"] * 3, "TORPEDO 4 3", "SURFACE"]


def test_the_turns_that_cost_a_life_are_named_with_their_cause_and_the_end() -> None:
    loss = lost(*DUEL, *["SURFACE|MSG calm", "SURFACE"] * 3, scores=(3, 0))
    sentence = "wahoo@v2 lost 0:3; hits taken on its turns 4 (torpedo of kraken), 5, 6, 7 (own surfacing), sunk on 8"
    assert (loss.seat, loss.sentence) == (1, sentence)
    assert loss_text(loss, 17).plain.splitlines()[1:] == [
        "  turn 4 (match turn 9)   Loses 2 lives by a torpedo.",
        "  turn 5 (match turn 10)  Loses 1 life by surfacing.",
        "  turn 6 (match turn 12)  Loses 1 life by surfacing.",
        "  turn 7 (match turn 14)  Loses 1 life by surfacing.",
        "  turn 8 (match turn 16)  Loses 1 life by surfacing.",
        "  turn 8 (match turn 16)  Sinks.",
        "look at it: `ladder match view 17 --turn 9`",
    ]


def test_a_seat_that_lost_by_a_fault_was_hit_before_it() -> None:
    crashed = SeatVerdict(Verdict.CRASHED, "it exited with status 3")
    loss = lost(*DUEL, "SURFACE", None, scores=(5, -1), verdicts=(OK, crashed))
    assert loss.sentence == ("wahoo@v2 lost -1:5; hits taken on its turns 4 (torpedo of kraken), 5 (own surfacing)")


def test_a_draw_and_a_fault_without_a_hit_were_lost_in_no_turn_that_could_be_named() -> None:
    turns = (Turn(0, "0 0"), Turn(1, "4 0"), Turn(0, None))
    silent = Outcome((-1, 6), "timeout", (SeatVerdict(Verdict.TIMEOUT, "late"), OK))
    result = MatchResult(MatchSpec(OCEAN, 3, 0), silent, turns)
    assert loss_of(replay_of(result, views=False), silent, NAMES) is None
    draw = replace(silent, scores=(6, 6))
    assert loss_of(replay_of(result, views=False), draw, NAMES) is None
    assert loss_of(replay_of(replace(result, rules_version=2), views=False), silent, NAMES) is None


def test_of_a_war_the_threats_to_the_headquarters_are_named_or_where_most_power_was_lost() -> None:
    taken, on_power = 0, 0
    for record, replay in recorded(WAR):
        outcome = Outcome(record.scores, record.end, (OK, OK))
        loss = loss_of(replay, outcome, NAMES)
        if loss is None or outcome.winner is None:
            continue
        if record.end == "hq":
            assert f"{NAMES[1 - outcome.winner]} lost -1:" in loss.sentence
            assert "headquarters taken on " in loss.sentence
            assert loss.blows[-1].turn == len(record.asks)
            assert all(blow.kind == "threat" for blow in loss.blows[:-1])
            taken += 1
        elif "it fell back most on its turn" in loss.sentence:
            assert not loss.blows
            on_power += 1
    assert taken > 30
    assert on_power > 10


def rows_of(*lines: str, stderr: str = "") -> list[TurnRow]:
    spent = Spent(wall_us=12_340, cpu_us=11_000, wait_us=20, late_us=0)
    turns = [Turn(index % 2, line, spent, len(stderr) if index == 0 else 0) for index, line in enumerate(lines)]
    return turn_rows(turns, [50] * len(turns), None, {0: stderr, 1: ""})


ORDERS = ("MOVE N TORPEDO|TORPEDO 11 3|MSG all ahead full, and more of it than a terminal has room for", "SURFACE")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_orders_stand_before_times_and_are_folded_in_their_own_column(width: int) -> None:
    lines = turns_text(rows_of(*ORDERS, stderr="depth 7\n"), width).plain.splitlines()
    heading = next(line for line in lines if line.startswith("turn seat  own  line"))
    assert heading.split()[4] == "charged"
    first = lines.index(heading) + 1
    assert all(len(line) <= width for line in lines[first - 1 :])
    assert lines[first].startswith("   1    0    1  MOVE N TORPEDO|TORPEDO")
    assert "    depth 7" in lines
    column = slice(16, heading.index("charged") - 1)
    said = "".join(line[column].strip() for line in lines[first : lines.index("    depth 7")])
    assert said.replace(" ", "") == ORDERS[0].replace(" ", "")
    assert lines[-1].split()[:4] == ["2", "1", "1", "SURFACE"]


def test_a_narrow_terminal_leaves_times_out_and_says_so() -> None:
    shown = turns_text(rows_of(*ORDERS), 60).plain
    assert "no room for cpu, wait and late: use a wider terminal or --json" in shown
    assert shown.splitlines()[3].split() == ["turn", "seat", "own", "line", "charged", "wall"]


def test_outside_a_terminal_each_turn_is_one_line() -> None:
    shown = turns_text(rows_of(*ORDERS), None).plain
    assert f"   1    0    1  {ORDERS[0]}    12.32" in shown
    assert f"   2    1    1  {'SURFACE':60}    12.32" in shown


ILLEGAL = SeatVerdict(Verdict.ILLEGAL, "moved onto an island")


def watched(game: str, replay: Replay, outcome: Outcome) -> WatchedMatch:
    seats = tuple(
        WatchedSeat(seat, NAMES[seat], score, "win" if outcome.winner == seat else "loss", one.verdict, one.message)
        for seat, (score, one) in enumerate(zip(outcome.scores, outcome.verdicts, strict=True))
    )
    return WatchedMatch(MatchId(1), game, "Bronze", 3, 0, outcome.reason, "finished", seats, replay)


def duel(
    *lines: str, scores: tuple[int, int], verdicts: tuple[SeatVerdict, SeatVerdict] = (OK, OK), reason: str = "dead"
) -> WatchedMatch:
    turns = tuple(Turn(index % 2, line) for index, line in enumerate(lines))
    outcome = Outcome(scores, reason, verdicts)
    return watched(OCEAN.name, replay_of(MatchResult(MatchSpec(OCEAN, 3, 0), outcome, turns)), outcome)


def test_a_defeat_says_its_last_blow_since_when_it_was_behind_and_what_was_unused() -> None:
    match = duel(*map(str, DUEL), *["SURFACE|MSG calm", "SURFACE"] * 3, scores=(3, 0))
    assert (lost_by(match, "WAHOO"), lost_by(match, "kraken")) == (1, None)
    defeat = defeat_in(GAMES, match, 1)
    assert (defeat.opponent, defeat.seat, defeat.kind, defeat.last_turn) == ("kraken@v3", 1, "own surfacing", 8)
    assert (defeat.behind_since, defeat.turn) == (4, 9), "since the torpedo"
    assert defeat.unused == {"torpedo": 5}, "it was charged and never fired"
    assert defeat.known == 1, "it says its sector each time"
    assert defeat.sentence.startswith("wahoo@v2 lost 0:3; hits taken on its turns 4 (torpedo of kraken)")


def test_a_fault_is_what_a_bot_died_of_whatever_came_before() -> None:
    lines = ("0 0", "4 0", "MOVE S TORPEDO", "MOVE N TORPEDO")
    defeat = defeat_in(GAMES, duel(*lines, scores=(6, -1), verdicts=(OK, ILLEGAL), reason="illegal"), 1)
    assert (defeat.kind, defeat.behind_since) == ("illegal", None)


def test_wars_are_lost_by_what_cost_most() -> None:
    kinds: Counter[str] = Counter()
    for record, replay in recorded(WAR):
        outcome = Outcome(record.scores, record.end, (OK, OK))
        if outcome.winner is not None:
            defeat = defeat_in(GAMES, watched(WAR.name, replay, outcome), 1 - outcome.winner)
            kinds[defeat.kind] += 1
            assert defeat.known is None, "nothing is hidden"
            assert defeat.last_turn <= len(record.asks)
    assert kinds["units cut off"] > 3
    assert kinds["units taken"] > 0
    assert kinds["headquarters taken"] > 10


def one(number: int, kind: str, behind: int | None, known: int | None, unused: dict[str, int]) -> Defeat:
    return Defeat(MatchId(number), "wahoo@v1", number % 2, 7, kind, 40, behind, 77, known, unused, "")


def test_lost_matches_are_counted_most_first_with_three_examples_and_turns_in_their_order() -> None:
    found = [one(number, "torpedo", 5 * number, 3, {"silence": 4}) for number in range(1, 5)]
    found += [one(9, "mine", None, None, {}), one(10, "mine", 300, 9, {"silence": 3, "sonar": 5})]
    by_kind = groups(found, By.KIND)
    assert [(row.value, row.losses, row.share) for row in by_kind] == [("torpedo", 4, 4 / 6), ("mine", 2, 2 / 6)]
    assert by_kind[0].examples == tuple(LossExample(MatchId(number), 77) for number in (1, 2, 3))
    assert (by_kind[0].median_behind_since, by_kind[1].median_behind_since, by_kind[1].median_known) == (12.5, 300, 9)
    assert [row.value for row in groups(found, By.TURN)] == ["1 to 10", "11 to 25", "201 and later", "not behind"]
    unused = [(row.value, row.losses) for row in groups(found, By.UNUSED)]
    assert unused == [("silence", 5), ("nothing", 1), ("sonar", 1)]
    assert [row.value for row in groups(found, By.SEAT)] == ["0", "1"]
    assert [turns_of_group(turn) for turn in (10, 11, 200)] == ["1 to 10", "11 to 25", "101 to 200"]
