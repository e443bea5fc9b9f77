-- A worker whose session stands though it has given no sign of life lately: its machine has no power or no network.
-- What it played or built when its session ended says nothing about the bots.

ALTER TABLE workers ADD COLUMN out_of_reach boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION strikes_without_worker(version versions) RETURNS int LANGUAGE sql STABLE AS $$
    SELECT version.strikes + CASE
        WHEN version.lease_until IS NULL OR version.began_at < pg_postmaster_start_time() OR a_match_just_failed()
             OR EXISTS (SELECT FROM workers WHERE workers.id = version.worker_id AND workers.out_of_reach) THEN 0
        ELSE 1 END
$$;
