"""What operators do for a class or a contest: open one, with its players, its leagues and the plan of its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.errors import UsageFault
from ladder import audit
from ladder.access import Actor, Deed, Role, require
from ladder.accounts.class_list import Entrant, fault_in
from ladder.accounts.invitations import Kind
from ladder.actions.accounts import Invited, invited_account, new_invitation
from ladder.actions.seasons import LastSeries, put_plan
from ladder.database.connection import Connection, Pool, our_errors, transaction
from ladder.flows.installation import apply_league_file
from ladder.leagues import leagues
from ladder.leagues.file import Change, LeagueFile
from ladder.ratings import frozen
from ladder.ratings.frozen import BoardFreeze
from ladder.ratings.rewrite import rated_again
from ladder.seasons import seasons
from ladder.views.seasons import PlannedSeason

MOST_PLAYERS = 1000
CLOSED_FOR = timedelta(days=30)
"""So long after the end of a contest the leagues stay shut that do not take part."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A contest is open. `links`: of players without a password yet; `others`: who have one; `changes`: of leagues."""

    plan: PlannedSeason
    links: list[Invited]
    others: list[str]
    changes: list[Change]
    freeze: BoardFreeze | None = None


def open_contest(
    actor: Actor,
    pool: Pool,
    game: str,
    until: datetime,
    series: LastSeries | None = None,
    most_leagues: int | None = None,
    players: Sequence[Entrant] = (),
    frozen_from: datetime | None = None,
) -> Opened:
    """Let the first leagues of a game alone be open, plan its season's end and make links for players: all or nothing.

    `until`: from then on no version is submitted. `frozen_from`: from then on all but operators see its boards as
    they were then. Raises NotAllowed, UsageFault, Refused, UnknownName.
    """
    require(actor, Deed.OPEN_CONTEST)
    require_list(players)
    with transaction(pool) as connection, our_errors():
        leagues.check_game(connection, game)
        freeze = None if frozen_from is None else frozen.begin(connection, game, frozen_from, actor.player)
        changes = [] if most_leagues is None else open_leagues(connection, game, most_leagues, until)
        plan = put_plan(connection, actor, game, until, series)
        links, others = invite_all(connection, actor, [entrant.name for entrant in players])
        seasons.add(connection, game, plan.season.number, players)
        about = f"{game} until {until:%Y-%m-%d %H:%M %z}, {len(players)} players"
        audit.write_deed(connection, actor, "contest open", about)
    return Opened(plan, links, others, changes, freeze)


def require_list(players: Sequence[Entrant]) -> None:
    if len(players) > MOST_PLAYERS:
        raise UsageFault(f"a contest has {MOST_PLAYERS} players at most, not {len(players)}")
    seen = set[str]()
    for entrant in players:
        if entrant.name.lower() in seen:
            raise UsageFault(f"{entrant.name} is in the list twice")
        if fault := fault_in(entrant):
            raise UsageFault(fault)
        seen.add(entrant.name.lower())


def open_leagues(connection: Connection, game: str, most: int, until: datetime) -> list[Change]:
    """Let the lowest leagues of a game be open, and those above stay shut; return what became different."""
    in_order = leagues.leagues(connection, game)
    if not 1 <= most <= len(in_order):
        raise UsageFault(f"{game} has {len(in_order)} leagues: say 1 to {len(in_order)}, not {most}")
    opens = {league.name: None if league.position <= most else until + CLOSED_FOR for league in in_order}
    changes, _ = apply_league_file(connection, LeagueFile(game, {name: {"opens_at": at} for name, at in opens.items()}))
    rated_again(connection, game, changes)
    return changes


def invite_all(connection: Connection, actor: Actor, players: Sequence[str]) -> tuple[list[Invited], list[str]]:
    """Make links for players; return these, and the names of those who need none."""
    links: list[Invited] = []
    others: list[str] = []
    for name in players:
        account, is_new = invited_account(connection, name)
        if account.logs_in:
            others.append(account.name)
        else:
            kind = Kind.NEW if is_new else Kind.CLAIM
            links.append(new_invitation(connection, actor, kind, account, Role.PLAYER))
    return links, others
