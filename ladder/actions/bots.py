"""What a player does with a bot: submit its next version, put another one on the board, send it back a league.

And what makes bots leave the boards, or changes their names: that concerns others, so it is written down.
"""

from dataclasses import replace
from typing import ClassVar

from engine.errors import Refused
from engine.immutable import immutable
from ladder import audit
from ladder.access import Actor, Deed
from ladder.accounts.accounts import require_enabled
from ladder.bots import bots, versions
from ladder.bots.bots import Bot
from ladder.bots.versions import Version
from ladder.database.connection import Connection, Pool, transaction
from ladder.errors import QueueDown
from ladder.flows import departure
from ladder.flows.departure import Disqualified, Retired
from ladder.flows.submission import Submission, insert, require_its_place, require_open
from ladder.leagues import leagues
from ladder.leagues.leagues import League
from ladder.promotions import lifecycle
from ladder.promotions.lifecycle import Activation, Rewind
from ladder.queue import Queue
from ladder.quotas.quotas import require_room
from ladder.quotas.rules import Quota
from ladder.ratings import frozen, standings
from ladder.views.ratings import Progress, unseen
from ladder.visibility import boards_shown_to, sees_true_boards


@immutable
class SubmittedVersion:
    """A version that is safe in the database; where not `queue_answers`, workers find it when the broker is back."""

    MERGED: ClassVar = ("row",)
    HIDDEN: ClassVar = ("queue_answers",)

    version: str
    row: Version
    queue_answers: bool


def submit(actor: Actor, pool: Pool, queue: Queue, submission: Submission) -> SubmittedVersion:
    """Keep a bot's next version, safe once this returns, and ask for its build. Raises DuplicateSource and others."""
    with transaction(pool) as connection:
        require_enabled(connection, actor.player)
        require_room(connection, actor, Quota.VERSIONS_PER_HOUR, Quota.VERSIONS_PER_DAY)
        version = insert(connection, actor, submission)
        audit.write(connection, actor, "submit", f"{version.name} ({submission.game})")
    try:
        queue.enqueue_build(version.id)
    except QueueDown:
        return SubmittedVersion(version.name, version, queue_answers=False)
    return SubmittedVersion(version.name, version, queue_answers=True)


def activate(actor: Actor, pool: Pool, bot: str, number: int, game: str | None = None) -> Activation:
    """Put a bot's version of that number on the board in place of the present one. Raises Refused, NotYourBot."""
    with transaction(pool) as connection:
        require_enabled(connection, actor.player)
        own_bot = bots.find_own_bot(connection, actor, Deed.ACTIVATE, bot, game)
        require_open(connection, own_bot.game)
        bots.lock_bots(connection, [own_bot.id])
        require_its_place(connection, own_bot)
        activation = lifecycle.activate(connection, actor, bot, number, game)
        with boards_shown_to(connection, actor):
            own_bot = bots.find_bot(connection, bot, game)
            stays = standings.stays_of(connection, own_bot.id, versions.numbered(connection, own_bot, number).id)
        if own_bot.league != activation.league:
            was_there = any(stay.league_id == own_bot.league_id for stay in stays)
            activation = replace(activation, league=own_bot.league, was_there=was_there)
        audit.write(connection, actor, "bot activate", f"{activation.version} in {activation.league}")
    return activation


def rewind(actor: Actor, pool: Pool, bot: str, game: str | None = None, *, to_league: str | None = None) -> Rewind:
    """Send a bot back a league, or to a lower one by name. Raises Refused where it cannot, NotYourBot, UnknownName."""
    with transaction(pool) as connection:
        own_bot = bots.find_own_bot(connection, actor, Deed.REWIND, bot, game)
        freeze = frozen.find(connection, own_bot.game)
        if freeze is not None and freeze.has_begun and not sees_true_boards(actor):  # whether it can would say that
            raise Refused(
                f"the boards of {own_bot.game} are frozen, so only operators see where {own_bot.name} stands: it can "
                "go back a league when an operator has thawed them"
            )
        result = lifecycle.rewind(connection, actor, bot, game, to_league=to_league)
        about = f"{result.version} from {result.from_league} to {result.to_league}"
        audit.write(connection, actor, "bot rewind", about)
    return result


