"""`ladder hooks`: where notices go, by webhooks."""

from __future__ import annotations

import time
from typing import Annotated

from cli.answer import Answer, Found, Remark, Whole, argument, listing, option
from cli.context import Context
from cli.options.names import ByOption, OwnerOption, operator_named, owner_named
from cli.options.numbers import id_argument
from cli.terminal.table import NAME, WORDS, Column, Columns, FittingTable
from cli.terminal.words import moment_text
from engine.errors import Refused, Unavailable, UsageFault
from engine.machine import patience_s
from engine.text import alternatives, listed, shortened
from ladder import actions, notices
from ladder.choices import NoticeEvent, NoticeForm
from ladder.ids import HookId

LOOK_EVERY_S = 1.0
HOOKS: Columns[notices.hooks.Hook] = (
    Column("hook", lambda row: row.id),
    Column("address", lambda row: row.address, NAME),
    Column("gets", lambda row: ", ".join(row.events), NAME),
    Column("form", lambda row: row.form, WORDS, leaves=2),
    Column("tried", lambda row: moment_text(row.tried_at, ""), WORDS, leaves=1),
    Column("result", lambda row: row.result, NAME),
    Column("wait", lambda row: row.waiting, meaning="notices that are to be sent"),
)
HookArgument = Annotated[HookId, id_argument("hook")]
LadderOption = Annotated[bool, option("--ladder", "It is the ladder's, which operators look after.")]


def add_hook(
    context: Context,
    url: Annotated[str, argument("The address, as in https://example.org/hook.", metavar="URL")],
    on: Annotated[str, option("--on", "What it gets, with commas: accepted,promoted.")],
    form: Annotated[NoticeForm, option("--form", "How notices are written.")] = NoticeForm.JSON,
    ladder: LadderOption = False,
    player: OwnerOption = None,
) -> Found:
    """Let notices of your bots go to an address from now on; what is sent as JSON is signed by a secret shown once.

    accepted and rejected: your versions, with the reason. promoted and demoted: your bots. verdict: gauntlets and
    tunes of your versions have ended. deadline: a planned season ends in a day, in an hour. With --ladder it gets those
    of all players, but for rejected, which is its player's to know, and bossless: a league's boss does not play. While
    boards are frozen moves wait, and with --ladder verdicts.

    A notice that does not arrive is sent again, after pauses of 10 seconds to an hour. A hook that fails for a day is
    disabled, and `ladder hooks list` says why. No notice goes to an address of a private network.

    Example: ladder hooks add https://discord.com/api/webhooks/1/abc --on accepted,rejected,promoted --form discord
    """
    actor = operator_named(player) if ladder else owner_named(player)
    words = [word.strip() for word in on.split(",") if word.strip()]
    unknown = next((word for word in words if word not in set(NoticeEvent)), None)
    if unknown is not None or not words:
        raise UsageFault(f"--on names {shortened(unknown or on)!r}; it can be {alternatives(list(NoticeEvent))}")
    made = context.act(actions.hooks.add, actor, url, list(map(NoticeEvent, words)), form, of_ladder=ladder)
    gets = f"hook {made.hook.id} gets {listed(made.hook.events)}"
    if not made.secret:
        return Answer(made, gets)
    return Answer(made, [Remark(f"{gets}, signed with this secret, which is shown only now:"), Whole(made.secret)])


def list_hooks(context: Context, ladder: LadderOption = False, player: OwnerOption = None) -> Found:
    """List your hooks, or with --ladder the ladder's: what each gets, and what came of the latest notice.

    Example: ladder hooks list
    """
    owner = owner_named(player).player
    hooks = context.read(notices.hooks.of_ladder) if ladder else context.read(notices.hooks.of_player, owner)
    whose = "the ladder" if ladder else player or context.own_player
    return listing(hooks, lambda: FittingTable(HOOKS, hooks), f"{whose} has no hooks: `ladder hooks add` makes one")


def try_hook(context: Context, hook: HookArgument, player: ByOption = None) -> Found:
    """Send a notice that says that this is a test, and say whether it arrives; a disabled hook is tried again by that.

    Example: ladder hooks test 3
    """
    tested = when_arrived(context, context.act(actions.hooks.test, operator_named(player), hook))
    return Answer(tested, f"hook {tested.id}: {tested.answer}")


def when_arrived(context: Context, tested: notices.hooks.Hook) -> notices.hooks.Hook:
    """Wait until a test has arrived. Raises Refused where it does not, Unavailable where nobody sends it."""
    until = time.monotonic() + patience_s(30)
    while time.monotonic() < until:
        of_player, player = notices.hooks.of_player, tested.player
        hooks = context.watch(notices.hooks.of_ladder) if player is None else context.watch(of_player, player)
        for hook in (hook for hook in hooks if hook.id == tested.id):
            if hook.failing_since is not None:
                raise Refused(f"the test of hook {hook.id} has not arrived, and is sent again later: {hook.answer}")
            if hook.answer:
                return hook
        time.sleep(LOOK_EVERY_S)
    later = "the scheduler does that; `ladder hooks list` says later what came of it"
    raise Unavailable(f"nobody sent the test of hook {tested.id} yet: {later}")


def remove_hook(context: Context, hook: HookArgument, player: ByOption = None) -> Found:
    """Let no notice go to an address any more, those that wait included.

    Example: ladder hooks remove 3
    """
    removed = context.act(actions.hooks.remove, operator_named(player), hook)
    return Answer(removed, f"hook {removed.id} is removed: nothing goes to {removed.address} any more")
