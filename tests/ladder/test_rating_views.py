"""What people ask of ratings: boards on a part, why a version stands where it does, and how a bot did in each seat."""

import json
from collections.abc import Callable

import pytest

from engine.errors import Refused, UnknownName
from ladder.database.connection import Pool, transaction
from ladder.errors import FilterFault
from ladder.fleet.workers import fleet_of
from ladder.flows.recording import record
from ladder.gauntlets.execution import advance, begin
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import spec_of
from ladder.ids import MatchId, VersionId
from ladder.matches.claims import MatchClaim
from ladder.matches.filters import as_sql, check_names, parse
from ladder.names import read_name
from ladder.ratings import explanation, ledger, standings
from ladder.ratings.explanation import ExplainedMatch, explain, explanation_of, meetings_of, stay_to_explain, versus
from ladder.ratings.models import Rating
from ladder.views.ratings import BoardLine, board_of
from tests.acceptance.conftest import Desk
from tests.conftest import Made, once
from tests.fakes import result_of
from tests.ladder.arena import ByName, a_pair, claimed, league_named, on_the_board, submitted, within
from tests.ladder.rated import History, change, numbers, play


def board(pool: Pool, where: str, league: str = "wood-2") -> list[BoardLine]:
    return within(pool, board_of, league_named(pool, league), parse(where))


def picked(pool: Pool, where: str) -> list[int]:
    """Return the matches of wood-2 that a filter picks."""
    condition, values = as_sql(parse(where))
    league_id = league_named(pool, "wood-2").id
    return sorted(match.id for match in within(pool, ledger.played_in_order, league_id, condition, values))


def test_a_board_on_all_matches_is_the_live_board_and_one_on_nothing_is_empty(pool: Pool, history: History) -> None:
    live = [row for row in within(pool, standings.board, league_named(pool, "wood-2").id) if row.record.matches]
    lines = board(pool, "league = wood-2")
    assert [line.rank for line in lines] == list(range(1, len(lines) + 1))
    assert [
        (line.version, line.score, line.mu, line.record.matches, line.record.faults, line.live_score) for line in lines
    ] == [(row.name, row.score, row.mu, row.record.matches, row.record.faults, row.score) for row in live]
    assert board(pool, "league = gold") == board(pool, "time >= 2199-01-01") == []


def test_a_board_on_a_part_is_that_of_a_ladder_where_nothing_else_was_played(pool: Pool, history: History) -> None:
    before = numbers(pool)
    cut, wood_2 = history.matches[4], league_named(pool, "wood-2").id
    with transaction(pool) as connection:
        rows = connection.execute(
            """
            SELECT DISTINCT ON (version_id) version_id, mu_after, sigma_after FROM ledger
            WHERE match_id < %s ORDER BY version_id, sequence DESC
            """,
            [cut],
        ).fetchall()
        names = {id_: tally.name for id_, tally in standings.tallies(connection, wood_2).items()}
    wanted = {names[version_id]: Rating(mu, sigma) for version_id, mu, sigma in rows}
    assert {line.version: Rating(line.mu, line.sigma) for line in board(pool, f"match < {cut}")} == wanted
    assert numbers(pool) == before


def test_on_a_part_all_matches_count_but_only_versions_on_the_board_are_listed(pool: Pool, history: History) -> None:
    """One was replaced, and what it has played still tells something of those that it met."""
    before = {line.version: line for line in board(pool, "league = wood-2")}
    on_the_board(pool, "kraken", "the next version")
    lines = board(pool, "league = wood-2")
    assert [line.rank for line in lines] == [1, 2]
    for line in lines:
        assert (line.score, line.record.matches, line.live_score) == (
            before[line.version].score,
            before[line.version].record.matches,
            before[line.version].live_score,
        )
    assert {line.version for line in lines} == {"orca@v1", "eel@v1"}


