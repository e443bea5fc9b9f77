"""Gauntlets in the database: what they ask, whom they meet, and how their pairs ended."""

from collections.abc import Iterable
from dataclasses import field
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from engine.errors import UnknownName
from engine.immutable import immutable
from engine.toolchains.params import NO_PARAMS, Params
from ladder.choices import GauntletVerdict
from ladder.database.connection import Connection, Rows, first_value, one
from ladder.gauntlets.plan import FIELD, VARIED, Plan, Schedule, Slot
from ladder.gauntlets.variants import RoundRobin, names_of
from ladder.ids import BotId, GauntletId, LeagueId, MatchId, VersionId
from ladder.matches import matches
from ladder.matches.matches import NewBattle
from ladder.statistics.sprt_settings import ELO_MODEL, ERROR_RATE, SprtSettings


class WithTest:
    """A row that has the bounds of a sequential test, or None for them."""

    __slots__ = ()

    elo0: float | None
    elo1: float | None
    elo_model: str
    alpha: float
    beta: float

    @property
    def test(self) -> SprtSettings | None:
        if self.elo0 is None or self.elo1 is None:
            return None
        return SprtSettings(self.elo0, self.elo1, self.alpha, self.beta, self.elo_model)


def columns_of_test(test: SprtSettings | None) -> dict[str, Any]:
    if test is None:
        return {"elo0": None, "elo1": None, "elo_model": ELO_MODEL, "alpha": ERROR_RATE, "beta": ERROR_RATE}
    return {"elo0": test.elo0, "elo1": test.elo1, "elo_model": test.model, "alpha": test.alpha, "beta": test.beta}


@immutable
class Gauntlet(WithTest):
    """A gauntlet.

    `deciding_ids`: against whom the verdict is found, None: all; `context_ids`: the last, for information.
    `variants`: one set the candidate's, more are compared; `is_limited`: by quotas, till `waits_until` or,
    `waits_for_room`, fewer run.
    """

    id: GauntletId
    game: str
    league_id: LeagueId
    league: str
    candidate_id: VersionId
    candidate: str
    baseline_id: VersionId | None
    baseline: str | None
    opponent_ids: list[VersionId]
    opponents: list[str]
    asked_by: str
    seed: int
    seeds: list[int] | None
    pairs: int
    elo0: float | None
    elo1: float | None
    elo_model: str
    alpha: float
    beta: float
    gates: bool
    state: str
    verdict: GauntletVerdict | None
    created_at: datetime
    ended_at: datetime | None
    deciding_ids: list[VersionId] | None = None
    context_ids: list[VersionId] = field(default_factory=list[VersionId])
    variants: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    seed_bits: int = 64
    players: int = 2
    is_limited: bool = False
    waits_until: datetime | None = None
    waits_for_room: bool = False
    is_tune: bool = False

    @property
    def waits(self) -> bool:
        return self.waits_until is not None or self.waits_for_room

    @property
    def compares_variants(self) -> bool:
        return len(self.variants) > 1

    @property
    def compared(self) -> list[str]:
        return names_of(self.variants) if self.compares_variants and not self.is_tune else []

    @property
    def schedule(self) -> Schedule:
        if not self.compares_variants:
            return self.plan
        return RoundRobin(len(self.variants), self.pairs, self.seed, self.seeds, self.seed_bits, self.players)

    @property
    def version_ids(self) -> list[VersionId]:
        compared = [] if self.baseline_id is None else [self.baseline_id]
        return [self.candidate_id, *compared, *self.opponent_ids]

    def player(self, key: VersionId) -> tuple[VersionId, Params]:
        """Return who plays under an id of the schedule: a version's id, and parameters besides its own."""
        if self.compares_variants:
            return self.candidate_id, self.variants[key]
        return (self.candidate_id, self.variants[0]) if key == VARIED else (key, NO_PARAMS)

    def players_of(self, slot: Slot) -> list[tuple[VersionId, Params]]:
        if slot.params:
            return list(zip(slot.player_ids, slot.params, strict=True))
        return [self.player(key) for key in slot.player_ids]

    @property
    def plan(self) -> Plan:
        return Plan(
            candidate_id=VARIED if self.variants else self.candidate_id,
            baseline_id=self.baseline_id,
            opponent_ids=tuple(self.opponent_ids),
            pairs=self.pairs,
            seed=self.seed,
            seeds=self.seeds,
            deciding_ids=self.deciding_ids,
            context_ids=tuple(self.context_ids),
            seed_bits=self.seed_bits,
            players=self.players,
        )

    @property
    def deciding(self) -> list[str]:
        decide = self.plan.all_deciding
        return [self.name_of(id_) for id_ in (self.plan.field_ids if FIELD in decide else decide)]

    @property
    def context(self) -> list[str]:
        return [self.name_of(id_) for id_ in self.context_ids]

    def name_of(self, version_id: VersionId) -> str:
        if version_id == self.plan.candidate_id:
            return self.candidate
        if version_id == self.baseline_id and self.baseline is not None:
            return self.baseline
        if version_id == FIELD:
            return f"{self.players - 1} drawn from {len(self.plan.field_ids)}"
        return self.opponents[self.opponent_ids.index(version_id)]


