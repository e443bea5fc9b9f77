-- Battles that are asked for, and seasons: a game's boards as they were when one ended, for good.

-- A season that is not over has a row only while its series is played; see ladder/storage/seasons.py.
CREATE TABLE seasons (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game            text NOT NULL,
    number          int NOT NULL,
    opened_at       timestamptz,             -- when the season before was closed; null: the game's first season
    series_battles  int NOT NULL DEFAULT 0,  -- so many for each of the first `series_top` of each board; 0: no series
    series_top      int NOT NULL DEFAULT 0,
    closed_at       timestamptz,             -- null: its series is being played
    CONSTRAINT seasons_number_is_unique UNIQUE (game, number),
    CONSTRAINT seasons_numbers_start_at_1 CHECK (number >= 1),
    CONSTRAINT seasons_series_is_sane CHECK (series_battles >= 0 AND series_top >= 0),
    CONSTRAINT seasons_without_series_are_closed CHECK (closed_at IS NOT NULL OR series_battles > 0)
);
CREATE UNIQUE INDEX seasons_one_series ON seasons (game) WHERE closed_at IS NULL;

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
    PRIMARY KEY (season_id, league_id, live_rank),
    CONSTRAINT season_ranks_version_stands_once UNIQUE (season_id, version_id),
    CONSTRAINT season_ranks_are_settled_or_not
        CHECK (num_nulls(group_number, rank, rank_low, rank_high, strength, error) IN (0, 6))
);

-- Battles between two versions that somebody has asked for. The scheduler makes them bit by bit.
CREATE TABLE requests (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    league_id   bigint NOT NULL REFERENCES leagues,
    first       bigint NOT NULL REFERENCES versions,
    second      bigint NOT NULL REFERENCES versions,
    battles     int NOT NULL,
    made        int NOT NULL DEFAULT 0,      -- so many of them are made into matches
    seed        bigint,                      -- of the first battle; each next has the next one. Null: by chance
    asked_by    text NOT NULL,               -- the player; '' for a season's series
    season_id   bigint REFERENCES seasons,   -- whose series it belongs to
    lapsed      text,                        -- why the battles that are left will not be made
    created_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT requests_are_of_two CHECK (first <> second),
    CONSTRAINT requests_battles_are_sane CHECK (battles > 0 AND made BETWEEN 0 AND battles)
);
CREATE INDEX requests_unmade ON requests (id) WHERE made < battles AND lapsed IS NULL;
CREATE INDEX requests_of_season ON requests (season_id) WHERE season_id IS NOT NULL;

ALTER TABLE matches ADD COLUMN request_id bigint REFERENCES requests;
CREATE INDEX matches_of_request ON matches (request_id) WHERE request_id IS NOT NULL;
