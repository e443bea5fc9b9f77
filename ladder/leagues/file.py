"""The leagues of a game as a file that people read and change: TOML, one table for each league.

How this works. `text_of` writes a file with every setting of every league; `read` takes that form back, with any part
of it left out: what a file does not name stays as it is. `changes` compares a file with what is set. Nothing here knows
a database.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from engine.errors import UnknownName, UsageFault
from engine.game import FindsGames, Game, Games
from engine.immutable import immutable
from ladder.choices import Promotion
from ladder.leagues import settings
from ladder.leagues.settings import BATTLES, BOSS, BOSS_WINS, PROMOTION, SETTINGS, TITLE, Moment, Setting, Value


@immutable
class LeagueFile:
    """What a file asks for: a game, and for some of its leagues some settings, checked one by one."""

    game: str
    leagues: Mapping[str, Mapping[str, Value]]


@immutable
class SettingChange:
    """One setting of one league that is to have another value."""

    league: str
    setting: str
    old: Value
    new: Value

    def __str__(self) -> str:
        return f"{self.league}: {self.setting} {as_toml(self.old)} -> {as_toml(self.new)}"


def read(text: str, games: Games) -> LeagueFile:
    """Read and check a league file. Raises UsageFault and UnknownName, with one sentence for the first thing wrong."""
    return read_table(table_in(text), games)


def read_without_rules(text: str) -> LeagueFile:
    """Read a file of a game whose rules are not here; they are checked elsewhere. Raises as `read` does."""
    name, leagues = parts_of(table_in(text))
    return LeagueFile(name, {league: read_settings(None, league, values) for league, values in leagues.items()})


def table_in(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageFault(f"a league file is TOML, and this is none: {error}") from error


def read_table(table: Mapping[str, Any], games: FindsGames) -> LeagueFile:
    name, leagues = parts_of(table)
    game = games.find(name)
    for league in leagues:
        if league not in (names := [league.name for league in game.leagues]):
            raise UnknownName.of(f"league of {game.name}", league, names)
    return LeagueFile(game.name, {league: read_settings(game, league, values) for league, values in leagues.items()})


def parts_of(table: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    for key in table:
        if key not in {"game", "leagues"}:
            raise UnknownName.of("key in a league file", key, ["game", "leagues"])
    if not isinstance(table.get("game"), str):
        raise UsageFault('a league file says whose leagues it holds: game = "..." is missing')
    return table["game"], table_called("leagues", table.get("leagues", {}))


def read_settings(game: Game | None, league: str, values: object) -> dict[str, Value]:
    checked: dict[str, Value] = {}
    for name, value in table_called(f"leagues.{league}", values).items():
        if name not in SETTINGS:
            raise UnknownName.of(f"setting of {league}", name, SETTINGS)
        checked[name] = meant_by(SETTINGS[name], value)
        if not SETTINGS[name].takes(checked[name]):
            raise UsageFault(f"{name} of {league} is {value_text(value)}; it must be {SETTINGS[name].possible_values}")
    if game is not None:
        levels = sorted({league.rules_level for league in game.leagues})
        if checked.get("rules_level", levels[0]) not in levels:
            numbers = ", ".join(map(str, levels))
            raise UsageFault(
                f"rules_level of {league} is {checked['rules_level']}; {game.name} has the levels {numbers}"
            )
        if checked.get("opens_at") is not None and league == game.leagues[0].name:
            raise UsageFault(f"opens_at of {league} must be empty: every bot of {game.name} begins there")
    return checked


def meant_by(setting: Setting, value: Any) -> Any:
    """Return what a value of a file stands for: "" for none where that can be, a moment also where it is quoted.

    A moment is by the clock of UTC, as PostgreSQL does not know every distance from it. Anything else is as it is.
    """
    if value == "" and setting.takes(None):
        return None
    with suppress(ValueError, OverflowError):
        moment = datetime.fromisoformat(value) if isinstance(value, str) else value
        if isinstance(setting, Moment) and isinstance(moment, datetime) and moment.tzinfo:
            return moment.astimezone(UTC)
    return value


def check_bosses(todo: Sequence[SettingChange], leagues: Sequence[settings.LeagueSettings]) -> None:
    """Raise UsageFault for a bot that would guard two leagues, or a league without a way up."""
    bosses = {league.name: league.values[BOSS] for league in leagues}
    bosses |= {change.league: change.new for change in todo if change.setting == BOSS}
    guarded: dict[Value, str] = {}
    for league, boss in bosses.items():
        if boss is not None and boss in guarded:
            raise UsageFault(f"{boss} would be the boss of {guarded[boss]} and of {league}; a bot can guard one league")
        guarded[boss] = league
    changed = {change.league for change in todo if change.setting in {BOSS, PROMOTION}}
    for league, above in pairwise(bosses):
        if league in changed and bosses[league] is None:
            raise UsageFault(
                f"{league} would have no boss, and then no version could go up from {league} to {above}: "
                f"name a bot as its boss (or let versions wait: set opens_at of {above})"
            )


def check_titles(todo: Sequence[SettingChange], leagues: Sequence[settings.LeagueSettings]) -> None:
    new = {change.league: change.new for change in todo if change.setting == TITLE}
    titles = {league.name: str(new.get(league.name, league.values[TITLE])) for league in leagues}
    for league in new:
        title = titles[league]
        for other, other_title in titles.items():
            if other != league and (settings.as_name(title) == other or title.lower() == other_title.lower()):
                raise UsageFault(
                    f"title of {league} would be {as_toml(title)}, which is what people call {other}: "
                    "every league of a game needs its own"
                )


def check_boss_wins(todo: Sequence[SettingChange], leagues: Sequence[settings.LeagueSettings]) -> None:
    """Raise UsageFault where own battles, which alone rate, cannot hold the wins that a league asks for."""
    for league in leagues:
        new = {change.setting: change.new for change in todo if change.league == league.name}
        values: dict[str, Any] = {**league.values, **new}
        if not new.keys() & {PROMOTION, BOSS_WINS, BATTLES} or values[PROMOTION] != Promotion.BOSS_WINS:
            continue
        wins, battles = values[BOSS_WINS], values[BATTLES]
        with_boss = settings.most_battles_with_boss(battles)
        most = league.battle_matches * with_boss
        if wins > most:
            raise UsageFault(
                f"boss_wins of {league.name} would be {wins}, but of {battles} battles a version plays at most "
                f"{with_boss} against the boss, which are {most} matches: lower boss_wins or raise battles"
            )


def table_called(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageFault(f"{name} in a league file is a table, not {value_text(value)}")
    return value


def value_text(value: object) -> str:
    return as_toml(value) if isinstance(value, (int, str, datetime)) else str(value)


def as_toml(value: Value) -> str:
    """Write a value as a file holds it. JSON writes numbers, words and true and false as TOML does."""
    if isinstance(value, datetime):
        return value.isoformat()
    return json.dumps("" if value is None else value, ensure_ascii=False)


def changes(file: LeagueFile, leagues: Sequence[settings.LeagueSettings]) -> list[SettingChange]:
    """Return what a file would change, in the leagues' order. Raises UsageFault where two would have one title."""
    todo = [
        SettingChange(league.name, name, league.values[name], new)
        for league in leagues
        for name, new in file.leagues.get(league.name, {}).items()
        if league.values[name] != new
    ]
    check_titles(todo, leagues)
    return todo


def text_of(game: str, leagues: Iterable[settings.LeagueSettings]) -> str:
    lines = [
        f"# The leagues of {game}, the lowest first. Change what you like, then: ladder league apply FILE",
        "# Settings not in the file are unchanged; running matches end under the conditions they began with. But with",
        "# another rating_system, mu, sigma, beta, tau or draw_probability all matches of the league are rated again.",
        "#",
        *(f"# {setting.name}: {setting.about}" for setting in SETTINGS.values()),
        "",
        f"game = {as_toml(game)}",
    ]
    for league in leagues:
        lines += ["", f"[leagues.{league.name}]"]
        lines += [f"{name} = {as_toml(league.values[name])}" for name in SETTINGS]
    return "\n".join(lines) + "\n"
