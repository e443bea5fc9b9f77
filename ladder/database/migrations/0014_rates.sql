-- Which matches rate those who play them. Those of gauntlets never do; nor do battles that somebody has asked for, or who
-- may ask could choose opponents until a bot stands where it does not belong. A season's series is asked for by nobody.

ALTER TABLE matches ADD COLUMN rates boolean NOT NULL DEFAULT true;  -- settled when the match is made

-- What somebody has asked for and was played until now was rated, and stays so; what waits will not be.
UPDATE matches SET rates = false WHERE gauntlet_id IS NOT NULL;
UPDATE matches SET rates = false
FROM requests
WHERE requests.id = matches.request_id AND requests.season_id IS NULL AND matches.state IN ('queued', 'running');

-- Not looked for in the rows that are there, which may be ten million: the lines above have seen to them.
ALTER TABLE matches ADD CONSTRAINT matches_of_gauntlets_rate_nobody CHECK (gauntlet_id IS NULL OR NOT rates) NOT VALID;

-- Finished matches that are in no standing are counted here, instead of those of gauntlets alone.
DROP INDEX matches_finished_of_gauntlets;
CREATE INDEX matches_finished_unrated ON matches (league_id) WHERE state = 'finished' AND NOT rates;