def test_filters_pick_the_matches_that_they_name(pool: Pool, history: History) -> None:
    first, second, *others = history.matches
    change(pool, "UPDATE matches SET seed = 7, finished_at = '2020-01-01 12:00Z' WHERE id = %s", first)
    calm = '{"depth": "6", "mode": "calm"}'
    change(pool, "UPDATE seats SET metrics = %s::jsonb WHERE match_id = %s AND seat = 0", calm, first)
    change(pool, """UPDATE seats SET metrics = '{"depth": "4.5e0"}' WHERE match_id = %s AND seat = 1""", second)
    change(pool, """UPDATE seats SET metrics = '{"depth": "deep"}' WHERE match_id = %s AND seat = 0""", others[0])
    everything = sorted(history.matches)
    assert picked(pool, "seed = 7") == [first]
    assert picked(pool, "seed != 7") == everything[1:]
    assert picked(pool, "time < 2020-01-02") == picked(pool, "time <= 2020-01-01T12:00") == [first]
    assert picked(pool, "time > 2020-01-01T12:00") == everything[1:]
    assert picked(pool, "metric.depth > 5") == [first]
    assert picked(pool, "metric.depth > 4") == [first, second]
    assert picked(pool, "metric.depth = 4.5") == [second]
    assert picked(pool, "metric.depth = deep") == [others[0]]
    assert picked(pool, "metric.mode = calm and metric.depth >= 6") == [first]
    assert picked(pool, "not metric.depth > 4") == everything[2:]
    assert picked(pool, "metric.depth != 6") == everything[1:]
    assert picked(pool, "metric.nothing > 0") == []
    assert picked(pool, f"match <= {second} and not seed = 7") == [second]
    assert picked(pool, f"seed = 7 or match = {second}") == [first, second]
    assert picked(pool, "game = ocean-of-code and league = wood-2") == everything
    assert picked(pool, "game = ice-and-fire or league = wood-1") == []


def test_odd_metrics_disturb_no_filter(pool: Pool, history: History) -> None:
    for told in ("1e99", "-" * 40, "9" * 31, "nan", "0x10", "1e", "", "'"):
        change(pool, "UPDATE seats SET metrics = jsonb_build_object('depth', %s::text)", told)
        assert picked(pool, "metric.depth < 0 and metric.depth > 0") == []


def test_a_league_is_picked_by_its_name_or_title_in_any_case(pool: Pool, history: History) -> None:
    change(pool, "UPDATE leagues SET title = 'Deep Water' WHERE name = 'wood-2' AND game = 'ocean-of-code'")
    everything = sorted(history.matches)
    for name in ("wood-2", "WOOD-2", "'Wood 2'", "'deep water'", '"Deep  Water"'):
        assert picked(pool, f"league = {name}") == everything
        assert picked(pool, f"league != {name}") == picked(pool, f"not league = {name}") == []
    assert picked(pool, "league = 'Wood 1'") == []
    assert picked(pool, "league != 'Wood 1'") == everything


def test_a_filter_that_names_an_unknown_league_or_game_is_refused_with_those_that_there_are(pool: Pool) -> None:
    change(pool, "UPDATE leagues SET title = 'Deep Water' WHERE name = 'wood-2' AND game = 'ocean-of-code'")
    known = r"\(bronze, gold, legend, silver, wood-1, wood-2, wood-3\)"
    with transaction(pool) as connection:
        for accepted in ("league = Gold", "league != 'wood 3'", "seed = 7 or league = 'DEEP WATER'"):
            check_names(connection, parse(accepted))
        for place, refused in ((10, "league = tin"), (16, "not (league != tin)"), (10, "league = ''")):
            with pytest.raises(FilterFault, match=rf"at character {place}: it says '.*' where a league {known} should"):
                check_names(connection, parse(refused))
        check_names(connection, parse("game = Ocean-of-Code"))
        with pytest.raises(FilterFault, match=r"character 8: .*'chess' where a game \(ocean-of-code, ice-and-fire\)"):
            check_names(connection, parse("game = chess"))


