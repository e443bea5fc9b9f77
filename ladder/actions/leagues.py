"""What operators do with leagues: bring a league file into the database."""

from __future__ import annotations

from ladder import audit
from ladder.access import Actor, Deed, require
from ladder.database.connection import Pool, transaction
from ladder.flows.installation import apply_league_file
from ladder.leagues import leagues
from ladder.leagues.file import LeagueFile
from ladder.ratings.rewrite import rated_again
from ladder.views.leagues import AppliedFile


def apply(actor: Actor, pool: Pool, file: LeagueFile, *, dry_run: bool = False) -> AppliedFile:
    """Bring a league file into the database; with `dry_run` do it and take it back.

    Raises NotAllowed, UsageFault, UnknownName, Refused; see `ladder.flows.installation.apply_league_file`.
    """
    require(actor, Deed.APPLY_LEAGUES)
    with transaction(pool) as connection, connection.transaction(force_rollback=dry_run):
        changes, handovers = apply_league_file(connection, file)
        rated = rated_again(connection, file.game, changes)
        in_order = leagues.leagues(connection, file.game)
        if changes:
            about = f"{file.game}: {'; '.join(map(str, changes))}"
            audit.write_deed(connection, actor, "league apply", about)
    return AppliedFile(file.game, changes, handovers, rated, in_order, applied=not dry_run)
