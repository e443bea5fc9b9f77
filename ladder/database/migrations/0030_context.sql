-- Opponents that a gauntlet's candidate meets for information only, and less often than the others.

ALTER TABLE gauntlet_opponents ADD COLUMN is_context boolean NOT NULL DEFAULT false;

-- The words for such opponents, in what is played whenever a version is submitted.
ALTER TABLE automatic_gauntlets ADD COLUMN context text[] NOT NULL DEFAULT '{}';

-- The seats that lost by a fault are few, and are looked for among all matches.
CREATE INDEX seats_with_faults ON seats (verdict, match_id) WHERE verdict <> 'ok';

-- Lists leave the matches of gauntlets out, so this index says which those are.
DROP INDEX matches_finished_of_league;
CREATE INDEX matches_finished_of_league ON matches (league_id, id) INCLUDE (gauntlet_id) WHERE state = 'finished';
