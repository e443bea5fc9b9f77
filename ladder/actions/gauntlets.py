"""What people do with gauntlets: begin, stop, resume and purge one, and have some played by themselves."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from engine.errors import Refused
from engine.immutable import immutable
from ladder import audit
from ladder.access import Actor, Deed, Role, require, require_bot
from ladder.bots import bots
from ladder.database.connection import Connection, Pool, transaction
from ladder.errors import QueueDown
from ladder.gauntlets import automatic_gauntlets, execution, gauntlets
from ladder.gauntlets.automatic_gauntlets import GauntletTerms, Target, of_league
from ladder.gauntlets.gauntlets import Gauntlet
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import seconds_of_pair, spec_of
from ladder.gauntlets.rendering import outlook
from ladder.ids import GauntletId, VersionId
from ladder.queue import Scheduling
from ladder.quotas.quotas import holds_for, require_room
from ladder.quotas.rules import Quota
from ladder.ratings import standings
from ladder.views.gauntlets import Automatic
from ladder.visibility import boards_shown_to


@immutable
class BegunGauntlet:
    """A gauntlet that has begun. `deciding`: those of the opponents against whom the verdict is found.

    `variants`: the names of those that are compared with each other instead. `outlook`: what its test will take.
    """

    gauntlet: GauntletId
    candidate: str
    opponents: list[str]
    deciding: list[str]
    variants: list[str]
    outlook: str = ""


def begin(actor: Actor, pool: Pool, queue: Scheduling, request: GauntletRequest) -> BegunGauntlet:
    """Begin a gauntlet. Raises QuotaUsed, UsageFault, UnknownName, Refused; see `ladder.gauntlets.order.spec_of`."""
    with audit.transaction_for(actor, pool, Deed.BEGIN_GAUNTLET) as connection:
        spec = spec_of(connection, replace(request, asked_by=actor.player), partial(boards_shown_to, connection, actor))
        require_own_candidate(connection, actor, spec.plan.candidate_id)
        require_room(connection, actor, Quota.GAUNTLETS_RUNNING, Quota.CPU_S_PER_DAY)
        begun = execution.begin(connection, replace(spec, is_limited=holds_for(actor)))
        audit.write(connection, actor, "gauntlet run", f"gauntlet {begun.id} for {begun.candidate}")
        pair_s = None if begun.compares_variants else seconds_of_pair(connection, spec.league_id, spec.plan)
    look_at_once(queue)
    takes = outlook(begun.test, begun.pairs, begun.players, pair_s)
    return BegunGauntlet(begun.id, begun.candidate, begun.opponents, begun.deciding, begun.compared, takes)


def require_own_candidate(connection: Connection, actor: Actor, candidate_id: VersionId) -> None:
    bot = bots.bot_of_version(connection, candidate_id)
    require_bot(actor, bot.game, bot.name)


def look_at_once(queue: Scheduling) -> None:
    """Have the scheduler look at once; where the queue does not answer, it looks within a second anyway."""
    with suppress(QueueDown):
        queue.enqueue_schedule()


@immutable
class ChangedGauntlet:
    """A gauntlet and the state that it is in now."""

    gauntlet: GauntletId
    state: str


def stop(actor: Actor, pool: Pool, gauntlet_id: GauntletId) -> ChangedGauntlet:
    """Stop a gauntlet. Raises NotAllowed for somebody else's, Refused where it does not run, UnknownName."""
    with transaction(pool) as connection:
        change(connection, actor, Deed.STOP_GAUNTLET, "gauntlet stop", gauntlet_id, execution.stop)
    return ChangedGauntlet(gauntlet_id, "stopped")


def resume(actor: Actor, pool: Pool, gauntlet_id: GauntletId) -> ChangedGauntlet:
    """Let a stopped gauntlet go on. Raises NotAllowed, Refused, UnknownName, QuotaUsed where too many run."""
    with transaction(pool) as connection:
        change(connection, actor, Deed.RESUME_GAUNTLET, "gauntlet resume", gauntlet_id, execution.resume)
    return ChangedGauntlet(gauntlet_id, "running")


