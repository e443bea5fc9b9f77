"""The way of a submission: kept in one transaction, then built and tried, then let onto the board or turned down."""

from __future__ import annotations

from dataclasses import dataclass

from engine.text import harmless
from ladder.bots import bots, builds, versions
from ladder.database.connection import Connection, Pool, our_errors, transaction
from ladder.errors import DuplicateSource, QueueDown
from ladder.gauntlets import automatic
from ladder.leagues import leagues
from ladder.promotions import lifecycle
from ladder.queue import Queue


@dataclass(frozen=True, slots=True)
class Submission:
    """What somebody hands in. `boss_of`: the name of the league that the bot is to guard, for house bots only.

    `keep`: the bot's version before it stays on the board as a rival, which otherwise it replaces.
    """

    game: str
    bot: str
    player: str
    source: str
    language: str
    boss_of: str | None = None
    keep: bool = False


def submit(pool: Pool, queue: Queue, submission: Submission) -> versions.Version:
    """Keep the source as the bot's next version and ring for its build.

    Once this returns, the version is safe: if the bell could not be rung, the sweep rings later.
    Raises DuplicateSource, NotYourBot, UsageFault, UnknownName, DatabaseDown.
    """
    version = store(pool, submission)
    ring(queue, version)
    return version


def store(pool: Pool, submission: Submission) -> versions.Version:
    """Keep the source as the bot's next version, which then is safe. Raises as `submit` does."""
    with transaction(pool) as connection:
        return insert(connection, submission)


def ring(queue: Queue, version: versions.Version) -> bool:
    """Ring for a version's build and return whether that was heard. If not, the sweep rings when the broker is back."""
    try:
        queue.ring_build(version.id)
    except QueueDown:
        return False
    return True


def insert(connection: Connection, submission: Submission) -> versions.Version:
    """Write the player, the bot and the version, those that are new."""
    boss_of = None
    if submission.boss_of is not None:
        boss_of = leagues.find_league(connection, submission.game, submission.boss_of).id
    else:
        leagues.check_game(connection, submission.game)
    with our_errors():
        bot = bots.open_bot(connection, submission.game, submission.bot, submission.player, boss_of)
    twin = versions.same_source(connection, bot.id, submission.source, submission.language)
    if twin is not None:
        raise DuplicateSource(f"this source was submitted before: it is {twin.name} ({twin.state})")
    version_id = versions.insert_version(
        connection, bot.id, submission.source, submission.language, keep=submission.keep
    )
    return versions.find_version(connection, version_id)


def accept(connection: Connection, claim: builds.BuildClaim, warnings: str = "") -> bool:
    """Accept a version that builds and speaks, with its compiler's warnings; return whether it was.

    It comes onto its bot's board (see lifecycle.let_in), unless a standing gauntlet holds it back.
    """
    bots.lock_bots(connection, [bots.bot_of_version(connection, claim.version_id).id])
    if not builds.settle_version(connection, claim, "accepted", "", warnings):
        return False
    version = versions.find_version(connection, claim.version_id)
    if not automatic.begin_for(connection, version):
        lifecycle.let_in(connection, version)
    return True


def reject(connection: Connection, claim: builds.BuildClaim, message: str, warnings: str = "") -> bool:
    """Turn a version down with the words its owner will see, a bot's own among them. Returns whether it was done."""
    return builds.settle_version(connection, claim, "rejected", harmless(message), warnings)
