-- The ladder: who plays, what they submitted, which matches were played, and what that says about them.
-- Rules the database can hold are constraints with names; ladder/database.py turns a name into a sentence.

CREATE TABLE players (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT players_name_is_plain CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,38}$')
);
CREATE UNIQUE INDEX players_name_is_unique ON players (lower(name));

CREATE TABLE leagues (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game         text NOT NULL,
    name         text NOT NULL,
    title        text NOT NULL,
    position     int NOT NULL,              -- 1 is the lowest league of its game
    rules_level  int NOT NULL,
    battles      int NOT NULL,              -- a version plays this many before it can be promoted; two matches each
    memory_mb    int NOT NULL DEFAULT 768,
    longest_s    int NOT NULL,              -- the longest that a match can last within the limits; leases come from it
    CONSTRAINT leagues_name_is_unique UNIQUE (game, name),
    CONSTRAINT leagues_position_is_unique UNIQUE (game, position) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT leagues_battles_are_positive CHECK (battles > 0)
);

CREATE TABLE bots (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game            text NOT NULL,
    name            text NOT NULL,
    player_id       bigint NOT NULL REFERENCES players,
    league_id       bigint NOT NULL REFERENCES leagues,     -- where it plays now
    boss_of         bigint REFERENCES leagues,              -- the league it guards, if it is a boss
    created_at      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT bots_name_is_plain CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,38}$'),
    CONSTRAINT bots_one_boss_per_league UNIQUE (boss_of),
    CONSTRAINT bots_boss_stays_in_its_league CHECK (boss_of IS NULL OR boss_of = league_id)
);
CREATE UNIQUE INDEX bots_name_is_unique ON bots (game, lower(name));

CREATE TABLE sources (
    hash     text PRIMARY KEY,              -- sha256 of the UTF-8 text, hexadecimal
    content  text NOT NULL,
    CONSTRAINT sources_hash_is_sha256 CHECK (hash ~ '^[0-9a-f]{64}$')
);

CREATE TABLE artefacts (
    key         text PRIMARY KEY,           -- of source, recipe and platform; see engine.toolchain.program_key
    archive     bytea NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE versions (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    bot_id        bigint NOT NULL REFERENCES bots,
    number        int NOT NULL,
    source_hash   text NOT NULL REFERENCES sources,
    language      text NOT NULL,
    state         text NOT NULL DEFAULT 'building',
    message       text NOT NULL DEFAULT '',  -- why it was rejected: the compiler's or the bot's own words
    attempt       int NOT NULL DEFAULT 0,    -- how often a worker has begun to build it
    worker_id     int,
    lease_until   timestamptz,
    rung_at       timestamptz,               -- when the queue was last told of it
    submitted_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT versions_number_is_unique UNIQUE (bot_id, number),
    CONSTRAINT versions_numbers_start_at_1 CHECK (number >= 1),
    CONSTRAINT versions_state_is_known CHECK (state IN ('building', 'accepted', 'rejected'))
);
-- The same source twice under one bot is refused, unless the first was rejected (its toolchain may have been missing).
CREATE UNIQUE INDEX versions_source_is_new ON versions (bot_id, source_hash, language) WHERE state <> 'rejected';
CREATE INDEX versions_building ON versions (id) WHERE state = 'building';

CREATE FUNCTION versions_are_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.bot_id, NEW.number, NEW.source_hash, NEW.language) IS DISTINCT FROM
       (OLD.bot_id, OLD.number, OLD.source_hash, OLD.language) THEN
        RAISE EXCEPTION 'a submitted version never changes';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER versions_are_immutable BEFORE UPDATE ON versions
    FOR EACH ROW EXECUTE FUNCTION versions_are_immutable();

-- A version's stay in a league: its rating there and its record. The rating is a copy of the ledger's last line.
CREATE TABLE standings (
    version_id  bigint NOT NULL REFERENCES versions,
    league_id   bigint NOT NULL REFERENCES leagues,
    on_board    boolean NOT NULL DEFAULT true,
    mu          double precision NOT NULL,
    sigma       double precision NOT NULL,
    score       double precision NOT NULL,   -- what the board ranks by
    matches     int NOT NULL DEFAULT 0,
    wins        int NOT NULL DEFAULT 0,
    draws       int NOT NULL DEFAULT 0,
    losses      int NOT NULL DEFAULT 0,
    timeouts    int NOT NULL DEFAULT 0,
    faults      int NOT NULL DEFAULT 0,      -- lost by crashing, illegal lines, memory or flooding
    entered_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (version_id, league_id),
    CONSTRAINT standings_record_adds_up CHECK (wins + draws + losses = matches)
);
CREATE UNIQUE INDEX standings_one_board_per_version ON standings (version_id) WHERE on_board;
CREATE INDEX standings_board ON standings (league_id, score DESC, version_id) WHERE on_board;

