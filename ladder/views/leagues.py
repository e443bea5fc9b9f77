"""Leagues with their settings, and what a league file has changed."""

from collections.abc import Mapping
from typing import ClassVar

from engine.conversation import TimeLimits
from engine.game import Game
from engine.immutable import immutable
from ladder.choices import Promotion
from ladder.database.connection import Connection
from ladder.leagues import leagues
from ladder.leagues.file import SettingChange, text_of
from ladder.leagues.settings import BOSS, Value
from ladder.promotions.lifecycle import Arrival, Handover
from ladder.ratings.replay import RATING_SETTINGS, RatedAgain
from ladder.views.games import ListedGame, listed_game


@immutable
class LeagueRow:
    """A league with the values of all its settings. `limits`: of time, those of its game where it has no others."""

    MERGED: ClassVar = ("values",)
    HIDDEN: ClassVar = ("limits",)

    game: str
    league: str
    values: Mapping[str, Value]
    limits: TimeLimits


def listed(connection: Connection, game: str | None = None) -> list[LeagueRow]:
    """Return the leagues of a game, or of all, game by game. Raises UnknownName."""
    return [
        LeagueRow(league.game, league.name, league.values, league.limits)
        for name in leagues.games_or_all(connection, game)
        for league in leagues.settings_of(connection, name)
    ]


@immutable
class GameInDetail:
    """What a game brings itself, the `settings` of its leagues here, and the `languages` of its statements."""

    MERGED: ClassVar = ("game",)

    game: ListedGame
    rules_version: int
    languages: tuple[str, ...]
    settings: list[LeagueRow]


def read_game(connection: Connection, game: Game) -> GameInDetail:
    """Return all there is to know of a game. Raises UnknownName for one that has no league on this ladder."""
    return GameInDetail(listed_game(game), game.rules_version, game.statement_languages, listed(connection, game.name))


def promotion_text(values: Mapping[str, Value]) -> str:
    rules: dict[str, str] = {
        Promotion.RANK_ABOVE_BOSS: "rank",
        Promotion.SETTLED_ABOVE_BOSS: "settled fit",
        Promotion.BOSS_WINS: f"{values['boss_wins']} wins",
    }
    word = str(values["promotion"])
    rule = rules.get(word, word.replace("_", " "))
    return f"{rule}, demotes" if values["demotion"] else rule


def limits_text(league: LeagueRow) -> str:
    return f"{league.limits.first_ms}, {league.limits.turn_ms} ms"


def as_file(connection: Connection, game: str) -> str:
    return text_of(game, leagues.settings_of(connection, game))


@immutable
class ChangedSetting:
    """One setting that a league file changes. `matches_rated_again`: of the league, because of this setting."""

    MERGED: ClassVar = ("change",)

    game: str
    change: SettingChange
    applied: bool
    matches_rated_again: int | None


@immutable
class ChangedBoss(ChangedSetting):
    """A league's boss that a league file changes; see `Handover` for the new boss and the one before."""

    arrives: Arrival | None
    stays: str | None


@immutable
class AppliedFile:
    """What a league file changes, or would if it was not `applied`. `in_order`: the game's leagues, lowest first."""

    game: str
    changes: list[SettingChange]
    handovers: list[Handover]
    rated: list[RatedAgain]
    in_order: list[leagues.League]
    applied: bool

    @property
    def rows(self) -> list[ChangedSetting]:
        return [self.row(change) for change in self.changes]

    def row(self, change: SettingChange) -> ChangedSetting:
        matches = {league.league: league.matches for league in self.rated}
        again = matches[change.league] if change.setting in RATING_SETTINGS else 0
        if change.setting == BOSS:
            for handover in self.handovers:
                if handover.league == change.league:
                    return ChangedBoss(self.game, change, self.applied, again, handover.arrives, handover.stays)
        return ChangedSetting(self.game, change, self.applied, again)
