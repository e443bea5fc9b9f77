-- A match has 2 to 8 seats. `players`: how many.
ALTER TABLE matches ADD COLUMN players smallint NOT NULL DEFAULT 2;
ALTER TABLE matches ADD CONSTRAINT matches_have_2_to_8_players CHECK (players BETWEEN 2 AND 8);
ALTER TABLE seats DROP CONSTRAINT seats_are_two;
ALTER TABLE seats ADD CONSTRAINT seats_are_at_most_eight CHECK (seat BETWEEN 0 AND 7);

-- The place of a seat among all of its match: 1 is best, level seats share one. Null until the match is finished, and in
-- older matches, which had two seats: there `result` says it.
ALTER TABLE seats ADD COLUMN place smallint;
ALTER TABLE seats ADD CONSTRAINT seats_place_is_known CHECK (place BETWEEN 1 AND 8);

-- The most players that a match of the league's game can have.
ALTER TABLE leagues ADD COLUMN most_players smallint NOT NULL DEFAULT 2;

-- A version meets each opponent of a match once: with two players one, with eight seven.
ALTER TABLE standings DROP CONSTRAINT standings_record_adds_up;
ALTER TABLE standings ADD CONSTRAINT standings_record_adds_up
    CHECK (wins + draws + losses BETWEEN matches AND 7 * matches);
