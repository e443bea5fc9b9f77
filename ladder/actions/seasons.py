"""What operators do with seasons: close one, or plan that; and open a contest with players, leagues and such a plan."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta

from engine.errors import Refused, UsageFault
from engine.immutable import immutable
from engine.text import counted, listed, zoned_words
from ladder import audit
from ladder.access import Actor, Deed, Role, require
from ladder.accounts.class_list import ClassMember, fault_in
from ladder.accounts.links import InvitationKind
from ladder.actions.accounts import Invited, invited_account, member, new_invitation
from ladder.bots import bots
from ladder.database.connection import Connection, Pool, our_errors, transaction
from ladder.flows.games import apply_league_file
from ladder.leagues import leagues
from ladder.leagues.file import LeagueFile, SettingChange
from ladder.ratings import frozen
from ladder.ratings.frozen import BoardFreeze
from ladder.ratings.replay import rated_again
from ladder.row_limits import LARGEST_TOP, MOST_BATTLES, require_moment
from ladder.seasons import ending, seasons
from ladder.seasons.ending import SeasonPlan, unplayed
from ladder.views.seasons import PlannedSeason, SeasonSoFar, ending_sentence, plan_sentence, planned, so_far


@immutable
class LastSeries:
    """Battles that are played before a season is closed: this many for each of the first `top` of every board."""

    battles: int
    top: int


@immutable
class ContestTerms:
    """What a contest is besides its end, see `ladder.seasons.ending.SeasonPlan`; None: as it was before."""

    submit_from: datetime | None = None
    one_bot: bool | None = None
    title: str | None = None
    rules: str | None = None


AS_BEFORE = ContestTerms()


def close(
    actor: Actor,
    pool: Pool,
    game: str,
    number: int | None = None,
    series: LastSeries | None = None,
    *,
    only_settled: bool = False,
) -> SeasonSoFar:
    """Close a season, if it is that `number` and `only_settled` holds, after a series. Raises NotAllowed, Refused."""
    require(actor, Deed.CLOSE_SEASON)
    require_series(series)
    if only_settled:
        with transaction(pool) as connection:
            rest = unplayed(connection, game)
        if not rest.is_settled:
            raise Refused(
                f"the season of {game} is not played to its end: {rest.sentence}; --now closes it all the same, "
                "--when-settled waits"
            )
    with transaction(pool) as connection:
        if series is None:
            season = ending.close(connection, game, number)
        else:
            season = ending.begin_series(connection, game, series.battles, series.top, number)
        season_so_far = so_far(connection, season)
        audit.write_deed(connection, actor, "season close", ending_sentence(season_so_far))
    return season_so_far


def plan(actor: Actor, pool: Pool, game: str, submit_until: datetime, series: LastSeries | None) -> PlannedSeason:
    """Plan the end of the season that is on in place of any other plan. Raises NotAllowed, UsageFault, Refused."""
    with audit.transaction_for(actor, pool, Deed.CLOSE_SEASON) as connection:
        planned_season = put_plan(connection, actor, game, submit_until, series, AS_BEFORE)
        audit.write_deed(connection, actor, "season plan", plan_sentence(planned_season))
    return planned_season


def put_plan(
    connection: Connection, actor: Actor, game: str, until: datetime, series: LastSeries | None, terms: ContestTerms
) -> PlannedSeason:
    """Plan the end of the season that is on; what the plan before said of the contest stays, but for new terms."""
    require_series(series)
    ending.require_to_come(connection, game, until)
    on = ending.running_season(connection, game)
    if on.state == "series":
        raise Refused(f"season {on.number} of {game} plays its series already, and is closed after it")
    plan = SeasonPlan(
        game,
        on.number,
        submit_until=until,
        series_battles=0 if series is None else series.battles,
        series_top=0 if series is None else series.top,
        planned_by=actor.player,
    )
    before = ending.find(connection, game)
    known = plan if before is None or before.number != on.number else before
    kept = {name: getattr(known, name) if new is None else new for name, new in asdict(terms).items()}
    ending.put(connection, replace(plan, **kept))
    return planned(connection, game)


def require_series(series: LastSeries | None) -> None:
    if series is not None and not (1 <= series.battles <= MOST_BATTLES and 2 <= series.top <= LARGEST_TOP):
        raise UsageFault(
            f"a last series has 1 to {MOST_BATTLES:,} battles for each of the first 2 to {LARGEST_TOP}, "
            f"not {series.battles} for each of {series.top}"
        )


def drop_plan(actor: Actor, pool: Pool, game: str) -> PlannedSeason:
    """Take the plan for a game's season back: versions can be submitted again. Raises NotAllowed, Refused."""
    with audit.transaction_for(actor, pool, Deed.CLOSE_SEASON) as connection:
        if not ending.drop(connection, game):
            raise Refused(f"nothing is planned for the season of {game}")
        planned_season = planned(connection, game)
        audit.write_deed(connection, actor, "season plan", f"the plan for {game} was taken back")
    return planned_season


