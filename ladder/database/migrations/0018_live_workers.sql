-- The workers that live, by their locks. All locks are read once for all of them: queries about many workers join this
-- view, or look with IN (SELECT id FROM live_workers), and call no function for each row.
CREATE VIEW live_workers AS
    SELECT objid::bigint::int AS id
    FROM pg_locks
    WHERE locktype = 'advisory' AND classid = 1 AND objsubid = 2 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database());

-- For one row.
CREATE OR REPLACE FUNCTION worker_is_alive(worker int) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM live_workers WHERE id = worker)
$$;

-- Which match a worker plays.
CREATE INDEX matches_running ON matches (worker_id) WHERE state = 'running';
