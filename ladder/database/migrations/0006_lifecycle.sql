-- How versions and bots move: kept rivals, versions put back, bots that go back a league.

ALTER TABLE leagues
    ADD CONSTRAINT leagues_rules_level_is_sane CHECK (rules_level BETWEEN 1 AND 100),
    ADD CONSTRAINT leagues_title_is_short CHECK (length(title) BETWEEN 1 AND 40);

ALTER TABLE versions
    ADD COLUMN keep boolean NOT NULL DEFAULT false;  -- when it is accepted the bot's earlier version stays on the board

ALTER TABLE standings
    ADD COLUMN demoted_at timestamptz,               -- when it was sent back from here, which happens once
    ADD CONSTRAINT standings_kept_is_on_board CHECK (on_board OR NOT kept);

-- A bot can go back and rise again, so a version can leave a league more than once.
ALTER TABLE promotions DROP CONSTRAINT promotions_once;
ALTER TABLE promotions RENAME TO moves;
ALTER TABLE moves
    ADD COLUMN kind text NOT NULL DEFAULT 'promotion',
    ADD CONSTRAINT moves_kind_is_known CHECK (kind IN ('promotion', 'demotion', 'rewind'));
CREATE INDEX moves_of_version ON moves (version_id, id);

-- A league's rules level can change; a match keeps the one it was played by.
ALTER TABLE matches ADD COLUMN rules_level int;      -- null until it is finished
UPDATE matches SET rules_level = leagues.rules_level
FROM leagues WHERE leagues.id = matches.league_id AND matches.state = 'finished';
