"""Keeping the ladder going: promotions, new matches where versions lack battles, and the sweep after lost workers.

Everything here may run twice, late or on several machines at once: it looks at rows and changes what the rows ask for.
"""

import logging
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from math import ceil
from random import Random

from engine.game import Games
from engine.immutable import immutable
from ladder import audit
from ladder.access import Actor, Role, Via
from ladder.bots import builds
from ladder.database import tallies
from ladder.database.connection import Connection, Pool, one, transaction
from ladder.errors import QueueDown
from ladder.event_log import event
from ladder.fleet import room, workers
from ladder.fleet.workers import Fleet, MaintenanceRound, fleet_of
from ladder.gauntlets import execution
from ladder.gauntlets.automatic_gauntlets import passed_gates
from ladder.ids import LeagueId, MatchId
from ladder.matches import claims, match_rows, matches
from ladder.matches.matches import NewBattle
from ladder.matchmaking import demand, requests
from ladder.matchmaking.matchmaker import LOOK_AHEAD_S, BoardEntrant, Pairing, PairingBoard, Scheme, pairings, room_for
from ladder.promotions import lifecycle
from ladder.promotions.rules import moves_at_all, ranks_are_due
from ladder.queue import Queue
from ladder.ratings.standings import Standing
from ladder.row_limits import DRAWN_SEEDS
from ladder.seasons import ending, seasons
from ladder.seasons.ending import still_to_make
from ladder.tuning import execution as tuning
from ladder.tuning import tunes

SCHEDULE_LOCK = 7_301_002
RESEND_AFTER_S = 10
"""After this long, a match or build that still waits is enqueued again if messages were lost."""


@immutable
class Swept:
    """What a sweep did: matches freed from dead workers, builds given up, messages sent again."""

    freed: int
    given_up: int
    enqueued: int


