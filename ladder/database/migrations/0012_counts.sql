-- What decides promotions can be counted again from the matches: which wins were against the boss, and which matches
-- are from before their version went back a league. Who guarded a league when is written down nowhere else.

ALTER TABLE seats
    ADD COLUMN beat_boss boolean NOT NULL DEFAULT false,  -- won against the bot that guarded the league at that time
    ADD COLUMN spent     boolean NOT NULL DEFAULT false,  -- rated, but counts for no promotion: the version has gone back since
    ADD CONSTRAINT seats_beat_boss_by_winning CHECK (NOT beat_boss OR result = 'win');
CREATE INDEX seats_marked ON seats (match_id) WHERE beat_boss OR spent;

-- For matches until now: the boss of today, and as many of a version's first matches as its standing says.
UPDATE seats SET beat_boss = true
FROM matches, seats AS lost, versions, bots
WHERE matches.id = seats.match_id AND matches.state = 'finished' AND matches.gauntlet_id IS NULL
  AND lost.match_id = seats.match_id AND lost.seat <> seats.seat
  AND versions.id = lost.version_id AND bots.id = versions.bot_id AND bots.boss_of = matches.league_id
  AND seats.result = 'win';

UPDATE seats SET spent = true
FROM (
    SELECT ledger.match_id, ledger.version_id, ledger.league_id,
           row_number() OVER (PARTITION BY ledger.version_id, ledger.league_id ORDER BY ledger.sequence) AS place
    FROM ledger JOIN standings ON standings.version_id = ledger.version_id AND standings.league_id = ledger.league_id
    WHERE standings.owed_from > 0) AS played
JOIN standings ON standings.version_id = played.version_id AND standings.league_id = played.league_id
WHERE seats.match_id = played.match_id AND seats.version_id = played.version_id AND played.place <= standings.owed_from;

UPDATE standings SET boss_wins = coalesce(counted.boss_wins, 0)
FROM standings AS stay LEFT JOIN (
    SELECT seats.version_id, matches.league_id, count(*)::int AS boss_wins
    FROM seats JOIN matches ON matches.id = seats.match_id
    WHERE seats.beat_boss AND NOT seats.spent
    GROUP BY seats.version_id, matches.league_id) AS counted
  ON counted.version_id = stay.version_id AND counted.league_id = stay.league_id
WHERE stay.version_id = standings.version_id AND stay.league_id = standings.league_id
  AND standings.boss_wins <> coalesce(counted.boss_wins, 0);
