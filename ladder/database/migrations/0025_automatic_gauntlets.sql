-- The names that commands and documents use.
ALTER TABLE standing_gauntlets RENAME TO automatic_gauntlets;
ALTER TABLE automatic_gauntlets RENAME CONSTRAINT standing_gauntlets_are_of_somebody TO automatic_gauntlets_have_one_owner;
ALTER TABLE automatic_gauntlets RENAME CONSTRAINT standing_gauntlets_one_per_bot TO automatic_gauntlets_one_per_bot;
ALTER TABLE automatic_gauntlets RENAME CONSTRAINT standing_gauntlets_one_per_league TO automatic_gauntlets_one_per_league;

-- A rated match that counts for no promotion, because the version has gone back a league since.
ALTER TABLE seats RENAME COLUMN spent TO discounted;
