-- Parameters with which a gauntlet's candidate plays, besides those of its version: one object where it meets opponents
-- with parameters of its own; two or more where it is played with each of them against each other, for no verdict.
ALTER TABLE gauntlets
    ADD COLUMN variants jsonb NOT NULL DEFAULT '[]',
    ADD CONSTRAINT gauntlets_variants_are_a_list CHECK (jsonb_typeof(variants) = 'array'),
    DROP CONSTRAINT gauntlets_finished_has_verdict,
    ADD CONSTRAINT gauntlets_finished_has_verdict
        CHECK ((verdict IS NOT NULL) = (state = 'finished' AND jsonb_array_length(variants) < 2));

-- Parameters that a seat's bot has in this match besides those of its version.
ALTER TABLE seats
    ADD COLUMN params jsonb NOT NULL DEFAULT '{}',
    ADD CONSTRAINT seats_params_are_named CHECK (jsonb_typeof(params) = 'object');

-- A version meets itself only where one of the two has such parameters.
ALTER TABLE seats DROP CONSTRAINT seats_hold_different_versions;
CREATE UNIQUE INDEX seats_hold_different_versions ON seats (match_id, version_id) WHERE params = '{}';

-- How people call a version with parameters besides its own: kraken@v8 (DEPTH=6).
CREATE FUNCTION version_name(version bigint, params jsonb) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT version_name(version)
        || coalesce(' (' || string_agg(key || '=' || value, ' ' ORDER BY key COLLATE "C") || ')', '')
    FROM jsonb_each_text(params)
$$;
