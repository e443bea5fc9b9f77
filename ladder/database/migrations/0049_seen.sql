-- Who sees what of a served ladder. The views here have the names and the columns of tables, and hold of them what the
-- one who looks may see: whatever is asked of the ladder after `seen.look_as`, a page, a search, a count, is asked of
-- these instead of the tables. Somebody alone never looks this way. A migration that changes one of the tables makes its
-- view anew.
--
-- Everybody sees matches, verdicts, what was said and how long it took. What a bot wrote to stderr and what follows from
-- that, versions that were not accepted and what compilers said are for their player, sources likewise unless they are
-- public; machines and what went wrong at them are for operators. An operator's look at somebody's private things is
-- remembered until the transaction ends, so that it can be written down.

DROP SCHEMA IF EXISTS seen CASCADE;  -- of tables that somebody has dropped to begin anew
CREATE SCHEMA seen;

-- What anybody may ask, who sees nothing of the things themselves: how many versions are to be built, of a game or (null)
-- of all.
CREATE FUNCTION count_building(of_game text) RETURNS bigint STABLE LANGUAGE sql SET search_path FROM CURRENT AS $$
    SELECT count(*) FROM versions
    WHERE state = 'building' AND (of_game IS NULL OR bot_id IN (SELECT id FROM bots WHERE game = of_game))
$$;
-- Whether the reader sees what is private of a seat: always, but for the one of that name below.
CREATE FUNCTION is_seen(of_match bigint, of_seat int) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';

-- Let the rest of this transaction see what somebody may. `player`: whose private things, null: nobody's; `game`, `bot`:
-- of these alone, null: of all; `operates`: everybody's. `shared_match`: besides, what `sharer` sees of that match.
CREATE FUNCTION seen.look_as(
    player text, game text, bot text, operates boolean, sharer bigint, shared_match bigint
) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM set_config('ladder.player', coalesce((SELECT id::text FROM players WHERE lower(name) = lower(player)), ''), true),
            set_config('ladder.game', coalesce(game, ''), true),
            set_config('ladder.bot', lower(coalesce(bot, '')), true),
            set_config('ladder.operates', CASE WHEN operates THEN 'yes' ELSE '' END, true),
            set_config('ladder.sharer', coalesce(sharer::text, ''), true),
            set_config('ladder.shared_match', coalesce(shared_match::text, ''), true),
            set_config('ladder.looked_at', '', true);
END $$;

CREATE FUNCTION seen.number_of(setting text) RETURNS bigint STABLE LANGUAGE sql AS $$
    SELECT nullif(current_setting('ladder.' || setting, true), '')::bigint
$$;
CREATE FUNCTION seen.operates() RETURNS boolean STABLE LANGUAGE sql AS $$
    SELECT coalesce(current_setting('ladder.operates', true), '') = 'yes'
$$;

-- Let an operator look at something private of a version, and remember whose it was.
CREATE FUNCTION seen.looks_at(version bigint) RETURNS boolean STABLE LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    owner text := (SELECT player_id FROM versions JOIN bots ON bots.id = bot_id WHERE versions.id = version);
    known text[] := string_to_array(current_setting('ladder.looked_at'), ',');
BEGIN
    IF owner <> ALL(known) THEN
        PERFORM set_config('ladder.looked_at', array_to_string(known || owner, ','), true);
    END IF;
    RETURN true;
END $$;

-- Whose private things were looked at in this transaction by somebody who operates, besides their own.
CREATE FUNCTION seen.looked_at() RETURNS text[] STABLE LANGUAGE sql SET search_path FROM CURRENT AS $$
    SELECT coalesce(array_agg(name ORDER BY lower(name)), '{}') FROM players
    WHERE id::text = ANY(string_to_array(current_setting('ladder.looked_at', true), ','))
$$;

CREATE VIEW seen.own_bots AS
    SELECT id FROM bots
    WHERE player_id = seen.number_of('player')
      AND current_setting('ladder.game', true) IN ('', game) AND current_setting('ladder.bot', true) IN ('', lower(name));
CREATE VIEW seen.own_versions AS
    SELECT id FROM versions WHERE bot_id IN (SELECT id FROM seen.own_bots);
CREATE VIEW seen.shared_seats AS
    SELECT seats.match_id, seats.seat FROM seats
    JOIN versions ON versions.id = seats.version_id
    JOIN bots ON bots.id = versions.bot_id
    WHERE seats.match_id = seen.number_of('shared_match') AND bots.player_id = seen.number_of('sharer');
