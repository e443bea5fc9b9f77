-- The ladder: who plays, what they submitted, which matches were played, and what that says about them.
-- In the order in which each thing refers only to those before it: tallies, games, leagues, players, bots and versions,
-- workers, seasons, requests, gauntlets, matches, ratings, frozen boards, notices, the audit, and what each person sees of
-- it all.
-- Rules the database can hold are constraints with names; ladder/database/connection.py turns a name into a sentence.
-- The one table that is not here is `migrations`: ladder/database/migrate.py, which applies this file, makes it.


-- Tallies
-- =======
-- How often things have happened, for those who watch: see ladder/database/tallies.py.

-- `name`: what happened; `league_id`, `label`: where and how, as far as that is counted; `seconds`: how long it took.
CREATE TABLE tallies (
    name       text NOT NULL,
    league_id  bigint,
    label      text NOT NULL,
    number     bigint NOT NULL,
    seconds    double precision NOT NULL,
    CONSTRAINT tallies_are_sums UNIQUE NULLS NOT DISTINCT (name, league_id, label)
);

-- What has been added to them since the last sweep: nobody who adds a line waits for another.
CREATE TABLE tally_lines (
    name       text NOT NULL,
    league_id  bigint,
    label      text NOT NULL DEFAULT '',
    number     bigint NOT NULL DEFAULT 1,
    seconds    double precision NOT NULL DEFAULT 0
);

-- The upper bound of the time of a histogram in which so many seconds are.
CREATE FUNCTION tally_bound(seconds double precision) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (ARRAY['1', '2', '5', '10', '20', '30', '60', '120', '300', '600', '1800', '3600', '+Inf'])[
    1 + width_bucket(seconds - 1e-9, ARRAY[1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600]::float8[])];

-- Never less than none, as clocks are set back.
CREATE FUNCTION seconds_between(begin timestamptz, ending timestamptz) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN greatest(coalesce(extract(epoch FROM ending - begin), 0), 0);


-- Games
-- =====

-- Games whose referee is a program of its own. The files of a game stand here by the hash of their content, so that every
-- worker has them.
CREATE TABLE game_files (
    hash     text PRIMARY KEY,                          -- sha256 of the content
    content  bytea NOT NULL
);
ALTER TABLE game_files ALTER COLUMN content SET STORAGE EXTERNAL;   -- jars are packed already

-- All of a game's files at one time. An edition is never changed, and stays.
CREATE TABLE game_editions (
    hash        text PRIMARY KEY,                       -- of a list of its files, see engine.toolchains.source
    game        text NOT NULL,
    needs       text[] NOT NULL DEFAULT '{}',           -- the languages whose runtime the referee needs
    made_at     timestamptz NOT NULL DEFAULT now(),
    made_by     text NOT NULL,
    seed_bits   smallint NOT NULL DEFAULT 64,           -- how wide seeds are: 31 means 0 to 2^31-1; 0: there are none
    repeatable  boolean NOT NULL DEFAULT true           -- whether a match can be repeated at all
);

-- A file of an edition.
CREATE TABLE game_edition_files (
    edition     text NOT NULL REFERENCES game_editions (hash) ON DELETE CASCADE,
    name        text NOT NULL,                          -- a path below the game's folder
    executable  boolean NOT NULL,
    file        text NOT NULL REFERENCES game_files (hash),
    PRIMARY KEY (edition, name)
);

-- The games of this ladder whose referee is a program, each with its present edition. One that was removed stays while
-- its matches do.
CREATE TABLE games (
    name        text PRIMARY KEY,
    edition     text NOT NULL REFERENCES game_editions (hash),
    added_at    timestamptz NOT NULL DEFAULT now(),
    added_by    text NOT NULL,
    removed_at  timestamptz
);

-- A game that takes no new versions and no other ones on its boards at present; play goes on.
CREATE TABLE game_locks (
    game       text PRIMARY KEY,
    closed_at  timestamptz NOT NULL DEFAULT now(),
    why        text NOT NULL,
    by         text NOT NULL
);

-- Whether a worker can lead the matches of a game: of one with rules in Python it needs the folder, and of one whose
-- referee is a program (it has an edition) the languages that the referee needs. Null: not known, then it may be able to.
CREATE FUNCTION has_game(its_games text[], its_plays text[], game text, edition text) RETURNS boolean
LANGUAGE sql STABLE
RETURN CASE WHEN edition IS NULL THEN its_games @> ARRAY[game]
            ELSE its_plays @> (SELECT needs FROM game_editions WHERE hash = edition) END;

-- Whether the matches of an edition are played by a command that starts the bots itself. False for rules in Python.
CREATE FUNCTION starts_bots(edition text) RETURNS boolean
LANGUAGE sql STABLE
RETURN EXISTS (SELECT FROM game_editions WHERE hash = edition AND 'whole-matches' = ANY (needs));

-- Whether nobody may play the matches of an edition in a league, because its bots are not trusted.
CREATE FUNCTION lacks_trust(trusted boolean, edition text) RETURNS boolean
LANGUAGE sql STABLE
RETURN edition IS NOT NULL AND NOT trusted AND starts_bots(edition);


-- Leagues
-- =======

-- A league of a game, with its settings. Their bounds stand in ladder/leagues/settings.py too, where they are sentences.
CREATE TABLE leagues (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game                text NOT NULL,
    name                text NOT NULL,
    title               text NOT NULL,
    position            int NOT NULL,                   -- 1 is the lowest league of its game
    rules_level         int NOT NULL,
    battles             int NOT NULL,                   -- a version plays this many before it can be promoted
    memory_mb           int NOT NULL DEFAULT 768,
    longest_s           int NOT NULL,                   -- the longest that a match can last; leases come from it
    early_line_loses    boolean NOT NULL DEFAULT false, -- whether a line that comes too soon loses; else it waits for its turn
    threads             int NOT NULL DEFAULT 64,
    open_files          int NOT NULL DEFAULT 256,
    file_size_mb        int NOT NULL DEFAULT 16,
    line_bytes          int NOT NULL DEFAULT 10000,     -- so many bytes without a line end are not an answer
    stderr_turn_bytes   int NOT NULL DEFAULT 4096,      -- what is kept of a bot's debug output
    stderr_match_bytes  int NOT NULL DEFAULT 204800,
    time_policy         text NOT NULL DEFAULT 'strict',
    clock               text NOT NULL DEFAULT 'fair',
    promotion           text NOT NULL DEFAULT 'rank_above_boss',
    boss_wins           int NOT NULL DEFAULT 10,        -- for the promotion `boss_wins`: so many are needed
    demotion            boolean NOT NULL DEFAULT false, -- whether who wins next to nothing here goes back
    opens_at            timestamptz,                    -- until then nobody enters it; null: open
    matchmaking         text NOT NULL DEFAULT 'codingame',
    placement_battles   int NOT NULL DEFAULT 10,
    near_ranks          int NOT NULL DEFAULT 20,
    rating_system       text NOT NULL DEFAULT 'trueskill',
    mu                  double precision NOT NULL DEFAULT 25,
    sigma               double precision NOT NULL DEFAULT 25.0 / 3,
    beta                double precision NOT NULL DEFAULT 25.0 / 6,
    tau                 double precision NOT NULL DEFAULT 25.0 / 300,
    draw_probability    double precision,               -- null: the game's own
    score_formula       text NOT NULL DEFAULT 'mu - 3 sigma',
    first_limit_ms      int,                            -- for a bot's first answer; null: the game's own
    turn_limit_ms       int,                            -- for each later one; null: likewise
    -- What it needs to know of its game, so that nothing that reads or writes rows asks for the game itself. These values
    -- are written whenever the leagues are registered; until then those of most games stand here.
    game_draw_probability  double precision NOT NULL DEFAULT 0.05,
    most_asks_per_seat     int NOT NULL DEFAULT 300,
    game_first_limit_ms    int NOT NULL DEFAULT 1000,
    game_turn_limit_ms     int NOT NULL DEFAULT 50,
    sure                double precision DEFAULT 0.999, -- the chance of standing above the boss at which a version
                                                        -- goes up before it has had all its battles; null: never
    programs            boolean NOT NULL DEFAULT true,  -- whether versions may come as programs
    players             smallint[] NOT NULL DEFAULT '{2}',  -- how many a match can have, smallest first
    player_weights      float8[] NOT NULL DEFAULT '{}', -- how often each of them is drawn; empty: all alike
    seat_orders         text NOT NULL DEFAULT 'rotations',  -- in which orders of the seats a battle plays its seed
    battle_matches      int NOT NULL DEFAULT 2,         -- how many matches that makes, on average
    trusted             boolean NOT NULL DEFAULT false, -- whether a command may start all its bots in one box
    own_bots_meet       boolean,                        -- whether two bots of a player meet; null: without accounts
    most_bots           int,                            -- how many bots of a player can be in it; null: any number
    ranked_by           text NOT NULL DEFAULT 'live',   -- by the score, or by the fit of all matches at once
    rank_width          int,                            -- within so many places a rank is known well enough; null: never
    CONSTRAINT leagues_name_is_unique UNIQUE (game, name),
    CONSTRAINT leagues_position_is_unique UNIQUE (game, position) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT leagues_title_is_short CHECK (length(title) BETWEEN 1 AND 40),
    CONSTRAINT leagues_rules_level_is_sane CHECK (rules_level BETWEEN 1 AND 100),
    CONSTRAINT leagues_battles_are_positive CHECK (battles > 0),
    CONSTRAINT leagues_memory_is_sane CHECK (memory_mb BETWEEN 16 AND 1048576),
    CONSTRAINT leagues_threads_are_sane CHECK (threads BETWEEN 1 AND 4096),
    CONSTRAINT leagues_open_files_are_sane CHECK (open_files BETWEEN 16 AND 65536),
    CONSTRAINT leagues_file_size_is_sane CHECK (file_size_mb BETWEEN 1 AND 65536),
    CONSTRAINT leagues_line_is_sane CHECK (line_bytes BETWEEN 100 AND 10000000),
    CONSTRAINT leagues_stderr_of_a_turn_is_sane CHECK (stderr_turn_bytes BETWEEN 0 AND 10000000),
    CONSTRAINT leagues_stderr_of_a_match_is_sane CHECK (stderr_match_bytes BETWEEN 0 AND 10000000),
    CONSTRAINT leagues_time_policy_is_known CHECK (time_policy IN ('strict', 'codingame')),
    CONSTRAINT leagues_clock_is_known CHECK (clock IN ('fair', 'wall')),
    CONSTRAINT leagues_promotion_is_known CHECK (promotion IN ('rank_above_boss', 'settled_above_boss', 'boss_wins')),
    CONSTRAINT leagues_boss_wins_are_sane CHECK (boss_wins BETWEEN 1 AND 100000),
    CONSTRAINT leagues_matchmaking_is_known CHECK (matchmaking IN ('codingame', 'informed')),
    CONSTRAINT leagues_placement_is_sane CHECK (placement_battles BETWEEN 0 AND 100000),
    CONSTRAINT leagues_near_ranks_are_sane CHECK (near_ranks BETWEEN 1 AND 100000),
    CONSTRAINT leagues_rating_system_is_known CHECK (rating_system IN ('trueskill', 'openskill')),
    CONSTRAINT leagues_mu_is_sane CHECK (mu BETWEEN -10000 AND 10000),
    CONSTRAINT leagues_sigma_is_sane CHECK (sigma BETWEEN 0.001 AND 10000),
    CONSTRAINT leagues_beta_is_sane CHECK (beta BETWEEN 0.001 AND 10000),
    CONSTRAINT leagues_tau_is_sane CHECK (tau BETWEEN 0 AND 10000),
    CONSTRAINT leagues_draw_probability_is_sane CHECK (draw_probability BETWEEN 0 AND 0.99),
    CONSTRAINT leagues_score_formula_is_known CHECK (score_formula IN ('mu - 3 sigma', 'mu')),
    CONSTRAINT leagues_first_limit_is_sane CHECK (first_limit_ms BETWEEN 1 AND 60000),
    CONSTRAINT leagues_turn_limit_is_sane CHECK (turn_limit_ms BETWEEN 1 AND 60000),
    CONSTRAINT leagues_sure_is_sane CHECK (sure BETWEEN 0.5 AND 1),
    CONSTRAINT leagues_most_bots_is_sane CHECK (most_bots BETWEEN 1 AND 10000),
    CONSTRAINT leagues_ranked_by_is_known CHECK (ranked_by IN ('live', 'settled')),
    CONSTRAINT leagues_rank_width_is_sane CHECK (rank_width BETWEEN 0 AND 10000)
);

