-- What a ladder of ten thousand versions and ten million matches needs.

-- Both columns ascend, so that what comes after a row is one comparison, also among equal scores.
DROP INDEX standings_board;
CREATE INDEX standings_board ON standings (league_id, (-score), version_id) WHERE on_board;

-- Finished matches are counted from the standings of those whom they rated. Those that rate nobody, and those that were
-- given up or taken back, are fewer, and are counted here.
CREATE INDEX matches_void ON matches (league_id) WHERE state = 'void';
CREATE INDEX matches_finished_of_gauntlets ON matches (league_id) WHERE state = 'finished' AND gauntlet_id IS NOT NULL;
