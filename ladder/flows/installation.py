"""What Ladder itself brings: the games' leagues with their settings, and the bosses that guard them."""

from __future__ import annotations

from collections.abc import Mapping

from engine.game import Game, GameLeague, Games
from engine.toolchains.languages import language_of
from ladder.access import Actor
from ladder.bots import bots
from ladder.bots.players import HOUSE
from ladder.bots.versions import Version
from ladder.database.connection import Connection
from ladder.errors import DuplicateSource
from ladder.flows.scheduling import hold_scheduler
from ladder.flows.submission import Submission, insert
from ladder.ids import LeagueId
from ladder.leagues import leagues
from ladder.leagues.file import Change, LeagueFile, changes, check_boss_wins, check_bosses
from ladder.leagues.settings import BOSS, RATING_SYSTEM
from ladder.promotions.lifecycle import Handover, change_bosses
from ladder.ratings import standings
from ladder.ratings.models import require_installed
from ladder.ratings.replay import settings_changed


def prepare(connection: Connection, games: Games) -> list[Version]:
    return [version for game in games.all for version in prepare_game(connection, game)]


def prepare_game(connection: Connection, game: Game) -> list[Version]:
    leagues.register(connection, game)
    bosses = [submit_boss(connection, game, name, league) for name, league in game.bosses.items()]
    return [version for version in bosses if version is not None]


def submit_boss(connection: Connection, game: Game, name: str, league: GameLeague) -> Version | None:
    path = game.bots_folder / str(league.boss)
    submission = Submission(
        game=game.name,
        bot=name,
        source=path.read_text("utf-8"),
        language=language_of(path).name,
        boss_of=league.name,
        params=league.boss_params,
    )
    try:
        return insert(connection, Actor(HOUSE), submission)
    except DuplicateSource:
        return None


def apply_league_file(connection: Connection, file: LeagueFile) -> tuple[list[Change], list[Handover]]:
    """Bring a league file into the database; return changes, and what other bosses mean.

    Nobody else promotes, rates or moves until the transaction ends: it locks the scheduler, bots, standings. Raises
    UsageFault for bosses that do not fit, UnknownName, Refused, MissingTool for a rating system.
    """
    hold_scheduler(connection)
    named = {str(values[BOSS]) for values in file.leagues.values() if BOSS in values}
    concerned = [bot for bot in bots.bots(connection, file.game) if bot.boss_of]
    concerned += [bot for name in named for bot in bots.bots_called(connection, name, file.game)]
    bots.lock_bots(connection, {bot.id for bot in concerned})
    standings.hold(connection)
    found = leagues.settings_of(connection, file.game, to_change=True)
    full = {
        league: {
            name: value if name != BOSS or value is None else bots.find_bot(connection, str(value), file.game).name
            for name, value in own.items()
        }
        for league, own in file.leagues.items()
    }
    todo = changes(LeagueFile(file.game, full), found)
    check_bosses(todo, found)
    check_boss_wins(todo, found)
    for change in todo:
        if change.setting == RATING_SYSTEM:
            require_installed(str(change.new))
    return todo, make(connection, file.game, todo, {league.name: league.id for league in found})


def make(connection: Connection, game: str, todo: list[Change], ids: Mapping[str, LeagueId]) -> list[Handover]:
    """Return what other bosses mean. `ids`: of the leagues by name. Raises Refused for a boss that cannot play."""
    for name, league_id in ids.items():
        own = {change.setting: change.new for change in todo if change.league == name and change.setting != BOSS}
        if own:
            leagues.change_settings(connection, league_id, own)
            settings_changed(connection, league_id, own)
    leagues.fit_leases(connection, game)
    bosses = {ids[change.league]: change.new for change in todo if change.setting == BOSS}
    return change_bosses(
        connection, game, {league: None if boss is None else str(boss) for league, boss in bosses.items()}
    )
