-- What became of attempts at matches that were not recorded: by this a match is put aside, and people can see why.

CREATE TABLE failed_attempts (
    match_id   bigint NOT NULL REFERENCES matches,
    attempt    int NOT NULL,
    host       text NOT NULL DEFAULT '',               -- whose attempt it was; '' and null where that is not known
    pid        int,
    began_at   timestamptz,
    failed_at  timestamptz NOT NULL DEFAULT now(),     -- when it was noticed
    why        text NOT NULL,
    counts     boolean NOT NULL DEFAULT false,         -- whether the match itself was to blame, as far as can be told
    PRIMARY KEY (match_id, attempt)
);
CREATE INDEX failed_attempts_latest ON failed_attempts (failed_at);

ALTER TABLE matches ADD COLUMN strikes int NOT NULL DEFAULT 0;  -- how many failed attempts count against the match
UPDATE matches SET strikes = attempt WHERE state IN ('queued', 'running');  -- until now every one did
UPDATE matches SET strikes = attempt - 1 WHERE state = 'running';

-- The same for builds: strikes, and with the worker lost that has it now one more, unless others are being lost too.
ALTER TABLE versions ADD COLUMN strikes int NOT NULL DEFAULT 0;
UPDATE versions SET strikes = attempt WHERE state = 'building' AND lease_until IS NULL;
UPDATE versions SET strikes = attempt - 1 WHERE state = 'building' AND lease_until IS NOT NULL;

ALTER TABLE versions ADD COLUMN began_at timestamptz;
CREATE FUNCTION a_match_just_failed() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM failed_attempts WHERE failed_at BETWEEN now() - interval '1 minute' AND clock_timestamp())
$$;
CREATE FUNCTION strikes_without_worker(version versions) RETURNS int LANGUAGE sql STABLE AS $$
    SELECT version.strikes + CASE
        WHEN version.lease_until IS NULL OR version.began_at < pg_postmaster_start_time() OR a_match_just_failed() THEN 0
        ELSE 1 END
$$;

-- Whose row is forgotten an hour after it died need not be looked for in all matches: a worker's id never comes again.
ALTER TABLE matches DROP CONSTRAINT matches_worker_id_fkey;
