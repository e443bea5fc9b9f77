-- Whether all bots of a league are trusted so far that a command may start them together in one box: see docs/referee-programs.md.
ALTER TABLE leagues ADD COLUMN trusted boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION league_conditions(league leagues) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
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
        'clock', league.clock,
        'trusted', league.trusted)
$$;

-- Whether the matches of an edition are played by a command that starts the bots itself. False for rules in Python.
CREATE FUNCTION starts_bots(edition text) RETURNS boolean
LANGUAGE sql STABLE
RETURN EXISTS (SELECT FROM game_editions WHERE hash = edition AND 'whole-matches' = ANY (needs));

-- Whether nobody may play the matches of an edition in a league, because its bots are not trusted.
CREATE FUNCTION lacks_trust(trusted boolean, edition text) RETURNS boolean
LANGUAGE sql STABLE
RETURN edition IS NOT NULL AND NOT trusted AND starts_bots(edition);