def test_a_filter_that_names_an_unknown_bot_or_version_is_refused_with_the_nearest_known(pool: Pool) -> None:
    for number, name in enumerate(["minnow", "kraken", "orca", "krait"]):
        on_the_board(pool, name, str(number))
    on_the_board(pool, "kraken", "next")
    with transaction(pool) as connection:
        for accepted in ("opponent = kraken", "opponent != Kraken@v2 or seed = 7", "league = gold and seed > 5"):
            check_names(connection, parse(accepted))
        with pytest.raises(FilterFault, match=r"at character 16: it says 'krakn' where a bot \(kraken, krait, "):
            check_names(connection, parse("not opponent = krakn"))
        with pytest.raises(FilterFault, match=r"at character 25: it says 'minow' where a bot \(minnow, "):
            check_names(connection, parse("seed = 7 or (opponent = 'minow' and seed < 9)"))
        with pytest.raises(FilterFault, match=r"'kraken@v3' where a version of kraken \(v2, v1\)"):
            check_names(connection, parse("opponent = kraken@v3"))


def test_a_filter_by_opponent_picks_a_bot_or_one_of_its_versions(pool: Pool) -> None:
    old, orca = on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b")
    eel = on_the_board(pool, "eel", "c")
    of_old, without = a_pair(pool, old, orca), a_pair(pool, orca, eel)
    of_new = a_pair(pool, eel, on_the_board(pool, "kraken", "d"))
    for match_id in of_old + without + of_new:
        play(pool, match_id)
    assert picked(pool, "opponent = kraken") == of_old + of_new
    assert picked(pool, "opponent = KRAKEN@v1") == of_old
    assert picked(pool, "opponent != kraken") == without
    assert picked(pool, "opponent = kraken and opponent = eel") == of_new
    assert picked(pool, "opponent = nessie or opponent = kraken@v3") == []


def test_an_explanation_lists_the_matches_that_moved_a_version_most(pool: Pool, history: History) -> None:
    with transaction(pool) as connection:
        version, stay = stay_to_explain(connection, read_name("orca"), None, None)
        story = explanation_of(connection, version.id, stay.league_id)
        rows = connection.execute(
            "SELECT match_id, mu_after - mu_before FROM ledger WHERE version_id = %s AND sigma_before <= %s ORDER BY 2",
            [version.id, explanation.UNCERTAIN * stay.sigma],
        ).fetchall()
        failed = connection.execute(
            """
            SELECT array_agg(match_id ORDER BY match_id) FILTER (WHERE verdict = 'timeout'),
                   array_agg(match_id ORDER BY match_id) FILTER (WHERE verdict = 'crashed')
            FROM seats WHERE version_id = %s
            """,
            [version.id],
        ).fetchone()
    assert [(meeting.match_id, meeting.change) for meeting in story.lowered] == [row for row in rows if row[1] < 0][:3]
    assert [(one.match_id, one.change) for one in story.raised] == [row for row in rows[::-1] if row[1] > 0][:3]
    assert failed == ([one.match_id for one in story.timeouts] or None, [one.match_id for one in story.faults] or None)


def test_matches_while_a_rating_was_very_uncertain_are_not_among_those_that_moved_it_most() -> None:
    def meeting(number: int, change: float, sigma: float) -> ExplainedMatch:
        result = "win" if change > 0 else "loss"
        return ExplainedMatch(MatchId(number), "orca@v1", result, "ok", change, 0.5, sigma=sigma)

    early = [meeting(number, 5.0 * (-1) ** number, 8.0 - number / 2) for number in range(10)]
    late = [meeting(10, 0.3, 1.3), meeting(11, -0.2, 1.2), meeting(12, 0.4, 1.1)]
    explained = explain(early + late, 1.0)
    assert [one.match_id for one in explained.raised] == [12, 10]
    assert [one.match_id for one in explained.lowered] == [11]
    assert [one.match_id for one in explain(early, 3.5).raised] == [8, 6], "of few matches the later ones count"


