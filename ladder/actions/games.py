"""What operators do with games: lock them, freeze their boards, set their leagues' conditions, rate them again.

And add, change and remove those whose referee is a program.
"""

from contextlib import suppress
from datetime import datetime

from engine.errors import Refused, UsageFault
from engine.game import Game
from engine.immutable import immutable
from engine.toolchains.source import Tree
from ladder import audit
from ladder.access import Actor, Deed, require
from ladder.database.connection import Pool, transaction
from ladder.flows import games as flows
from ladder.flows.games import apply_league_file
from ladder.games.games import Uses
from ladder.leagues import leagues
from ladder.leagues.file import LeagueFile
from ladder.leagues.leagues import check_game
from ladder.quotas import quotas
from ladder.quotas.quotas import GameLock
from ladder.ratings import frozen, replay
from ladder.ratings.frozen import BoardFreeze
from ladder.ratings.replay import rated_again
from ladder.seasons import ending
from ladder.views.boards import wanted_leagues
from ladder.views.leagues import AppliedFile
from ladder.views.ratings import Progress, RatedLeague, unseen


def recompute(
    actor: Actor, pool: Pool, game: str | None = None, league: str | None = None, progress: Progress = unseen
) -> list[RatedLeague]:
    """Rate all finished matches of leagues again. Raises NotAllowed, UnknownName, ArenaError for one that cannot be."""
    with audit.transaction_for(actor, pool, Deed.RECOMPUTE) as connection:
        chosen = wanted_leagues(connection, game, league)
        by_id = {league_row.id: league_row for league_row in chosen}
        with progress(connection, chosen) as on_match:
            reports = replay.recompute(connection, list(by_id), on_match)
        lines = sum(row.changed_lines for row in reports)
        about = f"{', '.join(league_row.title for league_row in chosen)}: {lines} ledger lines changed"
        audit.write_deed(connection, actor, "rating recompute", about)
    return [RatedLeague(row, by_id[row.league_id].game, by_id[row.league_id].name) for row in reports]


def apply(actor: Actor, pool: Pool, file: LeagueFile, *, dry_run: bool = False) -> AppliedFile:
    """Bring a league file into the database; with `dry_run` do it and take it back. Raises NotAllowed, Refused."""
    with (
        audit.transaction_for(actor, pool, Deed.APPLY_LEAGUES) as connection,
        connection.transaction(force_rollback=dry_run),
    ):
        changes, handovers = apply_league_file(connection, file)
        rated = rated_again(connection, file.game, changes)
        in_order = leagues.leagues(connection, file.game)
        if changes:
            about = f"{file.game}: {'; '.join(map(str, changes))}"
            audit.write_deed(connection, actor, "league apply", about)
    return AppliedFile(file.game, changes, handovers, rated, in_order, applied=not dry_run)


@immutable
class Updated:
    """What came of changing a game. `new_season`: whether the season was closed for that."""

    game: str
    edition: str
    changed: bool
    new_season: bool


def add(actor: Actor, pool: Pool, game: Game, tree: Tree) -> None:
    """Add a game to the ladder, with its leagues and bosses. Raises NotAllowed; Refused where it is there already."""
    with audit.transaction_for(actor, pool, Deed.CHANGE_GAMES) as connection:
        flows.add(connection, game, tree, actor.player)
        audit.write_deed(connection, actor, "game add", f"{game.name}, files {game.edition[:12]}")


def update(actor: Actor, pool: Pool, before: Game, game: Game, tree: Tree, *, new_season: bool = False) -> Updated:
    """Let a game be played by other files from now on.

    With `new_season` the season is closed before, in its own transaction; if all else fails, the next attempt does
    the rest. Raises NotAllowed, Refused, UnknownName.
    """
    require(actor, Deed.CHANGE_GAMES)
    if before.edition == game.edition:
        return Updated(game.name, game.edition, changed=False, new_season=False)
    closes = new_season and not flows.plays_alike(before, game)
    closed = False
    if closes:
        # Nothing else is in this transaction: if it changed matches as well, each recording would be in its way.
        with suppress(Refused), transaction(pool) as connection:
            ending.close(connection, game.name)
            closed = True
    with transaction(pool) as connection:
        flows.update(connection, before, game, tree, actor.player, season_is_closed=closes)
        about = f"{game.name}, files {before.edition[:12]} to {game.edition[:12]}"
        audit.write_deed(connection, actor, "game update", about + (", in a new season" if closed else ""))
    return Updated(game.name, game.edition, changed=True, new_season=closed)


def remove(actor: Actor, pool: Pool, name: str, *, keep_matches: bool = False) -> Uses:
    """Remove a game from the ladder. Raises NotAllowed, UnknownName, Refused where matches would not be kept."""
    with audit.transaction_for(actor, pool, Deed.CHANGE_GAMES) as connection:
        used = flows.remove(connection, name, keep_matches=keep_matches)
        rest = f"; {used.bots} bots and {used.matches} matches are kept" if keep_matches else ""
        audit.write_deed(connection, actor, "game remove", f"{name}{rest}")
    return used


def lock(actor: Actor, pool: Pool, game: str, why: str) -> GameLock:
    """Let a game take no new versions, and no other ones on its boards; play goes on. Raises NotAllowed, Refused."""
    with audit.transaction_for(actor, pool, Deed.LOCK_GAME) as connection:
        if not why.strip():
            raise UsageFault("say why the game is locked: players see it")
        check_game(connection, game)
        is_new = quotas.put(connection, game, why, actor.player)
        lock_row = quotas.find(connection, game)
        if lock_row is None or not is_new:
            by = f" by {lock_row.by} ({lock_row.why})" if lock_row else ""
            raise Refused(f"{game} is locked already{by}; `ladder game unlock {game}` unlocks it")
        audit.write_deed(connection, actor, "game lock", f"{game}: {why}")
        return lock_row


@immutable
class Unlocked:
    """A game takes versions again."""

    game: str


def unlock(actor: Actor, pool: Pool, game: str) -> Unlocked:
    """Let a game take versions again. Raises NotAllowed, UnknownName, Refused where it does."""
    with audit.transaction_for(actor, pool, Deed.LOCK_GAME) as connection:
        check_game(connection, game)
        if not quotas.remove(connection, game):
            raise Refused(f"{game} is not locked")
        audit.write_deed(connection, actor, "game unlock", game)
    return Unlocked(game)


@immutable
class Thawed:
    """A game whose boards everybody sees as they are."""

    thawed: str


def freeze_boards(actor: Actor, pool: Pool, game: str, frozen_from: datetime) -> BoardFreeze:
    """Show all but operators a game's boards as of a moment. Raises NotAllowed, UnknownName; Refused if frozen."""
    with audit.transaction_for(actor, pool, Deed.FREEZE_BOARDS) as connection:
        check_game(connection, game)
        freeze = frozen.begin(connection, game, frozen_from, actor.player)
        audit.write_deed(connection, actor, "board freeze", f"{game} from {frozen_from:%Y-%m-%d %H:%M %z}")
    return freeze


def thaw_boards(actor: Actor, pool: Pool, game: str) -> Thawed:
    """Let everybody see the true boards of a game again. Raises NotAllowed, UnknownName, Refused."""
    with audit.transaction_for(actor, pool, Deed.FREEZE_BOARDS) as connection:
        check_game(connection, game)
        if not frozen.end(connection, game):
            raise Refused(f"the boards of {game} are not frozen")
        audit.write_deed(connection, actor, "board thaw", game)
    return Thawed(game)