CREATE TABLE promotions (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    version_id   bigint NOT NULL REFERENCES versions,
    from_league  bigint NOT NULL REFERENCES leagues,
    to_league    bigint NOT NULL REFERENCES leagues,
    at           timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT promotions_once UNIQUE (version_id, from_league)
);

-- One row per worker process that plays. While it lives, its connection holds the advisory lock (1, id), which
-- PostgreSQL itself lets go when the process dies: no heartbeat, and no wait for a lease to run out.
CREATE TABLE workers (
    id          int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    host        text NOT NULL,
    pid         int NOT NULL,
    started_at  timestamptz NOT NULL DEFAULT now()
);
CREATE FUNCTION worker_is_alive(worker int) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM pg_locks
        WHERE locktype = 'advisory' AND classid = 1 AND objid = worker::oid AND objsubid = 2 AND granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
$$;

CREATE SEQUENCE pairs;

CREATE TABLE matches (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    league_id    bigint NOT NULL REFERENCES leagues,
    pair_id      bigint NOT NULL,            -- the two matches of a battle: same seed, seats swapped
    seed         bigint NOT NULL,
    state        text NOT NULL DEFAULT 'queued',
    attempt      int NOT NULL DEFAULT 0,
    worker_id    int REFERENCES workers ON DELETE SET NULL,
    lease_until  timestamptz,
    rung_at      timestamptz,                -- when the queue was last told of it
    reason       text NOT NULL DEFAULT '',   -- finished: how the game ended; void: why nobody could play it
    turns        int NOT NULL DEFAULT 0,
    record       bytea,                      -- the lines that were said and how long each took; see ladder/records.py
    created_at   timestamptz NOT NULL DEFAULT now(),
    started_at   timestamptz,
    finished_at  timestamptz,
    CONSTRAINT matches_state_is_known CHECK (state IN ('queued', 'running', 'finished', 'void')),
    CONSTRAINT matches_finished_has_record CHECK ((state = 'finished') = (record IS NOT NULL)),
    CONSTRAINT matches_running_has_lease CHECK (state <> 'running' OR (lease_until IS NOT NULL AND attempt > 0))
);
CREATE INDEX matches_waiting ON matches (id) WHERE state IN ('queued', 'running');
CREATE INDEX matches_latest ON matches (finished_at DESC, id DESC) WHERE state = 'finished';

CREATE TABLE seats (
    match_id    bigint NOT NULL REFERENCES matches,
    seat        smallint NOT NULL,
    version_id  bigint NOT NULL REFERENCES versions,
    score       int,                         -- null until the match is finished
    result      text,                        -- win, draw or loss
    verdict     text,
    message     text NOT NULL DEFAULT '',
    slowest_us  int,
    median_us   int,
    stderr      text NOT NULL DEFAULT '',
    PRIMARY KEY (match_id, seat),
    CONSTRAINT seats_are_two CHECK (seat IN (0, 1)),
    CONSTRAINT seats_hold_different_versions UNIQUE (match_id, version_id),
    CONSTRAINT seats_result_is_known CHECK (result IN ('win', 'draw', 'loss')),
    CONSTRAINT seats_verdict_is_known
        CHECK (verdict IN ('ok', 'timeout', 'crashed', 'illegal', 'memory', 'flooded'))
);
CREATE INDEX seats_of_version ON seats (version_id, match_id DESC);

-- The ledger. One line per match and version, in a total order; rated twice is impossible by its unique key.
CREATE TABLE ledger (
    sequence      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    match_id      bigint NOT NULL REFERENCES matches,
    version_id    bigint NOT NULL REFERENCES versions,
    league_id     bigint NOT NULL REFERENCES leagues,
    mu_before     double precision NOT NULL,
    sigma_before  double precision NOT NULL,
    mu_after      double precision NOT NULL,
    sigma_after   double precision NOT NULL,
    CONSTRAINT ledger_rates_once UNIQUE (match_id, version_id)
);
CREATE INDEX ledger_of_version ON ledger (version_id, sequence);
