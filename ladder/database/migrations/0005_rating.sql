-- Bounds of the rating settings, as in ladder/league_settings.py, where they are sentences; and a way to a league's matches.

ALTER TABLE leagues
    DROP CONSTRAINT leagues_rating_is_sane,
    ADD CONSTRAINT leagues_mu_is_sane CHECK (mu BETWEEN -10000 AND 10000),
    ADD CONSTRAINT leagues_sigma_is_sane CHECK (sigma BETWEEN 0.001 AND 10000),
    ADD CONSTRAINT leagues_beta_is_sane CHECK (beta BETWEEN 0.001 AND 10000),
    ADD CONSTRAINT leagues_tau_is_sane CHECK (tau BETWEEN 0 AND 10000),
    ADD CONSTRAINT leagues_draw_probability_is_sane CHECK (draw_probability BETWEEN 0 AND 0.99);

ALTER TABLE matches
    ADD CONSTRAINT matches_taken_back_by_somebody CHECK ((void_at IS NULL) = (void_by IS NULL));

-- Rating one league again, or checking it, reads that league's matches and no others.
CREATE INDEX matches_finished_of_league ON matches (league_id, id) WHERE state = 'finished';
CREATE INDEX ledger_of_league ON ledger (league_id, sequence);
