"""The gate before a board: gauntlets that are played for each new version, and the versions that wait for a verdict.

How this works. The gauntlet of a version that was just accepted is made in the transaction that accepts it, so no
version is missed. If it gates, the version is not let in there: it waits until its gauntlet has passed, and then the
scheduler lets it in, in a transaction of its own that locks the bot first, as every change of a board does. Which
versions wait is read from rows (see `automatic_gauntlets`), so nothing is lost if a process is killed in between. Any
other end leaves the version off the board, and its bot's earlier version plays on.
"""

from __future__ import annotations

from engine.errors import Refused
from ladder.bots import bots, versions
from ladder.bots.versions import Version
from ladder.database.connection import Connection
from ladder.gauntlets import automatic_gauntlets, running
from ladder.gauntlets.automatic_gauntlets import Terms, Whose, applying_to
from ladder.gauntlets.gauntlets import GauntletSpec
from ladder.gauntlets.lineup import (
    Kind,
    Words,
    lacks_earlier,
    lineup_of_those_there,
    participant,
    read_word,
    require_accepted,
)
from ladder.gauntlets.opponents import Opponents, version_named
from ladder.gauntlets.order import plan_of, players_of, require_pairs
from ladder.ids import VersionId
from ladder.promotions import lifecycle


def ask(connection: Connection, whose: Whose, game: str, terms: Terms) -> None:
    """Let this be played for each new version from now on. Raises UsageFault, UnknownName, Refused for bad words."""
    require_pairs(terms.pairs)
    for word in (*terms.words.against, *terms.words.context):
        if read_word(word).kind is Kind.VERSION:
            one = participant(version_named(connection, word, game))
            if one.game != game:
                raise Refused(f"{one.name} plays {one.game}, and the gauntlet would be over {game}")
            require_accepted(one)
    automatic_gauntlets.put(connection, whose, terms)


def begin_for(connection: Connection, version: Version) -> bool:
    """Begin what is played for an accepted version; return whether that holds it back. Its bot is locked."""
    bot = bots.bot_of_version(connection, version.id)
    standing = applying_to(connection, bot)
    if standing is None or bot.is_gone:
        return False
    candidate = participant(version)
    words = Words(tuple(standing.opponents), tuple(standing.context))
    chosen = lineup_of_those_there(candidate, words, Opponents(connection, candidate, bot.league_id))
    if chosen is None:
        return False
    gates = standing.gates and not lacks_earlier(chosen, standing.opponents)
    plan = plan_of(chosen, standing.pairs, players_of(connection, bot.league_id))
    asked_for = GauntletSpec(
        bot.league_id, plan, standing.test, standing.asked_by, gates, is_limited=standing.is_limited
    )
    running.begin(connection, asked_for)
    return gates


def let_in(connection: Connection, version_id: VersionId) -> None:
    """Let a version whose gauntlet has passed onto its bot's board, unless it came there meanwhile."""
    bots.lock_bots(connection, [bots.bot_of_version(connection, version_id).id])
    if version_id in automatic_gauntlets.passed_gates(connection):
        lifecycle.let_in(connection, versions.find_version(connection, version_id))
