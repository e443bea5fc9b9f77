"""Who takes part in a gauntlet that is played here: files, and versions whose sources stand in the database.

Where a file belongs its name says: `kraken.py` is to be the next version of the bot kraken, if there is one of that
name. Its league's rules and conditions count then; else those of the first version that is named. With nothing but
files and a game the database is not needed: the game's own leagues and the official conditions count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from cli.context import Context
from cli.database_to_read import can_be_read, database_to_read
from engine.bot.conditions import OFFICIAL, Conditions
from engine.errors import Refused, Unavailable, UnknownName, UsageFault
from engine.game import Game, Games
from engine.match import MatchSpec
from engine.text import one_line
from engine.toolchains.languages import language_of, languages
from engine.toolchains.source import read_source
from ladder.bots import bots, versions
from ladder.bots.sources import sources_of
from ladder.bots.versions import Version
from ladder.gauntlets.defaults import OPPONENTS
from ladder.gauntlets.opponents import meant, version_before, version_named
from ladder.gauntlets.report import earlier
from ladder.leagues import leagues
from ladder.leagues.conditions import conditions_of
from ladder.names import read_version

if TYPE_CHECKING:
    from engine.conversation import TimeLimits
    from ladder.bots.bots import Bot
    from ladder.database.connection import Connection
    from ladder.gauntlets.order import Wish

NOBODY = 0
"""Stands for the ids of what is not in the database; those of the database begin at 1."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who takes part. `id`: a version's own, below 0 for a file; `bot`: empty for a file; `language`: by name."""

    id: int
    name: str
    bot: str
    language: str
    source: str


@dataclass(frozen=True, slots=True)
class Rules:
    """What is played. `league`: its title; `rules_level`: as the game counts; `limits`: of time."""

    game: Game
    league: str
    rules_level: int
    conditions: Conditions
    limits: TimeLimits

    def spec(self, seed: int) -> MatchSpec:
        """Return what decides a match on that seed."""
        return MatchSpec(self.game, self.rules_level, seed, self.limits.first_ms, self.limits.turn_ms)


@dataclass(frozen=True, slots=True)
class Field:
    """All who take part. `prior`: the names of earlier versions of the candidate's bot.

    `deciding_ids`: see ladder.gauntlets.plan.Plan.
    """

    rules: Rules
    candidate: Entrant
    baseline: Entrant | None
    opponents: tuple[Entrant, ...]
    prior: frozenset[str] = frozenset()
    deciding_ids: tuple[int, ...] | None = None

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """Return everybody once."""
        compared = () if self.baseline is None else (self.baseline,)
        return (self.candidate, *compared, *self.opponents)


def field_of(context: Context, wish: Wish, bot: str | None = None) -> Field:
    """Find who is meant. `bot`: of which bot a file is to be the next version, if not of the one that it is named like.

    Raises UsageFault, UnknownName, Refused where somebody cannot take part, Unavailable where a database is needed.
    """
    if bot == "":
        raise UsageFault("--bot is empty: name a bot, or leave it out to go by the file's name")
    files = files_of(context, wish)
    if wish.game is not None and wish.against and set(words_of(wish)) == set(files):
        rules = game_rules(context.games.find(wish.game), wish.league)
        return assembled(wish, rules, {word: [file] for word, file in files.items()})
    if not can_be_read(context):
        raise Unavailable(
            f"there is no ladder in {context.home.folder} to look up bots in: name files with --against ./old.py, and "
            "the game with --game"
        )
    with database_to_read(context) as connection:
        return field_in(connection, context.games, wish, files, bot or Path(wish.candidate).stem)


def words_of(wish: Wish) -> tuple[str, ...]:
    """Return all words that name somebody."""
    return (wish.candidate, *(() if wish.baseline is None else (wish.baseline,)), *wish.against)


def files_of(context: Context, wish: Wish) -> dict[str, Entrant]:
    """Read the files that take part, by the words that name them. Raises UsageFault, UnknownName, Refused.

    A file is called by its name, and where two have the same as it is given.
    """
    words = list(dict.fromkeys(word for word in words_of(wish) if is_file(word)))
    paths = {word: Path(word) for word in words}
    ids = {path.resolve(): -number for number, path in enumerate(paths.values(), 1)}
    names = [path.name for path in paths.values()]
    return {
        word: Entrant(
            id=ids[path.resolve()],
            name=one_line(path.name if names.count(path.name) == 1 else word),
            bot="",
            source=read_source(path, context.settings.source_chars),  # first: a folder is called one, not by its ending
            language=language_of(path).name,
        )
        for word, path in paths.items()
    }


def is_file(word: str) -> bool:
    """Say whether a word means a file: it has a folder, or an ending that sources have."""
    endings = {ending for language in languages().values() for ending in language.extensions}
    return "/" in word or Path(word).suffix.lower() in endings