def change(
    connection: Connection,
    actor: Actor,
    deed: Deed,
    command: str,
    gauntlet_id: GauntletId,
    act: Callable[[Connection, GauntletId], Gauntlet],
) -> None:
    """Do that with a gauntlet where its player or an operator asks for it; an operator's deed is written down."""
    gauntlet = gauntlets.find(connection, gauntlet_id)
    sentence = f"gauntlet {gauntlet_id} belongs to {gauntlet.asked_by}, and only its player can do that, or an operator"
    require(actor, deed, f"{sentence} (--operator)", gauntlet.asked_by)
    require_own_candidate(connection, actor, gauntlet.candidate_id)
    if deed is Deed.RESUME_GAUNTLET and actor.is_(gauntlet.asked_by):
        require_room(connection, actor, Quota.GAUNTLETS_RUNNING)
    changed = act(connection, gauntlet_id)
    note = audit.write_deed if actor.role is Role.OPERATOR else audit.write
    note(connection, actor, command, f"gauntlet {gauntlet_id} of {changed.asked_by} for {changed.candidate}")


@immutable
class Purged:
    """What one machine played of a gauntlet counts no more. `pairs`: how many; `state`: the gauntlet's.

    `stays_on_board`: the candidate where the gauntlet was to keep it off the board and it is there, else None.
    """

    gauntlet: GauntletId
    host: str
    pairs: int
    state: str
    stays_on_board: str | None


def purge(actor: Actor, pool: Pool, queue: Scheduling, gauntlet_id: GauntletId, host: str, why: str) -> Purged:
    """Take back what one machine played of a gauntlet, so that it is played again. Raises NotAllowed, Refused."""
    with audit.transaction_for(actor, pool, Deed.PURGE_GAUNTLET) as connection:
        pairs = execution.purge(connection, gauntlet_id, host, actor.player, why)
        audit.write_deed(connection, actor, "gauntlet purge", f"gauntlet {gauntlet_id}: what {host} played ({why})")
        gauntlet = gauntlets.find(connection, gauntlet_id)
        present = standings.present_version(connection, bots.bot_of_version(connection, gauntlet.candidate_id).id)
        stays = gauntlet.gates and present is not None and present[0] == gauntlet.candidate_id
    look_at_once(queue)
    return Purged(gauntlet_id, host, pairs, gauntlet.state, gauntlet.candidate if stays else None)


def automate(
    actor: Actor, pool: Pool, bot: str | None, league: str | None, game: str | None, terms: GauntletTerms
) -> Automatic:
    """Have a gauntlet played for each new version of a bot, or of a league's bots. Raises NotYourBot, Refused."""
    with transaction(pool) as connection:
        target = own_target(connection, actor, bot, league, game)
        terms_of_actor = replace(terms, asked_by=actor.player, is_limited=holds_for(actor) and league is None)
        execution.put_automatic(connection, target, terms_of_actor)
        audit.write(connection, actor, "gauntlet auto", f"{target.name} ({target.game})")
        return Automatic(target.name, automatic_gauntlets.find(connection, target.bot_id, target.league_id))


@immutable
class NoLongerAutomatic:
    """Nothing is played by itself any more for a bot or league."""

    for_: str
    game: str
    off: bool = True


def end_automatic(actor: Actor, pool: Pool, bot: str | None, league: str | None, game: str | None) -> NoLongerAutomatic:
    """Have nothing played by itself any more for a bot or league. Raises Refused where nothing was, NotYourBot."""
    with transaction(pool) as connection:
        target = own_target(connection, actor, bot, league, game)
        if not automatic_gauntlets.remove(connection, target.bot_id, target.league_id):
            raise Refused(f"{target.name} has no automatic gauntlet of its own")
        audit.write(connection, actor, "gauntlet auto --off", f"{target.name} ({target.game})")
    return NoLongerAutomatic(target.name, target.game)


def own_target(connection: Connection, actor: Actor, bot: str | None, league: str | None, game: str | None) -> Target:
    if league is not None:
        require(actor, Deed.AUTOMATE_LEAGUE)
        return of_league(connection, league, game)
    own_bot = bots.find_own_bot(connection, actor, Deed.AUTOMATE_BOT, bot or "", game)
    return Target(own_bot.name, own_bot.game, bot_id=own_bot.id)
