"""Standing gauntlets: what is played by itself whenever a version is submitted, and versions that wait for the verdict.

How this works. The gauntlet of a version that was just accepted is made in the transaction that accepts it, so none
slips by. If it gates, the version is not let in there: it waits until its gauntlet has passed, and then the scheduler
lets it in, in a transaction of its own that locks the bot first, as everybody does who changes a board. What waits is
read from rows (storage/standing_gauntlets.py), so who is killed in between loses nothing. Any other end leaves the
version off the board, and its bot's earlier version plays on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from secrets import randbits

from engine.errors import Refused, UsageFault
from engine.games import find_game
from ladder.bots import bots, versions
from ladder.bots.bots import Bot
from ladder.bots.versions import Version
from ladder.database.connection import Connection
from ladder.gauntlets import automatic_gauntlets, running
from ladder.gauntlets.automatic_gauntlets import StandingGauntlet, Terms, Whose
from ladder.gauntlets.gauntlets import Order
from ladder.gauntlets.opponents import MANY, PRIOR, SELECTORS, deciding_ids, meant, number_in, version_named
from ladder.gauntlets.plan import Plan
from ladder.leagues import leagues
from ladder.promotions import lifecycle


@dataclass(frozen=True, slots=True)
class Target:
    """The bot or league for which something is played by itself. `name`: as people call it."""

    whose: Whose
    name: str
    game: str


def of_bot(bot: Bot) -> Target:
    """Return a bot as the target."""
    return Target(Whose(bot_id=bot.id), bot.name, bot.game)


def of_league(connection: Connection, name: str, game: str | None) -> Target:
    """Return a league as the target. Raises UsageFault where no game is named, UnknownName."""
    if game is None:
        raise UsageFault(f"every game has leagues: say with --game in which game {name} is")
    league = leagues.find_league(connection, find_game(game).name, name)
    return Target(Whose(league_id=league.id), league.title, league.game)


def ask(connection: Connection, whose: Whose, game: str, terms: Terms) -> None:
    """Let this be played for each version of a bot or league from now on, in place of what stood there before.

    Raises UsageFault for a word that means nothing, UnknownName, and Refused for somebody who cannot be an opponent.
    """
    check_words(connection, terms.opponents, game)
    automatic_gauntlets.put(connection, whose, terms)


def check_words(connection: Connection, words: Iterable[str], game: str) -> None:
    """Check what can be checked before there is a candidate: that words mean something, and versions play the game."""
    for word in words:
        prefix = next((prefix for prefix in MANY if word.startswith(prefix)), None)
        if prefix is not None:
            number_in(word, prefix)
        elif ":" in word or not word:
            raise UsageFault(f"{word!r} names no opponents: there are {SELECTORS}")
        elif word != "boss":
            check_version(version_named(connection, word, game), game)


def check_version(version: Version, game: str) -> None:
    """Refuse a version that cannot be an opponent in that game."""
    if version.game != game:
        raise Refused(f"{version.name} plays {version.game}, and the gauntlet would be over {game}")
    if version.state == "rejected":
        raise Refused(f"{version.name} was rejected, so it cannot play; `ladder bot show {version.bot}` tells why")


def applying_to(connection: Connection, bot: Bot) -> StandingGauntlet | None:
    """Return what is played for a bot's versions: its own, else its league's, which is not for bosses."""
    own = automatic_gauntlets.find(connection, Whose(bot_id=bot.id))
    if own is not None or bot.boss_of is not None:
        return own
    return automatic_gauntlets.find(connection, Whose(league_id=bot.league_id))


def begin_for(connection: Connection, version: Version) -> bool:
    """Begin what is to be played for a version that was just accepted; return whether that holds it back.

    Where there is nobody to play there is no gauntlet. The caller has locked the bot.
    """
    bot = bots.bot_of_version(connection, version.id)
    standing = applying_to(connection, bot)
    if standing is None:
        return False
    field = opponents_of(connection, version, bot.league_id, standing.opponents)
    if not field:
        return False
    gates = standing.gates and not lacks_earlier(version, field, standing.opponents)
    plan = Plan(
        version.id,
        None,
        tuple(other.id for other in field),
        standing.pairs,
        randbits(64) - 2**63,
        deciding_ids=deciding_ids(version, field),
    )
    running.begin(connection, Order(bot.league_id, plan, standing.test, standing.asked_by, gates))
    return gates


def lacks_earlier(candidate: Version, opponents: Iterable[Version], words: Iterable[str]) -> bool:
    """Say whether a version was to be compared with earlier ones of its bot, and there is none yet.

    Then its gauntlet is played for information: that it is below its league's boss keeps no first version out.
    """
    is_asked_for = any(word.startswith(PRIOR) for word in words)
    return is_asked_for and all(version.bot_id != candidate.bot_id for version in opponents)


def opponents_of(connection: Connection, candidate: Version, league_id: int, words: Iterable[str]) -> list[Version]:
    """Return whom the words mean by now, each once; those that mean nobody any more, or nobody yet, are passed over."""
    found: dict[int, Version] = {}
    for word in words:
        try:
            found |= {version.id: version for version in meant(connection, candidate, league_id, word)}
        except (Refused, UsageFault):
            continue
    return [version for version in found.values() if can_meet(version, candidate)]


def can_meet(version: Version, candidate: Version) -> bool:
    """Say whether a version can be the candidate's opponent at once."""
    return version.id != candidate.id and version.game == candidate.game and version.state == "accepted"


def let_in(connection: Connection, version_id: int) -> None:
    """Let a version whose gauntlet has passed onto its bot's board, unless it came there meanwhile."""
    bots.lock_bots(connection, [bots.bot_of_version(connection, version_id).id])
    if version_id in automatic_gauntlets.passed_gates(connection):
        lifecycle.let_in(connection, versions.find_version(connection, version_id))