-- All conditions of a league in one piece, as ladder/leagues/conditions.py reads it. Claims take it along.
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
        'clock', league.clock,
        'trusted', league.trusted)
$$;

-- The present edition of a league's game; null for a game with rules in Python.
CREATE FUNCTION present_edition(league bigint) RETURNS text
LANGUAGE sql STABLE
RETURN (SELECT games.edition FROM games JOIN leagues ON leagues.game = games.name WHERE leagues.id = league);


-- Players and accounts
-- ====================
-- Who may do what, by which secret, and how much of it. Somebody alone needs none of these rows but players. What lets
-- somebody in is stored as a hash (SHA-256 of 32 random bytes, argon2id of a password): who reads the database cannot act
-- in anybody's name with it.

-- A player: whose bots play; or a member of one that is a team, who logs in with an own name and password, and whose
-- bots, quotas and matches are the team's. A team is older than its members, and no member of another.
CREATE TABLE players (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name           text NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT now(),
    role           text NOT NULL DEFAULT 'player',
    password_hash  text,                                -- null for those who have never logged in
    disabled_at    timestamptz,
    disabled_why   text,
    team_id        bigint REFERENCES players,           -- null for a player
    CONSTRAINT players_teams_are_older CHECK (team_id < id),
    CONSTRAINT players_name_is_plain CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,38}$'),
    CONSTRAINT players_role_is_known CHECK (role IN ('player', 'operator'))
);
CREATE UNIQUE INDEX players_name_is_unique ON players (lower(name));
CREATE INDEX players_of_team ON players (team_id) WHERE team_id IS NOT NULL;
CREATE INDEX players_with_accounts ON players (id) WHERE password_hash IS NOT NULL;

-- Whether anybody has an account, so that the ladder is served to players and not one person's alone.
CREATE FUNCTION has_accounts() RETURNS boolean
LANGUAGE sql STABLE
RETURN EXISTS (SELECT FROM players WHERE password_hash IS NOT NULL);

-- What programs show. `game`, `bot`: what alone it is for, by name, so that it can be made before its bot; null: all.
CREATE TABLE tokens (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    player_id       bigint NOT NULL REFERENCES players,
    name            text NOT NULL,
    hash            bytea NOT NULL,
    last_four       text NOT NULL,
    scopes          text[] NOT NULL,
    game            text,
    bot             text,
    created_at      timestamptz NOT NULL DEFAULT now(),
    expires_at      timestamptz NOT NULL,
    last_used_at    timestamptz,
    last_used_from  text,
    revoked_at      timestamptz,
    CONSTRAINT tokens_hash_is_unique UNIQUE (hash),
    CONSTRAINT tokens_name_is_plain CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,38}$'),
    CONSTRAINT tokens_scopes_are_known CHECK (scopes <@ '{read,submit,play,operate}' AND cardinality(scopes) > 0)
);
CREATE UNIQUE INDEX tokens_name_is_unique ON tokens (player_id, lower(name)) WHERE revoked_at IS NULL;

-- A browser that somebody has logged in with.
CREATE TABLE sessions (
    hash        bytea PRIMARY KEY,
    player_id   bigint NOT NULL REFERENCES players,
    created_at  timestamptz NOT NULL DEFAULT now(),
    seen_at     timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL,
    agent       text NOT NULL
);
CREATE INDEX sessions_of_player ON sessions (player_id);

-- A program that asks to be let in (RFC 8628). `user_code`: the hash of what people type; `client`, `address`: who asks,
-- by its own words and from where; `player_id`: who has answered.
CREATE TABLE device_grants (
    device_hash  bytea PRIMARY KEY,
    user_code    bytea NOT NULL,
    scopes       text[] NOT NULL,
    client       text NOT NULL,
    address      text NOT NULL,
    player_id    bigint REFERENCES players,
    state        text NOT NULL DEFAULT 'pending',
    expires_at   timestamptz NOT NULL,
    polled_at    timestamptz,
    CONSTRAINT device_grants_code_is_unique UNIQUE (user_code),
    CONSTRAINT device_grants_state_is_known CHECK (state IN ('pending', 'granted', 'denied', 'used'))
);

-- A link that makes somebody an account. `new`: of a player who did not play before; `claim`: of one who did; `reset`: a
-- new password; `join`: whoever follows it chooses a name, `uses_left` times.
CREATE TABLE invitations (
    hash        bytea PRIMARY KEY,
    kind        text NOT NULL,
    role        text NOT NULL,
    player_id   bigint REFERENCES players,
    uses_left   int NOT NULL,
    created_by  text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL,
    CONSTRAINT invitations_kind_is_known CHECK (kind IN ('new', 'claim', 'reset', 'join')),
    CONSTRAINT invitations_role_is_known CHECK (role IN ('player', 'operator')),
    CONSTRAINT invitations_are_for_somebody CHECK ((player_id IS NULL) = (kind = 'join')),
    CONSTRAINT invitations_uses_are_left_or_not CHECK (uses_left >= 0)
);

-- What a write has answered, for whoever asks the same again. `status` is null while the first is still at it.
CREATE TABLE idempotency (
    player_id   bigint NOT NULL REFERENCES players,
    key         text NOT NULL,
    route       text NOT NULL,
    body_hash   bytea NOT NULL,
    status      int,
    body        text,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (player_id, key)
);

-- How much a player may ask for. `player_id` null: everybody's default; a number that is null: no limit. Quotas hold for
-- what is asked for through the web, not for what somebody does who reaches the database.
CREATE TABLE quotas (
    player_id          bigint REFERENCES players,
    versions_per_hour  int CHECK (versions_per_hour >= 0),
    versions_per_day   int CHECK (versions_per_day >= 0),
    battles_per_day    int CHECK (battles_per_day >= 0),
    gauntlets_running  int CHECK (gauntlets_running >= 0),
    cpu_s_per_day      int CHECK (cpu_s_per_day >= 0),
    tokens             int CHECK (tokens >= 0),
    questions_per_hour int CHECK (questions_per_hour >= 0),
    CONSTRAINT quotas_one_for_each UNIQUE NULLS NOT DISTINCT (player_id)
);

-- What matches that a player asked for have taken, hour by hour.
CREATE TABLE usage (
    player_id  bigint NOT NULL REFERENCES players,
    hour       timestamptz NOT NULL,
    cpu_us     bigint NOT NULL DEFAULT 0,
    matches    int NOT NULL DEFAULT 0,
    PRIMARY KEY (player_id, hour)
);

-- How many bytes, packed, a player's bots wrote to stderr on a day: counted in several rows, so that recordings do not wait
-- for each other.
CREATE TABLE stderr_usage (
    player_id  bigint NOT NULL REFERENCES players,
    part       smallint NOT NULL,
    day        date NOT NULL,                           -- the last on which they wrote anything, in UTC
    bytes      bigint NOT NULL,
    PRIMARY KEY (player_id, part)
);


-- Bots
-- ====

-- A bot of a player. Nothing is ever gone: bots that left can come back.
CREATE TABLE bots (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game              text NOT NULL,
    name              text NOT NULL,
    player_id         bigint NOT NULL REFERENCES players,
    league_id         bigint NOT NULL REFERENCES leagues,   -- where it plays now
    boss_of           bigint REFERENCES leagues,            -- the league it guards, if it is a boss
    created_at        timestamptz NOT NULL DEFAULT now(),
    retired_at        timestamptz,                          -- its player lets it play no more
    disqualified_at   timestamptz,                          -- an operator took it off: its matches count no more
    disqualified_by   text,
    disqualified_why  text,
    source_is_public  boolean NOT NULL DEFAULT false,       -- whether everybody sees the sources of its versions
    left_with_player  boolean NOT NULL DEFAULT false,       -- because its player's account was disabled; it comes
                                                            -- back with the account
    CONSTRAINT bots_name_is_plain CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,38}$'),
    CONSTRAINT bots_one_boss_per_league UNIQUE (boss_of),
    CONSTRAINT bots_boss_stays_in_its_league CHECK (boss_of IS NULL OR boss_of = league_id),
    CONSTRAINT bots_are_disqualified_for_a_reason
        CHECK (num_nulls(disqualified_at, disqualified_by, disqualified_why) IN (0, 3)),
    CONSTRAINT bots_that_guard_a_league_play
        CHECK (boss_of IS NULL OR (retired_at IS NULL AND disqualified_at IS NULL))
);
CREATE UNIQUE INDEX bots_name_is_unique ON bots (game, lower(name));