@pytest.mark.parametrize(("won", "is_named"), [(8, False), (11, False), (12, True)])
def test_an_opponent_is_named_where_luck_hardly_explains_the_points(won: int, is_named: bool) -> None:
    results = ["win"] * won + ["loss"] * (16 - won)
    met = [
        ExplainedMatch(MatchId(number), "orca@v1", result, "ok", 0.0, 0.5, sigma=1.0)
        for number, result in enumerate(results)
    ]
    assert [one.name for one in explain(met, 1.0).better] == ["orca@v1"] * is_named


def test_a_story_names_opponents_against_whom_a_version_does_other_than_expected(pool: Pool) -> None:
    """A version that beats everybody but one: to lose to that one again and again is worse than expected."""
    hero, angst = on_the_board(pool, "hero", "a"), on_the_board(pool, "angst", "b")
    weak = [on_the_board(pool, f"weak-{number}", str(number)) for number in range(3)]
    for _ in range(3):
        for other in weak:
            for match_id, scores in zip(a_pair(pool, hero, other), ((1, 0), (0, 1)), strict=True):
                play(pool, match_id, scores)
            for match_id, scores in zip(a_pair(pool, angst, other), ((0, 1), (1, 0)), strict=True):
                play(pool, match_id, scores)
        for match_id, scores in zip(a_pair(pool, hero, angst), ((0, 1), (1, 0)), strict=True):
            play(pool, match_id, scores)
    with transaction(pool) as connection:
        of_hero = explanation_of(connection, hero, league_named(pool, "wood-2").id)
        of_angst = explanation_of(connection, angst, league_named(pool, "wood-2").id)
    assert [opponent.name for opponent in of_hero.worse] == ["angst@v1"]
    (worst,) = of_hero.worse
    assert (worst.matches, worst.points) == (6, 0)
    assert worst.expected > 3
    assert of_angst.better[0].name == "hero@v1"


def test_an_earlier_version_can_be_explained_and_no_bot_that_is_on_no_board(pool: Pool, history: History) -> None:
    new = on_the_board(pool, "kraken", "new source")
    submitted(pool, "crab")
    with transaction(pool) as connection:
        assert stay_to_explain(connection, read_name("kraken"), None, None)[0].id == new
        version, stay = stay_to_explain(connection, read_name("kraken@v1"), None, "wood-2")
        assert version.id == history.versions["kraken"]
        assert stay.record.matches == len([*meetings_of(connection, version.id, stay.league_id)]) > 0
        with pytest.raises(Refused, match="kraken@v1 was never in gold"):
            stay_to_explain(connection, read_name("kraken@v1"), None, "gold")
        with pytest.raises(UnknownName, match="v9"):
            stay_to_explain(connection, read_name("kraken@v9"), None, None)
        with pytest.raises(Refused, match="no version on a board"):
            stay_to_explain(connection, read_name("crab"), None, None)


