-- Against which of a gauntlet's opponents its verdict is found. It is settled when the gauntlet begins, so that no result
-- has a part in it. In gauntlets of before this column all opponents decide.

ALTER TABLE gauntlet_opponents ADD COLUMN decides boolean NOT NULL DEFAULT true;
