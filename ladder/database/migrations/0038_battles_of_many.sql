-- How battles are put together in a league's game. `players`: the numbers of players that a match can have, smallest
-- first. `player_weights`: how often each of them is drawn; empty: all alike. `seat_orders`: in which orders of the seats
-- a battle plays its seed. `battle_matches`: how many matches that makes, on average where the numbers differ.
ALTER TABLE leagues ADD COLUMN players smallint[] NOT NULL DEFAULT '{2}';
ALTER TABLE leagues ADD COLUMN player_weights float8[] NOT NULL DEFAULT '{}';
ALTER TABLE leagues ADD COLUMN seat_orders text NOT NULL DEFAULT 'rotations';
ALTER TABLE leagues ADD COLUMN battle_matches int NOT NULL DEFAULT 2;
ALTER TABLE leagues DROP COLUMN most_players;
