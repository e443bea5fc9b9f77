-- Boards that are frozen: from a moment on everybody but operators sees a game's boards as they were then.
CREATE TABLE board_freezes (
    game         text PRIMARY KEY,
    frozen_from  timestamptz NOT NULL,
    frozen_by    text NOT NULL,
    set_at       timestamptz NOT NULL DEFAULT now()
);

-- Standings of frozen boards as they were at that moment: those that have changed since. It has the columns of
-- `standings`, in their order: a migration that adds one there adds it here, too.
CREATE TABLE frozen_standings (LIKE standings);
ALTER TABLE frozen_standings ADD PRIMARY KEY (version_id, league_id);

-- The first change after the moment keeps what was there before. A transaction changes boards at the moment at which it
-- began, as a match is finished at that of the transaction that records it.
CREATE FUNCTION keep_frozen_standing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM board_freezes JOIN leagues USING (game)
        WHERE leagues.id = OLD.league_id AND frozen_from <= now() AND OLD.entered_at < frozen_from
    ) THEN
        INSERT INTO frozen_standings SELECT OLD.* ON CONFLICT DO NOTHING;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER standings_of_frozen_boards BEFORE UPDATE ON standings
    FOR EACH ROW EXECUTE FUNCTION keep_frozen_standing();

-- Whether the boards that somebody sees may show what follows from a match: always, but for the one of that name below.
CREATE FUNCTION is_on_boards(of_league bigint, finished_at timestamptz) RETURNS boolean
    IMMUTABLE LANGUAGE sql AS 'SELECT true';

-- What these views hold is seen in place of the tables by everybody but operators while a board is frozen: see 0049. A
-- migration that changes one of the tables makes its view anew. Matches are no part of it: they stay for everybody.
DROP SCHEMA IF EXISTS frozen CASCADE;  -- of tables that somebody has dropped to begin anew
CREATE SCHEMA frozen;

CREATE VIEW frozen.since AS
    SELECT leagues.id AS league_id, game, frozen_from FROM board_freezes JOIN leagues USING (game)
    WHERE frozen_from <= now();

CREATE FUNCTION frozen.is_on_boards(of_league bigint, finished_at timestamptz) RETURNS boolean STABLE LANGUAGE sql AS $$
    SELECT coalesce(finished_at < (SELECT frozen_from FROM frozen.since WHERE league_id = of_league), true)
$$;

CREATE VIEW frozen.standings AS
    SELECT standings.* FROM standings
    WHERE NOT EXISTS (
        SELECT FROM frozen.since
        WHERE since.league_id = standings.league_id AND (entered_at >= frozen_from OR EXISTS (
            SELECT FROM frozen_standings AS kept
            WHERE kept.version_id = standings.version_id AND kept.league_id = standings.league_id)))
    UNION ALL
    SELECT kept.* FROM frozen_standings AS kept JOIN frozen.since ON since.league_id = kept.league_id;

CREATE VIEW frozen.ledger AS
    SELECT ledger.* FROM ledger
    WHERE coalesce(
        (SELECT finished_at FROM matches WHERE id = match_id)
            < (SELECT frozen_from FROM frozen.since WHERE since.league_id = ledger.league_id), true);

CREATE VIEW frozen.moves AS
    SELECT moves.* FROM moves
    WHERE coalesce(at < (SELECT frozen_from FROM frozen.since WHERE since.league_id = from_league), true);

-- A bot is in the league that its first move since the moment has left.
CREATE VIEW frozen.bots AS
    SELECT id, game, name, player_id,
           coalesce(
               (SELECT from_league FROM moves
                WHERE version_id IN (SELECT versions.id FROM versions WHERE bot_id = bots.id)
                  AND at >= (SELECT frozen_from FROM frozen.since WHERE since.league_id = from_league)
                ORDER BY moves.id LIMIT 1), league_id) AS league_id,
           boss_of, created_at, retired_at, disqualified_at, disqualified_by, disqualified_why, source_is_public,
           left_with_player
    FROM bots;

-- A season that was closed since is still on: its last series is being played, or nothing of its end has begun.
CREATE VIEW frozen.seasons AS
    SELECT seasons.id, seasons.game, number, opened_at, series_battles, series_top,
           CASE WHEN closed_at >= frozen_from THEN NULL ELSE closed_at END AS closed_at
    FROM seasons LEFT JOIN (SELECT DISTINCT game, frozen_from FROM frozen.since) AS since ON since.game = seasons.game
    WHERE frozen_from IS NULL OR closed_at IS NULL OR closed_at < frozen_from
       OR series_battles > 0 AND (opened_at IS NULL OR opened_at < frozen_from);

CREATE VIEW frozen.season_ranks AS
    SELECT season_ranks.* FROM season_ranks
    WHERE season_id IN (SELECT id FROM frozen.seasons WHERE closed_at IS NOT NULL);
