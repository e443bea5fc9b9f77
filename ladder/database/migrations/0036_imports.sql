-- What was moved in from another league manager: versions by the names that they had there, and matches of which nobody
-- knows more than how they ended.

-- A version that came without a source stays on record, for its matches and ratings. It never plays.
ALTER TABLE versions
    ALTER COLUMN source_hash DROP NOT NULL,
    ADD COLUMN imported_from text,          -- the program that it came from
    ADD COLUMN imported_as text,            -- what it was called there
    DROP CONSTRAINT versions_state_is_known,
    ADD CONSTRAINT versions_state_is_known CHECK (state IN ('building', 'accepted', 'rejected', 'recorded')),
    ADD CONSTRAINT versions_on_record_have_no_source CHECK ((state = 'recorded') = (source_hash IS NULL)),
    ADD CONSTRAINT versions_imported_have_a_name CHECK (num_nulls(imported_from, imported_as) IN (0, 2)),
    ADD CONSTRAINT versions_on_record_are_imported CHECK (state <> 'recorded' OR imported_from IS NOT NULL);

ALTER TABLE matches
    ALTER COLUMN seed DROP NOT NULL,
    ADD COLUMN imported_from text,
    ADD COLUMN import_key text,             -- the same for the same match whenever it is imported
    DROP CONSTRAINT matches_finished_has_record,
    ADD CONSTRAINT matches_finished_has_record
        CHECK (state <> 'finished' OR (record IS NULL) = (imported_from IS NOT NULL)),
    DROP CONSTRAINT matches_finished_has_time_rule,
    ADD CONSTRAINT matches_finished_has_time_rule
        CHECK (state <> 'finished' OR imported_from IS NOT NULL OR (time_policy IS NOT NULL AND clock IS NOT NULL)),
    ADD CONSTRAINT matches_have_seeds CHECK (seed IS NOT NULL OR imported_from IS NOT NULL),
    ADD CONSTRAINT matches_imported_have_keys CHECK (num_nulls(imported_from, import_key) IN (0, 2));
CREATE UNIQUE INDEX matches_imported_once ON matches (league_id, imported_from, import_key)
    WHERE imported_from IS NOT NULL;

-- A fault of which nobody knows the kind.
ALTER TABLE seats
    DROP CONSTRAINT seats_verdict_is_known,
    ADD CONSTRAINT seats_verdict_is_known
        CHECK (verdict IN ('ok', 'timeout', 'crashed', 'illegal', 'memory', 'flooded', 'unknown'));
