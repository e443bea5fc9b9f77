-- Parameters of a version: variables of the environment in its box, by name. The same source with others is another
-- version.

ALTER TABLE versions
    ADD COLUMN params jsonb NOT NULL DEFAULT '{}',
    ADD CONSTRAINT versions_params_are_named CHECK (jsonb_typeof(params) = 'object');

DROP INDEX versions_source_is_new;
CREATE UNIQUE INDEX versions_source_is_new ON versions (bot_id, source_hash, language, md5(params::text))
    WHERE state <> 'rejected';

CREATE OR REPLACE FUNCTION versions_are_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.bot_id, NEW.number, NEW.source_hash, NEW.language, NEW.params) IS DISTINCT FROM
       (OLD.bot_id, OLD.number, OLD.source_hash, OLD.language, OLD.params) THEN
        RAISE EXCEPTION 'a submitted version never changes';
    END IF;
    RETURN NEW;
END $$;
