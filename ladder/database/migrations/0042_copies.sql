-- In a match of a gauntlet one version can have several seats: `copy` numbers them from 0. Everywhere else it is 0, and no
-- version plays against itself.
ALTER TABLE seats ADD COLUMN copy smallint NOT NULL DEFAULT 0;
DROP INDEX seats_hold_different_versions;
CREATE UNIQUE INDEX seats_hold_different_versions ON seats (match_id, version_id, copy) WHERE params = '{}';