-- A name that a bot had leads to it for good: no other bot of its game can take it.
CREATE TABLE former_names (
    bot_id   bigint NOT NULL REFERENCES bots,
    game     text NOT NULL,
    name     text NOT NULL,
    left_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (bot_id, name)
);
CREATE UNIQUE INDEX former_names_lead_to_one_bot ON former_names (game, lower(name));

CREATE FUNCTION bots_name_is_no_former_one() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM former_names WHERE game = NEW.game AND lower(name) = lower(NEW.name)) THEN
        RAISE unique_violation USING
            MESSAGE = 'that name leads to a bot already', CONSTRAINT = 'bots_name_is_no_former_one';
    END IF;
    RETURN NULL;
END $$;
-- After the row is there, so that of two who take a name at once the later one sees what the first one did.
CREATE TRIGGER bots_name_is_no_former_one AFTER INSERT OR UPDATE OF name ON bots
    FOR EACH ROW EXECUTE FUNCTION bots_name_is_no_former_one();

-- A source: a text, or a tree of files.
CREATE TABLE sources (
    hash     text PRIMARY KEY,              -- sha256 of the UTF-8 text, hexadecimal
    content  text,                          -- the text of a bot of one file
    tree     bytea,                         -- or the files of one of many, as a gzipped tar; then `hash` is
                                            -- that of a list of them, see engine.toolchains.source
    CONSTRAINT sources_hash_is_sha256 CHECK (hash ~ '^[0-9a-f]{64}$'),
    CONSTRAINT sources_are_text_or_tree CHECK (num_nulls(content, tree) = 1)
);
ALTER TABLE sources ALTER COLUMN tree SET STORAGE EXTERNAL;     -- it is packed already

-- What the builds of sources have made.
CREATE TABLE artefacts (
    key         text PRIMARY KEY,           -- of source, recipe and platform; see engine.toolchains.program
    archive     bytea NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    used_at     timestamptz NOT NULL DEFAULT now()  -- when a worker last fetched it, to the day
);
ALTER TABLE artefacts ALTER COLUMN archive SET STORAGE EXTERNAL;    -- it is packed already

-- A version of a bot, and its build. One that was moved in from another league manager without a source stays on record,
-- for its matches and ratings; it never plays.
CREATE TABLE versions (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    bot_id         bigint NOT NULL REFERENCES bots,
    number         int NOT NULL,
    source_hash    text REFERENCES sources,
    language       text NOT NULL,
    state          text NOT NULL DEFAULT 'building',
    message        text NOT NULL DEFAULT '',        -- why it was rejected: the compiler's or the bot's own words
    attempt        int NOT NULL DEFAULT 0,          -- how often a worker has begun to build it
    worker_id      int,
    lease_until    timestamptz,
    enqueued_at    timestamptz,                     -- when its build was last put into the queue
    submitted_at   timestamptz NOT NULL DEFAULT now(),
    leaves_rival   boolean NOT NULL DEFAULT false,  -- when it is accepted the bot's earlier version stays on the board
    strikes        int NOT NULL DEFAULT 0,          -- how many failed builds count against it
    began_at       timestamptz,
    warnings       text NOT NULL DEFAULT '',        -- what the compiler said of a source that it took
    note           text NOT NULL DEFAULT '',        -- its author's own words on it, one line
    params         jsonb NOT NULL DEFAULT '{}',     -- variables of the environment in its box, by name
    imported_from  text,                            -- the program that it came from
    imported_as    text,                            -- what it was called there
    CONSTRAINT versions_number_is_unique UNIQUE (bot_id, number),
    CONSTRAINT versions_numbers_start_at_1 CHECK (number >= 1),
    CONSTRAINT versions_state_is_known CHECK (state IN ('building', 'accepted', 'rejected', 'recorded')),
    CONSTRAINT versions_note_is_short CHECK (length(note) <= 200),
    CONSTRAINT versions_params_are_named CHECK (jsonb_typeof(params) = 'object'),
    CONSTRAINT versions_on_record_have_no_source CHECK ((state = 'recorded') = (source_hash IS NULL)),
    CONSTRAINT versions_on_record_are_imported CHECK (state <> 'recorded' OR imported_from IS NOT NULL),
    CONSTRAINT versions_imported_have_a_name CHECK (num_nulls(imported_from, imported_as) IN (0, 2))
);
-- The same source with the same parameters twice under one bot is refused, unless the first was rejected (its toolchain
-- may have been missing).
CREATE UNIQUE INDEX versions_source_is_new ON versions (bot_id, source_hash, language, md5(params::text))
    WHERE state <> 'rejected';
CREATE INDEX versions_building ON versions (id) WHERE state = 'building';

CREATE FUNCTION versions_are_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.bot_id, NEW.number, NEW.source_hash, NEW.language, NEW.params) IS DISTINCT FROM
       (OLD.bot_id, OLD.number, OLD.source_hash, OLD.language, OLD.params) THEN
        RAISE EXCEPTION 'a submitted version never changes';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER versions_are_immutable BEFORE UPDATE ON versions
    FOR EACH ROW EXECUTE FUNCTION versions_are_immutable();

-- Counts each build that ends.
CREATE FUNCTION tally_build() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    build_s double precision := seconds_between(NEW.began_at, clock_timestamp());
BEGIN
    INSERT INTO tally_lines (name, label, seconds) VALUES ('build_s', tally_bound(build_s), build_s);
    RETURN NULL;
END $$;
CREATE TRIGGER versions_are_tallied AFTER UPDATE OF state ON versions
    FOR EACH ROW WHEN (OLD.state = 'building' AND NEW.state <> 'building')
    EXECUTE FUNCTION tally_build();

-- How people call a version: kraken@v8.
CREATE FUNCTION version_name(version bigint) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT bots.name || '@v' || versions.number FROM versions JOIN bots ON bots.id = versions.bot_id
    WHERE versions.id = version
$$;
-- How people call a version with parameters besides its own: kraken@v8 (DEPTH=6).
CREATE FUNCTION version_name(version bigint, params jsonb) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT version_name(version)
        || coalesce(' (' || string_agg(key || '=' || value, ' ' ORDER BY key COLLATE "C") || ')', '')
    FROM jsonb_each_text(params)
$$;

-- A version that changed its league.
CREATE TABLE moves (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    version_id   bigint NOT NULL REFERENCES versions,
    from_league  bigint NOT NULL REFERENCES leagues,
    to_league    bigint NOT NULL REFERENCES leagues,
    at           timestamptz NOT NULL DEFAULT now(),
    kind         text NOT NULL DEFAULT 'promotion',
    CONSTRAINT moves_kind_is_known CHECK (kind IN ('promotion', 'demotion', 'rewind'))
);
CREATE INDEX moves_of_version ON moves (version_id, id);


-- Workers
-- =======

-- The server's timeline. A standby that is promoted begins a new one, and so does a copy that was rolled on to a moment.
CREATE FUNCTION present_timeline() RETURNS text LANGUAGE sql STABLE
RETURN left(pg_walfile_name(pg_current_wal_lsn()), 8);

-- One row per worker process that plays. While it lives, its connection holds the advisory lock (1, id), which
-- PostgreSQL itself lets go when the process dies: no heartbeat, and no wait for a lease to run out.
CREATE TABLE workers (
    id            int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    host          text NOT NULL,
    pid           int NOT NULL,
    started_at    timestamptz NOT NULL DEFAULT now(),
    builds        text[],                           -- which languages' bots it can build,
    plays         text[],                           -- and play; null: it has not told, and may be able to do everything
    out_of_reach  boolean NOT NULL DEFAULT false,   -- its session stands, but it gives no sign of life: its machine
                                                    -- has no power or no network. What it did then says nothing
                                                    -- about the bots
    games         text[],                           -- which games with rules in Python it has; null: it has not said so
    fair_clock    boolean,                          -- whether its machine can keep the fair clock; null: that is not known
    is_to_end     boolean NOT NULL DEFAULT false,   -- an operator asks it to finish its matches and end
    tier          text,                             -- of its sandbox
    has_ended     boolean NOT NULL DEFAULT false,   -- it has said so, or was counted as lost
    timeline      text NOT NULL DEFAULT present_timeline()
);

-- Whether the server of that time has ended since, and so cut a worker off: it was started again, or another one was
-- promoted in its place. What was lost then says nothing about bots and workers.
CREATE FUNCTION database_began_anew(since timestamptz, worker int) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT since < pg_postmaster_start_time()
           OR EXISTS (SELECT FROM workers WHERE id = worker AND timeline <> present_timeline())
$$;

-- When the scheduler, and the rounds for which it asks workers, were last at work: see ladder.fleet.workers.
CREATE TABLE rounds (
    name  text PRIMARY KEY,
    at    timestamptz NOT NULL
);
INSERT INTO rounds VALUES ('scheduler', now()), ('schedule', now()), ('sweep', now()), ('prune', now());

-- Has a row while no matches are made because there is no room for them: see ladder.fleet.room.
CREATE TABLE no_room (
    is_row  boolean PRIMARY KEY DEFAULT true CHECK (is_row),
    since   timestamptz NOT NULL DEFAULT now(),
    why     text NOT NULL
);

-- The workers that live, by their locks. All locks are read once for all of them: queries about many workers join this
-- view, or look with IN (SELECT id FROM live_workers).
CREATE VIEW live_workers AS
    SELECT objid::bigint::int AS id
    FROM pg_locks
    WHERE locktype = 'advisory' AND classid = 1 AND objsubid = 2 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database());

-- Whether something happened within the last seconds. A moment that is yet to come was written down before the
-- database's clock was set back: it says nothing about the last seconds, so it does not count as recent.
CREATE FUNCTION recently(moment timestamptz, seconds double precision) RETURNS boolean
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN moment BETWEEN now() - make_interval(secs => seconds) AND clock_timestamp();

-- Whether a lease has ended, by the database's clock.
CREATE FUNCTION is_over(lease_until timestamptz) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN lease_until < now();

-- When a lease ends: as it was written down, but for one that would last longer from now on than it lasts in all, since
-- the database's clock was set back meanwhile: it lasts its length from now. A lease that was once longer than the usual
-- seconds keeps its length.
CREATE FUNCTION lease_end(lease_until timestamptz, begun timestamptz, usual_s double precision) RETURNS timestamptz
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN least(lease_until, clock_timestamp() + greatest(make_interval(secs => usual_s), lease_until - begun));


-- Seasons
-- =======

