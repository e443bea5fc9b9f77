-- What a league can set beyond its conditions: how it promotes, pairs and rates; and what a stay in it remembers.

ALTER TABLE leagues
    ADD COLUMN promotion         text NOT NULL DEFAULT 'rank_above_boss',
    ADD COLUMN boss_wins         int NOT NULL DEFAULT 10,        -- for the promotion `boss_wins`: so many are needed
    ADD COLUMN demotion          boolean NOT NULL DEFAULT false, -- whether who wins next to nothing here goes back; see ladder/promotion.py
    ADD COLUMN opens_at          timestamptz,                    -- until then nobody enters it; null: open
    ADD COLUMN matchmaking       text NOT NULL DEFAULT 'codingame',
    ADD COLUMN placement_battles int NOT NULL DEFAULT 10,
    ADD COLUMN near_ranks        int NOT NULL DEFAULT 20,
    ADD COLUMN rating_system     text NOT NULL DEFAULT 'trueskill',
    ADD COLUMN mu                double precision NOT NULL DEFAULT 25,
    ADD COLUMN sigma             double precision NOT NULL DEFAULT 25.0 / 3,
    ADD COLUMN beta              double precision NOT NULL DEFAULT 25.0 / 6,
    ADD COLUMN tau               double precision NOT NULL DEFAULT 25.0 / 300,
    ADD COLUMN draw_probability  double precision,               -- null: the game's own
    ADD COLUMN score_formula     text NOT NULL DEFAULT 'mu - 3 sigma',
    ADD CONSTRAINT leagues_promotion_is_known CHECK (promotion IN ('rank_above_boss', 'boss_wins')),
    ADD CONSTRAINT leagues_boss_wins_are_sane CHECK (boss_wins BETWEEN 1 AND 100000),
    ADD CONSTRAINT leagues_matchmaking_is_known CHECK (matchmaking IN ('codingame', 'informed')),
    ADD CONSTRAINT leagues_placement_is_sane CHECK (placement_battles BETWEEN 0 AND 100000),
    ADD CONSTRAINT leagues_near_ranks_are_sane CHECK (near_ranks BETWEEN 1 AND 100000),
    ADD CONSTRAINT leagues_rating_system_is_known CHECK (rating_system IN ('trueskill', 'openskill')),
    ADD CONSTRAINT leagues_rating_is_sane CHECK (sigma > 0 AND beta > 0 AND tau >= 0 AND draw_probability BETWEEN 0 AND 0.99),
    ADD CONSTRAINT leagues_score_formula_is_known CHECK (score_formula IN ('mu - 3 sigma', 'mu'));

-- A stay begins with a rating, from which the ledger goes on; `rating verify` begins there too.
ALTER TABLE standings
    ADD COLUMN first_mu      double precision,
    ADD COLUMN first_sigma   double precision,
    ADD COLUMN eligible_at   timestamptz,             -- when promotion was earned; once earned it stays
    ADD COLUMN boss_wins     int NOT NULL DEFAULT 0,  -- matches won against the league's boss
    ADD COLUMN owed_from     int NOT NULL DEFAULT 0,  -- battles count from this many matches on (after going back a league)
    ADD COLUMN kept          boolean NOT NULL DEFAULT false; -- stays on the board beside its bot's newer version
UPDATE standings SET first_mu = coalesce(begin.mu_before, standings.mu), first_sigma = coalesce(begin.sigma_before, standings.sigma)
FROM standings AS stay LEFT JOIN LATERAL (
    SELECT mu_before, sigma_before FROM ledger
    WHERE ledger.version_id = stay.version_id AND ledger.league_id = stay.league_id
    ORDER BY sequence LIMIT 1) AS begin ON true
WHERE stay.version_id = standings.version_id AND stay.league_id = standings.league_id;
ALTER TABLE standings ALTER COLUMN first_mu SET NOT NULL, ALTER COLUMN first_sigma SET NOT NULL;

ALTER TABLE matches
    ADD COLUMN void_by  text,        -- who took back a finished match, and
    ADD COLUMN void_at  timestamptz; -- when; `reason` says why
-- A match that was played and then taken back keeps its record as evidence.
ALTER TABLE matches
    DROP CONSTRAINT matches_finished_has_record,
    ADD CONSTRAINT matches_finished_has_record CHECK (state <> 'finished' OR record IS NOT NULL),
    ADD CONSTRAINT matches_taken_back_are_void CHECK (void_at IS NULL OR state = 'void');
