-- Nothing is ever gone: notes on versions, names that bots had before, and bots that left and can come back.

ALTER TABLE versions
    ADD COLUMN note text NOT NULL DEFAULT '',       -- its author's own words on it, one line
    ADD CONSTRAINT versions_note_is_short CHECK (length(note) <= 200);

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

ALTER TABLE bots
    ADD COLUMN retired_at        timestamptz,       -- its player lets it play no more
    ADD COLUMN disqualified_at   timestamptz,       -- an operator took it off the boards, and its matches count no more
    ADD COLUMN disqualified_by   text,
    ADD COLUMN disqualified_why  text,
    ADD CONSTRAINT bots_are_disqualified_for_a_reason
        CHECK (num_nulls(disqualified_at, disqualified_by, disqualified_why) IN (0, 3)),
    ADD CONSTRAINT bots_that_guard_a_league_play
        CHECK (boss_of IS NULL OR (retired_at IS NULL AND disqualified_at IS NULL));

-- What left its board because its bot was disqualified comes back as it was, rivals too.
ALTER TABLE standings
    ADD COLUMN comes_back boolean NOT NULL DEFAULT false,
    DROP CONSTRAINT standings_kept_is_on_board,
    ADD CONSTRAINT standings_kept_is_on_board CHECK (on_board OR comes_back OR NOT kept),
    ADD CONSTRAINT standings_come_back_from_elsewhere CHECK (NOT (on_board AND comes_back));

-- The places in the ledger of matches that rate nobody as long as one of the two is disqualified. When they count again
-- their lines stand there again, so that every number is what it would be had nothing happened.
CREATE TABLE withdrawn_lines (
    sequence    bigint PRIMARY KEY,
    match_id    bigint NOT NULL REFERENCES matches,
    version_id  bigint NOT NULL REFERENCES versions,
    league_id   bigint NOT NULL REFERENCES leagues,
    CONSTRAINT withdrawn_lines_of_a_seat UNIQUE (match_id, version_id)
);
