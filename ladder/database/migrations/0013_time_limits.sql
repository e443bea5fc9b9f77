-- A league's limits of time, and those that a match was played with.

ALTER TABLE leagues
    ADD COLUMN first_limit_ms  int,  -- for a bot's first answer; null: the game's own
    ADD COLUMN turn_limit_ms   int,  -- for each later one; null: likewise
    -- The same bounds stand in ladder/league_settings.py.
    ADD CONSTRAINT leagues_first_limit_is_sane CHECK (first_limit_ms BETWEEN 1 AND 60000),
    ADD CONSTRAINT leagues_turn_limit_is_sane CHECK (turn_limit_ms BETWEEN 1 AND 60000);

ALTER TABLE matches
    ADD COLUMN first_limit_ms  int,  -- null until it is finished, and where it was finished before leagues had limits:
    ADD COLUMN turn_limit_ms   int;  -- it was played with its game's own then
