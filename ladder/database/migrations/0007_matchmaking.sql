-- For which version a battle was made: its player's share of what waits. Null: requested, or made to use idle capacity.

ALTER TABLE matches ADD COLUMN made_for bigint REFERENCES versions;