MOST_PLAYERS = 1000
LONGEST_TITLE, LONGEST_RULES = 100, 10_000
"""In characters."""
MOST_NAMED = 10
CLOSED_FOR = timedelta(days=30)
"""So long after the end of a contest the leagues stay shut that do not take part."""


@immutable
class Opened:
    """A contest is open. `links`: of players without a password yet; `others`: who have one; `changes`: of leagues."""

    plan: PlannedSeason
    links: list[Invited]
    others: list[str]
    changes: list[SettingChange]
    freeze: BoardFreeze | None = None


def open_contest(
    actor: Actor,
    pool: Pool,
    game: str,
    until: datetime,
    series: LastSeries | None = None,
    most_leagues: int | None = None,
    players: Sequence[ClassMember] = (),
    frozen_from: datetime | None = None,
    terms: ContestTerms = AS_BEFORE,
) -> Opened:
    """Plan a season's end, open a game's lowest leagues alone and make players' links, or nothing. Raises Refused."""
    require(actor, Deed.OPEN_CONTEST)
    require_list(players)
    require_terms(terms)
    with transaction(pool) as connection, our_errors():
        leagues.check_game(connection, game)
        freeze = None if frozen_from is None else frozen.begin(connection, game, frozen_from, actor.player)
        changes = [] if most_leagues is None else open_leagues(connection, game, most_leagues, until)
        plan = put_plan(connection, actor, game, until, series, terms)
        require_order(connection, plan.plan)
        if plan.plan is not None and plan.plan.one_bot:
            require_one_bot_each(connection, game)
        links, others = invite_all(connection, actor, players)
        seasons.add(connection, game, plan.season.number, players)
        about = f"{game} until {until:%Y-%m-%d %H:%M %z}, {len(players)} players"
        audit.write_deed(connection, actor, "contest open", about)
    return Opened(plan, links, others, changes, freeze)


def require_list(players: Sequence[ClassMember]) -> None:
    if len(players) > MOST_PLAYERS:
        raise UsageFault(f"a contest has {MOST_PLAYERS} players at most, not {len(players)}")
    names = set[str]()
    for entrant in players:
        if entrant.name.lower() in names:
            raise UsageFault(f"{entrant.name} is in the list twice")
        if fault := fault_in(entrant):
            raise UsageFault(fault)
        names.add(entrant.name.lower())


def require_terms(terms: ContestTerms) -> None:
    if terms.submit_from is not None:
        require_moment(terms.submit_from)
    title, rules = terms.title or "", terms.rules or ""
    if len(title) > LONGEST_TITLE or not title.isprintable():
        raise UsageFault(f"a contest's title is one line of {LONGEST_TITLE} characters at most")
    if len(rules) > LONGEST_RULES:
        raise UsageFault(f"a contest's rules have {LONGEST_RULES:,} characters at most, not {len(rules):,}")


def require_order(connection: Connection, plan: SeasonPlan | None) -> None:
    freeze = None if plan is None else frozen.find(connection, plan.game)
    if plan is None or plan.submit_from is None or freeze is None or plan.submit_from < freeze.frozen_from:
        return
    raise UsageFault(
        f"the contest of {plan.game} would begin {zoned_words(plan.submit_from)}, but its boards are frozen from "
        f"{zoned_words(freeze.frozen_from)}: name an earlier beginning, or freeze them later"
    )


def require_one_bot_each(connection: Connection, game: str) -> None:
    rivals = [bot for bot in bots.bots(connection, game) if not bot.is_disqualified]
    several = [of_player for of_player in bots.that_compete(connection, rivals).values() if len(of_player) > 1]
    if not several:
        return
    names = [f"{of_player[0].player} ({listed([bot.name for bot in of_player])})" for of_player in several[:MOST_NAMED]]
    more = [counted(len(several) - MOST_NAMED, "more player")] if len(several) > MOST_NAMED else []
    raise Refused(
        f"with one bot each, these have too many in {game}: {listed([*names, *more])}; "
        "`ladder bot retire` takes one off the boards"
    )


def open_leagues(connection: Connection, game: str, most: int, until: datetime) -> list[SettingChange]:
    in_order = leagues.leagues(connection, game)
    if not 1 <= most <= len(in_order):
        raise UsageFault(f"{game} has {len(in_order)} leagues: say 1 to {len(in_order)}, not {most}")
    opens = {league.name: None if league.position <= most else until + CLOSED_FOR for league in in_order}
    changes, _ = apply_league_file(connection, LeagueFile(game, {name: {"opens_at": at} for name, at in opens.items()}))
    rated_again(connection, game, changes)
    return changes


def invite_all(connection: Connection, actor: Actor, players: Sequence[ClassMember]) -> tuple[list[Invited], list[str]]:
    links: list[Invited] = []
    others: list[str] = []
    for player in players:
        if player.team:
            account, is_new = member(connection, player.name, player.team)
        else:
            account, is_new = invited_account(connection, player.name)
        if account.logs_in:
            others.append(account.name)
        else:
            kind = InvitationKind.NEW if is_new else InvitationKind.CLAIM
            link = new_invitation(connection, actor, kind, account, Role.PLAYER)
            links.append(replace(link, email=player.email or link.email))
    return links, others
