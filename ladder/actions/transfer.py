"""What operators do with a whole ladder: make a new one of an export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ladder.access import Actor, Deed, require
from ladder.database.connection import Pool, transaction
from ladder.transfer import importing
from ladder.transfer.manifest import Manifest


def import_ladder(actor: Actor, pool: Pool, place: Path, begin: Callable[[int], Callable[[], None]]) -> Manifest:
    """Make this ladder the one that an export holds; see `ladder.transfer.importing.import_all`.

    It is not written down: what was done on a ladder comes with the export, and this one is new. Raises NotAllowed,
    UsageFault.
    """
    require(actor, Deed.IMPORT)
    with transaction(pool) as connection:
        return importing.import_all(connection, place, begin)