@immutable
class GauntletSpec:
    """What somebody asks for. `gates`: a pass lets it onto the board; `plan`: with the plain candidate's id."""

    league_id: LeagueId
    plan: Plan
    test: SprtSettings | None
    asked_by: str
    gates: bool = False
    variants: tuple[Params, ...] = ()
    is_limited: bool = False


@immutable
class PairRow:
    """How a slot was played. `outcome`: half points, `by_seat` each; `starved`: matches that a busy host gave back."""

    slot: int
    outcome: int
    match_ids: list[MatchId]
    hosts: list[str]
    starved: int
    by_seat: list[int]
    ended_at: datetime | None = None


@immutable
class HostCheck:
    """A machine's pairs by outcome; `p_value`, `residual` in standard deviations: how they differ from the others'."""

    PRIVATE = ("host",)
    host: str
    counts: tuple[int, ...]
    p_value: float
    residual: float
    is_suspicious: bool


SELECT_GAUNTLET = """
    SELECT gauntlets.id, leagues.game, gauntlets.league_id, leagues.title AS league,
           candidate_id,
           version_name(candidate_id, CASE jsonb_array_length(variants) WHEN 1 THEN variants->0 ELSE '{}' END)
               AS candidate,
           baseline_id, version_name(baseline_id) AS baseline,
           field.ids AS opponent_ids, field.names AS opponents, field.deciding_ids, field.context_ids, asked_by, seed,
           seeds, pairs, elo0, elo1, elo_model, gauntlets.alpha, gauntlets.beta, gates, gauntlets.state, verdict,
           gauntlets.created_at, ended_at, variants,
           gauntlets.players, gauntlets.is_limited, waits_until, waits_for_room,
           coalesce((SELECT seed_bits FROM game_editions WHERE hash = gauntlets.edition), 64) AS seed_bits,
           EXISTS (SELECT FROM tunes WHERE gauntlet_id = gauntlets.id) AS is_tune
    FROM gauntlets JOIN leagues ON leagues.id = gauntlets.league_id JOIN versions ON versions.id = candidate_id
    JOIN LATERAL (
        SELECT coalesce(array_agg(version_id ORDER BY position), '{}') AS ids,
               coalesce(array_agg(version_name(version_id) ORDER BY position), '{}') AS names,
               array_agg(version_id ORDER BY position) FILTER (WHERE decides) AS deciding_ids,
               coalesce(array_agg(version_id ORDER BY position) FILTER (WHERE is_context), '{}') AS context_ids
        FROM gauntlet_opponents WHERE gauntlet_id = gauntlets.id) AS field ON true
"""