def test_matches_are_read_some_at_a_time_and_none_is_left_out(
    pool: Pool, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    league_id, orca = league_named(pool, "wood-2").id, history.versions["orca"]
    with transaction(pool) as connection:
        whole = [*meetings_of(connection, orca, league_id)]
        summed_up = versus(connection, "orca", [orca])
        for lines in (1, 2, 5):
            monkeypatch.setattr(ledger, "LINES_AT_ONCE", lines)
            assert [*meetings_of(connection, orca, league_id)] == whole
            assert [*meetings_of(connection, orca, league_id, 3)] == whole[-3:]
            assert [*meetings_of(connection, orca, league_id, 99)] == whole
            assert versus(connection, "orca", [orca]) == summed_up
    assert [one.match_id for one in whole] == sorted(one.match_id for one in whole)
    assert sum(row.matches for row in summed_up) == len(whole) > 5


SENTENCE = (
    "kraken@v2 takes 100 % of the points as player 0 and 0 % as player 1: more than chance. If the game favours "
    "no seat, look for a bug as player 1"
)


def wins_as_player_0(pool: Pool) -> ByName:
    """Let two versions of kraken play, which wins as player 0 alone, and two opponents."""
    found = {"kraken@v1": on_the_board(pool, "kraken", "a"), "wahoo@v1": on_the_board(pool, "wahoo", "w")}
    found["eel@v1"] = on_the_board(pool, "eel", "e")
    for match_id in a_pair(pool, found["kraken@v1"], found["wahoo@v1"]):
        play(pool, match_id, (0, 0))
    found["kraken@v2"] = on_the_board(pool, "kraken", "b")
    for _ in range(12):
        for match_id in a_pair(pool, found["kraken@v2"], found["wahoo@v1"]):
            play(pool, match_id, (1, 0))
    for match_id in a_pair(pool, found["kraken@v2"], found["eel@v1"]):
        play(pool, match_id, (1, 0))
    return found


made = once(wins_as_player_0)


@pytest.fixture
def versions(made: Made[ByName], database_url: str) -> ByName:
    return made.found


def test_bot_versus_shows_each_opponent_by_seat_and_expected(desk: Desk, pool: Pool, versions: ByName) -> None:
    wahoo, eel = json.loads(desk.ok("bot", "versus", "kraken", "--json"))
    assert (wahoo["opponent"], wahoo["matches"], wahoo["pairs"], wahoo["points"]) == ("wahoo", 26, 13, 13)
    assert [(one["won"], one["drawn"], one["lost"]) for one in wahoo["by_seat"]] == [(12, 1, 0), (0, 1, 12)]
    assert (eel["opponent"], eel["points"], eel["latest_match"]) == ("eel", 1, 28)
    met = [*within(pool, meetings_of, versions["kraken@v2"], league_named(pool, "wood-2").id)]
    assert eel["expected"] == pytest.approx(sum(one.expected for one in met if one.opponent == "eel@v1"))
    shown = desk.ok("bot", "versus", "kraken")
    (line,) = [line for line in shown.splitlines() if line.startswith("wahoo ")]
    assert line.split() == ["wahoo", "12-1-0", "0-1-12", "13", "13", f"{wahoo['expected']:.1f}", "26"]
    assert "`ladder match list --bot kraken --against wahoo` lists matches, `ladder match view 26` shows one" in shown


def test_with_an_opponent_it_shows_each_version_against_each(desk: Desk, versions: ByName) -> None:
    rows = json.loads(desk.ok("bot", "versus", "kraken", "wahoo", "--json"))
    assert [(row["version"], row["opponent"], row["matches"]) for row in rows] == [
        ("kraken@v2", "wahoo@v1", 24),
        ("kraken@v1", "wahoo@v1", 2),
    ]
    assert "kraken@v1" in desk.ok("bot", "versus", "kraken", "wahoo")
    (one,) = json.loads(desk.ok("bot", "versus", "kraken@v1", "--json"))
    assert (one["opponent"], one["matches"], one["version"]) == ("wahoo", 2, "")
    assert "eel has no rated match against kraken@v9" not in desk.ok("bot", "versus", "eel")
    assert "unknown bot 'nessie'" in desk.refused(2, "bot", "versus", "kraken", "nessie")
    assert "wahoo has no rated match against eel yet" in desk.run("bot", "versus", "wahoo", "eel").stderr


def test_bot_show_says_that_a_version_does_better_in_one_seat(desk: Desk, versions: ByName) -> None:
    shown = " ".join(desk.ok("bot", "show", "kraken").split())
    assert "kraken@v2 as player 0 13 won, 0 drawn, 0 lost; as player 1 0 won, 0 drawn, 13 lost" in shown
    assert SENTENCE in shown
    former = json.loads(desk.ok("bot", "show", "kraken@v1", "--json"))["seats"]
    assert (former["version"], former["sentence"]) == ("kraken@v1", "")
    assert [one["drawn"] for one in former["by_seat"]] == [1, 1]


def played_out(pool: Pool, request: GauntletRequest, scores: Callable[[MatchClaim], tuple[int, int]]) -> str:
    """Play a gauntlet to its end and return its number. `scores`: of a match, by seat."""
    with transaction(pool) as connection:
        gauntlet = begin(connection, spec_of(connection, request))
    while True:
        with transaction(pool) as connection:
            made = advance(connection, fleet_of(connection))
        if not made:
            return str(gauntlet.id)
        for match_id in made:
            claim = claimed(pool, match_id)
            assert within(pool, record, claim, result_of(claim, scores(claim)))


def test_a_gauntlet_shows_where_points_by_seat_differ(desk: Desk, pool: Pool, versions: ByName) -> None:
    number = played_out(pool, GauntletRequest("kraken@v2", "kim", ("wahoo",), pairs=12), lambda _: (1, 0))
    found = json.loads(desk.ok("gauntlet", "show", number, "--json"))
    assert found["seats_sentence"] == SENTENCE
    (row,) = found["against"]
    assert [(one["seat"], one["won"], one["lost"]) for one in row["by_seat"]] == [(0, 12, 0), (1, 0, 12)]
    shown = desk.ok("gauntlet", "show", number, COLUMNS="140")
    assert "100 %" in shown
    assert SENTENCE in " ".join(shown.split())


def test_worse_only_lists_what_the_baseline_did_not_lose(desk: Desk, pool: Pool, versions: ByName) -> None:
    """On the seeds 5 and 6 the candidate wins as player 0 alone, and its baseline wins all on seed 6."""
    new, old = versions["kraken@v2"], versions["kraken@v1"]

    def scores(claim: MatchClaim) -> tuple[int, int]:
        seat = claim.version_ids.index(VersionId(old)) if old in claim.version_ids else 0
        wins = (1, 0) if seat == 0 or claim.seed == 5 else (0, 1)
        return wins if new in claim.version_ids or claim.seed == 6 else (1, 0)

    request = GauntletRequest("kraken@v2", "kim", ("wahoo",), baseline="kraken@v1", pairs=2, seeds=(5, 6))
    number = played_out(pool, request, scores)
    (worse,) = json.loads(desk.ok("gauntlet", "show", number, "--json"))["worse"]
    assert (worse["opponent"], worse["seed"], worse["seat"]) == ("wahoo@v1", 6, 1)
    line, total = desk.ok("gauntlet", "show", number, "--worse-only", COLUMNS="200").splitlines()
    match = worse["match_id"]
    again = f"played again by `ladder match rematch {match}`"
    assert line == f"lost to wahoo@v1 on seed 6 as player 1: `ladder match view {match}`, {again}"
    assert total == "kraken@v2 lost 1 match that kraken@v1 did not lose"
    assert total in desk.ok("gauntlet", "show", number)
    seats = json.loads(desk.ok("match", "show", str(match), "--json"))["seats"]
    assert [(seat["version"], seat["result"]) for seat in seats] == [("wahoo@v1", "win"), ("kraken@v2", "loss")]


def test_worse_only_lists_pairs_lost_to_who_decides(desk: Desk, pool: Pool, versions: ByName) -> None:
    old = versions["kraken@v1"]
    request = GauntletRequest("kraken@v2", "kim", pairs=7)
    number = played_out(pool, request, lambda claim: (1, 0) if claim.version_ids[0] == old else (0, 1))
    *lines, total = desk.ok("gauntlet", "show", number, "--worse-only", COLUMNS="200").splitlines()
    assert len(lines) == 7
    assert all(line.startswith("lost against kraken@v1 on seed ") for line in lines)
    assert all("`ladder match view " in line and " and `ladder match rematch " in line for line in lines)
    assert total == "lost 7 of 7 pairs against kraken@v1"
