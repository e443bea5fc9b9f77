"""What operators bring in: a league of another program, or a whole ladder of an export."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from engine.text import counted
from ladder import audit
from ladder.access import Actor, Deed, require
from ladder.database.connection import Pool, transaction
from ladder.errors import QueueDown
from ladder.imports import importing
from ladder.imports.importing import Imported, Wanted
from ladder.queue import Queue
from ladder.transfer.importing import import_all
from ladder.transfer.manifest import Manifest


def import_ladder(actor: Actor, pool: Pool, place: Path, begin: Callable[[int], Callable[[], None]]) -> Manifest:
    """Make this ladder the one that an export holds, audit and all. Raises NotAllowed, and as `import_all`."""
    require(actor, Deed.IMPORT)
    with transaction(pool) as connection:
        return import_all(connection, place, begin)


def import_league(actor: Actor, pool: Pool, queue: Queue, wanted: Wanted) -> Imported:
    """Import another program's league into the lowest league of a game; its bots are the actor's. Raises NotAllowed."""
    require(actor, Deed.IMPORT_LEAGUE)
    with transaction(pool) as connection:
        done = importing.import_league(connection, actor.player, wanted)
        if not done.changes_nothing:
            audit.write_deed(connection, actor, f"import {done.origin}", about(done))
    with suppress(QueueDown):  # the sweep asks again
        for version_id in done.to_build:
            queue.enqueue_build(version_id)
    return done


def try_import(actor: Actor, pool: Pool, wanted: Wanted) -> Imported:
    """Do the same and take it back. Raises as `import_league` does."""
    require(actor, Deed.IMPORT_LEAGUE)
    with transaction(pool) as connection:
        done = importing.import_league(connection, actor.player, wanted)
        connection.rollback()
    return replace(done, applied=False)


def about(done: Imported) -> str:
    what = [counted(len(done.versions), "version"), counted(done.matches, "match", "matches")]
    what += [f"{name} = {value}" for name, value in done.settings_taken.items()]
    return f"{done.league} of {done.game}: {', '.join(what)}"