def insert(connection: Connection, order: GauntletSpec) -> GauntletId:
    plan = order.plan
    row = one(
        connection,
        """
        WITH gauntlet AS (
            INSERT INTO gauntlets (league_id, candidate_id, baseline_id, asked_by, seed, seeds, pairs, elo0, elo1,
                                   elo_model, alpha, beta, gates, variants, players, is_limited, edition)
            VALUES (%(league)s, %(candidate)s, %(baseline)s, %(asked_by)s, %(seed)s, %(seeds)s, %(pairs)s, %(elo0)s,
                    %(elo1)s, %(elo_model)s, %(alpha)s, %(beta)s, %(gates)s, %(variants)s, %(players)s,
                    %(is_limited)s, present_edition(%(league)s))
            RETURNING id),
        opponents AS (
            INSERT INTO gauntlet_opponents (gauntlet_id, position, version_id, decides, is_context)
            SELECT gauntlet.id, position - 1, version_id, decides, version_id = ANY(%(context)s::bigint[])
            FROM gauntlet, unnest(%(opponents)s::bigint[], %(decide)s::boolean[]) WITH ORDINALITY
                 AS field (version_id, decides, position))
        SELECT id FROM gauntlet
        """,
        {
            "league": order.league_id,
            "candidate": plan.candidate_id,
            "baseline": plan.baseline_id,
            "asked_by": order.asked_by,
            "seed": plan.seed,
            "seeds": None if plan.seeds is None else list(plan.seeds),
            "pairs": plan.pairs,
            **columns_of_test(order.test),
            "gates": order.gates,
            "variants": Jsonb([dict(variant) for variant in order.variants]),
            "players": plan.players,
            "is_limited": order.is_limited,
            "opponents": list(plan.opponent_ids),
            "decide": [plan.decides(opponent_id) for opponent_id in plan.opponent_ids],
            "context": list(plan.context_ids),
        },
    )
    return GauntletId(row[0])


def find(connection: Connection, gauntlet_id: GauntletId) -> Gauntlet:
    gauntlet = Rows(connection, Gauntlet).first(SELECT_GAUNTLET + "WHERE gauntlets.id = %s", [gauntlet_id])
    if gauntlet is None:
        raise UnknownName(f"there is no gauntlet {gauntlet_id}; `ladder gauntlet list` shows the latest")
    return gauntlet


def latest(
    connection: Connection,
    limit: int,
    bot_id: BotId | None = None,
    before: GauntletId | None = None,
    *,
    over: bool = False,
    game: str | None = None,
) -> list[Gauntlet]:
    """`before`: only those that were begun before that one; `over`: only those that do not run any more."""
    possible = {
        "candidate_id = ANY(ARRAY(SELECT id FROM versions WHERE bot_id = %(bot)s))": bot_id is not None,
        "gauntlets.id < %(before)s": before is not None,
        "gauntlets.state <> 'running'": over,
        "leagues.game = %(game)s": game is not None,
    }
    conditions = " AND ".join(condition for condition, applies in possible.items() if applies) or "true"
    query = f"{SELECT_GAUNTLET} WHERE {conditions} ORDER BY gauntlets.id DESC LIMIT %(limit)s"
    return Rows(connection, Gauntlet).all(
        query.encode(), {"bot": bot_id, "before": before, "limit": limit, "game": game}
    )


def running(
    connection: Connection, limit: int | None = None, bot_id: BotId | None = None, game: str | None = None
) -> list[Gauntlet]:
    query = """
        WHERE gauntlets.state = 'running' AND (%(bot)s::bigint IS NULL OR versions.bot_id = %(bot)s)
          AND (%(game)s::text IS NULL OR leagues.game = %(game)s)
        ORDER BY gauntlets.id LIMIT %(limit)s
        """
    return Rows(connection, Gauntlet).all(SELECT_GAUNTLET + query, {"bot": bot_id, "limit": limit, "game": game})


def count_running(connection: Connection) -> int:
    return int(one(connection, "SELECT count(*) FROM gauntlets WHERE state = 'running'", {})[0])


def lock(connection: Connection, gauntlet_id: GauntletId) -> str | None:
    return first_value(connection, "SELECT state FROM gauntlets WHERE id = %s FOR UPDATE", [gauntlet_id])


def end(connection: Connection, gauntlet_id: GauntletId, state: str, verdict: GauntletVerdict | None) -> None:
    """End a gauntlet. Unplayed matches become void; a worker that is playing one finds its claim gone."""
    query = """
        UPDATE gauntlets
        SET state = %s, verdict = %s, ended_at = now(), waits_until = NULL, waits_for_room = false WHERE id = %s
        """
    connection.execute(query, [state, verdict, gauntlet_id])
    waiting = "gauntlet_id = %(id)s AND is_waiting(state)"
    matches.make_void(connection, waiting, "ladder", f"the gauntlet was {state}", id=gauntlet_id)


