"""`ladder league`: the leagues' settings as a file that goes out, is changed and comes back."""

import sys
from pathlib import Path
from shlex import quote

import pytest

from ladder.database.connection import Pool
from tests.acceptance.conftest import Desk, Shell
from tests.catalogue import GAMES
from tests.ladder.arena import on_the_board, play_all, submitted
from tests.ladder.rated import a_history, change, numbers
from tests.throwaway import written

pytestmark = pytest.mark.usefixtures("database_url")

CHECKOUT = Path(__file__).parents[2]
GAME = "ocean-of-code"


def listed(desk: Shell, league: str) -> dict[str, object]:
    rows = desk.json("league", "list", "--game", GAME)
    return next(row for row in rows if row["league"] == league)


def test_leagues_are_listed_with_their_conditions(desk: Shell) -> None:
    rows = desk.json("league", "list")
    assert [(row["game"], row["league"]) for row in rows] == [
        (game.name, league.name) for game in GAMES.all for league in game.leagues
    ]
    assert {(row["memory_mb"], row["clock"], row["time_policy"]) for row in rows} == {(768, "fair", "strict")}
    table = desk.ok("league", "list", "--game", GAME)
    assert "legend" in table
    assert "wood-3" not in table


def test_what_is_shown_is_a_file_that_changes_nothing(desk: Shell, tmp_path: Path) -> None:
    file = written(tmp_path / "leagues.toml", desk.ok("league", "show", GAME))
    assert "nothing to do" in desk.ok("league", "apply", file)
    assert desk.ok("league", "show", GAME) == file.read_text()


def test_a_changed_file_is_shown_as_a_difference_first_and_then_brought_in(desk: Shell, tmp_path: Path) -> None:
    file = tmp_path / "leagues.toml"
    before, gold = desk.ok("league", "show", GAME).split("[leagues.gold]")
    file.write_text(before + "[leagues.gold]" + gold.replace('clock = "fair"', 'clock = "wall"', 1))
    tried = desk.ok("league", "apply", file, "--dry-run")
    assert 'gold: clock "fair" -> "wall"\n' in tried
    assert "nothing is changed" in tried
    assert listed(desk, "gold")["clock"] == "fair"
    applied = desk.ok("league", "apply", file)
    assert 'gold: clock "fair" -> "wall"\n' in applied
    assert "nothing is changed" not in applied
    assert (listed(desk, "gold")["clock"], listed(desk, "legend")["clock"]) == ("wall", "fair")
    assert "nothing to do" in desk.ok("league", "apply", file)


def test_changes_come_as_json(desk: Shell, tmp_path: Path) -> None:
    file = written(tmp_path / "leagues.toml", f'game = "{GAME}"\n[leagues.bronze]\nmemory_mb = 512\n')
    change = {"game": GAME, "league": "bronze", "setting": "memory_mb", "old": 768, "new": 512}
    change["matches_rated_again"] = 0
    assert desk.json("league", "apply", file, "--dry-run") == [change | {"applied": False}]
    assert desk.json("league", "apply", file) == [change | {"applied": True}]
    assert desk.json("league", "apply", file) == []


def test_what_is_set_stays_over_an_upgrade_also_where_the_game_says_something_else(desk: Shell, tmp_path: Path) -> None:
    """What it says of titles, rules and bosses is only where its leagues begin."""
    bronze = 'battles = 5\nearly_line_loses = true\ntitle = "Erz"\nrules_level = 2'
    file = written(
        tmp_path / "leagues.toml", f'game = "{GAME}"\n[leagues.bronze]\n{bronze}\n[leagues.legend]\nboss = ""\n'
    )
    desk.ok("league", "apply", file)
    desk.ok("db", "migrate")
    assert "nothing to do" in desk.ok("league", "apply", file)
    assert (listed(desk, "bronze")["title"], listed(desk, "legend")["boss"]) == ("Erz", None)
    assert "none" in desk.ok("league", "list", "--game", GAME)


def test_a_missing_file_and_an_unknown_game_are_one_sentence(desk: Shell, tmp_path: Path) -> None:
    assert "No such file" in desk.refused(2, "league", "apply", tmp_path / "missing.toml")
    assert "Is a directory" in desk.refused(2, "league", "apply", tmp_path)
    assert "unknown game 'chess'" in desk.refused(2, "league", "show", "chess")
    assert "unknown game 'chess'" in desk.refused(2, "league", "list", "--game", "chess")