-- Matches with metrics of which nobody knows any more which seat printed them: those from before they were kept by seat,
-- and those of other programs.
CREATE VIEW seen.matches_of_mixed_metrics AS
    SELECT id FROM matches
    WHERE imported_from IS NOT NULL OR finished_at < (
        SELECT (to_jsonb(migrations) ->> 'applied_at')::timestamptz FROM migrations WHERE number = 31);

-- A verdict's message quotes stderr where the bot ended by itself: then the verdict alone is for everybody.
CREATE VIEW seen.seats AS
    SELECT match_id, seat, version_id, score, result, verdict,
           CASE WHEN message = '' OR verdict NOT IN ('crashed', 'memory')
                  OR is_own OR seen.operates() AND seen.looks_at(version_id)
                THEN message ELSE '' END AS message,
           slowest_us, median_us,
           CASE WHEN stderr = '' OR is_own OR seen.operates() AND seen.looks_at(version_id)
                THEN stderr ELSE '' END AS stderr,
           CASE WHEN metrics = '{}'
                  OR is_own AND NOT EXISTS (SELECT FROM seen.matches_of_mixed_metrics AS mixed WHERE mixed.id = match_id)
                  OR seen.operates() AND seen.looks_at(version_id)
                THEN metrics ELSE '{}' END AS metrics,
           early_lines, charged_us, overruns,
           CASE WHEN is_own OR seen.operates() THEN stderr_dropped_bytes ELSE 0 END AS stderr_dropped_bytes,
           beat_boss, discounted, params, place, copy, cpu_us
    FROM seats CROSS JOIN LATERAL (
        SELECT version_id IN (SELECT id FROM seen.own_versions)
               OR (match_id, seat) IN (SELECT match_id, seat FROM seen.shared_seats) AS is_own) AS sight;

CREATE FUNCTION seen.is_seen(of_match bigint, of_seat int) RETURNS boolean STABLE LANGUAGE sql AS $$
    SELECT seen.operates() OR (of_match, of_seat) IN (SELECT match_id, seat FROM seen.shared_seats)
        OR EXISTS (
            SELECT FROM seen.seats
            WHERE match_id = of_match AND seat = of_seat AND version_id IN (SELECT id FROM seen.own_versions))
$$;

CREATE VIEW seen.versions AS
    SELECT id, bot_id, number,
           CASE WHEN is_own OR bot_id IN (SELECT id FROM bots WHERE source_is_public)
                  OR seen.operates() AND seen.looks_at(id)
                THEN source_hash END AS source_hash,
           language, state,
           CASE WHEN message = '' OR is_own OR seen.operates() AND seen.looks_at(id)
                THEN message ELSE '' END AS message,
           attempt, worker_id, lease_until, enqueued_at, submitted_at, leaves_rival, strikes, began_at,
           CASE WHEN warnings = '' OR is_own OR seen.operates() AND seen.looks_at(id)
                THEN warnings ELSE '' END AS warnings,
           CASE WHEN state <> 'rejected' OR is_own OR seen.operates() AND seen.looks_at(id)
                THEN note ELSE '' END AS note,
           params, imported_from, imported_as
    FROM versions CROSS JOIN LATERAL (SELECT bot_id IN (SELECT id FROM seen.own_bots) AS is_own) AS sight
    WHERE is_own OR seen.operates() OR state NOT IN ('building', 'rejected');

-- How a match ended is for everybody, and what people said who took it back; what failed at it is not.
CREATE VIEW seen.matches AS
    SELECT id, league_id, pair_id, seed, state, attempt, worker_id, lease_until, enqueued_at,
           CASE WHEN seen.operates() OR state = 'finished' OR void_at IS NOT NULL THEN reason ELSE '' END AS reason,
           turns, record, created_at, started_at, finished_at, sandbox, time_policy, clock, host_faults, void_by, void_at,
           rules_level, made_for, request_id, gauntlet_id, slot,
           CASE WHEN seen.operates() THEN host END AS host,
           strikes, first_limit_ms, turn_limit_ms, rates, players, imported_from, import_key, edition
    FROM matches;

CREATE VIEW seen.failed_attempts AS
    SELECT match_id, attempt, CASE WHEN seen.operates() THEN host ELSE '' END AS host,
           CASE WHEN seen.operates() THEN pid END AS pid, began_at, failed_at,
           CASE WHEN seen.operates() THEN why ELSE '' END AS why, counts, seat, answered_seat
    FROM failed_attempts;

CREATE VIEW seen.workers AS
    SELECT id, CASE WHEN seen.operates() THEN host ELSE '' END AS host, CASE WHEN seen.operates() THEN pid ELSE 0 END AS pid,
           started_at, builds, plays, out_of_reach, games
    FROM workers;