-- A season whose end has begun: it has a row as soon as its series is played, or it is closed.
CREATE TABLE seasons (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game            text NOT NULL,
    number          int NOT NULL,
    opened_at       timestamptz,             -- when the season before was closed; null: the game's first season
    series_battles  int NOT NULL DEFAULT 0,  -- so many for each of the first `series_top` of each board; 0: no series
    series_top      int NOT NULL DEFAULT 0,
    closed_at       timestamptz,             -- null: its series is being played
    submit_until    timestamptz,             -- as its plan was, like `title` and `rules`; null: it had none
    title           text NOT NULL DEFAULT '',
    rules           text NOT NULL DEFAULT '',
    CONSTRAINT seasons_number_is_unique UNIQUE (game, number),
    CONSTRAINT seasons_numbers_start_at_1 CHECK (number >= 1),
    CONSTRAINT seasons_series_is_sane CHECK (series_battles >= 0 AND series_top >= 0),
    CONSTRAINT seasons_without_series_are_closed CHECK (closed_at IS NOT NULL OR series_battles > 0)
);
CREATE UNIQUE INDEX seasons_one_series ON seasons (game) WHERE closed_at IS NULL;

-- A season's end that is planned: from `submit_until` on no version is submitted; when nothing is left to be played the
-- last series is, if there is to be one (series_battles above 0), and then the season is closed and the plan is over.
-- Until then the season is a contest, which may have a beginning, too, and words on it.
CREATE TABLE season_plans (
    game            text PRIMARY KEY,
    number          int NOT NULL CHECK (number > 0),
    submit_from     timestamptz,                     -- null: versions are submitted from the start
    submit_until    timestamptz NOT NULL,
    one_bot         boolean NOT NULL DEFAULT false,  -- whether a player has one bot at most
    title           text NOT NULL DEFAULT '',
    rules           text NOT NULL DEFAULT '',        -- what holds besides the game's rules, in plain text
    series_battles  int NOT NULL CHECK (series_battles >= 0),
    series_top      int NOT NULL CHECK (series_top >= 0),
    planned_by      text NOT NULL,
    planned_at      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT season_plans_begin_before_they_end CHECK (submit_from < submit_until)
);

-- Who takes part in the contest that a season is: those on the list with which it was opened. None: everybody. What the
-- list says of them is personal: `seen.contest_players`. Null: it has no such column.
CREATE TABLE contest_players (
    game         text NOT NULL,
    season       int NOT NULL,
    player_id    bigint NOT NULL REFERENCES players,
    real_name    text,
    group_name   text,
    email        text,
    external_id  text,
    PRIMARY KEY (game, season, player_id)
);

-- What all are told, and what somebody asked, with its answer. An announcement is an answer to all without a question.
-- Who asks and what is private: `seen.clarifications`.
CREATE TABLE clarifications (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game          text,                                 -- which it is about; null: the whole ladder
    asked_by      text,
    question      text,
    asked_at      timestamptz NOT NULL DEFAULT now(),   -- of an announcement, when it was made
    answer        text,
    answered_by   text,
    answered_at   timestamptz,
    to_all        boolean NOT NULL DEFAULT false,       -- whether its answer is for all
    withdrawn_at  timestamptz,
    CONSTRAINT clarifications_questions_are_asked_by_somebody CHECK ((asked_by IS NULL) = (question IS NULL)),
    CONSTRAINT clarifications_say_something CHECK (question IS NOT NULL OR (answer IS NOT NULL AND to_all)),
    CONSTRAINT clarifications_answers_are_by_somebody CHECK (
        (answer IS NULL) = (answered_by IS NULL) AND (answer IS NULL) = (answered_at IS NULL)),
    CONSTRAINT clarifications_to_all_are_answers CHECK (answer IS NOT NULL OR NOT to_all)
);
CREATE INDEX clarifications_answered ON clarifications (answered_at) WHERE withdrawn_at IS NULL;
CREATE INDEX clarifications_of_player ON clarifications (lower(asked_by), asked_at);