def test_a_file_that_makes_no_sense_is_one_sentence_and_changes_nothing(desk: Shell, tmp_path: Path) -> None:
    before = desk.ok("league", "show", GAME)
    file = tmp_path / "leagues.toml"
    for content, sentence in (
        (b'game = "chess"', "unknown game 'chess'"),
        (b"\xff\xfe", "not UTF-8"),
        (
            b'game = "ocean-of-code"\n[leagues.bronze]\nbattles = 5\n[leagues.gold]\nbattles = 0\n',
            "battles of gold is 0",
        ),
        (b'game = "ocean-of-code"\n[leagues.gold]\nspeed = 3', "unknown setting of gold 'speed'"),
        (b'game = "ocean-of-code"\n[leagues.gold]\nboss = "nessie"', "unknown bot 'nessie'"),
        (b'game = "ocean-of-code"\n[leagues.gold]\nboss = "boss-silver"', "a bot can guard one league"),
        (
            b'game = "ocean-of-code"\n[leagues.wood-2]\ntitle = "Wood 1"',
            "which is what people call wood-1: every league",
        ),
    ):
        file.write_bytes(b"# the good part is not taken either\n" + content)
        told = desk.refused(2, "league", "apply", file)
        assert sentence in told
        assert desk.refused(2, "league", "apply", file, "--dry-run") == told, "a dry run promises nothing else"
        assert desk.ok("league", "show", GAME) == before


def test_a_moment_in_quotes_is_taken(desk: Shell, tmp_path: Path) -> None:
    """A file that was printed says `opens_at = ""`, which invites quotes."""
    file = written(
        tmp_path / "leagues.toml",
        desk.ok("league", "show", GAME).replace('opens_at = ""', 'opens_at = "2030-01-01T00:00:00Z"'),
    )
    assert "opens_at of wood-2 must be empty" in desk.refused(2, "league", "apply", file)
    file.write_text(f'game = "{GAME}"\n[leagues.gold]\nopens_at = "2030-01-02T00:00:00+23:00"\n')
    assert 'gold: opens_at "" -> 2030-01-01T01:00:00+00:00\n' in desk.ok("league", "apply", file)
    assert "nothing to do" in desk.ok("league", "apply", file)
    assert "opens_at = 2030-01-01T" in desk.ok("league", "show", GAME)


def test_a_boss_that_has_no_accepted_version_is_refused(desk: Shell, tmp_path: Path, pool: Pool) -> None:
    submitted(pool, "eel")
    file = written(tmp_path / "leagues.toml", f'game = "{GAME}"\n[leagues.gold]\nboss = "eel"\nbattles = 5\n')
    assert "eel has no accepted version, so it cannot guard a league" in desk.refused(3, "league", "apply", file)
    assert "eel has no accepted version" in desk.refused(3, "league", "apply", file, "--dry-run")
    assert (listed(desk, "gold")["boss"], listed(desk, "gold")["battles"]) == ("boss-gold", 100)


def test_a_dry_run_prints_what_applying_would_do_and_changes_nothing(desk: Shell, tmp_path: Path, pool: Pool) -> None:
    a_history(pool)
    before, rated_before = desk.ok("league", "show", GAME), numbers(pool)
    file = written(
        tmp_path / "leagues.toml",
        f'game = "{GAME}"\n[leagues.wood-2]\nmu = 100\nbattles = 5\n[leagues.wood-1]\nscore_formula = "mu"\n'
        '[leagues.gold]\nboss = "kraken"\ntau = 1\n',
    )
    changes = [
        "wood-2: battles 100 -> 5",
        "wood-2: mu 25.0 -> 100",
        'wood-1: score_formula "mu - 3 sigma" -> "mu"',
        'gold: boss "boss-gold" -> "kraken"',
        f"gold: tau {25 / 300} -> 1",
    ]
    moved = "kraken@v1 of kim leaves Wood 2 and stands in Gold from then on, with a fresh rating"
    tried = desk.ok("league", "apply", file, "--dry-run").splitlines()
    assert sorted(tried[:5]) == sorted(changes)
    assert tried[5:] == [
        moved,
        "wood-2: all its finished matches (12) would be rated again with that, and its ledger rewritten",
        "wood-1: its board would be in another order, by the new score; no rating changes",
        "gold: there is no match yet that has to be rated again",
        f"nothing is changed: that is what `ladder league apply {file}` would change in {GAME}",
    ]
    assert (desk.ok("league", "show", GAME), numbers(pool)) == (before, rated_before)
    applied = desk.ok("league", "apply", file).splitlines()
    assert applied[:5] == tried[:5]
    assert applied[5:] == [
        moved,
        "wood-2: all its finished matches (12) were rated again with that, and its ledger rewritten",
        "wood-1: its board is in another order, by the new score; no rating changes",
        "gold: there is no match yet that has to be rated again",
        f"{GAME} is changed; running matches end under the conditions they began with",
    ]
    assert numbers(pool) != rated_before
    assert desk.ok("rating", "verify")


