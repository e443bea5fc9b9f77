"""Of what a bot dies: lost matches told in the game's own words, and counted."""

from collections import Counter

from engine.conversation import OK, Outcome, SeatVerdict, Verdict
from engine.match import MatchResult, MatchSpec, Turn
from engine.replay import Replay, replay_of
from ladder.ids import MatchId
from ladder.views.turns.lost_matches import By, Defeat, LossExample, defeat_in, groups, lost_by, turns_of_group
from ladder.views.turns.watched_match import WatchedMatch, WatchedSeat
from tests.catalogue import GAMES
from tests.unit.test_losing import DUEL, NAMES
from tests.unit.test_replay import WAR, recorded

OCEAN = GAMES.find("ocean-of-code")
ILLEGAL = SeatVerdict(Verdict.ILLEGAL, "moved onto an island")


def watched(game: str, replay: Replay, outcome: Outcome) -> WatchedMatch:
    return WatchedMatch(
        MatchId(1),
        game,
        "Bronze",
        3,
        0,
        outcome.reason,
        "finished",
        tuple(
            WatchedSeat(seat, NAMES[seat], score, "win" if outcome.winner == seat else "loss", one.verdict, one.message)
            for seat, (score, one) in enumerate(zip(outcome.scores, outcome.verdicts, strict=True))
        ),
        replay,
    )


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
    assert by_kind[0].examples == (
        LossExample(MatchId(1), 77),
        LossExample(MatchId(2), 77),
        LossExample(MatchId(3), 77),
    )
    assert (by_kind[0].median_behind_since, by_kind[1].median_behind_since, by_kind[1].median_known) == (12.5, 300, 9)
    assert [row.value for row in groups(found, By.TURN)] == ["1 to 10", "11 to 25", "201 and later", "not behind"]
    assert [(row.value, row.losses) for row in groups(found, By.UNUSED)] == [
        ("silence", 5),
        ("nothing", 1),
        ("sonar", 1),
    ]
    assert [row.value for row in groups(found, By.SEAT)] == ["0", "1"]
    assert [turns_of_group(turn) for turn in (10, 11, 200)] == ["1 to 10", "11 to 25", "101 to 200"]
