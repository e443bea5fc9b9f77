"""`ladder hooks`: where notices go, by webhooks."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

from cli.answer import Answer, Found, Remark, Whole, argument, listing, option
from cli.context import Context
from cli.options.names import ByOption, OwnerOption, operator_named, owner_named
from cli.options.numbers import id_argument
from cli.terminal.table import NAME, WORDS, Column, Columns, table_of
from cli.terminal.words import moment_text
from engine.errors import Refused, Unavailable, UsageFault
from engine.machine import patience_s
from engine.text import alternatives, listed, shortened
from ladder import actions, notices
from ladder.choices import NoticeEvent, NoticeForm
from ladder.ids import HookId

if TYPE_CHECKING:
    from ladder.notices.hooks import Hook

TEST_WAIT_S = 30.0
LOOK_EVERY_S = 1.0

HOOKS: Columns[Hook] = (
    Column("hook", lambda one: one.id),
    Column("address", lambda one: one.address, NAME),
    Column("gets", lambda one: ", ".join(one.events), NAME),
    Column("form", lambda one: one.form, WORDS, leaves=2),
    Column("tried", lambda one: moment_text(one.tried_at, ""), WORDS, leaves=1),
    Column("result", lambda one: one.result, NAME),
    Column("wait", lambda one: one.waiting, meaning="notices that are to be sent"),
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
    made = context.act(actions.hooks.add, actor, url, events_in(on), form, of_ladder=ladder)
    gets = f"hook {made.hook.id} gets {listed(made.hook.events)}"
    if not made.secret:
        return Answer(made, gets)
    return Answer(made, [Remark(f"{gets}, signed with this secret, which is shown only now:"), Whole(made.secret)])


def events_in(words: str) -> list[NoticeEvent]:
    found = [word.strip() for word in words.split(",") if word.strip()]
    unknown = next((word for word in found if word not in set(NoticeEvent)), None)
    if unknown is not None or not found:
        raise UsageFault(f"--on names {shortened(unknown or words)!r}; it can be {alternatives(list(NoticeEvent))}")
    return [NoticeEvent(word) for word in found]


def list_hooks(context: Context, ladder: LadderOption = False, player: OwnerOption = None) -> Found:
    """List your hooks, or with --ladder the ladder's: what each gets, and what came of the latest notice.

    Example: ladder hooks list
    """
    owner = owner_named(player).player
    found = context.read(notices.hooks.of_ladder) if ladder else context.read(notices.hooks.of_player, owner)
    whose = "the ladder" if ladder else owner
    return listing(found, lambda: table_of(HOOKS, found), f"{whose} has no hooks: `ladder hooks add` makes one")


def try_hook(context: Context, hook: HookArgument, player: ByOption = None) -> Found:
    """Send a notice that says that this is a test, and say whether it arrives; a disabled hook is tried again by that.

    Example: ladder hooks test 3
    """
    asked = context.act(actions.hooks.test, operator_named(player), hook)
    found = tried(context, asked)
    return Answer(found, f"hook {found.id}: {found.answer}")


def tried(context: Context, asked: Hook) -> Hook:
    """Wait until a test has arrived. Raises Refused where it does not, Unavailable where nobody sends it."""
    until = time.monotonic() + patience_s(TEST_WAIT_S)
    while time.monotonic() < until:
        found = (
            context.watch(notices.hooks.of_ladder)
            if asked.player is None
            else context.watch(notices.hooks.of_player, asked.player)
        )
        for one in found:
            if one.id == asked.id and one.failing_since is not None:
                raise Refused(f"the test of hook {one.id} has not arrived, and is sent again later: {one.answer}")
            if one.id == asked.id and one.answer:
                return one
        time.sleep(LOOK_EVERY_S)
    raise Unavailable(
        f"nobody sent the test of hook {asked.id} yet: the scheduler does that; `ladder hooks list` says later what "
        "came of it"
    )


def remove_hook(context: Context, hook: HookArgument, player: ByOption = None) -> Found:
    """Let no notice go to an address any more, those that wait included.

    Example: ladder hooks remove 3
    """
    done = context.act(actions.hooks.remove, operator_named(player), hook)
    return Answer(done, f"hook {done.id} is removed: nothing goes to {done.address} any more")
