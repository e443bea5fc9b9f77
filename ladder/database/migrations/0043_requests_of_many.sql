-- Who else plays the battles that somebody has asked for, where a match has more than two players: versions, in the
-- order in which they were named.
ALTER TABLE requests ADD COLUMN others bigint[] NOT NULL DEFAULT '{}';
