"""What people do with tunes: begin, stop and resume one."""

from functools import partial

from engine.immutable import immutable
from ladder import audit
from ladder.access import Actor, Deed
from ladder.actions import gauntlets as acts
from ladder.database.connection import Pool, transaction
from ladder.gauntlets import execution
from ladder.ids import GauntletId
from ladder.queue import Scheduling
from ladder.quotas.quotas import holds_for, require_room
from ladder.quotas.rules import Quota
from ladder.tuning import tunes
from ladder.tuning.execution import going_on, order_of
from ladder.tuning.parameters import TuneRequest
from ladder.visibility import boards_shown_to


@immutable
class BegunTune:
    """A tune that has begun. `start`: where each parameter begins; `pairs`: in all."""

    tune: GauntletId
    candidate: str
    opponents: list[str]
    start: dict[str, str]
    pairs: int


def begin(actor: Actor, pool: Pool, queue: Scheduling, request: TuneRequest) -> BegunTune:
    """Begin a tune. Raises QuotaUsed, UsageFault, UnknownName, Refused; see `ladder.tuning.execution.order_of`."""
    with audit.transaction_for(actor, pool, Deed.BEGIN_GAUNTLET) as connection:
        order = order_of(
            connection, request, actor.player, partial(boards_shown_to, connection, actor), is_limited=holds_for(actor)
        )
        acts.require_own_candidate(connection, actor, order.gauntlet.plan.candidate_id)
        require_room(connection, actor, Quota.GAUNTLETS_RUNNING, Quota.CPU_S_PER_DAY)
        begun = execution.begin(connection, order.gauntlet)
        tunes.insert(connection, begun.id, request.ranges, order.start, order.confirming_pairs)
        audit.write(connection, actor, "tune run", f"tune {begun.id} for {begun.candidate}")
    acts.look_at_once(queue)
    return BegunTune(begun.id, begun.candidate, begun.opponents, order.params, begun.pairs + order.confirming_pairs)


@immutable
class ChangedTune:
    """A tune and the state that it is in now."""

    tune: GauntletId
    state: str


def stop(actor: Actor, pool: Pool, gauntlet_id: GauntletId) -> ChangedTune:
    """Stop a tune. Raises NotAllowed for somebody else's, Refused where it does not run, UnknownName."""
    end = partial(execution.stop, name=f"tune {gauntlet_id}")
    with transaction(pool) as connection:
        at_present = going_on(tunes.find(connection, gauntlet_id))
        acts.change(connection, actor, Deed.STOP_GAUNTLET, "tune stop", at_present, end)
    return ChangedTune(gauntlet_id, "stopped")


def resume(actor: Actor, pool: Pool, gauntlet_id: GauntletId) -> ChangedTune:
    """Let a stopped tune go on. Raises NotAllowed, Refused, UnknownName, QuotaUsed where too many run."""
    again = "begin another one with `ladder tune run`"
    let_go_on = partial(execution.resume, name=f"tune {gauntlet_id}", again=again)
    with transaction(pool) as connection:
        at_present = going_on(tunes.find(connection, gauntlet_id))
        acts.change(connection, actor, Deed.RESUME_GAUNTLET, "tune resume", at_present, let_go_on)
    return ChangedTune(gauntlet_id, "running")
