"""The house's own part: the games' leagues with their settings, and the bosses that guard them."""

from __future__ import annotations

from engine.game import Game, GameLeague
from engine.games import GAMES
from engine.toolchain import language_of
from ladder.database import Connection, connect, migrate
from ladder.errors import DuplicateSource
from ladder.league_file import Change, LeagueFile, changes
from ladder.storage import leagues
from ladder.storage.versions import Version
from ladder.submission import Submission, insert

HOUSE = "house"
"""The player to whom the bosses belong."""


def prepare(connection: Connection) -> list[Version]:
    """Bring all leagues and bosses into the database, or up to date. Returns the versions that are new.

    Nothing is rung for: the sweep finds the new versions within seconds.
    """
    return [version for game in GAMES.values() for version in prepare_game(connection, game)]


def prepare_game(connection: Connection, game: Game) -> list[Version]:
    """Bring one game's leagues and bosses up to date."""
    leagues.register(connection, game)
    bosses = [submit_boss(connection, game, league) for league in game.leagues if league.boss is not None]
    return [version for version in bosses if version is not None]


def submit_boss(connection: Connection, game: Game, league: GameLeague) -> Version | None:
    """Submit a league's boss, unless this very source guards it already."""
    path = game.bots_folder / str(league.boss)
    submission = Submission(
        game=game.name,
        bot=f"boss-{league.name}",
        player=HOUSE,
        source=path.read_text("utf-8"),
        language=language_of(path).name,
        boss_of=league.name,
    )
    try:
        return insert(connection, submission)
    except DuplicateSource:
        return None


def bring_up_to_date(database_url: str) -> None:
    """Migrate the schema and bring leagues and bosses into it: all that a database needs before workers start."""
    migrate(database_url)
    with connect(database_url) as connection:
        prepare(connection)


def apply_league_file(connection: Connection, file: LeagueFile, *, dry_run: bool = False) -> list[Change]:
    """Bring a league file into the database, or with `dry_run` only look; return what differs.

    Raises UsageFault where the database has no leagues of that game.
    """
    found = leagues.settings_of(connection, file.game, to_change=not dry_run)
    todo = changes(file, found)
    if not dry_run:
        for league in found:
            own = {change.setting: change.new for change in todo if change.league == league.name}
            if own:
                leagues.change_settings(connection, league.id, own)
    return todo