def hold_scheduler(connection: Connection) -> None:
    """Let nobody else make matches, promote or go on with gauntlets; bots and standings are locked after it."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", [SCHEDULE_LOCK])


def schedule(pool: Pool, queue: Queue, chance: Random, games: Games, seeds_from: str = "") -> list[MatchId]:
    """Promote who earned it, make and enqueue the matches that are wanted, as there is room; return their ids.

    Gauntlets and requests go first, tunes last; passed gates open, seasons end as planned. `games`: playable here.
    """
    playable = games.names  # which may be asked of the database, so before the transaction
    with transaction(pool) as connection:
        if not one(connection, "SELECT pg_try_advisory_xact_lock(%(lock)s)", {"lock": SCHEDULE_LOCK})[0]:
            return []
        workers.write_down_round(connection, MaintenanceRound.SCHEDULE)
        if lacks_room(connection):
            return []
        fleet = fleet_of(connection)
        in_gauntlets = execution.advance(connection, fleet, tuning.go_further)
        in_tunes = tunes.matches_among(connection, in_gauntlets)
        boards = lifecycle.make_moves(connection)
        requested, unrequested = arrange(connection, boards, chance, fleet, playable, seeds_from)
        demand.write_down(connection, {board.place.league.id: still_to_make(board) for board in boards})
        over = seasons.series_that_are_over(connection)
        passed = passed_gates(connection)
        planned = [plan.game for plan in ending.due(connection)]
    enqueue(queue, [match_id for match_id in in_gauntlets if match_id not in in_tunes] + requested, first=True)
    enqueue(queue, unrequested + sorted(in_tunes))
    due_boards = [board for board in boards if ranks_are_due(board.place.league, board.standings)]
    for step in (
        *(partial(lifecycle.refresh_ranks, board=board) for board in due_boards),
        *(partial(execution.let_in, version_id=version_id) for version_id in passed),
        *(partial(ending.close_after_series, season_id=season_id) for season_id in over),
        *(partial(carry_out, game=game) for game in planned),
    ):
        with transaction(pool) as connection:
            step(connection)
    return in_gauntlets + requested + unrequested


def lacks_room(connection: Connection) -> bool:
    """Say whether there is no room for further matches, and write down when that begins and ends."""
    why = room.lack_of_room(connection)
    if room.write_down(connection, why):
        event("room_lost" if why else "room_found", logging.WARNING if why else logging.INFO, words=why)
    return why is not None


def carry_out(connection: Connection, game: str) -> None:
    """Go one step further with the planned end of a season, and write down in whose name. See `ending.carry_out`."""
    if step := ending.carry_out(connection, game):
        plan, season = step
        actor = Actor(plan.planned_by, Role.OPERATOR, Via.SCHEDULER)
        what = "is closed" if season.state == "closed" else "plays its series, after which it is closed"
        audit.write_deed(connection, actor, "season close", f"season {season.number} of {game} {what}, as planned")


def arrange(
    connection: Connection,
    boards: Sequence[lifecycle.LeagueBoard],
    chance: Random,
    fleet: Fleet,
    games: Collection[str],
    seeds_from: str = "",
) -> tuple[list[MatchId], list[MatchId]]:
    """Make the matches wanted on boards, as far as they can be played; return ids of requested ones, and others."""
    standings = {board.place.league.id: board.standings for board in boards}
    for_game = cache(fleet.for_game)
    able = {board.place.league.id: for_game(board.place.league.game) for board in boards}
    schemes = {
        league_id: scheme
        for league_id, scheme in demand.schemes(connection, games).items()
        if league_id not in able or not able[league_id].lacks_game
    }
    language = {row.version_id: row.language for board in standings.values() for row in board}
    played = {name for name in set(language.values()) if fleet.plays(name)}
    room = room_for(len(fleet.workers), match_rows.count_finished(connection, LOOK_AHEAD_S))
    lots = [lot for lot in match_rows.queued(connection) if for_game(lot.game).plays(*lot.languages)]
    too_many_failed = max(sum(lot.failed for lot in lots) - room.failed, 0)
    waiting = sum(lot.matches - lot.tuning for lot in lots) - too_many_failed  # tunes take boards no room
    requested = requests.next_battles(connection, standings, schemes, fleet, room.asked_battles)
    somebody_waits = requested or any(lot.asked_for for lot in lots)
    most_in_a_battle = max((scheme.battle_matches for scheme in schemes.values()), default=2)
    spare_battles = room.idle_battles - ceil(waiting / most_in_a_battle)
    battles = pairings(
        [
            to_pair(board, schemes[board.place.league.id], played)
            for board in boards
            if board.place.league.id in schemes
        ],
        (room.matches - waiting) // most_in_a_battle,
        chance,
        requested=requested,
        shares=demand.waiting_shares(connection),
        settling=spare_battles,
        idle=0 if somebody_waits else spare_battles,
        met=partial(demand.met, connection),
    )
    playable = [
        battle
        for battle in battles
        if able[battle.league_id].plays(*(language[version_id] for version_id in battle.version_ids))
    ]
    seed_of = partial(battle_seed, connection, chance=chance, seeds_from=seeds_from)
    return make_all(connection, playable, schemes, seed_of, one_by_one=bool(seeds_from))


def to_pair(board: lifecycle.LeagueBoard, scheme: Scheme, played: Container[str]) -> PairingBoard:
    play_on = {order.version_id for order in board.open_orders if order.plays_on}
    open_pairs = [two.version_ids for two in board.open_neighbours]
    spared = board.spared
    entrants = [
        entrant(row, scheme, scheme.battles if row.version_id in spared else 0, plays_on=row.version_id in play_on)
        for row in board.standings
        if row.language in played
    ]
    return PairingBoard(board.place.league.id, entrants, scheme, open_pairs)


def make_all(
    connection: Connection,
    battles: Sequence[Pairing],
    schemes: Mapping[LeagueId, Scheme],
    seed_of: Callable[[Pairing], int],
    *,
    one_by_one: bool,
) -> tuple[list[MatchId], list[MatchId]]:
    """Make battles' matches; return the ids of requested ones, and others. `one_by_one`: seeds depend on earlier."""
    requested: list[MatchId] = []
    others: list[Pairing] = []
    for battle in battles:
        if battle.request_id is None:
            others.append(battle)
        else:
            scheme = schemes[battle.league_id]
            requested += requests.make(connection, battle.request_id, battle, seed_of(battle), scheme.orders)
    at_once = 1 if one_by_one else max(len(others), 1)
    unrequested: list[MatchId] = []
    for first in range(0, len(others), at_once):
        batch = others[first : first + at_once]
        unrequested += matches.insert_battles(
            connection, [new_battle(battle, schemes[battle.league_id], seed_of(battle)) for battle in batch]
        )
    return requested, unrequested