def go_on(connection: Connection, gauntlet_id: GauntletId) -> None:
    query = "UPDATE gauntlets SET state = 'running', verdict = NULL, ended_at = NULL WHERE id = %s"
    connection.execute(query, [gauntlet_id])


def insert_slots(connection: Connection, slots: Iterable[tuple[Gauntlet, Slot]]) -> list[MatchId]:
    """Add the matches of each slot of a gauntlet, with who is judged in every seat once. Returns their ids."""
    battles: list[NewBattle] = []
    for gauntlet, slot in slots:
        version_ids, params = zip(*gauntlet.players_of(slot), strict=True)
        part_of = (gauntlet.id, slot.number)
        battles.append(NewBattle(gauntlet.league_id, version_ids, slot.seed, part_of=part_of, params=params))
    return matches.insert_battles(connection, battles)


def taken_slots(connection: Connection, gauntlet_id: GauntletId) -> dict[int, bool]:
    """Return taken slots and whether each waits; unplayable ones are taken, taken-back and cut-off ones are not."""
    query = """
            SELECT slot, bool_or(is_waiting(state))
            FROM matches
            WHERE gauntlet_id = %(id)s
            GROUP BY slot, pair_id
            HAVING NOT bool_or(state = 'void' AND void_at IS NOT NULL)
            """
    return dict(connection.execute(query, {"id": gauntlet_id}).fetchall())


def pairs_of(connection: Connection, gauntlet_id: GauntletId, among: list[int] | None = None) -> list[PairRow]:
    """Return the slots of which all matches are finished, in order; `among` these or all.

    Seats follow from `insert_slots`, and are looked up one by one: OFFSET keeps PostgreSQL from reading them all.
    """
    query = """
        SELECT slot, sum(half_points)::int AS outcome, array_agg(matches.id ORDER BY matches.id) AS match_ids,
               array_agg(coalesce(matches.host, '') ORDER BY matches.id) AS hosts,
               count(*) FILTER (WHERE host_faults > 0)::int AS starved,
               array_agg(half_points ORDER BY own_seat) AS by_seat,
               max(finished_at) AS ended_at
        FROM (
            SELECT id, slot, pair_id, state, host, host_faults, finished_at, players,
                   (players + 1 - row_number() OVER (PARTITION BY pair_id ORDER BY id)) %% players AS own_seat
            FROM matches
            WHERE gauntlet_id = %(id)s AND (%(among)s::int[] IS NULL OR slot = ANY(%(among)s))) AS matches
        CROSS JOIN LATERAL (
            SELECT CASE WHEN players > 2 THEN (
                       SELECT sum(1 + sign(others.place - seats.place))::int FROM seats AS others
                       WHERE others.match_id = matches.id AND others.seat <> own_seat)
                   ELSE CASE seats.result WHEN 'win' THEN 2 WHEN 'draw' THEN 1 ELSE 0 END END AS half_points
            FROM seats
            WHERE seats.match_id = matches.id AND seats.seat = own_seat OFFSET 0) AS seats
        WHERE matches.state = 'finished'
        GROUP BY slot, pair_id, players
        HAVING count(*) = players
        ORDER BY slot
        """
    return Rows(connection, PairRow).all(query, {"id": gauntlet_id, "among": among})


def count_finished(connection: Connection, gauntlet_id: GauntletId) -> int:
    query = "SELECT count(*) FROM matches WHERE gauntlet_id = %(id)s AND state = 'finished'"
    return int(one(connection, query, {"id": gauntlet_id})[0])


def take_back_from(connection: Connection, gauntlet_id: GauntletId, host: str, by: str, why: str) -> int:
    """Make void what one machine played of a gauntlet, with the other match of each pair. Returns how many pairs."""
    played = """gauntlet_id = %(id)s AND state = 'finished' AND pair_id IN (
        SELECT pair_id FROM matches WHERE gauntlet_id = %(id)s AND state = 'finished' AND host = %(host)s)"""
    return len({pair_id for _, pair_id in matches.make_void(connection, played, by, why, id=gauntlet_id, host=host)})
