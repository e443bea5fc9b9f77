"""Games whose referee is a program: added, changed, removed, known to all processes; some start bots themselves."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest
from psycopg.sql import SQL, Identifier

from engine.conversation import UNFAIR
from engine.errors import Refused, UnknownName, UsageFault
from engine.game import Game, Games
from engine.referees.edition import load_edition, read_folder
from engine.referees.program import WHOLE_MATCHES
from engine.toolchains.source import Tree
from engine.workspace import CACHE_VARIABLE
from ladder import audit
from ladder.access import Actor, Role
from ladder.actions import games as actions
from ladder.database.connection import Connection, Pool, connect, transaction
from ladder.errors import NotAllowed
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule
from ladder.games import games
from ladder.games.catalogue import GamesOfLadder
from ladder.gauntlets.gauntlets import find, insert
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import spec_of
from ladder.ids import GauntletId, MatchId, VersionId
from ladder.leagues import leagues
from ladder.leagues.leagues import UNPLAYED
from ladder.matches.match_rows import find_match
from ladder.matchmaking.requests import ask
from ladder.names import NamedVersion
from ladder.views.boards import live_boards, read_pages
from ladder.views.encoding import plain
from ladder.views.fleet import ladder_state, unplayable_text, untrusted_text
from ladder.views.progress import progress, version_progress
from ladder.web.pages.boards import boards_file
from tests.catalogue import GAMES
from tests.fakes import RememberingQueue, result_of
from tests.ladder import arena
from tests.ladder.arena import claimed, insert_battle, living_worker, rows_of, rung_for_by_sweeping, takes_match, within
from tests.ladder.rated import change
from tests.patience import wait_until

pytestmark = pytest.mark.usefixtures("workspace")
OLGA, KIM = Actor("olga", Role.OPERATOR), Actor("kim")
TOML = """
name = "tron"
title = "Tron"
players = [2]
draw_probability = 0.25
[referee]
kind = "sdk"
command = "./tron"
files = ["tron", "maps"]
needs = ["java"]
"""


def edition(tmp_path: Path, program: str = "one", toml: str = TOML) -> tuple[Game, Tree]:
    (tmp_path / "maps").mkdir(exist_ok=True)
    (tmp_path / "maps" / "big.bin").write_bytes(b"\0\xff" * 1000)
    (tmp_path / "tron").write_text(program)
    (tmp_path / "tron").chmod(0o755)
    (tmp_path / "game.toml").write_text(toml)
    tree = read_folder(tmp_path)
    return load_edition(tree), tree


def added(pool: Pool, tmp_path: Path) -> Game:
    game, tree = edition(tmp_path)
    actions.add(OLGA, pool, game, tree)
    return game


def updated(pool: Pool, before: Game, made: tuple[Game, Tree], *, new_season: bool = False) -> actions.Updated:
    return actions.update(OLGA, pool, before, *made, new_season=new_season)


def of_ladder(pool: Pool) -> GamesOfLadder:
    return GamesOfLadder(lambda: transaction(pool))


def on_the_board(pool: Pool, bot: str) -> VersionId:
    return arena.on_the_board(pool, bot, f"print('{bot}')", game="tron")


def editions_of(pool: Pool) -> list[str | None]:
    return [row[0] for row in rows_of(pool, "SELECT edition FROM matches ORDER BY id")]


def pair(connection: Connection, first: VersionId, second: VersionId) -> list[MatchId]:
    league_id = leagues.find_league(connection, "tron", "arena").id
    return insert_battle(connection, league_id, (first, second), 7)


def play_pair(pool: Pool, first: VersionId, second: VersionId) -> None:
    for match_id in within(pool, pair, first, second):
        claim = claimed(pool, match_id)
        assert within(pool, record, claim, result_of(claim, (1, 0), games=Games((), {}, of_ladder(pool))))


def test_a_game_that_is_added_is_known_to_every_process_and_a_machine_without_its_files_fetches_them(
    pool: Pool, tmp_path: Path, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = added(pool, tmp_path)
    assert of_ladder(pool).present() == (game,)
    known = Games(GAMES.all, {}, of_ladder(pool))
    assert known.find("tron") == game
    assert known.find("tron", game.edition) == game
    assert known.names == (*GAMES.names, "tron")
    with transaction(pool) as connection:
        assert games.fetch(connection, game.edition) == read_folder(tmp_path)
        (league,) = leagues.leagues(connection, "tron")
        draws = connection.execute("SELECT game_draw_probability FROM leagues WHERE game = 'tron'").fetchone()
        last = audit.concerning_others(connection, 1)[0]
    assert (league.name, league.rules_level, draws) == ("arena", 19, (0.25,))
    assert (last.done_by, last.deed, last.about) == ("olga", "game add", f"tron, files {game.edition[:12]}")
    assert pickle.loads(pickle.dumps(known)).names == GAMES.names, "without its way to the database"  # noqa: S301
    monkeypatch.setenv(CACHE_VARIABLE, str(open_folder / f"{tmp_path.name}-elsewhere"))
    (found,) = of_ladder(pool).present()
    assert found.folder != game.folder
    assert (found.folder / "maps" / "big.bin").read_bytes() == b"\0\xff" * 1000
    assert (found.folder / "tron").stat().st_mode & 0o111


def test_games_are_for_operators_to_change(pool: Pool, tmp_path: Path) -> None:
    game, tree = edition(tmp_path)
    with pytest.raises(NotAllowed, match="only an operator may add, change or remove a game"):
        actions.add(KIM, pool, game, tree)
    with pytest.raises(NotAllowed):
        actions.update(KIM, pool, game, game, tree)
    with pytest.raises(NotAllowed):
        actions.remove(KIM, pool, "tron")
    assert of_ladder(pool).present() == ()


def test_a_name_that_exists_is_refused(pool: Pool, tmp_path: Path) -> None:
    actions.add(OLGA, pool, *edition(tmp_path))
    with pytest.raises(Refused, match="there is a game tron already: `ladder game update tron` changes it"):
        actions.add(OLGA, pool, *edition(tmp_path, "two"))
    with pytest.raises(Refused, match="there is a game ocean-of-code already: choose another name"):
        actions.add(OLGA, pool, *edition(tmp_path, toml=TOML.replace('"tron"\ntitle', '"ocean-of-code"\ntitle')))
    assert rows_of(pool, "SELECT count(*) FROM game_editions") == [(1,)]


def test_a_match_has_the_hash_of_its_files_and_is_played_by_them(pool: Pool, tmp_path: Path) -> None:
    game = added(pool, tmp_path)
    first, second = on_the_board(pool, "ann"), on_the_board(pool, "bob")
    play_pair(pool, first, second)
    other = edition(tmp_path, "two")
    within(pool, pair, first, second)
    with pytest.raises(Refused, match="the season of tron has 2 rated matches by the present files: --new-season"):
        updated(pool, game, other)
    assert editions_of(pool) == [game.edition] * 4
    assert updated(pool, game, other, new_season=True).new_season
    assert editions_of(pool) == [game.edition] * 2 + [other[0].edition] * 2
    assert of_ladder(pool).present() == (other[0],)
    assert of_ladder(pool).edition(game.edition) == game
    assert rows_of(pool, "SELECT count(*) FROM seasons WHERE game = 'tron'") == [(1,)]


def test_a_match_that_changes_meanwhile_is_in_nobodys_way(pool: Pool, tmp_path: Path) -> None:
    game = added(pool, tmp_path)
    first, second = on_the_board(pool, "ann"), on_the_board(pool, "bob")
    play_pair(pool, first, second)
    waiting, _ = within(pool, pair, first, second)
    other = edition(tmp_path, "two")
    with ThreadPoolExecutor(1) as beside, transaction(pool) as connection:
        connection.execute("UPDATE matches SET attempt = attempt WHERE id = %s", [waiting])
        change = beside.submit(updated, pool, game, other, new_season=True)
        query = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        wait_until(lambda: bool(rows_of(pool, query)), "the change waits for the row")
        connection.commit()
        assert change.result().new_season
    assert editions_of(pool) == [game.edition] * 2 + [other[0].edition] * 2


def test_a_gauntlet_never_mixes_two_editions(pool: Pool, tmp_path: Path) -> None:
    game = added(pool, tmp_path)
    first, second = on_the_board(pool, "ann"), on_the_board(pool, "bob")
    with transaction(pool) as connection:
        league_id = leagues.find_league(connection, "tron", "arena").id
        connection.execute(
            """
            INSERT INTO gauntlets (league_id, candidate_id, asked_by, seed, pairs, edition)
            VALUES (%s, %s, 'kim', 1, 9, present_edition(%s))
            """,
            [league_id, first, league_id],
        )
        connection.execute(
            "INSERT INTO gauntlet_opponents (gauntlet_id, position, version_id) VALUES (1, 0, %s)", [second]
        )
    schedule(pool, RememberingQueue(), Random(1), Games(GAMES.all, {}, of_ladder(pool)))
    before = len(editions_of(pool))
    assert before
    updated(pool, game, edition(tmp_path, "two"))
    within(pool, insert_battle, league_id, (first, second), 9, part_of=(GauntletId(1), 8))
    assert rows_of(pool, "SELECT DISTINCT edition FROM matches WHERE gauntlet_id = 1") == [(game.edition,)]


def test_what_a_check_found_out_is_written_down_also_in_the_middle_of_a_season(pool: Pool, tmp_path: Path) -> None:
    game = added(pool, tmp_path)
    play_pair(pool, on_the_board(pool, "ann"), on_the_board(pool, "bob"))
    checked = edition(tmp_path, toml=TOML.replace("[referee]", "seed_bits = 31\nchecked = true\n[referee]"))
    assert not updated(pool, game, checked).new_season
    with pytest.raises(Refused, match="--new-season"):
        updated(pool, checked[0], edition(tmp_path, toml=TOML.replace("[referee]", "[parameters]\nx = 1\n[referee]")))


def test_the_same_files_again_change_nothing(pool: Pool, tmp_path: Path) -> None:
    game = added(pool, tmp_path)
    assert not updated(pool, game, edition(tmp_path)).changed
    assert within(pool, audit.concerning_others, 1)[0].deed == "game add"


def test_files_that_stay_are_kept_once(pool: Pool, tmp_path: Path) -> None:
    updated(pool, added(pool, tmp_path), edition(tmp_path, "two"))
    assert rows_of(pool, "SELECT count(*) FROM game_files") == [(4,)], "two programs, one map, one toml"


def test_a_game_with_matches_is_removed_only_if_they_are_kept(pool: Pool, tmp_path: Path) -> None:
    game = added(pool, tmp_path)
    first, second = on_the_board(pool, "ann"), on_the_board(pool, "bob")
    play_pair(pool, first, second)
    within(pool, pair, first, second)
    with pytest.raises(Refused, match="tron has 2 bots and 4 matches: --keep-matches removes the game and keeps them"):
        actions.remove(OLGA, pool, "tron")
    used = actions.remove(OLGA, pool, "tron", keep_matches=True)
    assert (used.bots, used.matches) == (2, 4)
    assert of_ladder(pool).present() == ()
    assert of_ladder(pool).edition(game.edition) == game
    states = rows_of(pool, "SELECT state, count(*) FROM matches GROUP BY state ORDER BY state")
    assert states == [("finished", 2), ("void", 2)]
    with pytest.raises(UnknownName, match=r"unknown game of this ladder 'tron'; known: \(none\)"):
        actions.remove(OLGA, pool, "tron")
    actions.add(OLGA, pool, *edition(tmp_path, "three"))
    assert [one.name for one in of_ladder(pool).present()] == ["tron"]


def test_a_game_that_nothing_was_made_of_goes_without_a_trace(pool: Pool, tmp_path: Path) -> None:
    added(pool, tmp_path)
    actions.remove(OLGA, pool, "tron")
    with transaction(pool) as connection:
        for table in ("games", "game_editions", "game_edition_files", "game_files"):
            query = SQL("SELECT count(*) FROM {}").format(Identifier(table))
            assert connection.execute(query).fetchone() == (0,)
        assert "tron" not in leagues.games_in(connection)


def test_a_process_learns_of_new_games_but_of_no_broken_ones(pool: Pool, tmp_path: Path, database_url: str) -> None:
    known = GamesOfLadder(lambda: connect(database_url))
    assert known.present() == ()
    game = added(pool, tmp_path)
    known._read_at = None  # a second later
    assert known.present() == (game,)
    with transaction(pool) as connection:
        broken = "f" * 64
        connection.execute("INSERT INTO game_editions (hash, game, made_by) VALUES (%s, 'chess', 'x')", [broken])
        games.add(connection, "chess", broken, "x")
    assert of_ladder(pool).present() == (game,)


NARROW = TOML.replace("[referee]", "seed_bits = 31\n[referee]")
UNREPEATED = TOML.replace("[referee]", "repeatable = false\n[referee]")


def on_a_board_of(pool: Pool, tmp_path: Path, toml: str) -> tuple[Game, VersionId, VersionId]:
    game, tree = edition(tmp_path, toml=toml)
    actions.add(OLGA, pool, game, tree)
    return game, on_the_board(pool, "ann"), on_the_board(pool, "bob")


def test_battles_and_gauntlets_get_seeds_that_their_game_takes_and_no_others(pool: Pool, tmp_path: Path) -> None:
    on_a_board_of(pool, tmp_path, NARROW)
    with transaction(pool) as connection:
        made = insert(connection, spec_of(connection, GauntletRequest("ann", "kim", ("bob",), pairs=20)))
        assert find(connection, made).plan.seed_bits == 31
        with pytest.raises(UsageFault, match=r"seeds of tron are 0 to 2147483647; -5 is none of them"):
            ask(connection, (NamedVersion("ann"), NamedVersion("bob")), 1, "kim", seed=-5)
        with pytest.raises(UsageFault, match=r"2147483648 is none of them"):
            spec_of(connection, GauntletRequest("ann", "kim", ("bob",), seeds=(1, 2**31)))
    assert schedule(pool, RememberingQueue(), Random(1), Games(GAMES.all, {}, of_ladder(pool)))
    rows = rows_of(pool, "SELECT gauntlet_id IS NULL, seed FROM matches")
    assert {row[0] for row in rows} == {True, False}
    assert all(0 <= seed < 2**31 for _, seed in rows)
    assert len({seed for _, seed in rows}) > 2


def test_no_baseline_is_compared_where_no_match_can_be_repeated(pool: Pool, tmp_path: Path) -> None:
    on_a_board_of(pool, tmp_path, UNREPEATED)
    on_the_board(pool, "cid")
    with transaction(pool) as connection:
        with pytest.raises(Refused, match="a comparison with a baseline needs matches that can be repeated"):
            spec_of(connection, GauntletRequest("ann", "kim", ("cid",), baseline="bob"))
        with pytest.raises(Refused, match="a comparison on common seeds needs matches that can be repeated"):
            spec_of(connection, GauntletRequest("ann", "kim", ("cid",), seeds=(1, 2)))
        assert spec_of(connection, GauntletRequest("ann", "kim", ("cid",))).plan.baseline_id is None


OF_COMMAND = """
name = "tron"
title = "Tron"
players = [2]
seed_bits = 64
[referee]
kind = "command"
command = "./tron {SEED} {PLAYERS}"
files = ["tron", "maps"]
"""


@pytest.fixture
def all_games(pool: Pool, tmp_path: Path) -> Games:
    actions.add(OLGA, pool, *edition(tmp_path, toml=OF_COMMAND))
    on_the_board(pool, "ann")
    on_the_board(pool, "bob")
    return Games(GAMES.all, {}, of_ladder(pool))


def trust(pool: Pool) -> None:
    with transaction(pool) as connection:
        league_id = leagues.find_league(connection, "tron", "arena").id
        leagues.change_settings(connection, league_id, {"trusted": True})


def made(pool: Pool, all_games: Games) -> list[MatchId]:
    return schedule(pool, RememberingQueue(), Random(1), all_games)


def on_boards(connection: Connection) -> tuple[VersionId, VersionId]:
    query = "SELECT version_id FROM standings JOIN leagues ON leagues.id = league_id WHERE game = 'tron' ORDER BY 1"
    first, second = (row[0] for row in connection.execute(query))
    return first, second


def a_battle(pool: Pool) -> list[MatchId]:
    with transaction(pool) as connection:
        return pair(connection, *on_boards(connection))


def test_until_its_bots_are_trusted_a_league_has_nothing_made_or_asked_for(pool: Pool, all_games: Games) -> None:
    sides = (NamedVersion("ann", None), NamedVersion("bob", None))
    assert made(pool, all_games) == []
    with transaction(pool) as connection:
        first, _ = on_boards(connection)
        assert version_progress(connection, first).is_settled
        assert progress(connection).lacking == 0
        with pytest.raises(Refused) as refused:
            spec_of(connection, GauntletRequest("ann", "kim", ("bob",)))
        assert str(refused.value) == f"in Arena of tron {UNPLAYED}"
        with pytest.raises(Refused, match="nothing is played until its bots are trusted"):
            ask(connection, sides, 1, "kim")
    trust(pool)
    with transaction(pool) as connection:
        assert not version_progress(connection, first).is_settled
        assert progress(connection).lacking > 0
    assert made(pool, all_games)
    assert within(pool, ask, sides, 1, "kim").battles == 1
    assert claimed(pool, a_battle(pool)[0]).conditions.trusted


def test_no_worker_takes_a_match_and_status_says_what_it_lacks(pool: Pool, all_games: Games, database_url: str) -> None:
    made = a_battle(pool)
    change(pool, "UPDATE matches SET enqueued_at = now() - interval '1 minute'")
    with living_worker(database_url, "python", WHOLE_MATCHES) as able:
        assert rung_for_by_sweeping(pool) == []
        assert not takes_match(pool, made[0], able)
        trust(pool)
        assert rung_for_by_sweeping(pool) == made
        assert takes_match(pool, made[0], able)
        with living_worker(database_url, "python") as without:
            assert not takes_match(pool, made[0], without), "its boxes can hold no command with its bots"
    with living_worker(database_url, "python"):
        (found,) = within(pool, ladder_state).unplayable
    assert "start one where the sandbox bubblewrap+cgroup is installed, which its referee needs" in unplayable_text(
        found
    )


def test_the_board_the_status_and_every_match_say_why_nothing_is_played(pool: Pool, all_games: Games) -> None:
    with transaction(pool) as connection:
        (page,) = read_pages(connection, "tron")
        (league,) = ladder_state(connection).untrusted
        shown = boards_file(live_boards(connection, "tron"), all_games)
    assert [row["caution"] for row in plain(page.rows)] == [f"{UNFAIR}; {UNPLAYED}"] * 2
    assert untrusted_text(league) == f"tron/arena: {UNPLAYED}"
    assert "A command plays the matches and starts the bots itself: no fair clock" in shown
    assert "nothing is played until its bots are trusted" in shown
    row = within(pool, find_match, a_battle(pool)[0])
    assert row
    assert plain(row)["caution"] == UNFAIR
    assert "starts_bots" not in plain(row)
    trust(pool)
    with transaction(pool) as connection:
        (page,) = read_pages(connection, "tron")
        assert ladder_state(connection).untrusted == []
    assert [row["caution"] for row in plain(page.rows)] == [UNFAIR] * 2
    others = [league for league in within(pool, leagues.leagues) if league.game != "tron"]
    assert others
    assert not any(league.starts_bots or league.caution for league in others), "other games have nothing to do with it"