def new_battle(battle: Pairing, scheme: Scheme, seed: int) -> NewBattle:
    """Return what is to be made of a battle. The seed says how many play, where a match can have several numbers."""
    seated = battle.version_ids[: scheme.players_for(seed, len(battle.version_ids))]
    return NewBattle(battle.league_id, seated, seed, battle.made_for, orders=scheme.orders)


def entrant(standing: Standing, scheme: Scheme, least_battles: int, *, plays_on: bool) -> BoardEntrant:
    """`least_battles`: it is taken to have had so many, if it had fewer."""
    return BoardEntrant(
        standing.version_id,
        battles=max((standing.counted + standing.waiting) // scheme.battle_matches, least_battles),
        waiting=ceil(standing.waiting / scheme.battle_matches),
        player=standing.player,
        mu=standing.mu,
        sigma=standing.sigma,
        earlier=(standing.record.matches - standing.counted) // scheme.battle_matches,
        is_boss=standing.is_boss,
        lacks_boss=moves_at_all(standing) and standing.eligible_at is None and standing.boss_wins < scheme.boss_wins,
        plays_on=plays_on,
    )


def battle_seed(connection: Connection, battle: Pairing, chance: Random, seeds_from: str) -> int:
    """Draw a battle's seed by chance, or from `seeds_from` for ladders made anew that are to go alike."""
    if seeds_from:
        first, second, *others = sorted(battle.version_ids)
        matches_before = demand.met(connection, first).get(second, 0)
        words = " ".join(map(str, (seeds_from, first, second, *others, matches_before)))
        chance = Random(words)  # noqa: S311 - it is no secret
    return chance.choice(DRAWN_SEEDS)


def sweep(pool: Pool, queue: Queue) -> Swept:
    """Free, give up and enqueue again. It sends no more messages than there are rows that wait."""
    with transaction(pool) as connection:
        workers.write_down_round(connection, MaintenanceRound.SWEEP)
        workers.mark_out_of_reach(connection)
        claims.shorten_leases(connection)
        builds.shorten_build_leases(connection)
        freed = claims.free_orphans(connection)
        given_up = builds.give_up_builds(connection)
        workers.count_lost(connection)
        workers.forget_dead(connection)
    with transaction(pool) as connection:
        tallies.sum_up(connection)
    under_way = queue.backlog()
    with transaction(pool) as connection:
        matches_to_send = claims.matches_to_enqueue(connection, RESEND_AFTER_S, under_way.plays)
        builds_to_send = builds.builds_to_enqueue(connection, RESEND_AFTER_S, under_way.builds)
    for version_id in builds_to_send:
        queue.enqueue_build(version_id)
    for first in (True, False):
        queue.enqueue_matches([match.id for match in matches_to_send if match.first == first], first=first)
    return Swept(freed, given_up, len(builds_to_send) + len(matches_to_send))


def enqueue(queue: Queue, match_ids: list[MatchId], *, first: bool = False) -> None:
    """Put matches into the queue. While the broker is away nothing happens: the sweep enqueues them later."""
    with suppress(QueueDown):
        queue.enqueue_matches(match_ids, first=first)
