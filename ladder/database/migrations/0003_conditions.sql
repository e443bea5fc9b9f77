-- Under which conditions a league's bots play, and under which a match was played: limits, time, sandbox.

ALTER TABLE leagues
    ADD COLUMN threads             int NOT NULL DEFAULT 64,
    ADD COLUMN open_files          int NOT NULL DEFAULT 256,
    ADD COLUMN file_size_mb        int NOT NULL DEFAULT 16,
    ADD COLUMN line_bytes          int NOT NULL DEFAULT 10000,    -- so many bytes without a line end are no answer
    ADD COLUMN stderr_turn_bytes   int NOT NULL DEFAULT 4096,     -- what is kept of a bot's debug output
    ADD COLUMN stderr_match_bytes  int NOT NULL DEFAULT 204800,
    ADD COLUMN time_policy         text NOT NULL DEFAULT 'strict',
    ADD COLUMN clock               text NOT NULL DEFAULT 'fair',
    -- The same bounds stand in ladder/league_settings.py, where they are sentences.
    ADD CONSTRAINT leagues_memory_is_sane CHECK (memory_mb BETWEEN 16 AND 1048576),
    ADD CONSTRAINT leagues_threads_are_sane CHECK (threads BETWEEN 1 AND 4096),
    ADD CONSTRAINT leagues_open_files_are_sane CHECK (open_files BETWEEN 16 AND 65536),
    ADD CONSTRAINT leagues_file_size_is_sane CHECK (file_size_mb BETWEEN 1 AND 65536),
    ADD CONSTRAINT leagues_line_is_sane CHECK (line_bytes BETWEEN 100 AND 10000000),
    ADD CONSTRAINT leagues_stderr_of_a_turn_is_sane CHECK (stderr_turn_bytes BETWEEN 0 AND 10000000),
    ADD CONSTRAINT leagues_stderr_of_a_match_is_sane CHECK (stderr_match_bytes BETWEEN 0 AND 10000000),
    ADD CONSTRAINT leagues_time_policy_is_known CHECK (time_policy IN ('strict', 'codingame')),
    ADD CONSTRAINT leagues_clock_is_known CHECK (clock IN ('fair', 'wall'));

-- All conditions of a league in one piece, as ladder/conditions.py reads it. Claims take it along.
CREATE FUNCTION league_conditions(league leagues) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_build_object(
        'memory_mb', league.memory_mb,
        'threads', league.threads,
        'open_files', league.open_files,
        'file_size_mb', league.file_size_mb,
        'line_bytes', league.line_bytes,
        'stderr_turn_bytes', league.stderr_turn_bytes,
        'stderr_match_bytes', league.stderr_match_bytes,
        'early_line_loses', league.early_line_loses,
        'time_policy', league.time_policy,
        'clock', league.clock)
$$;

ALTER TABLE matches
    ADD COLUMN sandbox      text NOT NULL DEFAULT '',   -- the tier it was played in; '' until it is finished
    ADD COLUMN time_policy  text,                       -- the rule it was judged by
    ADD COLUMN clock        text,
    ADD COLUMN host_faults  int NOT NULL DEFAULT 0,     -- how often it was given back because the host was too busy
    ADD CONSTRAINT matches_time_policy_is_known CHECK (time_policy IN ('strict', 'codingame')),
    ADD CONSTRAINT matches_clock_is_known CHECK (clock IN ('fair', 'wall'));
-- There was but one rule until now: by wall time, and the first overrun lost.
UPDATE matches SET time_policy = 'strict', clock = 'wall' WHERE state = 'finished';
ALTER TABLE matches
    ADD CONSTRAINT matches_finished_has_time_rule
        CHECK (state <> 'finished' OR (time_policy IS NOT NULL AND clock IS NOT NULL));

ALTER TABLE seats
    ADD COLUMN charged_us            int,                       -- the most that any turn was charged
    ADD COLUMN overruns              int NOT NULL DEFAULT 0,    -- turns over their limit by the match's rule
    ADD COLUMN stderr_dropped_bytes  bigint NOT NULL DEFAULT 0; -- debug output that was not kept
UPDATE seats SET overruns = 1 WHERE verdict = 'timeout';
