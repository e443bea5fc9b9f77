"""The pages of bots, of versions, of two against each other and of players, and what they show."""

import json

import pytest

from engine.errors import UnknownName, UsageFault
from ladder.database.connection import Pool, transaction
from ladder.names import NamedVersion
from ladder.views import timing
from ladder.views.bots import latest_opponents
from ladder.views.ratings import rating_history
from ladder.views.timing import read_timing
from ladder.web.pages.versions import latest_metrics
from ladder.web.pages.versus import head_to_head
from tests.ladder.arena import within
from tests.web.a_ladder import HOSTILE_NOTE, SmallLadder
from tests.web.serving import Served

GAME = "ocean-of-code"
KRAKEN = NamedVersion("kraken", None)


def test_a_short_history_has_a_point_for_every_match(small_ladder_pool: Pool) -> None:
    with transaction(small_ladder_pool) as connection:
        found = rating_history(connection, KRAKEN, GAME)
        one = rating_history(connection, NamedVersion("kraken", 2), GAME)
    assert (found.matches, len(found.points), found.is_thinned) == (24, 24, False)
    assert [point.sequence for point in found.points] == sorted(point.sequence for point in found.points)
    assert [point for point in found.points if point.version == "kraken@v2"] == one.points


def test_a_long_history_is_thinned_evenly(small_ladder_pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each version has its share, and its first and its last match are among them."""
    monkeypatch.setattr("ladder.views.ratings.MOST_POINTS", 8)
    with transaction(small_ladder_pool) as connection:
        found = rating_history(connection, KRAKEN, GAME)
        rows = connection.execute(
            "SELECT min(sequence), max(sequence) FROM ledger"
            " WHERE version_name(version_id) LIKE 'kraken@%%' GROUP BY version_id",
            {},
        ).fetchall()
    assert found.is_thinned
    assert len(found.points) == 8
    assert {end for row in rows for end in row} <= {point.sequence for point in found.points}


def test_opponents_are_counted_by_seat_and_by_version(small_ladder_pool: Pool) -> None:
    with transaction(small_ladder_pool) as connection:
        found = latest_opponents(connection, KRAKEN, GAME)
        wahoo = latest_opponents(connection, NamedVersion("wahoo", None), GAME)
    (row,) = found.rows
    assert (row.opponent, row.matches, found.numbers) == ("wahoo", 24, [1, 2])
    assert [record.matches for record in row.by_seat] == [12, 12]
    assert sum(record.points for record in row.by_number.values()) == row.total.points
    assert (row.total.won, row.total.lost) == (wahoo.rows[0].total.lost, wahoo.rows[0].total.won)


def test_times_are_those_of_all_turns_but_the_first(small_ladder_pool: Pool) -> None:
    found = within(small_ladder_pool, read_timing, KRAKEN, GAME)
    assert found.version == "kraken@v2"
    assert found.matches == 12
    assert sum(one.turns for one in found.bins) == found.turns > 100
    slowest = [turn.charged_us for turn in found.slowest]
    assert len(slowest) == timing.MOST_SLOWEST
    assert slowest == sorted(slowest, reverse=True)
    assert found.bins[-1].from_us <= slowest[0] < found.bins[-1].to_us


def test_turns_are_counted_by_their_numbers_through_all_latest_matches(site: Served, small_ladder_pool: Pool) -> None:
    found = within(small_ladder_pool, read_timing, KRAKEN, GAME)
    first = found.by_turn[0]
    assert (first.number, first.matches) == (1, 12)
    assert found.slowest_first is not None
    assert first.median_us <= first.most_us <= found.slowest_first.charged_us
    assert all(one.matches >= timing.LEAST_MATCHES for one in found.by_turn)
    assert "time charged by turn of kraken@v2" in site.get(f"/games/{GAME}/bots/kraken/v/2").text


def test_a_version_is_listed_with_its_note_its_source_and_what_differs_from_the_one_before(site: Served) -> None:
    bot = f"/games/{GAME}/bots/kraken"
    page = site.get(bot).text
    assert f'href="{bot}/v/2/source"' in page
    assert f'href="{bot}/v/2/source?against=v1"' in page
    assert "# kraken, deeper" in site.get(f"{bot}/v/2/source").text
    diff = site.get(f"{bot}/v/2/source?against=v1").text
    assert '<span class="bad">-# kraken</span>' in diff
    assert '<span class="good">+# kraken, deeper</span>' in diff
    assert site.get(f"{bot}/v/2/source?against=v9").status_code == 404
    assert site.get(f"{bot}/v/9/source").status_code == 404


def test_a_record_that_cannot_be_read_has_no_turns(small_ladder_pool: Pool, small_ladder: SmallLadder) -> None:
    with transaction(small_ladder_pool) as connection:
        last = small_ladder.matches[GAME][-1]
        connection.execute("UPDATE matches SET record = %s WHERE id = %s", [b"damaged", last])
        found = read_timing(connection, KRAKEN, GAME)
        connection.rollback()
    assert found.matches == 12
    assert found.turns > 100
    assert last not in {turn.match_id for turn in found.slowest}


def test_only_the_latest_matches_are_counted(small_ladder_pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where older versions have played: as many as are looked at, and the newest of them."""
    monkeypatch.setattr("ladder.views.bots.MOST_MATCHES", 4)
    monkeypatch.setattr("ladder.web.pages.versus.MOST_LOOKED_AT", 14)
    with transaction(small_ladder_pool) as connection:
        found = latest_opponents(connection, KRAKEN, GAME)
        both = head_to_head(connection, KRAKEN, NamedVersion("wahoo", None), GAME)
    assert (found.matches, found.numbers, found.is_cut) == (4, [2], True)
    monkeypatch.setattr("ladder.views.bots.MOST_OPPONENTS", 0)
    unlisted = within(small_ladder_pool, latest_opponents, KRAKEN, GAME)
    assert (unlisted.matches, unlisted.opponents, unlisted.rows) == (4, 1, [])
    assert (both.played, both.looked_at, both.may_be_more) == (14, 14, True)
    assert both.matches[0].match.id == max(one.match.id for one in both.matches)


def test_metrics_are_series_of_numbers(small_ladder_pool: Pool, small_ladder: SmallLadder) -> None:
    version = small_ladder.versions["kraken@v2"]
    with transaction(small_ladder_pool) as connection:
        values = ["1", "2.5", "nan", "1e999", "word", "-3", "1e300"]
        matches = sorted(small_ladder.matches[GAME])[-len(values) :]
        for match_id, value in zip(matches, values, strict=True):
            connection.execute(
                "UPDATE seats SET metrics = jsonb_build_object('<b>depth', %s::text)"
                " WHERE match_id = %s AND version_id = %s",
                [value, match_id, version],
            )
        found, more = latest_metrics(connection, version)
        connection.rollback()
    (series,) = found
    assert (series.name, series.values, more) == ("<b>depth", [1.0, 2.5, -3.0], 0)
    assert series.match_ids == [matches[0], matches[1], matches[5]]


def test_two_bots_are_compared_in_all_their_matches(small_ladder_pool: Pool) -> None:
    with transaction(small_ladder_pool) as connection:
        found = head_to_head(connection, KRAKEN, NamedVersion("wahoo", None), GAME)
        other = head_to_head(connection, NamedVersion("wahoo", 1), NamedVersion("kraken", 1), GAME)
        own = head_to_head(connection, NamedVersion("kraken", 1), NamedVersion("kraken", 2), GAME)
    assert (found.a, found.b, found.played, other.played, own.played) == ("kraken", "wahoo", 24, 12, 0)
    assert {len(pair.matches) for pair in found.pairs} == {2}
    assert sum(found.pairs_by_points) == 12
    again = within(small_ladder_pool, head_to_head, NamedVersion("kraken", 1), NamedVersion("wahoo", 1), GAME)
    assert [record.won for record in again.by_seat] == [record.lost for record in other.by_seat[::-1]]


def test_what_is_no_pair_is_refused(small_ladder_pool: Pool) -> None:
    with transaction(small_ladder_pool) as connection:
        with pytest.raises(UsageFault, match="are not two"):
            head_to_head(connection, KRAKEN, NamedVersion("kraken", 2), GAME)
        with pytest.raises(UnknownName):
            head_to_head(connection, KRAKEN, NamedVersion("kraken", 9), GAME)


def test_a_bot_shows_versions_rating_opponents_and_matches(site: Served) -> None:
    page = site.get("/games/ocean-of-code/bots/kraken")
    assert page.status_code == 200
    for words in ("Versions", "rating of kraken", "Opponents", "wahoo", "What moved the rating", "Latest matches"):
        assert words in page.text
    assert "All 24 rated matches; for a bot with more, the latest 5,000" in page.text


def test_versions_that_play_no_more_are_folded_unless_asked_for(site: Served) -> None:
    folded = site.get("/games/ocean-of-code/bots/kraken").text
    asked = site.get("/games/ocean-of-code/bots/kraken?retired=1").text
    assert '<details class="past">' in folded
    assert '<details class="past" open>' in asked
    assert "1 version that no longer plays" in folded


def test_a_note_of_a_stranger_stays_text(site: Served) -> None:
    for path in ("/games/ocean-of-code/bots/kraken", "/games/ocean-of-code/bots/kraken/v/2"):
        page = site.get(path).text
        assert "&lt;/script&gt;&lt;img src=x" in page
        assert "<img" not in page
        assert "\x1b" not in page
        assert "\u202e" not in page


def test_a_version_shows_its_seats_times_faults_and_metrics(site: Served, small_ladder: SmallLadder) -> None:
    page = site.get("/games/ocean-of-code/bots/kraken/v/2").text
    faulty = site.get("/games/ocean-of-code/bots/wahoo/v/1").text
    for words in ("Record by seat and opponent", "limit 50 ms", "Its 20 slowest turns", "Faults"):
        assert words in page
    assert page.count("#t=") == 21
    both = page + faulty
    assert "<script>alert" not in both
    assert any(
        f'<a href="/matches/{match_id}">{match_id}</a></th><td class="bad">crashed' in both
        for match_id in small_ladder.matches[GAME]
    )


def test_two_are_shown_against_each_other(site: Served) -> None:
    page = site.get("/games/ocean-of-code/versus?a=kraken@v1&b=wahoo").text
    for words in ("By seat", "as player 0", "Pairs by seed", "Matches", "pairs by their points", "side by side"):
        assert words in page
    assert "They have not met" in site.get("/games/ocean-of-code/versus?a=kraken@v1&b=kraken@v2").text


def test_a_bot_shows_what_it_dies_of_and_where_to_look(site: Served) -> None:
    page = site.get("/games/ocean-of-code/bots/wahoo/losses").text
    for words in ("What wahoo dies of", "Behind for good since its turn", "Against whom", "kraken@v"):
        assert words in page
    assert '<a href="/matches/' in page
    assert "#t=" in page
    assert 'href="/games/ocean-of-code/bots/wahoo/losses"' in site.get("/games/ocean-of-code/bots/wahoo").text
    assert site.get("/games/ocean-of-code/bots/nobody/losses").status_code == 404


def test_without_two_names_the_page_asks_for_them(site: Served) -> None:
    assert 'name="b"' in site.get("/games/ocean-of-code/versus").text
    assert 'value="kraken"' in site.get("/games/ocean-of-code/versus?a=kraken").text


def test_what_does_not_exist_is_said(site: Served) -> None:
    for path, status in (
        ("/games/ocean-of-code/bots/nobody", 404),
        ("/games/nothing/bots/kraken", 404),
        ("/games/ocean-of-code/bots/%00", 404),
        ("/games/%00/bots/kraken", 404),
        ("/games/ocean-of-code/bots/settler", 404),
        ("/games/ocean-of-code/bots/kraken/v/0", 404),
        ("/games/ocean-of-code/bots/kraken/v/-1", 404),
        ("/games/ocean-of-code/bots/kraken/v/" + 30 * "9", 404),
        ("/games/ocean-of-code/bots/kraken/v/two", 422),
        ("/games/ocean-of-code/bots/kraken?retired=perhaps", 422),
        ("/games/nothing/versus", 404),
        ("/games/ocean-of-code/versus?a=kraken&b=kraken@v2", 422),
        ("/games/ocean-of-code/versus?a=kraken&b=kraken", 422),
        ("/games/ocean-of-code/versus?a=kraken&b=%00", 404),
        ("/games/ocean-of-code/versus?a=kraken@&b=wahoo", 404),
        ("/games/ocean-of-code/versus?a=kraken&b=wahoo@v" + 30 * "9", 404),
        ("/games/ocean-of-code/versus?a=kraken&b=" + 10_000 * "x", 422),
    ):
        answer = site.get(path)
        assert answer.status_code == status, path
        assert "Traceback" not in answer.text, path


def test_a_bot_without_a_match_has_a_page(site: Served) -> None:
    page = site.get("/games/ocean-of-code/bots/boss-gold")
    version = site.get("/games/ocean-of-code/bots/boss-gold/v/1")
    assert (page.status_code, version.status_code) == (200, 200)
    assert "No match has rated it yet" in page.text
    assert "<figure" not in page.text + version.text


def test_a_players_page_shows_all_versions_and_the_latest_matches(site: Served, small_ladder: SmallLadder) -> None:
    text = site.get("/players/KIM").text
    for name in ("kraken@v1", "kraken@v2", "wahoo@v1"):
        bot, _, number = name.partition("@v")
        assert f'<a href="/games/ocean-of-code/bots/{bot}/v/{number}"><bdi>{name}</bdi></a>' in text
    assert f'<a href="/matches/{small_ladder.matches["ocean-of-code"][-1]}">' in text
    assert "<bdi>settler</bdi>" in text
    assert HOSTILE_NOTE not in text


def test_boards_and_bots_lead_to_it(site: Served) -> None:
    for path in ("/games/ocean-of-code/leagues/wood-2", "/games/ocean-of-code/bots/kraken"):
        assert '<a href="/players/kim"><bdi>kim</bdi></a>' in site.get(path).text


def test_as_json_it_has_ranks_and_records_of_each_league(site: Served) -> None:
    found = json.loads(site.get("/api/v1/players/kim").text)
    assert found["player"] == "kim"
    kraken = next(bot for bot in found["bots"] if bot["name"] == "kraken")
    board = json.loads(site.get("/api/v1/games/ocean-of-code/leagues/wood-2/board").text)["items"]
    (row,) = [row for row in board if row["version"] == "kraken@v2"]
    newer, older = kraken["versions"]
    assert (newer["version"]["number"], newer["rank"]) == (2, row["rank"])
    assert newer["stays"][0]["score"] == row["score"]
    assert (older["rank"], older["stays"][0]["on_board"], older["stays"][0]["matches"]) == (None, False, 12)


def test_a_player_without_a_bot_is_not_known(site: Served) -> None:
    for path in ("/players/nobody", "/api/v1/players/nobody", "/players/%00"):
        assert site.get(path).status_code == 404
    assert "there is no player" in site.get("/api/v1/players/nobody").json()["detail"]
