"""What players and operators do with hooks: add one, ask for a test, remove one."""

import os
from collections.abc import Callable, Sequence
from typing import ClassVar

from engine.errors import Refused, UsageFault
from engine.immutable import immutable
from engine.text import alternatives, shortened
from ladder import audit
from ladder.access import Actor, Deed, require
from ladder.accounts import accounts
from ladder.accounts.secrets import new_secret
from ladder.choices import NoticeEvent, NoticeForm
from ladder.database.connection import Connection, Pool, transaction
from ladder.errors import NotAllowed
from ladder.ids import HookId
from ladder.notices import hooks
from ladder.notices.delivery import is_private
from ladder.notices.hooks import OF_LADDER, PRIVATE, Hook, check_url
from ladder.settings import is_on

PRIVATE_HOOKS = "LADDER_HOOKS_PRIVATE"
MOST_HOOKS = 10
"""Of a player, or of the ladder."""


@immutable
class NewHook:
    """A hook that was just added. `secret`: signs our own JSON; it is shown once. "" for the other forms."""

    MERGED: ClassVar = ("hook",)

    secret: str
    hook: Hook


def add(
    actor: Actor,
    pool: Pool,
    url: str,
    events: Sequence[NoticeEvent],
    form: NoticeForm = NoticeForm.JSON,
    *,
    of_ladder: bool = False,
) -> NewHook:
    """Let notices go to an address from now on. Raises NotAllowed, Refused, UsageFault, UnknownName."""
    require_changes(actor, None if of_ladder else actor.player)
    check_url(url)
    if is_private(url) and not is_on(PRIVATE_HOOKS, os.environ):
        only_if = f"notices go there only if the operator sets {PRIVATE_HOOKS}=1"
        raise Refused(f"{shortened(url)} leads into a private network: {only_if}")
    unfit = PRIVATE if of_ladder else OF_LADDER
    fit = [event for event in NoticeEvent if event not in unfit]
    if not events or unfit.intersection(events):
        whose = "the ladder's" if of_ladder else "a player's"
        raise UsageFault(f"{whose} hook gets {alternatives(fit)}: name at least one of them")
    secret = new_secret()
    with transaction(pool) as connection:
        owner = None
        if not of_ladder:
            account = accounts.find_account(connection, actor.player)
            accounts.lock(connection, account.id)  # so of two who add a hook at once the later one sees the first
            accounts.require_enabled(connection, account.name)
            owner = account.id
        hooks_before = hooks.of_player(connection, actor.player) if owner else hooks.of_ladder(connection)
        if len(hooks_before) >= MOST_HOOKS:
            raise Refused(f"there are {MOST_HOOKS} hooks already: `ladder hooks remove` one of them first")
        hook = hooks.insert(connection, owner, url, frozenset(events), form, secret)
        write_down(connection, actor, "hooks add", hook)
    return NewHook(secret if form is NoticeForm.JSON else "", hook)


def test(actor: Actor, pool: Pool, hook_id: HookId) -> Hook:
    """Let a notice go out that says that this is a test; a hook that was disabled is tried again by that."""
    return change(pool, actor, hook_id, "hooks test", hooks.test)


def remove(actor: Actor, pool: Pool, hook_id: HookId) -> Hook:
    """Let no notices go there any more, those that wait included. Raises NotAllowed, UnknownName."""
    return change(pool, actor, hook_id, "hooks remove", hooks.remove)


def change(pool: Pool, actor: Actor, hook_id: HookId, command: str, act: Callable[[Connection, HookId], None]) -> Hook:
    with transaction(pool) as connection:
        hook = hooks.find(connection, hook_id)
        require_changes(actor, hook.player)
        act(connection, hook_id)
        write_down(connection, actor, command, hook)
    return hook


def require_changes(actor: Actor, player: str | None) -> None:
    if player is None:
        require(actor, Deed.CHANGE_LADDER_HOOKS)
    else:
        require(actor, Deed.CHANGE_HOOKS, owner=player)
    if actor.game is not None or actor.bot is not None:
        raise NotAllowed("a token for one bot or game alone changes no hooks: they tell of all of a player's bots")


def write_down(connection: Connection, actor: Actor, action: str, hook: Hook) -> None:
    note = audit.write if hook.player is not None and actor.is_(hook.player) else audit.write_deed
    note(connection, actor, action, f"hook {hook.id} of {hook.player or 'the ladder'}: {hook.address}")
