"""Who is meant by words that name a gauntlet's opponents: `kraken@v7`, `kraken`, `prior:5`, `boss`, `board:top10`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from engine.errors import Refused, UnknownName, UsageFault
from ladder.bots import bots, versions
from ladder.bots.bots import Bot
from ladder.bots.versions import Version
from ladder.database.connection import Connection
from ladder.names import read_name
from ladder.ratings import standings

SELECTORS = "BOT@vN (a version), BOT (its present version), prior:N, boss, board:topN"
PRIOR = "prior:"
MOST_DIGITS = 6
"""Of the N in prior:N and board:topN."""


def opponents(connection: Connection, candidate: Version, league_id: int, selectors: Iterable[str]) -> list[Version]:
    """Return the versions that are meant, each once, in the order in which they are named.

    `league_id`: whose board and boss are meant. Raises UsageFault for a word that means nothing, UnknownName, and
    Refused where they play another game or where there is nobody.
    """
    words = list(selectors)
    named = [version for word in words for version in meant(connection, candidate, league_id, word)]
    for version in named:
        if version.game != candidate.game:
            raise Refused(f"{version.name} plays {version.game}, and {candidate.name} plays {candidate.game}")
    found = list({version.id: version for version in named}.values())
    if not found:
        raise Refused(f"{' and '.join(words)} is nobody for {candidate.name} yet: name others with --against")
    return found


def meant(connection: Connection, candidate: Version, league_id: int, word: str) -> list[Version]:
    """Return whom one word means. What names many leaves the candidate out."""
    if word == "boss":
        return boss(connection, candidate, league_id)
    for prefix, choose in MANY.items():
        if word.startswith(prefix):
            return choose(connection, candidate, league_id, number_in(word, prefix))
    if ":" in word or not word:
        raise UsageFault(f"{word!r} names no opponents: there are {SELECTORS}")
    return [version_named(connection, word, candidate.game)]


def deciding_ids(candidate: Version, among: Sequence[Version]) -> tuple[int, ...] | None:
    """Return the ids of the opponents that decide whether the candidate is better; None: all of them together.

    Where other versions of its own bot are among them it is the one that it follows: see `version_before`.
    """
    own = {version.number: version.id for version in among if version.bot_id == candidate.bot_id}
    before = version_before(candidate.number, own)
    return None if before is None else (own[before],)


def version_before(number: int, others: Iterable[int]) -> int | None:
    """Return with which version of its bot one is compared, by their numbers; None where there is no other.

    It is the last one before it, or else the first after it.
    """
    return min(others, key=lambda other: (other > number, abs(number - other)), default=None)


def number_in(word: str, prefix: str) -> int:
    """Return the number after the prefix. Raises UsageFault."""
    digits = word.removeprefix(prefix)
    if not digits.isdecimal() or len(digits) > MOST_DIGITS or int(digits) < 1:
        raise UsageFault(f"{word!r} needs a number, as in {prefix}5: there are {SELECTORS}")
    return int(digits)


def version_named(connection: Connection, name: str, game: str | None = None) -> Version:
    """Return the version that `kraken@v7` names, or the present one of `kraken`.

    A bot of the game is preferred where several have that name. Raises UnknownName, UsageFault, and Refused for a bot
    without a version that plays.
    """
    named = read_name(name)
    bot = bot_named(connection, named.bot, game)
    if named.number is not None:
        return versions.numbered(connection, bot, named.number)
    present = standings.present_version(connection, bot.id)
    if present is None:
        raise Refused(f"{bot.name} has no version on a board: name one, as in {bot.name}@v1")
    return versions.find_version(connection, present[0])


def bot_named(connection: Connection, name: str, game: str | None) -> Bot:
    """Return the bot of that name, of the game if there is one, else of another. Raises UnknownName, UsageFault."""
    try:
        return bots.find_bot(connection, name, game)
    except UnknownName:
        return bots.find_bot(connection, name)


def prior(connection: Connection, candidate: Version, _: int, most: int) -> list[Version]:
    """Return the accepted versions of the candidate's bot before it, the latest first."""
    own = versions.versions_of(connection, candidate.bot_id)
    earlier = [version for version in own if version.number < candidate.number and version.state == "accepted"]
    return sorted(earlier, key=lambda version: version.number, reverse=True)[:most]


def boss(connection: Connection, candidate: Version, league_id: int) -> list[Version]:
    """Return the version that guards the league, unless that is the candidate or there is none."""
    rows = [row for row in standings.board(connection, league_id) if row.is_boss]
    return [versions.find_version(connection, row.version_id) for row in rows if row.version_id != candidate.id]


def board_top(connection: Connection, candidate: Version, league_id: int, most: int) -> list[Version]:
    """Return the first of the league's board, the candidate left out."""
    rows = [row for row in standings.board(connection, league_id) if row.version_id != candidate.id]
    return [versions.find_version(connection, row.version_id) for row in rows[:most]]


MANY: dict[str, Callable[[Connection, Version, int, int], list[Version]]] = {
    PRIOR: prior,
    "board:top": board_top,
}
