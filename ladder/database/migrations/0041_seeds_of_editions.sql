-- What is known of seeds in an edition of a game: how wide they are (31 bits: 0 to 2^31-1; 0: its referee knows none), and
-- whether a match can be repeated at all.
ALTER TABLE game_editions ADD COLUMN seed_bits smallint NOT NULL DEFAULT 64;
ALTER TABLE game_editions ADD COLUMN repeatable boolean NOT NULL DEFAULT true;