def test_another_boss_names_the_bots_that_it_moves(desk: Shell, tmp_path: Path, pool: Pool, bosses: None) -> None:
    on_the_board(pool, "gunner", player="ann")
    there, back = tmp_path / "there.toml", tmp_path / "back.toml"
    there.write_text(f'game = "{GAME}"\n[leagues.gold]\nboss = "gunner"\n')
    back.write_text(f'game = "{GAME}"\n[leagues.gold]\nboss = "boss-gold"\n')
    meant = [
        'gold: boss "boss-gold" -> "gunner"',
        "gunner@v1 of ann leaves Wood 2 and stands in Gold from then on, with a fresh rating",
        "boss-gold stays on the board of Gold as an ordinary bot, and goes up if it ranks above the new boss",
    ]
    arrives = {"version": "gunner@v1", "player": "ann", "from_league": "Wood 2", "was_there": False}
    row = desk.json("league", "apply", there, "--dry-run")[0]
    assert (row["setting"], row["arrives"], row["stays"]) == ("boss", arrives, "boss-gold")
    assert desk.ok("league", "apply", there, "--dry-run").splitlines()[:-1] == meant
    assert desk.ok("league", "apply", there).splitlines()[:-1] == meant
    assert desk.ok("league", "apply", back).splitlines()[:-1] == [
        'gold: boss "gunner" -> "boss-gold"',
        "gunner stays on the board of Gold as an ordinary bot, and goes up if it ranks above the new boss",
    ]
    rows = desk.json("board", "--game", GAME, "--league", "gold")
    assert {row["version"]: row["is_boss"] for row in rows} == {"gunner@v1": False, "boss-gold@v1": True}


def test_the_boss_before_is_said_to_go_up_and_does(desk: Shell, tmp_path: Path, pool: Pool, bosses: None) -> None:
    on_the_board(pool, "gunner", player="ann")
    on_the_board(pool, "diver", player="ben")
    file = written(
        tmp_path / "bosses.toml",
        f'game = "{GAME}"\n[leagues.gold]\nboss = "gunner"\npromotion = "boss_wins"\nboss_wins = 3\n'
        '[leagues.legend]\nboss = "diver"\n',
    )
    told = desk.ok("league", "apply", file, "--dry-run").splitlines()
    by_wins = "and goes up once it has won 3 of its matches against the boss"
    assert f"boss-gold stays on the board of Gold as an ordinary bot, {by_wins}" in told
    assert "boss-legend stays on the board of Legend as an ordinary bot" in told, "nobody goes up from there"
    file.write_text(f'game = "{GAME}"\n[leagues.gold]\nboss = "gunner"\n')
    assert "goes up if it ranks above the new boss" in desk.ok("league", "apply", file)
    change(pool, "UPDATE leagues SET battles = 1")
    play_all(pool, stronger=desk.json("bot", "show", "boss-gold", "--game", GAME)["versions"][0]["id"])
    rows = desk.json("board", "--game", GAME, "--league", "legend")
    assert "boss-gold@v1" in {row["version"] for row in rows}


def test_a_boss_that_comes_back_is_said_to_play_on(desk: Shell, tmp_path: Path, pool: Pool, bosses: None) -> None:
    file = tmp_path / "leagues.toml"
    swap = f'game = "{GAME}"\n[leagues.gold]\nboss = "boss-silver"\n[leagues.silver]\nboss = "boss-gold"\n'
    file.write_text(swap)
    told = desk.ok("league", "apply", file).splitlines()
    assert "boss-gold@v1 of house leaves Gold and stands in Silver from then on, with a fresh rating" in told
    assert not any("stays" in line for line in told)
    file.write_text(swap.replace("-silver", "-x").replace("-gold", "-silver").replace("-x", "-gold"))
    told = desk.ok("league", "apply", file).splitlines()
    assert (
        "boss-gold@v1 of house leaves Silver and stands in Gold from then on, with the rating that it had there" in told
    )


def test_a_file_says_which_rating_systems_use_the_share_of_draws(desk: Shell) -> None:
    told = next(line for line in desk.ok("league", "show", GAME).splitlines() if line.startswith("# draw_probability"))
    assert "trueskill" in told
    assert "not openskill" in told


def test_a_rating_system_not_installed_is_refused(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openskill", None)
    file = written(tmp_path / "leagues.toml", f'game = "{GAME}"\n[leagues.wood-2]\nrating_system = "openskill"\n')
    said = desk.refused(5, "league", "apply", file)
    assert said == (
        "ladder: leagues that rate by openskill need its package, which is not installed: "
        f"sh {quote(str(CHECKOUT / 'deploy' / 'setup.sh'))} openskill\n"
    )
    assert 'rating_system = "openskill"' not in desk.ok("league", "show", GAME)


def test_json_says_which_settings_rate_how_many_matches_again(desk: Shell, tmp_path: Path, pool: Pool) -> None:
    a_history(pool)
    file = written(
        tmp_path / "leagues.toml",
        f'game = "{GAME}"\n[leagues.wood-2]\nsigma = 5.0\nscore_formula = "mu"\nbattles = 5\n',
    )
    again = {row["setting"]: row["matches_rated_again"] for row in desk.json("league", "apply", file, "--dry-run")}
    assert again == {"sigma": 12, "score_formula": 0, "battles": 0}
