"""Who sees what of a served ladder: how much somebody may see, and a transaction that sees no more.

How this works. `sight_of` is the rule. What it says is done by the database: `look` lets the rest of a transaction ask
views in place of the tables (those of the schema `seen`), so that all that is read there, a page, a search, a count or
a stream, holds what somebody may see, and nothing has to be taken out of it later. While a board is frozen, views of
the schema `frozen` come before these, for all but operators. Somebody alone looks at the tables.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TypeAlias

from engine.immutable import immutable
from ladder.access import Actor, Scope, Via
from ladder.database.connection import Connection, one
from ladder.ids import MatchId, PlayerId


@immutable
class Sight:
    """How much somebody may see besides what everybody may.

    `player`: the private things of that player, None: nobody's; `game`, `bot`: of these alone, None: of all.
    `operates`: everybody's. `shared`: what that player sees of a match, and shows to whoever has the link.
    """

    player: str | None = None
    game: str | None = None
    bot: str | None = None
    operates: bool = False
    shared: tuple[PlayerId, MatchId] | None = None


PUBLIC = Sight()
"""What everybody may see who may read."""


def sight_of(actor: Actor | None) -> Sight:
    """Return how much somebody may see; None: somebody who has not logged in.

    Operators see everything, by a token only if it is made for that. Others see what is their own, by a token only if
    it has the scope `read`, and of the bot that it is for.
    """
    if actor is None:
        return PUBLIC
    player = actor.player if Scope.READ in actor.scopes or actor.operates else None
    return Sight(player, actor.game, actor.bot, actor.operates)


def look(connection: Connection, sight: Sight, *, thawed: bool = False) -> None:
    """Let the rest of this transaction see no more than that. `thawed`: frozen boards as they are all the same."""
    shared = sight.shared or (None, None)
    query = """
        SELECT seen.look_as(%s, %s, %s, %s, %s, %s), set_config('search_path', concat(
            CASE WHEN NOT %s AND EXISTS (SELECT FROM board_freezes WHERE frozen_from <= now()) THEN 'frozen, ' END,
            'seen, ', current_setting('search_path')), true)
        """
    connection.execute(query, [sight.player, sight.game, sight.bot, sight.operates, *shared, sight.operates or thawed])


AsShown: TypeAlias = Callable[[], AbstractContextManager[None]]
"""Lets a block read boards as they are shown to the person for whom something is done."""


def boards_shown_to(connection: Connection, actor: Actor) -> AbstractContextManager[None]:
    """Let a block read boards as somebody is shown them: operators the true ones, others frozen ones as they were."""
    return nullcontext() if sees_true_boards(actor) else boards_as_frozen(connection)


@contextmanager
def boards_as_frozen(connection: Connection) -> Iterator[None]:
    """Let the block read boards as all but operators see them."""
    path = one(connection, "SELECT current_setting('search_path')", {})[0]
    set_path = "SELECT set_config('search_path', %s, true)"
    connection.execute(set_path, [f"frozen, {path}"])
    yield  # an error ends the transaction anyway
    connection.execute(set_path, [path])


def sees_true_boards(actor: Actor) -> bool:
    return actor.operates or actor.via in {Via.DATABASE, Via.SCHEDULER}


def looked_at(connection: Connection) -> list[str]:
    """Return the players whose private things an operator has looked at in this transaction."""
    return list(one(connection, "SELECT seen.looked_at()", {})[0])


def sees_everything(connection: Connection) -> bool:
    """Say whether this transaction sees all there is: somebody alone, or an operator."""
    return bool(one(connection, "SELECT seen.operates() OR NOT 'seen' = ANY (current_schemas(false))", {})[0])
