"""Notices: what players and operators are told by webhooks. The schema's triggers write most of them.

events   what a hook can get, in which forms, and what can be its address: pure
hooks    where they go, and which events each hook gets
outbox   those that wait: what the clock makes of them, which one is next, what came of it
wording  what one says, in each form
posting  sending one by HTTP, to no address of this machine's own networks
rounds   what a round of the scheduler does
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.notices import hooks as hooks
    from ladder.notices import rounds as rounds
else:
    __getattr__ = lazily(__name__)
