"""What an export holds: every table with its columns, in an order in which each row refers only to rows before it.

How this works. Export, import and their document are made from this list alone, and a test compares it with the schema:
a table or column that neither stands here nor is left out for a reason makes the test fail.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import LiteralString


@dataclass(frozen=True, slots=True)
class Former:
    """What a table was called in exports of older programs. `columns`: their names there, with those of today."""

    name: str
    columns: Mapping[str, str]
    also: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Table:
    """A table of an export. `about`: what one row is; `key`: the columns by whose order rows are written.

    `left_out`: columns that are no part of an export. `written_as`: what is written in the place of a column.
    """

    name: LiteralString
    about: str
    key: tuple[LiteralString, ...]
    columns: tuple[LiteralString, ...]
    left_out: tuple[LiteralString, ...] = ()
    formerly: Former | None = None
    written_as: Mapping[str, LiteralString] = field(default_factory=dict[str, LiteralString])


STANDINGS: tuple[LiteralString, ...] = (
    *("version_id", "league_id", "on_board", "mu", "sigma", "score", "matches", "wins", "draws", "losses", "timeouts"),
    *("faults", "entered_at", "first_mu", "first_sigma", "eligible_at", "further_opponents", "boss_wins"),
    *("counted_from", "is_rival", "demoted_at", "comes_back", "places"),
)
SOURCES = Table(
    "sources", "a source, in a file of its own that is named after its hash", ("hash",), ("hash", "content", "tree")
)
TABLES: tuple[Table, ...] = (
    Table("game_files", "a file of games whose referee is a program", ("hash",), ("hash", "content")),
    Table(
        "game_editions",
        "the files of such a game at one time",
        ("hash",),
        ("hash", "game", "needs", "made_at", "made_by", "seed_bits", "repeatable"),
    ),
    Table(
        "game_edition_files",
        "a file of an edition",
        ("edition", "name"),
        ("edition", "name", "executable", "file"),
    ),
    Table("games", "such a game", ("name",), ("name", "edition", "added_at", "added_by", "removed_at")),
    Table(
        "players",
        "a player",
        ("id",),
        ("id", "name", "created_at", "role", "disabled_at", "disabled_why"),
        left_out=("password_hash",),
    ),
    Table(
        "leagues",
        "a league of a game, with its settings",
        ("id",),
        (
            *("id", "game", "name", "title", "position", "rules_level", "battles", "memory_mb", "longest_s"),
            *("early_line_loses", "threads", "open_files", "file_size_mb", "line_bytes", "stderr_turn_bytes"),
            *("stderr_match_bytes", "time_policy", "clock", "promotion", "boss_wins", "demotion", "opens_at"),
            *("matchmaking", "placement_battles", "near_ranks", "rating_system", "mu", "sigma", "beta", "tau"),
            *("draw_probability", "score_formula", "first_limit_ms", "turn_limit_ms", "game_draw_probability"),
            *("most_asks_per_seat", "game_first_limit_ms", "game_turn_limit_ms", "programs", "trusted", "sure"),
            *("players", "player_weights", "seat_orders", "battle_matches", "own_bots_meet", "most_bots"),
        ),
    ),
    Table(
        "bots",
        "a bot of a player",
        ("id",),
        (
            *("id", "game", "name", "player_id", "league_id", "boss_of", "created_at", "retired_at"),
            *("disqualified_at", "disqualified_by", "disqualified_why", "source_is_public", "left_with_player"),
        ),
    ),
    Table("former_names", "a name that a bot had before", ("bot_id", "name"), ("bot_id", "game", "name", "left_at")),
    SOURCES,
    Table(
        "versions",
        "a version of a bot; `source_hash` names the file of its source",
        ("id",),
        (
            *("id", "bot_id", "number", "source_hash", "language", "state", "message", "attempt", "submitted_at"),
            *("leaves_rival", "strikes", "began_at", "warnings", "note", "params"),
            *("imported_from", "imported_as"),
        ),
        left_out=("worker_id", "lease_until", "enqueued_at"),
    ),
    Table(
        "standings",
        "a version's stay in a league: its rating and record there",
        ("version_id", "league_id"),
        STANDINGS,
    ),
    Table(
        "board_freezes",
        "a game whose boards everybody but operators sees as they were at a moment",
        ("game",),
        ("game", "frozen_from", "frozen_by", "set_at"),
    ),
    Table(
        "frozen_standings",
        "a stay as it was at that moment",
        ("version_id", "league_id"),
        STANDINGS,
    ),
    Table(
        "moves",
        "a version that changed its league",
        ("id",),
        ("id", "version_id", "from_league", "to_league", "at", "kind"),
    ),
    Table(
        "seasons",
        "a season whose end has begun",
        ("id",),
        ("id", "game", "number", "opened_at", "series_battles", "series_top", "closed_at"),
    ),
    Table(
        "season_plans",
        "how a season is to end",
        ("game",),
        ("game", "number", "submit_until", "series_battles", "series_top", "planned_by", "planned_at"),
    ),
    Table(
        "contest_players",
        "a player who takes part in the contest that a season is",
        ("game", "season", "player_id"),
        ("game", "season", "player_id"),
    ),
    Table(
        "season_ranks",
        "a line of a closed season's board",
        ("season_id", "league_id", "live_rank"),
        (
            *("season_id", "league_id", "live_rank", "league_title", "version_id", "bot", "number", "player"),
            *("is_boss", "score", "mu", "sigma", "matches", "wins", "draws", "losses", "timeouts", "faults"),
            *("group_number", "rank", "rank_low", "rank_high", "strength", "error", "places"),
        ),
    ),
    Table(
        "requests",
        "battles that somebody asked for, or of a season's series",
        ("id",),
        (
            *("id", "league_id", "first", "second", "battles", "made", "seed", "asked_by", "season_id", "lapsed"),
            *("created_at", "others"),
        ),
    ),
    Table(
        "gauntlets",
        "a gauntlet",
        ("id",),
        (
            *("id", "league_id", "candidate_id", "baseline_id", "asked_by", "seed", "seeds", "pairs", "elo0", "elo1"),
            *("elo_model", "alpha", "beta", "gates", "state", "verdict", "created_at", "ended_at"),
            *("variants", "edition", "players", "is_limited", "waits_until", "waits_for_room"),
        ),
    ),
    Table(
        "gauntlet_opponents",
        "an opponent of a gauntlet",
        ("gauntlet_id", "position"),
        ("gauntlet_id", "position", "version_id", "decides", "is_context"),
    ),
    Table(
        "automatic_gauntlets",
        "a gauntlet that is played for each new version of a bot or in a league",
        ("id",),
        (
            *("id", "bot_id", "league_id", "opponents", "pairs", "elo0", "elo1", "elo_model", "alpha", "beta"),
            *("gates", "asked_by", "created_at", "context", "is_limited"),
        ),
    ),
    Table(
        "matches",
        "a match; one that was being played is written as queued, and `record` holds what was said in base64",
        ("id",),
        (
            *("id", "league_id", "pair_id", "seed", "state", "attempt", "reason", "turns", "record", "created_at"),
            *("started_at", "finished_at", "sandbox", "time_policy", "clock", "host_faults", "void_by", "void_at"),
            *("rules_level", "made_for", "request_id", "gauntlet_id", "slot", "host", "strikes", "first_limit_ms"),
            *("turn_limit_ms", "rates", "players", "imported_from", "import_key", "edition", "fair_clock"),
        ),
        left_out=("worker_id", "lease_until", "enqueued_at"),
        written_as={"state": "CASE state WHEN 'running' THEN 'queued' ELSE state END"},
    ),
    Table(
        "seats",
        "one side of a match",
        ("match_id", "seat"),
        (
            *("match_id", "seat", "version_id", "score", "result", "verdict", "message", "slowest_us", "median_us"),
            *("stderr", "metrics", "early_lines", "charged_us", "overruns", "stderr_dropped_bytes", "beat_boss"),
            *("discounted", "params", "place", "copy", "cpu_us"),
        ),
    ),
    Table(
        "failed_attempts",
        "an attempt at a match that failed",
        ("match_id", "attempt"),
        ("match_id", "attempt", "host", "pid", "began_at", "failed_at", "why", "counts", "seat", "answered_seat"),
    ),
    Table(
        "ledger",
        "a line of the ledger of ratings",
        ("sequence",),
        (
            *("sequence", "match_id", "version_id", "league_id"),
            *("mu_before", "sigma_before", "mu_after", "sigma_after"),
        ),
    ),
    Table(
        "withdrawn_lines",
        "the place of a ledger line that does not count while a bot is disqualified",
        ("sequence",),
        ("sequence", "match_id", "version_id", "league_id"),
    ),
    Table(
        "quotas",
        "how much a player may ask for, or everybody by default",
        ("player_id",),
        (
            *("player_id", "versions_per_hour", "versions_per_day", "battles_per_day", "gauntlets_running"),
            *("cpu_s_per_day", "tokens"),
        ),
    ),
    Table(
        "usage",
        "what matches that a player asked for took in an hour",
        ("player_id", "hour"),
        ("player_id", "hour", "cpu_us", "matches"),
    ),
    Table(
        "game_locks",
        "a game that takes no new versions",
        ("game",),
        ("game", "closed_at", "why", "by"),
    ),
    Table(
        "audit",
        "a line of what was done",
        ("id",),
        ("id", "at", "actor", "via", "address", "action", "target", "details"),
        left_out=("token_id",),
        formerly=Former(
            "deeds",
            {"id": "id", "done_at": "at", "done_by": "actor", "deed": "action", "about": "target"},
            {"details": {"concerns_others": True}},
        ),
    ),
)
"""In an order in which each refers only to those before it."""

LETS_IN = "lets people in; on the new ladder an operator invites them again"
TABLES_LEFT_OUT: Mapping[str, str] = {
    "artefacts": "compiled programs, which workers build again when they need them",
    "workers": "the processes that play at this moment",
    "migrations": "how the database came to its schema",
    "tokens": LETS_IN,
    "sessions": LETS_IN,
    "device_grants": LETS_IN,
    "invitations": LETS_IN,
    "shares": LETS_IN,
    "idempotency": "answers that were given within the last day",
}
"""Tables that are no part of an export, and why."""

SEQUENCES: tuple[LiteralString, ...] = (
    *("players_id_seq", "leagues_id_seq", "bots_id_seq", "versions_id_seq", "moves_id_seq", "matches_id_seq"),
    *("ledger_sequence_seq", "seasons_id_seq", "requests_id_seq", "gauntlets_id_seq", "automatic_gauntlets_id_seq"),
    *("audit_id_seq", "pairs"),
)
"""What gives the next numbers, by PostgreSQL's names."""
FORMER_SEQUENCES: Mapping[str, str] = {
    "promotions_id_seq": "moves_id_seq",
    "standing_gauntlets_id_seq": "automatic_gauntlets_id_seq",
    "deeds_id_seq": "audit_id_seq",
}
"""What exports of version 1 call them."""
SEQUENCES_LEFT_OUT = frozenset({"workers_id_seq", "tokens_id_seq", "shares_id_seq"})

FRESH = frozenset({"players", "leagues", "bots", "sources", "versions", "standings", "audit"})
"""The tables that hold rows as soon as a ladder is set up: the leagues and bosses of its games, and who set it up."""
ACCOUNTS: tuple[LiteralString, ...] = ("tokens", "sessions", "device_grants", "invitations", "shares", "idempotency")
"""The tables left out that refer to others."""
