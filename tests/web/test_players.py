"""The page of a player, and the same as JSON."""

import json

from tests.web.a_ladder import HOSTILE_NOTE, SmallLadder
from tests.web.serving import Served


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
