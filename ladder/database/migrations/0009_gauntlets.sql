-- Gauntlets: a version against chosen versions, pair by pair, until a question is answered. They rate nobody.

CREATE TABLE gauntlets (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    league_id     bigint NOT NULL REFERENCES leagues,    -- under whose rules and conditions it is played
    candidate_id  bigint NOT NULL REFERENCES versions,
    baseline_id   bigint REFERENCES versions,            -- plays the same field on the same seeds; null: nobody does
    asked_by      text NOT NULL,
    seed          bigint NOT NULL,                       -- from which the seeds of its pairs come, unless
    seeds         bigint[],                              -- they were given
    pairs         int NOT NULL,                          -- at most so many against each opponent
    elo0          double precision,                      -- the bounds of the sequential test; null: all pairs are played
    elo1          double precision,
    elo_model     text NOT NULL DEFAULT 'logistic',
    alpha         double precision NOT NULL DEFAULT 0.05,
    beta          double precision NOT NULL DEFAULT 0.05,
    gates         boolean NOT NULL DEFAULT false,        -- whether the candidate comes onto the board when it has passed
    state         text NOT NULL DEFAULT 'running',
    verdict       text,                                  -- null while it runs
    created_at    timestamptz NOT NULL DEFAULT now(),
    ended_at      timestamptz,
    CONSTRAINT gauntlets_state_is_known CHECK (state IN ('running', 'stopped', 'finished')),
    CONSTRAINT gauntlets_verdict_is_known CHECK (verdict IN ('passed', 'failed', 'undecided')),
    CONSTRAINT gauntlets_finished_has_verdict CHECK ((state = 'finished') = (verdict IS NOT NULL)),
    CONSTRAINT gauntlets_pairs_are_sane CHECK (pairs BETWEEN 1 AND 1000000),
    CONSTRAINT gauntlets_bounds_are_two CHECK ((elo0 IS NULL) = (elo1 IS NULL)),
    CONSTRAINT gauntlets_bounds_are_in_order CHECK (elo0 < elo1),
    CONSTRAINT gauntlets_elo_model_is_known CHECK (elo_model IN ('logistic', 'normalized')),
    CONSTRAINT gauntlets_errors_are_sane CHECK (alpha > 0 AND beta > 0 AND alpha + beta < 1),
    CONSTRAINT gauntlets_not_against_itself CHECK (candidate_id <> baseline_id)
);
CREATE INDEX gauntlets_running ON gauntlets (id) WHERE state = 'running';
CREATE INDEX gauntlets_of_candidate ON gauntlets (candidate_id, id);

CREATE TABLE gauntlet_opponents (
    gauntlet_id  bigint NOT NULL REFERENCES gauntlets,
    position     int NOT NULL,                           -- from 0, in the order in which they are met
    version_id   bigint NOT NULL REFERENCES versions,
    PRIMARY KEY (gauntlet_id, position),
    CONSTRAINT gauntlet_opponents_once UNIQUE (gauntlet_id, version_id)
);

ALTER TABLE matches
    ADD COLUMN gauntlet_id  bigint REFERENCES gauntlets, -- null: a match of the ladder, which rates its players
    ADD COLUMN slot         int,                         -- which of the gauntlet's pairs it belongs to, from 0
    ADD COLUMN host         text,                        -- the machine that played it; null until it is finished
    ADD CONSTRAINT matches_of_gauntlets_have_slots CHECK ((gauntlet_id IS NULL) = (slot IS NULL));
CREATE INDEX matches_of_gauntlet ON matches (gauntlet_id, slot) WHERE gauntlet_id IS NOT NULL;

-- What is to be played whenever a version is submitted: of one bot, or of everybody in one league.
CREATE TABLE standing_gauntlets (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    bot_id      bigint REFERENCES bots,
    league_id   bigint REFERENCES leagues,
    opponents   text[] NOT NULL,                         -- as they are written on the command line
    pairs       int NOT NULL,
    elo0        double precision,
    elo1        double precision,
    elo_model   text NOT NULL,
    alpha       double precision NOT NULL,
    beta        double precision NOT NULL,
    gates       boolean NOT NULL,
    asked_by    text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT standing_gauntlets_are_of_somebody CHECK ((bot_id IS NULL) <> (league_id IS NULL)),
    CONSTRAINT standing_gauntlets_one_per_bot UNIQUE (bot_id),
    CONSTRAINT standing_gauntlets_one_per_league UNIQUE (league_id)
);

-- How people call a version: kraken@v8.
CREATE FUNCTION version_name(version bigint) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT bots.name || '@v' || versions.number FROM versions JOIN bots ON bots.id = versions.bot_id
    WHERE versions.id = version
$$;