def field_in(connection: Connection, games: Games, wish: Wish, files: Mapping[str, Entrant], bot: str) -> Field:
    """Find who is meant by words, and read their sources. `bot`: see `field_of`."""
    home = home_of(connection, wish, files, bot)
    rules, league_id = league_rules(connection, games, wish, home)
    if wish.candidate in files:
        candidate = stand_in(connection, bot, rules.game.name)
    else:
        candidate = version_named(connection, wish.candidate, rules.game.name)
    usual = OPPONENTS if wish.baseline is None else ("boss",)
    wish = replace(wish, against=wish.against or usual)
    found = {word: meant(connection, candidate, league_id, word) for word in wish.against if word not in files}
    for word in (wish.candidate, wish.baseline):
        if word is not None and word not in files:
            found[word] = [version_named(connection, word, rules.game.name)]
    check([version for many in found.values() for version in many], rules.game.name)
    who = {word: entrants_of(connection, many) for word, many in found.items()}
    return assembled(wish, rules, {**who, **{word: [file] for word, file in files.items()}}, candidate)


def home_of(connection: Connection, wish: Wish, files: Mapping[str, Entrant], bot: str) -> Bot | None:
    """Return the bot that the candidate is or is to be a version of, else that of the first version that is named."""
    if wish.candidate in files:
        try:
            return bots.find_bot(connection, bot, wish.game)
        except UnknownName:
            pass
    for word in words_of(wish):
        if word not in files and ":" not in word and word != "boss":
            return bots.bot_of_version(connection, version_named(connection, word, wish.game).id)
    return None


def league_rules(connection: Connection, games: Games, wish: Wish, home: Bot | None) -> tuple[Rules, int]:
    """Return the rules of the league that is asked for, or is the bot's, or is the game's highest; and its id."""
    game = wish.game or (home.game if home is not None else None)
    if game is None:
        raise UsageFault(f"no bot is called as {wish.candidate} is: say with --game which game it plays")
    known = {league.id: league for league in leagues.leagues(connection, games.find(game).name)}
    if wish.league is not None:
        league = leagues.find_league(connection, game, wish.league)
    elif home is not None and home.game == game:
        league = known[home.league_id]
    else:
        league = max(known.values(), key=lambda one: one.position)
    (settings,) = (one for one in leagues.settings_of(connection, game) if one.id == league.id)
    conditions = conditions_of(settings.values)
    return Rules(games.find(game), league.title, league.rules_level, conditions, settings.limits), league.id


def game_rules(game: Game, league: str | None) -> Rules:
    """Return the rules of a game's league, or of its highest, as the game has them. Raises UnknownName."""
    chosen = game.leagues[-1] if league is None else game.league(league)
    return Rules(game, chosen.title, chosen.rules_level, OFFICIAL, game.limits)


def stand_in(connection: Connection, bot: str, game: str) -> Version:
    """Return the version that a file would be if it were submitted now."""
    try:
        found = bots.find_bot(connection, bot, game)
    except UnknownName:
        bot_id, number = NOBODY, 1
    else:
        bot_id, bot = found.id, found.name
        number = 1 + max((version.number for version in versions.versions_of(connection, bot_id)), default=0)
    return Version(
        NOBODY, bot_id, bot, game, number, "", "building", "", "", keep=False, submitted_at=datetime.now(UTC)
    )


def check(found: list[Version], game: str) -> None:
    """Raise Refused for a version that plays another game, or was rejected."""
    for version in found:
        if version.game != game:
            raise Refused(f"{version.name} plays {version.game}, and this gauntlet is one of {game}")
        if version.state == "rejected":
            raise Refused(f"{version.name} was rejected, so it cannot play; `ladder bot show {version.bot}` tells why")


def entrants_of(connection: Connection, found: list[Version]) -> list[Entrant]:
    """Read the sources of versions."""
    sources = sources_of(connection, [version.id for version in found])
    return [
        Entrant(version.id, version.name, version.bot, version.language, sources[version.id].text) for version in found
    ]


def assembled(wish: Wish, rules: Rules, who: Mapping[str, list[Entrant]], version: Version | None = None) -> Field:
    """Put together who takes part. `version`: which one the candidate is, or would be; None: of no bot.

    Raises Refused where somebody would play against itself, or nobody is left to play against.
    """
    (candidate,) = who[wish.candidate]
    baseline = None if wish.baseline is None else who[wish.baseline][0]
    if baseline is not None and baseline.id == candidate.id:
        raise Refused(f"{candidate.name} cannot be compared with itself")
    met = {entrant.id: entrant for word in wish.against for entrant in who[word]}
    if candidate.id in met:
        raise Refused(f"{candidate.name} cannot play against itself")
    if baseline is not None:
        met.pop(baseline.id, None)
    if not met:
        raise Refused(f"{' and '.join(wish.against)} is nobody for {candidate.name}: name others with --against")
    own = [entrant for entrant in met.values() if version is not None and entrant.bot == version.bot]
    deciding = decided_by(version.number, own) if version is not None and baseline is None else None
    prior = frozenset() if version is None else earlier(version.bot, version.number, [one.name for one in own])
    return Field(rules, candidate, baseline, tuple(met.values()), frozenset(prior), deciding)


def decided_by(number: int, own: list[Entrant]) -> tuple[int, ...] | None:
    """Return the id of the version that the candidate is compared with, out of those of its own bot that it meets.

    `number`: the candidate's; None: all opponents decide, as there is no such version.
    """
    ids = {read_version(entrant.name)[1]: entrant.id for entrant in own}
    before = version_before(number, ids)
    return None if before is None else (ids[before],)
