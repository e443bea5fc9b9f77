"""The way of a submission: kept in one transaction, then built and tried, then let onto the board or turned down."""

from dataclasses import field

from engine.errors import Refused
from engine.immutable import immutable
from engine.text import harmless
from engine.toolchains.bot_folder import is_program
from engine.toolchains.params import Params, check_params
from engine.toolchains.source import Source
from ladder.access import Actor, Deed, require, require_bot
from ladder.bots import bots, builds, versions
from ladder.bots.bots import Bot
from ladder.choices import VersionState
from ladder.database import tallies
from ladder.database.connection import Connection, our_errors
from ladder.database.tallies import Tallied
from ladder.errors import DuplicateSource, NotYourBot
from ladder.gauntlets import execution
from ladder.leagues import leagues
from ladder.promotions import lifecycle
from ladder.quotas import quotas
from ladder.ratings import standings
from ladder.seasons import ending


@immutable
class Submission:
    """The next version of a bot.

    `boss_of`: the league to guard, for Ladder's own; `leaves_rival`: the one before stays; `note`: 200 characters
    at most; `new_game`: a namesake in another game is meant; `league`: where operators let it begin.
    """

    game: str
    bot: str
    source: Source
    language: str
    boss_of: str | None = None
    leaves_rival: bool = False
    note: str = ""
    params: Params = field(default_factory=dict[str, str])
    new_game: bool = False
    league: str | None = None


def insert(connection: Connection, actor: Actor, submission: Submission) -> versions.Version:
    """Write player, bot and version, as far as new. Raises NotYourBot, Refused, DuplicateSource, UsageFault."""
    check_params(submission.params)
    boss_of = None
    if submission.boss_of is not None:
        boss_of = leagues.find_league(connection, submission.game, submission.boss_of).id
    else:
        leagues.check_game(connection, submission.game)
        require_open(connection, submission.game)
        require_game_meant(connection, actor, submission)
    called = bots.bots_called(connection, submission.bot, submission.game)
    with our_errors():
        bot = bots.open_bot(connection, submission.game, submission.bot, actor.player, boss_of)
    sentence = f"the name {bot.name} belongs to {bot.player}; choose another name for your bot"
    require(actor, Deed.SUBMIT, sentence, bot.player, NotYourBot)
    require_bot(actor, bot.game, bot.name)
    bots.require_not_disqualified(bot)
    require_its_place(connection, bot)
    if submission.league is not None:
        bot = begin_in(connection, actor, bot, submission.league)
    if is_program(submission.source, submission.language) and not leagues.takes_programs(connection, bot.league_id):
        raise Refused(f"the league of {bot.name} takes no programs: submit what it is built from")
    if not called or called[0].is_gone or called[0].league_id != bot.league_id:
        bots.require_room(connection, bot, bot.league_id)
    bots.come_back(connection, bot.id)
    twin = versions.same_source(connection, bot.id, submission.source, submission.language, submission.params)
    if twin is not None:
        raise DuplicateSource(f"this source was submitted before: it is {twin.name}, {way_back(connection, bot, twin)}")
    version_id = versions.insert_version(
        connection,
        bot.id,
        submission.source,
        submission.language,
        leaves_rival=submission.leaves_rival,
        note=" ".join(submission.note.split()),
        params=submission.params,
    )
    return versions.find_version(connection, version_id)


def require_game_meant(connection: Connection, actor: Actor, submission: Submission) -> None:
    """Raise Refused for a new bot whose name a bot of its player has in another game: its game was mistyped, mostly."""
    called = bots.bots_called(connection, submission.bot)
    others = [bot for bot in called if bot.player.lower() == actor.player.lower() and bot.game != submission.game]
    elsewhere = bots.that_can_play(connection, others)
    if elsewhere and not submission.new_game and all(bot.game != submission.game for bot in called):
        games = " and ".join(bot.game for bot in elsewhere)
        raise Refused(
            f"{elsewhere[0].name} plays {games}: name that game, or another bot; --new-game makes one more bot of that "
            f"name, which plays {submission.game}"
        )


def begin_in(connection: Connection, actor: Actor, bot: Bot, name: str) -> Bot:
    league = leagues.find_league(connection, bot.game, name)
    require(actor, Deed.CHOOSE_LEAGUE)
    if league.id == bot.league_id:
        return bot
    if standings.has_begun(connection, bot.id) or bot.boss_of is not None:
        raise Refused(
            f"{bot.name} has begun in {bot.league} and goes up by its results: to begin in {league.title}, submit it "
            "as another bot (`--bot`)"
        )
    bots.move_bot(connection, bot.id, league.id)
    return bots.find_bot(connection, bot.name, bot.game)


def require_open(connection: Connection, game: str) -> None:
    ending.require_open(connection, game)
    quotas.require_unlocked(connection, game)


def require_its_place(connection: Connection, bot: Bot) -> None:
    """Raise Refused for a second bot of a player where the game's contest takes one of each."""
    plan = ending.find(connection, bot.game)
    if plan is not None and plan.one_bot:
        bots.require_only(connection, bot)


def way_back(connection: Connection, bot: Bot, twin: versions.Version) -> str:
    if twin.state == VersionState.BUILDING:
        return "which is being built"
    present = standings.present_version(connection, bot.id)
    if present is not None and present[0] == twin.id:
        return "which plays for it now"
    is_of_several = len(bots.games_of(connection, bot.name)) > 1
    game = f" --game {bot.game}" if is_of_several else ""
    return f"and `ladder bot activate {twin.name}{game}` puts it on the board"


def accept(connection: Connection, claim: builds.BuildClaim, warnings: str = "") -> bool:
    """Return whether a version was accepted. It is let in unless an automatic gauntlet holds it back."""
    bots.lock_bots(connection, [bots.bot_of_version(connection, claim.version_id).id])
    if not builds.finish_build(connection, claim, VersionState.ACCEPTED, "", warnings):
        return False
    version = versions.find_version(connection, claim.version_id)
    if not execution.begin_automatic(connection, version):
        lifecycle.let_in(connection, version)
    return True


def reject(
    connection: Connection, claim: builds.BuildClaim, message: str, warnings: str = "", *, reason: str = "bot"
) -> bool:
    """Turn a version down with words for its owner; return whether it was done. `reason`: by which it is counted."""
    was_building = builds.finish_build(connection, claim, VersionState.REJECTED, harmless(message), warnings)
    if was_building:
        tallies.add(connection, Tallied.REJECTED, reason)
    return was_building