-- One line of a closed season's board, with names as they were. What is settled is null where no match was finished.
CREATE TABLE season_ranks (
    season_id     bigint NOT NULL REFERENCES seasons,
    league_id     bigint NOT NULL REFERENCES leagues,
    live_rank     int NOT NULL,
    league_title  text NOT NULL,
    version_id    bigint NOT NULL REFERENCES versions,
    bot           text NOT NULL,
    number        int NOT NULL,
    player        text NOT NULL,
    is_boss       boolean NOT NULL,
    score         double precision NOT NULL,
    mu            double precision NOT NULL,
    sigma         double precision NOT NULL,
    matches       int NOT NULL,
    wins          int NOT NULL,
    draws         int NOT NULL,
    losses        int NOT NULL,
    timeouts      int NOT NULL,
    faults        int NOT NULL,
    group_number  int,                       -- versions that some chain of matches joins; ranks are inside a group
    rank          int,
    rank_low      int,
    rank_high     int,
    strength      double precision,          -- Elo points above the group's average
    error         double precision,
    places        int[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (season_id, league_id, live_rank),
    CONSTRAINT season_ranks_version_stands_once UNIQUE (season_id, version_id),
    CONSTRAINT season_ranks_are_settled_or_not
        CHECK (num_nulls(group_number, rank, rank_low, rank_high, strength, error) IN (0, 6))
);

-- How many matches a league's board lacked when matches were last made.
CREATE TABLE board_demands (
    league_id  bigint PRIMARY KEY,                      -- not a reference: it is written down anew each time
    matches    int NOT NULL
);


-- Requests and gauntlets
-- ======================

-- Battles that somebody has asked for, or of a season's series. The scheduler makes them bit by bit.
CREATE TABLE requests (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    league_id   bigint NOT NULL REFERENCES leagues,
    first       bigint NOT NULL REFERENCES versions,
    second      bigint NOT NULL REFERENCES versions,
    battles     int NOT NULL,
    made        int NOT NULL DEFAULT 0,         -- so many of them are made into matches
    seed        bigint,                         -- of the first battle; each next has the next one. Null: by chance
    asked_by    text NOT NULL,                  -- the player; '' for a season's series
    season_id   bigint REFERENCES seasons,      -- whose series it belongs to
    lapsed      text,                           -- why the battles that are left will not be made
    created_at  timestamptz NOT NULL DEFAULT now(),
    others      bigint[] NOT NULL DEFAULT '{}', -- who else plays where a match has more than two players
    CONSTRAINT requests_are_of_two CHECK (first <> second),
    CONSTRAINT requests_battles_are_sane CHECK (battles > 0 AND made BETWEEN 0 AND battles)
);
CREATE INDEX requests_unmade ON requests (id) WHERE made < battles AND lapsed IS NULL;
CREATE INDEX requests_of_season ON requests (season_id) WHERE season_id IS NOT NULL;
CREATE INDEX requests_of_player ON requests (lower(asked_by), created_at);

-- Gauntlets: a version against chosen versions, pair by pair, until a question is answered. They rate nobody.
CREATE TABLE gauntlets (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    league_id       bigint NOT NULL REFERENCES leagues,  -- under whose rules and conditions it is played
    candidate_id    bigint NOT NULL REFERENCES versions,
    baseline_id     bigint REFERENCES versions,          -- plays the same field on the same seeds; null: nobody does
    asked_by        text NOT NULL,
    seed            bigint NOT NULL,                     -- from which the seeds of its pairs come, unless
    seeds           bigint[],                            -- they were given
    pairs           int NOT NULL,                        -- at most so many against each opponent
    elo0            double precision,                    -- the bounds of the sequential test; null: all pairs are played
    elo1            double precision,
    elo_model       text NOT NULL DEFAULT 'logistic',
    alpha           double precision NOT NULL DEFAULT 0.05,
    beta            double precision NOT NULL DEFAULT 0.05,
    gates           boolean NOT NULL DEFAULT false,      -- whether the candidate comes onto the board when it has passed
    state           text NOT NULL DEFAULT 'running',
    verdict         text,                                -- null while it runs
    created_at      timestamptz NOT NULL DEFAULT now(),
    ended_at        timestamptz,
    variants        jsonb NOT NULL DEFAULT '[]',         -- parameters of the candidate besides its version's: one
                                                         -- object where it meets opponents so; two or more where it
                                                         -- is played with each of them, for no verdict
    edition         text REFERENCES game_editions (hash),  -- by which all its matches are played; null: rules in Python
    players         smallint NOT NULL DEFAULT 2,         -- how many each match has
    is_limited      boolean NOT NULL DEFAULT false,      -- whether its player's quotas hold for it
    waits_until     timestamptz,                         -- when there is processor time for it again; null while there is
    waits_for_room  boolean NOT NULL DEFAULT false,      -- whether more of its player's run than may at once
    CONSTRAINT gauntlets_state_is_known CHECK (state IN ('running', 'stopped', 'finished')),
    CONSTRAINT gauntlets_verdict_is_known CHECK (verdict IN ('passed', 'failed', 'undecided')),
    CONSTRAINT gauntlets_finished_has_verdict
        CHECK ((verdict IS NOT NULL) = (state = 'finished' AND jsonb_array_length(variants) < 2)),
    CONSTRAINT gauntlets_pairs_are_sane CHECK (pairs BETWEEN 1 AND 1000000),
    CONSTRAINT gauntlets_bounds_are_two CHECK ((elo0 IS NULL) = (elo1 IS NULL)),
    CONSTRAINT gauntlets_bounds_are_in_order CHECK (elo0 < elo1),
    CONSTRAINT gauntlets_elo_model_is_known CHECK (elo_model IN ('logistic', 'normalized')),
    CONSTRAINT gauntlets_errors_are_sane CHECK (alpha > 0 AND beta > 0 AND alpha + beta < 1),
    CONSTRAINT gauntlets_not_against_itself CHECK (candidate_id <> baseline_id),
    CONSTRAINT gauntlets_variants_are_a_list CHECK (jsonb_typeof(variants) = 'array'),
    CONSTRAINT gauntlets_have_2_to_8_players CHECK (players BETWEEN 2 AND 8)
);
CREATE INDEX gauntlets_running ON gauntlets (id) WHERE state = 'running';
CREATE INDEX gauntlets_of_candidate ON gauntlets (candidate_id, id);

-- An opponent of a gauntlet.
CREATE TABLE gauntlet_opponents (
    gauntlet_id  bigint NOT NULL REFERENCES gauntlets,
    position     int NOT NULL,                      -- from 0, in the order in which they are met
    version_id   bigint NOT NULL REFERENCES versions,
    decides      boolean NOT NULL DEFAULT true,     -- whether the verdict is found against it: settled when the
                                                    -- gauntlet begins, so that no result has a part in it
    is_context   boolean NOT NULL DEFAULT false,    -- met for information only, and less often than the others
    PRIMARY KEY (gauntlet_id, position),
    CONSTRAINT gauntlet_opponents_once UNIQUE (gauntlet_id, version_id)
);

-- A gauntlet that looks for the values of its candidate's parameters. Its variants are the ends of the ranges.
CREATE TABLE tunes (
    gauntlet_id       bigint PRIMARY KEY REFERENCES gauntlets,
    ranges            text[] NOT NULL,              -- the parameters with their ranges, as they were typed
    start             double precision[] NOT NULL,  -- a place from 0 to 1 in each range
    unknown           text[] NOT NULL,              -- the parameters of which nobody said a value to begin with
    confirming_pairs  int NOT NULL,                 -- in so many the result is to meet the start
    confirming_id     bigint REFERENCES gauntlets,  -- and in this gauntlet it does; null: it has not begun
    CONSTRAINT tunes_start_has_all_places CHECK (cardinality(start) = cardinality(ranges)),
    CONSTRAINT tunes_confirming_pairs_are_sane CHECK (confirming_pairs BETWEEN 0 AND 1000000)
);
CREATE UNIQUE INDEX tunes_confirmed ON tunes (confirming_id) WHERE confirming_id IS NOT NULL;

-- A pair of a tune. The row with the highest `counted` is the tune's state: how many pairs have counted, and where all
-- values are by that.
CREATE TABLE tune_pairs (
    gauntlet_id  bigint NOT NULL REFERENCES tunes,
    number       int NOT NULL,                      -- its lots, its reach and its step follow from this
    base         double precision[] NOT NULL,       -- where all values were when it was made
    counted      int,                               -- as which one it counted, from 1; null: it has not
    places       double precision[],                -- where all values were then
    points       double precision[],                -- what the upper and the lower end took of all points, and
    timeouts     smallint[],                        -- how many of their matches they lost by the clock
    faults       smallint[],                        -- and by other faults
    are_alike    boolean,                           -- whether both ends played alike; false where nobody looked
    PRIMARY KEY (gauntlet_id, number),
    CONSTRAINT tune_pairs_count_once UNIQUE (gauntlet_id, counted),
    CONSTRAINT tune_pairs_are_counted_whole
        CHECK (num_nulls(counted, places, points, timeouts, faults, are_alike) IN (0, 6))
);

-- What is to be played whenever a version is submitted: of one bot, or of everybody in one league.
CREATE TABLE automatic_gauntlets (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    bot_id      bigint REFERENCES bots,
    league_id   bigint REFERENCES leagues,
    opponents   text[] NOT NULL,                    -- as they are written on the command line
    pairs       int NOT NULL,
    elo0        double precision,
    elo1        double precision,
    elo_model   text NOT NULL,
    alpha       double precision NOT NULL,
    beta        double precision NOT NULL,
    gates       boolean NOT NULL,
    asked_by    text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    context     text[] NOT NULL DEFAULT '{}',       -- the words for opponents that are met for information only
    is_limited  boolean NOT NULL DEFAULT false,
    CONSTRAINT automatic_gauntlets_have_one_owner CHECK ((bot_id IS NULL) <> (league_id IS NULL)),
    CONSTRAINT automatic_gauntlets_one_per_bot UNIQUE (bot_id),
    CONSTRAINT automatic_gauntlets_one_per_league UNIQUE (league_id)
);


-- Matches
-- =======

CREATE SEQUENCE pairs;

-- A match. What is null until it is finished is what it was played with.
CREATE TABLE matches (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    league_id       bigint NOT NULL REFERENCES leagues,
    pair_id         bigint NOT NULL,                -- the matches of a battle: same seed, seats in other orders
    seed            bigint,
    state           text NOT NULL DEFAULT 'queued',
    attempt         int NOT NULL DEFAULT 0,
    worker_id       int,                            -- not a reference: an id never comes again, and a worker that
                                                    -- is forgotten need not be looked for in all matches
    lease_until     timestamptz,
    enqueued_at     timestamptz,                    -- when it was last put into the queue
    reason          text NOT NULL DEFAULT '',       -- finished: how the game ended; void: why it is
    turns           int NOT NULL DEFAULT 0,
    record          bytea,                          -- what was said, and when; see ladder/matches/record.py
    created_at      timestamptz NOT NULL DEFAULT now(),
    started_at      timestamptz,
    finished_at     timestamptz,
    sandbox         text NOT NULL DEFAULT '',       -- the tier it was played in; '' until it is finished
    time_policy     text,                           -- the rule it was judged by
    clock           text,
    host_faults     int NOT NULL DEFAULT 0,         -- how often it was given back because the host was too busy
    void_by         text,                           -- who took back a finished match, and
    void_at         timestamptz,                    -- when; `reason` says why
    rules_level     int,                            -- the one it was played by: a league's can change
    made_for        bigint REFERENCES versions,     -- whose share of what waits it is; null: nobody's
    request_id      bigint REFERENCES requests,
    gauntlet_id     bigint REFERENCES gauntlets,    -- null: a match of the ladder
    slot            int,                            -- which of the gauntlet's pairs it belongs to, from 0
    host            text,                           -- the machine that played it
    strikes         int NOT NULL DEFAULT 0,         -- how many failed attempts count against it
    first_limit_ms  int,
    turn_limit_ms   int,
    rates           boolean NOT NULL DEFAULT true,  -- whether it rates those who play it, settled when it is made.
                                                    -- Gauntlets never do, nor do battles that somebody asked for,
                                                    -- who could choose opponents until a bot stands too high
    players         smallint NOT NULL DEFAULT 2,    -- how many seats it has
    imported_from   text,                           -- the league manager that it was moved in from
    import_key      text,                           -- the same for the same match whenever it is imported
    edition         text REFERENCES game_editions (hash),  -- by which it is played; null for games with rules in Python
    fair_clock      boolean,                        -- whether where it was played keeps the fair clock
    stderr_pruned_at  timestamptz,                  -- when what its bots wrote to stderr was let go, and
    record_pruned_at  timestamptz,                  -- when its record was, as it was old
    CONSTRAINT matches_state_is_known CHECK (state IN ('queued', 'running', 'finished', 'void')),
    CONSTRAINT matches_running_has_lease CHECK (state <> 'running' OR (lease_until IS NOT NULL AND attempt > 0)),
    CONSTRAINT matches_finished_has_record
        CHECK (state <> 'finished' OR (record IS NULL) = (imported_from IS NOT NULL OR record_pruned_at IS NOT NULL)),
    CONSTRAINT matches_finished_has_time_rule
        CHECK (state <> 'finished' OR imported_from IS NOT NULL OR (time_policy IS NOT NULL AND clock IS NOT NULL)),
    CONSTRAINT matches_time_policy_is_known CHECK (time_policy IN ('strict', 'codingame')),
    CONSTRAINT matches_clock_is_known CHECK (clock IN ('fair', 'wall')),
    -- A match that was played and then taken back keeps its record as evidence.
    CONSTRAINT matches_taken_back_are_void CHECK (void_at IS NULL OR state = 'void'),
    CONSTRAINT matches_taken_back_by_somebody CHECK ((void_at IS NULL) = (void_by IS NULL)),
    CONSTRAINT matches_of_gauntlets_have_slots CHECK ((gauntlet_id IS NULL) = (slot IS NULL)),
    CONSTRAINT matches_of_gauntlets_rate_nobody CHECK (gauntlet_id IS NULL OR NOT rates),
    CONSTRAINT matches_have_2_to_8_players CHECK (players BETWEEN 2 AND 8),
    CONSTRAINT matches_have_seeds CHECK (seed IS NOT NULL OR imported_from IS NOT NULL),
    CONSTRAINT matches_imported_have_keys CHECK (num_nulls(imported_from, import_key) IN (0, 2))
);
CREATE INDEX matches_waiting ON matches (id) WHERE state IN ('queued', 'running');
-- Which match a worker plays.
CREATE INDEX matches_running ON matches (worker_id) WHERE state = 'running';
CREATE INDEX matches_latest ON matches (finished_at DESC, id DESC) WHERE state = 'finished';
ALTER TABLE matches ALTER COLUMN record SET STORAGE EXTERNAL;       -- it is packed already
-- Rating one league again, or checking it, reads that league's matches and no others. Lists leave the matches of
-- gauntlets out, so it says which those are.
CREATE INDEX matches_finished_of_league ON matches (league_id, id) INCLUDE (gauntlet_id) WHERE state = 'finished';
-- Finished matches are counted from the standings of those whom they rated. Those that rate nobody, and those that were
-- given up or taken back, are fewer, and are counted here.
CREATE INDEX matches_finished_unrated ON matches (league_id) WHERE state = 'finished' AND NOT rates;
CREATE INDEX matches_void ON matches (league_id) WHERE state = 'void';
CREATE INDEX matches_of_request ON matches (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX matches_of_gauntlet ON matches (gauntlet_id, slot) WHERE gauntlet_id IS NOT NULL;
CREATE UNIQUE INDEX matches_imported_once ON matches (league_id, imported_from, import_key)
    WHERE imported_from IS NOT NULL;
-- While one league has nearly all matches, ANALYZE finds a single one in a sample. PostgreSQL then takes the index of all
-- matches for as good as that of a league's, and for each league without matches reads through all of the others.
ALTER TABLE matches ALTER COLUMN league_id SET (n_distinct = 12);

-- Which states of a match mean that it is to be played yet, or is being played. A new state that means so is added here
-- and to the CHECK. PostgreSQL puts the body in the function's place, so that the index matches_waiting is used.
CREATE FUNCTION is_waiting(state text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN state IN ('queued', 'running');

-- One side of a match: who played it, and how that went.
CREATE TABLE seats (
    match_id              bigint NOT NULL REFERENCES matches,
    seat                  smallint NOT NULL,
    version_id            bigint NOT NULL REFERENCES versions,
    score                 int,                              -- null until the match is finished
    result                text,                             -- win, draw or loss
    verdict               text,                             -- unknown: a fault of which nobody knows the kind
    message               text NOT NULL DEFAULT '',
    slowest_us            int,
    median_us             int,
    stderr                bytea NOT NULL DEFAULT '',        -- packed, see ladder/matches/record.py
    metrics               jsonb NOT NULL DEFAULT '{}',      -- what the bot printed about itself and the match
    early_lines           int NOT NULL DEFAULT 0,           -- how often it spoke before it was asked
    charged_us            int,                              -- the most that any turn was charged
    overruns              int NOT NULL DEFAULT 0,           -- turns over their limit by the match's rule
    stderr_dropped_bytes  bigint NOT NULL DEFAULT 0,        -- debug output that was not kept
    beat_boss             boolean NOT NULL DEFAULT false,   -- came before the bot that guarded the league at that time
    discounted            boolean NOT NULL DEFAULT false,   -- rated, but its version has gone back a league since
    params                jsonb NOT NULL DEFAULT '{}',      -- parameters in this match besides those of its version
    place                 smallint,                         -- among all seats: 1 is best, level seats share one; null
                                                            -- until it is finished, and in old ones of two
    copy                  smallint NOT NULL DEFAULT 0,      -- numbers a version's seats in a gauntlet's match from 0
    cpu_us                bigint,                           -- the time on the processor that it used in all its turns
    PRIMARY KEY (match_id, seat),
    CONSTRAINT seats_are_at_most_eight CHECK (seat BETWEEN 0 AND 7),
    CONSTRAINT seats_result_is_known CHECK (result IN ('win', 'draw', 'loss')),
    CONSTRAINT seats_verdict_is_known
        CHECK (verdict IN ('ok', 'timeout', 'crashed', 'illegal', 'memory', 'flooded', 'unknown')),
    -- Among more than two players a version can be placed before the boss and win nothing.
    CONSTRAINT seats_beat_boss_when_over CHECK (NOT beat_boss OR result IS NOT NULL),
    CONSTRAINT seats_params_are_named CHECK (jsonb_typeof(params) = 'object'),
    CONSTRAINT seats_place_is_known CHECK (place BETWEEN 1 AND 8)
);
ALTER TABLE seats ALTER COLUMN stderr SET STORAGE EXTERNAL;         -- it is packed already
-- A version meets itself only where one of the two has parameters, or in a gauntlet.
CREATE UNIQUE INDEX seats_hold_different_versions ON seats (match_id, version_id, copy) WHERE params = '{}';
CREATE INDEX seats_of_version ON seats (version_id, match_id DESC);
-- What decides promotions can be counted again from these.
CREATE INDEX seats_marked ON seats (match_id) WHERE beat_boss OR discounted;
-- The seats that lost by a fault are few, and are looked for among all matches.
CREATE INDEX seats_with_faults ON seats (verdict, match_id) WHERE verdict <> 'ok';

-- Counts each match that ends, whatever ends it: how, how long it took, and how long it had waited for that attempt.
CREATE FUNCTION tally_match() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    match_s double precision := seconds_between(NEW.started_at, NEW.finished_at);
    wait_s double precision := seconds_between(NEW.created_at, NEW.started_at);
BEGIN
    IF NEW.state = 'finished' THEN
        INSERT INTO tally_lines (name, league_id, label, seconds) VALUES
            ('finished', NEW.league_id, coalesce((
                SELECT verdict FROM seats WHERE match_id = NEW.id AND verdict <> 'ok' ORDER BY seat LIMIT 1), 'ok'), 0),
            ('match_s', NULL, tally_bound(match_s), match_s),
            ('wait_s', NULL, tally_bound(wait_s), wait_s);
    ELSE
        INSERT INTO tally_lines (name, league_id)
        VALUES (CASE OLD.state WHEN 'finished' THEN 'taken_back' ELSE 'put_aside' END, NEW.league_id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER matches_are_tallied AFTER UPDATE OF state ON matches
    FOR EACH ROW WHEN (NEW.state IN ('finished', 'void') AND OLD.state <> NEW.state)
    EXECUTE FUNCTION tally_match();

-- What became of attempts at matches that were not recorded: by this a match is put aside, and people can see why.
CREATE TABLE failed_attempts (
    match_id       bigint NOT NULL REFERENCES matches,
    attempt        int NOT NULL,
    host           text NOT NULL DEFAULT '',            -- whose attempt it was; '' and null where that is not known
    pid            int,
    began_at       timestamptz,
    failed_at      timestamptz NOT NULL DEFAULT now(),  -- when it was noticed
    why            text NOT NULL,
    counts         boolean NOT NULL DEFAULT false,      -- whether the match itself was to blame, as far as can be told
    seat           smallint,                            -- in whose turn the host was too busy, so that a bot
                                                        -- that brings this about shows; null: it was not
    answered_seat  smallint CHECK (answered_seat BETWEEN 0 AND 7),  -- who answered last before a referee broke
    PRIMARY KEY (match_id, attempt)
);
CREATE INDEX failed_attempts_latest ON failed_attempts (failed_at);
CREATE INDEX failed_attempts_host_busy ON failed_attempts (failed_at) WHERE seat IS NOT NULL;
CREATE INDEX failed_attempts_answered ON failed_attempts (match_id) WHERE answered_seat IS NOT NULL;

CREATE FUNCTION a_match_just_failed() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM failed_attempts WHERE failed_at BETWEEN now() - interval '1 minute' AND clock_timestamp())
$$;
-- The strikes against a version, and with the worker lost that has it now one more, unless others are being lost too.
CREATE FUNCTION strikes_without_worker(version versions) RETURNS int LANGUAGE sql STABLE AS $$
    SELECT version.strikes + CASE
        WHEN version.lease_until IS NULL OR database_began_anew(version.began_at, version.worker_id)
             OR a_match_just_failed()
             OR EXISTS (SELECT FROM workers WHERE workers.id = version.worker_id AND workers.out_of_reach) THEN 0
        ELSE 1 END
$$;

-- A link with which others see a match as its player does.
CREATE TABLE shares (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash        bytea NOT NULL UNIQUE,
    match_id    bigint NOT NULL REFERENCES matches,
    player_id   bigint NOT NULL REFERENCES players,
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL,
    revoked_at  timestamptz
);
CREATE INDEX shares_of_match ON shares (match_id);


-- Ratings
-- =======

-- A version's stay in a league: its rating there and its record. The rating is a copy of the ledger's last line. A new
-- column is added at the end, and at the end of `frozen_standings`.
CREATE TABLE standings (
    version_id         bigint NOT NULL REFERENCES versions,
    league_id          bigint NOT NULL REFERENCES leagues,
    on_board           boolean NOT NULL DEFAULT true,
    mu                 double precision NOT NULL,
    sigma              double precision NOT NULL,
    score              double precision NOT NULL,       -- what a live board ranks by
    matches            int NOT NULL DEFAULT 0,
    wins               int NOT NULL DEFAULT 0,          -- against opponents, of whom a match of two has one
    draws              int NOT NULL DEFAULT 0,
    losses             int NOT NULL DEFAULT 0,
    timeouts           int NOT NULL DEFAULT 0,
    faults             int NOT NULL DEFAULT 0,          -- lost by crashing, illegal lines, memory or flooding
    entered_at         timestamptz NOT NULL DEFAULT now(),
    first_mu           double precision NOT NULL,       -- with which rating it began: from there the ledger goes on, and
    first_sigma        double precision NOT NULL,       -- `rating verify` begins there, too
    eligible_at        timestamptz,                     -- when promotion was earned; once earned it stays
    boss_wins          int NOT NULL DEFAULT 0,          -- matches won against the league's boss
    counted_from       int NOT NULL DEFAULT 0,          -- battles count from this many matches on (after going back a league)
    is_rival           boolean NOT NULL DEFAULT false,  -- stays on the board beside its bot's newer version
    demoted_at         timestamptz,                     -- when it was sent back from here, which happens once
    comes_back         boolean NOT NULL DEFAULT false,  -- left the board as its bot was disqualified
    further_opponents  int NOT NULL DEFAULT 0,          -- those beyond the one of each match: with them a record adds up
    places             int[] NOT NULL DEFAULT '{}',     -- how often it came 1st, 2nd and so on in matches of more
                                                        -- than two players, up to its worst place
    strength           double precision,                -- what a settled board ranks by, in Elo; null where no fit knows
    error              double precision,                -- its standard deviation
    rank_low           int,                             -- its rank lies between these with 95 %
    rank_high          int,
    fitted             int,                             -- matches of its own by that fit; null: it came after it
    PRIMARY KEY (version_id, league_id),
    CONSTRAINT standings_are_settled_or_not CHECK (
        num_nulls(strength, error, rank_low, rank_high) = 4
        OR num_nulls(strength, error, rank_low, rank_high, fitted) = 0 AND rank_low <= rank_high),
    CONSTRAINT standings_record_adds_up CHECK (wins + draws + losses = matches + further_opponents),
    CONSTRAINT standings_opponents_are_at_most_seven CHECK (further_opponents BETWEEN 0 AND 6 * matches),
    CONSTRAINT standings_places_are_counts
        CHECK (cardinality(places) <= 8 AND 0 <= ALL (places) AND array_position(places, NULL) IS NULL),
    CONSTRAINT standings_rivals_are_on_board CHECK (on_board OR comes_back OR NOT is_rival),
    CONSTRAINT standings_come_back_from_elsewhere CHECK (NOT (on_board AND comes_back))
);
CREATE UNIQUE INDEX standings_one_board_per_version ON standings (version_id) WHERE on_board;

-- What orders a board: it ascends from the best version on, so that what comes after a row is one comparison. Those whose
-- strength is known come before those that have a score alone.
CREATE FUNCTION board_order(strength double precision, score double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE AS 'SELECT -coalesce(strength + 1e6, score)';
CREATE INDEX standings_board ON standings (league_id, board_order(strength, score), version_id) WHERE on_board;

-- What the settled fit of a league's matches said of a version when it was last made: `ladder.ratings.settled_fit`.
CREATE TABLE settled_chances (
    version_id  bigint NOT NULL,
    league_id   bigint NOT NULL,
    boss_id     bigint NOT NULL REFERENCES versions,    -- the boss's version by then
    counted     int NOT NULL,                           -- the version's matches that counted towards its battles by then
    chance      double precision NOT NULL,              -- of being above that boss
    rank_span   double precision NOT NULL,              -- the share of the others among whom it ranks, with 95 %
    fitted      int NOT NULL,                           -- how many matches the league had by then
    PRIMARY KEY (version_id, league_id),
    FOREIGN KEY (version_id, league_id) REFERENCES standings,
    CONSTRAINT settled_chances_are_shares CHECK (chance BETWEEN 0 AND 1 AND rank_span BETWEEN 0 AND 1)
);

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
CREATE INDEX ledger_of_league ON ledger (league_id, sequence);

-- The places in the ledger of matches that rate nobody as long as one of those who played is disqualified. When they
-- count again their lines stand there again, so that every number is what it would be had nothing happened.
CREATE TABLE withdrawn_lines (
    sequence    bigint PRIMARY KEY,
    match_id    bigint NOT NULL REFERENCES matches,
    version_id  bigint NOT NULL REFERENCES versions,
    league_id   bigint NOT NULL REFERENCES leagues,
    CONSTRAINT withdrawn_lines_of_a_seat UNIQUE (match_id, version_id)
);

-- The counts of places as they are shown: one for each place that there is in matches of these numbers of players.
CREATE FUNCTION every_place(places int[], players smallint[]) RETURNS int[] IMMUTABLE LANGUAGE sql AS $$
    SELECT CASE WHEN players[cardinality(players)] > 2
        THEN places || array_fill(0, ARRAY[greatest(players[cardinality(players)] - cardinality(places), 0)])
        ELSE places END
$$;


-- Frozen boards
-- =============

-- From a moment on everybody but operators sees a game's boards as they were then.
CREATE TABLE board_freezes (
    game         text PRIMARY KEY,
    frozen_from  timestamptz NOT NULL,
    frozen_by    text NOT NULL,
    set_at       timestamptz NOT NULL DEFAULT now()
);

-- Standings of frozen boards as they were at that moment: those that have changed since. It has the columns of
-- `standings`, in their order.
CREATE TABLE frozen_standings (LIKE standings, PRIMARY KEY (version_id, league_id));
ALTER TABLE frozen_standings ALTER COLUMN places SET DEFAULT '{}';      -- exports from before places were counted have none

-- The first change after the moment keeps what was there before. A transaction changes boards at the moment at which it
-- began, as a match is finished at that of the transaction that records it.
CREATE FUNCTION keep_frozen_standing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM board_freezes JOIN leagues USING (game)
        WHERE leagues.id = OLD.league_id AND frozen_from <= now() AND OLD.entered_at < frozen_from
    ) THEN
        INSERT INTO frozen_standings SELECT OLD.* ON CONFLICT DO NOTHING;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER standings_of_frozen_boards BEFORE UPDATE ON standings
    FOR EACH ROW EXECUTE FUNCTION keep_frozen_standing();

-- How often each version took which place in a league's rated matches of more than two. `before_freeze`: only in those
-- from before the league's board was frozen. Where no standing has been in such a match, it looks at none.
CREATE FUNCTION taken_places(before_freeze boolean) RETURNS TABLE (version_id bigint, league_id bigint, places int[])
    STABLE LANGUAGE sql AS $$
    SELECT ledger.version_id, ledger.league_id,
           (ARRAY[count(*) FILTER (WHERE place = 1), count(*) FILTER (WHERE place = 2),
                  count(*) FILTER (WHERE place = 3), count(*) FILTER (WHERE place = 4),
                  count(*) FILTER (WHERE place = 5), count(*) FILTER (WHERE place = 6),
                  count(*) FILTER (WHERE place = 7), count(*) FILTER (WHERE place = 8)])[:max(place)]::int[]
    FROM matches
    JOIN seats ON seats.match_id = matches.id
    JOIN ledger ON ledger.match_id = matches.id AND ledger.version_id = seats.version_id
    WHERE matches.players > 2 AND place IS NOT NULL AND EXISTS (SELECT FROM standings WHERE further_opponents > 0)
      AND (NOT before_freeze OR finished_at < (
          SELECT frozen_from FROM board_freezes JOIN leagues USING (game) WHERE leagues.id = ledger.league_id))
    GROUP BY ledger.version_id, ledger.league_id
$$;

-- Count the places of all standings, for those that come from exports of before they were counted. Those of frozen boards
-- come second, as the first change of a standing can keep it for them.
CREATE FUNCTION count_places() RETURNS void LANGUAGE sql AS $$
    UPDATE standings SET places = taken.places FROM taken_places(before_freeze => false) AS taken
    WHERE standings.version_id = taken.version_id AND standings.league_id = taken.league_id;
    UPDATE frozen_standings AS kept SET places = taken.places FROM taken_places(before_freeze => true) AS taken
    WHERE kept.version_id = taken.version_id AND kept.league_id = taken.league_id;
$$;


-- Notices
-- =======
-- What players and operators are told by webhooks. A notice is written in the transaction of what it tells of, so none is
-- lost and none tells of what did not happen; a round of the scheduler sends it. See ladder/notices.

-- Where notices go. `player_id` null: it is the ladder's. Whoever knows the address can write there, and the secret signs
-- what is sent; so nobody is shown either of them again.
CREATE TABLE hooks (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    player_id      bigint REFERENCES players,           -- whose events it gets
    url            text NOT NULL,
    events         text[] NOT NULL,
    form           text NOT NULL,
    secret         text NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT now(),
    tries          int NOT NULL DEFAULT 0,              -- since a notice last arrived
    next_at        timestamptz NOT NULL DEFAULT now(),  -- no earlier is it tried again
    tried_at       timestamptz,
    answer         text NOT NULL DEFAULT '',            -- what came of that
    failing_since  timestamptz,
    disabled_at    timestamptz,                         -- when it had failed for too long
    CONSTRAINT hooks_form_is_known CHECK (form IN ('json', 'discord', 'slack')),
    CONSTRAINT hooks_events_are_known CHECK (
        events <@ '{accepted,rejected,promoted,demoted,verdict,deadline,bossless}' AND cardinality(events) > 0),
    CONSTRAINT hooks_of_the_ladder_get_nothing_private CHECK (
        player_id IS NOT NULL OR NOT events && '{rejected}')
);
CREATE INDEX hooks_of_player ON hooks (player_id);

-- A notice for a hook. `about`: what it tells of, by ids.
CREATE TABLE notices (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hook_id  bigint NOT NULL REFERENCES hooks ON DELETE CASCADE,
    event    text NOT NULL,
    game     text,                                      -- null: it is a test
    about    jsonb NOT NULL,
    made_at  timestamptz NOT NULL DEFAULT now(),
    sent_at  timestamptz,                               -- null: it waits
    CONSTRAINT notices_come_once UNIQUE (hook_id, event, about)
);
CREATE INDEX notices_waiting ON notices (hook_id, id) WHERE sent_at IS NULL;

-- Tell everybody who asked for it. `of_player`: whose event it is, null: everybody's. A hook for which a thousand wait gets
-- no more. What happens a second time, as the verdict of a gauntlet that went on, is told again where `again` says so.
CREATE FUNCTION make_notices(its_event text, its_game text, of_player bigint, its_about jsonb, again boolean DEFAULT true)
    RETURNS void LANGUAGE sql SET search_path FROM CURRENT AS $$
    INSERT INTO notices (hook_id, event, game, about)
    SELECT id, its_event, its_game, its_about FROM hooks
    WHERE its_event = ANY(events) AND disabled_at IS NULL
      AND (player_id IS NULL OR of_player IS NULL OR player_id = of_player)
      AND (SELECT count(*) FROM notices WHERE hook_id = hooks.id AND sent_at IS NULL) < 1000
    ON CONFLICT ON CONSTRAINT notices_come_once DO UPDATE SET id = DEFAULT, made_at = now(), sent_at = NULL WHERE again
$$;

CREATE FUNCTION tell_of_version() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM make_notices(NEW.state, game, player_id, jsonb_build_object('version_id', NEW.id))
    FROM bots WHERE id = NEW.bot_id;
    RETURN NULL;
END $$;
CREATE TRIGGER versions_are_told_of AFTER UPDATE OF state ON versions FOR EACH ROW
    WHEN (OLD.state = 'building' AND NEW.state IN ('accepted', 'rejected')) EXECUTE FUNCTION tell_of_version();

CREATE FUNCTION tell_of_move() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM make_notices(CASE NEW.kind WHEN 'promotion' THEN 'promoted' ELSE 'demoted' END, game, player_id,
                         jsonb_build_object('move_id', NEW.id, 'version_id', NEW.version_id))
    FROM versions JOIN bots ON bots.id = bot_id WHERE versions.id = NEW.version_id;
    RETURN NULL;
END $$;
CREATE TRIGGER moves_are_told_of AFTER INSERT ON moves FOR EACH ROW
    WHEN (NEW.kind IN ('promotion', 'demotion')) EXECUTE FUNCTION tell_of_move();

CREATE FUNCTION tell_of_verdict() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM make_notices('verdict', game, player_id, jsonb_build_object('gauntlet_id', NEW.id))
    FROM versions JOIN bots ON bots.id = bot_id WHERE versions.id = NEW.candidate_id;
    RETURN NULL;
END $$;
CREATE TRIGGER verdicts_are_told_of AFTER UPDATE OF state ON gauntlets FOR EACH ROW
    WHEN (OLD.state = 'running' AND NEW.state = 'finished') EXECUTE FUNCTION tell_of_verdict();


-- The audit
-- =========

-- What was done: a line for each write, added in its own transaction and never changed. `details` says which lines concern
-- others, for operators to see, and which member of a team did it.
CREATE TABLE audit (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at        timestamptz NOT NULL DEFAULT now(),
    actor     text NOT NULL,                    -- as they name themselves, where they reach the database
    action    text NOT NULL,                    -- the command, as in `match void`
    target    text NOT NULL,                    -- what it concerned and what came of it, for people
    token_id  bigint,
    via       text NOT NULL DEFAULT 'database', -- session, token, database or scheduler
    address   text,
    details   jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_concerns_others ON audit (id) WHERE details @> '{"concerns_others": true}';
CREATE INDEX audit_of_actor ON audit (lower(actor), id);
CREATE INDEX audit_of_member ON audit (lower(details->>'member'), id) WHERE details ? 'member';

CREATE FUNCTION refuse_to_change_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit is only added to';
END
$$;
CREATE TRIGGER audit_is_kept BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION refuse_to_change_audit();


-- What each person sees
-- =====================
-- Who sees what of a served ladder. The views here have the names and the columns of tables, and hold of them what the
-- one who looks may see: whatever is asked of the ladder after `seen.look_as`, a page, a search, a count, is asked of
-- these instead of the tables. Somebody alone never looks this way. Who changes one of the tables changes its view, too.
--
-- Everybody sees matches, verdicts, what was said and how long it took. What a bot wrote to stderr and what follows from
-- that, versions that were not accepted and what compilers said are for their player, sources likewise unless they are
-- public; what a class list says of a player is for that player and operators, machines and what went wrong at them are
-- for operators. An operator's look at somebody's private things, but for class lists, which operators bring, is remembered
-- until the transaction ends, so that it can be written down.

DROP SCHEMA IF EXISTS seen CASCADE;  -- of tables that somebody has dropped to begin anew
CREATE SCHEMA seen;

-- What anybody may ask, who sees nothing of the things themselves: how many versions are to be built, of a game or (null)
-- of all.
CREATE FUNCTION count_building(of_game text) RETURNS bigint STABLE LANGUAGE sql SET search_path FROM CURRENT AS $$
    SELECT count(*) FROM versions
    WHERE state = 'building' AND (of_game IS NULL OR bot_id IN (SELECT id FROM bots WHERE game = of_game))
$$;
-- What anybody may ask of machines and processes, who sees nothing of them: how many machines have workers that live, how
-- many processes these are, and how many of those play a match or build a version.
CREATE FUNCTION count_fleet(OUT machines bigint, OUT processes bigint, OUT at_work bigint)
    STABLE LANGUAGE sql SET search_path FROM CURRENT AS $$
    SELECT count(DISTINCT host), count(*), count(*) FILTER (
        WHERE EXISTS (SELECT FROM matches WHERE worker_id = workers.id AND state = 'running')
           OR EXISTS (SELECT FROM versions WHERE worker_id = workers.id AND state = 'building'))
    FROM workers JOIN live_workers USING (id)
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
-- Matches with metrics of which nobody may know any more which seat printed them: those from before this database, which
-- came with an export, and those of other programs.
CREATE VIEW seen.matches_of_mixed_metrics AS
    SELECT id FROM matches
    WHERE imported_from IS NOT NULL OR finished_at < (
        SELECT applied_at FROM migrations WHERE number = 1);

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
           strikes, first_limit_ms, turn_limit_ms, rates, players, imported_from, import_key, edition, fair_clock,
           stderr_pruned_at, record_pruned_at
    FROM matches;

CREATE VIEW seen.failed_attempts AS
    SELECT match_id, attempt, CASE WHEN seen.operates() THEN host ELSE '' END AS host,
           CASE WHEN seen.operates() THEN pid END AS pid, began_at, failed_at,
           CASE WHEN seen.operates() THEN why ELSE '' END AS why, counts, seat, answered_seat
    FROM failed_attempts;

CREATE VIEW seen.contest_players AS
    SELECT game, season, player_id, CASE WHEN is_seen THEN real_name END AS real_name,
           CASE WHEN is_seen THEN group_name END AS group_name, CASE WHEN is_seen THEN email END AS email,
           CASE WHEN is_seen THEN external_id END AS external_id
    FROM contest_players CROSS JOIN LATERAL (
        SELECT seen.operates() OR player_id = seen.number_of('player') AND current_setting('ladder.bot', true) = ''
               AND current_setting('ladder.game', true) IN ('', game) AS is_seen) AS sight;

-- What all are told is seen without who asked; the rest by the one who asked alone.
CREATE VIEW seen.clarifications AS
    SELECT id, game, CASE WHEN is_seen THEN asked_by END AS asked_by, question, asked_at, answer, answered_by, answered_at,
           to_all, withdrawn_at
    FROM clarifications CROSS JOIN LATERAL (
        SELECT seen.operates() OR lower(asked_by) = (SELECT lower(name) FROM players WHERE id = seen.number_of('player'))
               AND current_setting('ladder.bot', true) = ''
               AND current_setting('ladder.game', true) IN ('', coalesce(game, '')) AS is_seen) AS sight
    WHERE is_seen OR to_all AND withdrawn_at IS NULL;

CREATE VIEW seen.workers AS
    SELECT id, CASE WHEN seen.operates() THEN host END AS host, CASE WHEN seen.operates() THEN pid END AS pid,
           started_at, builds, plays, out_of_reach, games, fair_clock, is_to_end, tier, has_ended, timeline
    FROM workers;

-- Whether the boards that somebody sees may show what follows from a match: always, but for the one of that name below.
CREATE FUNCTION is_on_boards(of_league bigint, finished_at timestamptz) RETURNS boolean
    IMMUTABLE LANGUAGE sql AS 'SELECT true';
-- The matches whose end is hidden from the reader: none, but for the view of that name below.
CREATE VIEW hidden_matches AS SELECT id, ''::text AS game, created_at AS frozen_from FROM matches WHERE false;

-- What these views hold is seen in place of the tables by everybody but operators while a board is frozen, like those of
-- `seen`. A match that has ended since is not there but for those who play in it: from results a board could be computed.
DROP SCHEMA IF EXISTS frozen CASCADE;  -- of tables that somebody has dropped to begin anew
CREATE SCHEMA frozen;

CREATE VIEW frozen.since AS
    SELECT leagues.id AS league_id, game, frozen_from FROM board_freezes JOIN leagues USING (game)
    WHERE frozen_from <= now();

CREATE FUNCTION frozen.is_on_boards(of_league bigint, finished_at timestamptz) RETURNS boolean STABLE LANGUAGE sql AS $$
    SELECT coalesce(finished_at < (SELECT frozen_from FROM frozen.since WHERE league_id = of_league), true)
$$;

-- Matches that their readers see whatever is frozen: their own, and one that somebody who plays in it shows them.
CREATE VIEW frozen.own_matches AS
    SELECT match_id FROM seats WHERE version_id IN (SELECT id FROM seen.own_versions)
    UNION ALL SELECT seen.number_of('shared_match');

CREATE VIEW frozen.hidden_matches AS
    SELECT matches.id, game, frozen_from FROM matches JOIN frozen.since USING (league_id)
    WHERE finished_at >= frozen_from
      AND NOT EXISTS (SELECT FROM frozen.own_matches WHERE match_id = matches.id);

CREATE VIEW frozen.matches AS
    SELECT matches.* FROM seen.matches
    WHERE NOT EXISTS (
        SELECT FROM frozen.since WHERE since.league_id = matches.league_id AND finished_at >= frozen_from)
       OR EXISTS (SELECT FROM frozen.own_matches WHERE match_id = matches.id);

CREATE VIEW frozen.seats AS
    SELECT seats.* FROM seen.seats WHERE EXISTS (SELECT FROM frozen.matches WHERE id = match_id);

-- A gauntlet that has ended since is still on, but for the candidate's player.
CREATE VIEW frozen.gauntlets AS
    SELECT id, league_id, candidate_id, baseline_id, asked_by, seed, seeds, pairs, elo0, elo1, elo_model, alpha, beta, gates,
           CASE WHEN is_hidden THEN 'running' ELSE state END AS state,
           CASE WHEN is_hidden THEN NULL ELSE verdict END AS verdict, created_at,
           CASE WHEN is_hidden THEN NULL ELSE ended_at END AS ended_at, variants, edition, players, is_limited,
           waits_until, waits_for_room
    FROM gauntlets CROSS JOIN LATERAL (
        SELECT candidate_id NOT IN (SELECT id FROM seen.own_versions) AND EXISTS (
            SELECT FROM frozen.since WHERE since.league_id = gauntlets.league_id AND ended_at >= frozen_from
        ) AS is_hidden) AS sight;

-- Of a tune the values follow from results: those of others stay as they were counted and made before.
CREATE VIEW frozen.tune_pairs AS
    SELECT tune_pairs.* FROM tune_pairs JOIN gauntlets ON gauntlets.id = gauntlet_id
    WHERE candidate_id IN (SELECT id FROM seen.own_versions)
       OR NOT EXISTS (
           SELECT FROM matches JOIN frozen.since USING (league_id)
           WHERE matches.gauntlet_id = tune_pairs.gauntlet_id
             AND slot / CASE WHEN EXISTS (
                     SELECT FROM gauntlet_opponents AS met WHERE met.gauntlet_id = tune_pairs.gauntlet_id
                 ) THEN 2 ELSE 1 END = number  -- the ends of a pair meet opponents apart, or else each other
             AND (matches.created_at >= frozen_from OR finished_at >= frozen_from));

CREATE VIEW frozen.standings AS
    SELECT standings.* FROM standings
    WHERE NOT EXISTS (
        SELECT FROM frozen.since
        WHERE since.league_id = standings.league_id AND (entered_at >= frozen_from OR EXISTS (
            SELECT FROM frozen_standings AS kept
            WHERE kept.version_id = standings.version_id AND kept.league_id = standings.league_id)))
    UNION ALL
    SELECT kept.* FROM frozen_standings AS kept JOIN frozen.since ON since.league_id = kept.league_id;

CREATE VIEW frozen.ledger AS
    SELECT ledger.* FROM ledger
    WHERE coalesce(
        (SELECT finished_at FROM matches WHERE id = match_id)
            < (SELECT frozen_from FROM frozen.since WHERE since.league_id = ledger.league_id), true);

CREATE VIEW frozen.moves AS
    SELECT moves.* FROM moves
    WHERE coalesce(at < (SELECT frozen_from FROM frozen.since WHERE since.league_id = from_league), true);

-- A bot is in the league that its first move since the moment has left.
CREATE VIEW frozen.bots AS
    SELECT id, game, name, player_id,
           coalesce(
               (SELECT from_league FROM moves
                WHERE version_id IN (SELECT versions.id FROM versions WHERE bot_id = bots.id)
                  AND at >= (SELECT frozen_from FROM frozen.since WHERE since.league_id = from_league)
                ORDER BY moves.id LIMIT 1), league_id) AS league_id,
           boss_of, created_at, retired_at, disqualified_at, disqualified_by, disqualified_why, source_is_public,
           left_with_player
    FROM bots;

-- A season that was closed since is still on: its last series is being played, or nothing of its end has begun.
CREATE VIEW frozen.seasons AS
    SELECT seasons.id, seasons.game, number, opened_at, series_battles, series_top,
           CASE WHEN closed_at >= frozen_from THEN NULL ELSE closed_at END AS closed_at, submit_until, title, rules
    FROM seasons LEFT JOIN (SELECT DISTINCT game, frozen_from FROM frozen.since) AS since ON since.game = seasons.game
    WHERE frozen_from IS NULL OR closed_at IS NULL OR closed_at < frozen_from
       OR series_battles > 0 AND (opened_at IS NULL OR opened_at < frozen_from);

CREATE VIEW frozen.season_ranks AS
    SELECT season_ranks.* FROM season_ranks
    WHERE season_id IN (SELECT id FROM frozen.seasons WHERE closed_at IS NOT NULL);
