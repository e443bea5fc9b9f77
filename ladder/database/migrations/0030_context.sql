-- Opponents that a gauntlet's candidate meets for information only, and less often than the others.

ALTER TABLE gauntlet_opponents ADD COLUMN is_context boolean NOT NULL DEFAULT false;

-- The words for such opponents, in what is played whenever a version is submitted.
ALTER TABLE automatic_gauntlets ADD COLUMN context text[] NOT NULL DEFAULT '{}';
