-- Whether a worker's machine can keep the fair clock, and so the one that played a match; null: that is not known.
ALTER TABLE workers ADD COLUMN fair_clock boolean;
ALTER TABLE matches ADD COLUMN fair_clock boolean;

CREATE OR REPLACE VIEW seen.workers AS
    SELECT id, CASE WHEN seen.operates() THEN host END AS host, CASE WHEN seen.operates() THEN pid END AS pid,
           started_at, builds, plays, out_of_reach, games, fair_clock
    FROM workers;

CREATE OR REPLACE VIEW seen.matches AS
    SELECT id, league_id, pair_id, seed, state, attempt, worker_id, lease_until, enqueued_at,
           CASE WHEN seen.operates() OR state = 'finished' OR void_at IS NOT NULL THEN reason ELSE '' END AS reason,
           turns, record, created_at, started_at, finished_at, sandbox, time_policy, clock, host_faults, void_by, void_at,
           rules_level, made_for, request_id, gauntlet_id, slot,
           CASE WHEN seen.operates() THEN host END AS host,
           strikes, first_limit_ms, turn_limit_ms, rates, players, imported_from, import_key, edition, fair_clock
    FROM matches;
