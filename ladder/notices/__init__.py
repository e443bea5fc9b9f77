"""Notices: what players and operators are told by webhooks. The schema's triggers write most of them.

hooks     where they go, which events each gets, and what can be its address
outbox    those that wait, what each says in each form, and a round of the scheduler that sends them
delivery  sending one by HTTP, to no address of this machine's own networks
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.notices import hooks as hooks
    from ladder.notices import outbox as outbox
else:
    __getattr__ = lazily(__name__)