def retire(actor: Actor, pool: Pool, bot: str, game: str | None = None) -> Retired:
    """Let a bot play no more; running matches end. Raises Refused where it left or is a boss, NotYourBot and others."""
    with transaction(pool) as connection:
        own_bot = bots.find_own_bot(connection, actor, Deed.RETIRE, bot, game)
        result = departure.retire(connection, own_bot, actor.player, f"{own_bot.name} was retired")
        with boards_shown_to(connection, actor):
            result = replace(result, league=result.league and bots.find_bot(connection, result.bot, result.game).league)
        audit.write_deed(connection, actor, "bot retire", f"{result.bot} of {result.player} ({result.game})")
    return result


@immutable
class Renamed:
    """A bot has another name. `before`: the one that leads to it from now on."""

    bot: str
    before: str
    game: str


def rename(actor: Actor, pool: Pool, bot: str, name: str, game: str | None = None) -> Renamed:
    """Give a bot another name, to which its present one leads from then on. Raises Refused, NotYourBot, UnknownName."""
    with transaction(pool) as connection:
        own_bot = bots.find_own_bot(connection, actor, Deed.RENAME, bot, game)
        bots.lock_bots(connection, [own_bot.id])
        before = bots.find_bot(connection, own_bot.name, own_bot.game)
        bots.rename(connection, before, name)
        about = f"{before.name} of {before.player} ({before.game}) is called {name}"
        audit.write_deed(connection, actor, "bot rename", about)
    return Renamed(name, before.name, before.game)


@immutable
class SourceVisibility:
    """Who sees the sources of a bot: everybody who may read, or its player alone."""

    bot: str
    game: str
    source_is_public: bool


def show_sources(actor: Actor, pool: Pool, bot: str, is_public: bool, game: str | None = None) -> SourceVisibility:
    """Let everybody see the sources of a bot, or its player alone. Raises NotYourBot, UnknownName, UsageFault."""
    with transaction(pool) as connection:
        own_bot = bots.find_own_bot(connection, actor, Deed.SHOW_SOURCES, bot, game)
        bots.show_sources(connection, own_bot.id, is_public=is_public)
        by = "everybody" if is_public else "its player alone"
        audit.write(connection, actor, "bot show-sources", f"{own_bot.name} ({own_bot.game}): {by}")
    return SourceVisibility(own_bot.name, own_bot.game, is_public)


def disqualify(
    actor: Actor, pool: Pool, bot: str, why: str, game: str | None = None, progress: Progress = unseen
) -> Disqualified:
    """Take a bot off the boards, and rate its leagues again without its matches. Raises NotAllowed, Refused."""
    with audit.transaction_for(actor, pool, Deed.DISQUALIFY) as connection:
        bot_row = bots.find_bot(connection, bot, game)
        with progress(connection, leagues_of(connection, bot_row)) as on_match:
            result = departure.disqualify(connection, actor, bot_row, why, on_match)
        audit.write_deed(connection, actor, "bot disqualify", f"{result.bot} of {result.player} ({result.game}): {why}")
    return result


def reinstate(actor: Actor, pool: Pool, bot: str, game: str | None = None, progress: Progress = unseen) -> Disqualified:
    """Undo that a bot was disqualified: its matches count again in their places. Raises NotAllowed, Refused."""
    with audit.transaction_for(actor, pool, Deed.DISQUALIFY) as connection:
        bot_row = bots.find_bot(connection, bot, game)
        with progress(connection, leagues_of(connection, bot_row)) as on_match:
            result = departure.reinstate(connection, bot_row, on_match)
        audit.write_deed(connection, actor, "bot reinstate", f"{result.bot} of {result.player} ({result.game})")
    return result


def leagues_of(connection: Connection, bot: Bot) -> list[League]:
    been_in = {stay.league_id for stay in standings.stays_of(connection, bot.id)}
    return [league for league in leagues.leagues(connection, bot.game) if league.id in been_in]
