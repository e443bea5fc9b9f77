"""Games of the ladder as they come, change and go: their files, their leagues, what is made of them.

And what Ladder itself brings: the games' leagues with their settings, and the bosses that guard them.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from engine.errors import Refused, UnknownName, UsageFault
from engine.game import Game, Games
from engine.games.game_folder import TABLE
from engine.referees.edition import read_folder
from engine.referees.program import RepeatedBy, Reuse
from engine.toolchains.languages import language_of
from engine.toolchains.source import Tree
from ladder.access import Actor
from ladder.bots import bots
from ladder.bots.versions import Version
from ladder.choices import GauntletState
from ladder.database.connection import Connection
from ladder.errors import DuplicateSource
from ladder.flows.scheduling import hold_scheduler
from ladder.flows.submission import Submission, insert
from ladder.games import games
from ladder.games.games import LadderGame, Uses
from ladder.gauntlets import gauntlets
from ladder.ids import LeagueId
from ladder.leagues import leagues
from ladder.leagues.file import LeagueFile, SettingChange, changes, check_boss_wins, check_bosses
from ladder.leagues.settings import BOSS, RATING_SYSTEM
from ladder.matches import matches
from ladder.names import HOUSE
from ladder.promotions.lifecycle import Handover, change_bosses
from ladder.ratings import standings
from ladder.ratings.models import require_installed
from ladder.ratings.replay import settings_changed

NOWHERE = Path()


def add(connection: Connection, game: Game, tree: Tree, by: str) -> None:
    former = games.lock(connection, game.name)
    if former is None and game.name in leagues.games_in(connection):
        raise Refused(f"there is a game {game.name} already: choose another name")
    if former is not None and former.removed_at is None:
        raise Refused(f"there is a game {game.name} already: `ladder game update {game.name}` changes it")
    games.add(connection, game.name, store_edition(connection, game, tree, by), by)
    prepare_game(connection, game)


def store_edition(connection: Connection, game: Game, tree: Tree, by: str) -> str:
    if game.program is None:
        raise UsageFault(f"the rules of {game.name} are in Python: LADDER_GAMES names its folder")
    return games.store(connection, tree, game.name, game.program, by)


def update(connection: Connection, before: Game, game: Game, tree: Tree, by: str, *, season_is_closed: bool) -> None:
    """Let other files play from now on; gauntlets keep theirs. Raises UnknownName, Refused in a season under way."""
    find_game(connection, game.name)
    rated = games.uses(connection, game.name).finished
    if rated and not season_is_closed and not plays_alike(before, game):
        raise Refused(
            f"the season of {game.name} has {rated:,} rated match{'' if rated == 1 else 'es'} by the present files: "
            "--new-season closes it, and the next one is played by the new files"
        )
    edition = store_edition(connection, game, tree, by)
    games.set_edition(connection, game.name, edition)
    matches.change_edition(connection, game.name, edition)
    prepare_game(connection, game)


def plays_alike(before: Game, after: Game) -> bool:
    """Say whether two editions of a game play alike: they have the same files, and differ in what a check finds out."""
    return as_played(before) == as_played(after)


def as_played(game: Game) -> tuple[Game, dict[str, bytes]]:
    files = {name: content for name, content in read_folder(game.folder).contents.items() if name != TABLE}
    program = game.program and replace(
        game.program,
        folder=NOWHERE,
        reuse=Reuse.NONE,
        has_time_bank=False,
        seed_bits=0,
        repeated_by=RepeatedBy.NOTHING,
        proven=False,
    )
    return replace(game, folder=NOWHERE, edition="", program=program), files


def remove(connection: Connection, name: str, *, keep_matches: bool) -> Uses:
    """With `keep_matches` what was played stays. Raises Refused where it has matches or bots, UnknownName."""
    find_game(connection, name)
    used = games.uses(connection, name)
    if keep_matches:
        for gauntlet in gauntlets.running(connection, game=name):
            gauntlets.end(connection, gauntlet.id, GauntletState.STOPPED, None)
        matches.void_queued(connection, name, "ladder", "the game was removed")
        games.mark_removed(connection, name)
        return used
    if used.matches or used.bots:
        raise Refused(
            f"{name} has {used.bots:,} bot{'' if used.bots == 1 else 's'} and {used.matches:,} "
            f"match{'' if used.matches == 1 else 'es'}: --keep-matches removes the game and keeps them"
        )
    games.delete(connection, name)
    leagues.remove_all(connection, name)
    games.delete_unused(connection, name)
    return used


def find_game(connection: Connection, name: str) -> LadderGame:
    game = games.lock(connection, name)
    if game is None or game.removed_at is not None:
        raise UnknownName.of("game of this ladder", name, [game.name for game in games.played(connection)])
    return game


def prepare(connection: Connection, games: Games) -> list[Version]:
    return [version for game in games.all for version in prepare_game(connection, game)]


def prepare_game(connection: Connection, game: Game) -> list[Version]:
    """Return the bosses that are new."""
    leagues.register(connection, game)
    new: list[Version] = []
    for name, league in game.bosses.items():
        path = game.bots_folder / str(league.boss)
        source, language = path.read_text("utf-8"), language_of(path).name
        boss = Submission(game.name, name, source, language, boss_of=league.name, params=league.boss_params)
        with suppress(DuplicateSource):
            new.append(insert(connection, Actor(HOUSE), boss))
    return new


def apply_league_file(connection: Connection, file: LeagueFile) -> tuple[list[SettingChange], list[Handover]]:
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
    before = leagues.settings_of(connection, file.game, to_change=True)
    full = {
        league: {
            name: value if name != BOSS or value is None else bots.find_bot(connection, str(value), file.game).name
            for name, value in values.items()
        }
        for league, values in file.leagues.items()
    }
    todo = changes(LeagueFile(file.game, full), before)
    check_bosses(todo, before)
    check_boss_wins(todo, before)
    for change in todo:
        if change.setting == RATING_SYSTEM:
            require_installed(str(change.new))
    return todo, make(connection, file.game, todo, {league.name: league.id for league in before})


def make(connection: Connection, game: str, todo: list[SettingChange], ids: Mapping[str, LeagueId]) -> list[Handover]:
    """Return what other bosses mean. `ids`: of the leagues by name. Raises Refused for a boss that cannot play."""
    for name, league_id in ids.items():
        values = {change.setting: change.new for change in todo if change.league == name and change.setting != BOSS}
        if values:
            leagues.change_settings(connection, league_id, values)
            settings_changed(connection, league_id, values)
    leagues.fit_leases(connection, game)
    bosses = {ids[change.league]: change.new for change in todo if change.setting == BOSS}
    return change_bosses(
        connection, game, {league: None if boss is None else str(boss) for league, boss in bosses.items()}
    )
