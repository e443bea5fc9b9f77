-- A match of two has one opponent for each version, one of more has further ones. With these counted, a record adds up.
ALTER TABLE standings ADD COLUMN further_opponents int NOT NULL DEFAULT 0;
ALTER TABLE standings DROP CONSTRAINT standings_record_adds_up;
UPDATE standings SET further_opponents = wins + draws + losses - matches WHERE wins + draws + losses <> matches;
ALTER TABLE standings ADD CONSTRAINT standings_record_adds_up
    CHECK (wins + draws + losses = matches + further_opponents);
ALTER TABLE standings ADD CONSTRAINT standings_opponents_are_at_most_seven
    CHECK (further_opponents BETWEEN 0 AND 6 * matches);
