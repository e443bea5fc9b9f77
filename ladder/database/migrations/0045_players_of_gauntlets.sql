-- How many players each match of a gauntlet has. Gauntlets that are there have as many as their league's game can have.
ALTER TABLE gauntlets ADD COLUMN players smallint NOT NULL DEFAULT 2;
ALTER TABLE gauntlets ADD CONSTRAINT gauntlets_have_2_to_8_players CHECK (players BETWEEN 2 AND 8);
UPDATE gauntlets SET players = leagues.players[cardinality(leagues.players)]
FROM leagues WHERE leagues.id = gauntlets.league_id AND leagues.players <> '{2}';
