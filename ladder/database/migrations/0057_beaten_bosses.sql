-- Among more than two players a version can be placed before the boss and win nothing.
ALTER TABLE seats
    DROP CONSTRAINT seats_beat_boss_by_winning,
    ADD CONSTRAINT seats_beat_boss_when_over CHECK (NOT beat_boss OR result IS NOT NULL);
DROP FUNCTION one_more_place(int[], int);  -- The places are counted where matches are rated.
