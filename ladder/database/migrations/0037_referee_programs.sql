-- Games whose referee is a program of its own. The files of a game stand here by the hash of their content, so that every
-- worker has them; all of a game's files at one time are an edition of it. An edition is never changed, and stays.
CREATE TABLE game_files (
    hash    text PRIMARY KEY,                   -- sha256 of the content
    content bytea NOT NULL);
ALTER TABLE game_files ALTER COLUMN content SET STORAGE EXTERNAL;       -- jars are packed already

CREATE TABLE game_editions (
    hash    text PRIMARY KEY,                   -- of a list of its files, see engine.toolchains.tree
    game    text NOT NULL,
    needs   text[] NOT NULL DEFAULT '{}',       -- the languages whose runtime the referee needs
    made_at timestamptz NOT NULL DEFAULT now(),
    made_by text NOT NULL);

CREATE TABLE game_edition_files (
    edition    text NOT NULL REFERENCES game_editions (hash) ON DELETE CASCADE,
    name       text NOT NULL,                   -- a path below the game's folder
    executable boolean NOT NULL,
    file       text NOT NULL REFERENCES game_files (hash),
    PRIMARY KEY (edition, name));

-- The games of this ladder, each with its present edition. One that was removed stays while its matches do.
CREATE TABLE games (
    name       text PRIMARY KEY,
    edition    text NOT NULL REFERENCES game_editions (hash),
    added_at   timestamptz NOT NULL DEFAULT now(),
    added_by   text NOT NULL,
    removed_at timestamptz);

-- By which edition a match is played, and all matches of a gauntlet; null for games with rules in Python.
ALTER TABLE matches ADD COLUMN edition text REFERENCES game_editions (hash);
ALTER TABLE gauntlets ADD COLUMN edition text REFERENCES game_editions (hash);

-- The present edition of a league's game; null for a game with rules in Python.
CREATE FUNCTION present_edition(league bigint) RETURNS text
LANGUAGE sql STABLE
RETURN (SELECT games.edition FROM games JOIN leagues ON leagues.game = games.name WHERE leagues.id = league);

-- Which games with rules in Python a worker has where it is. Null: it has not said so, and may have all.
ALTER TABLE workers ADD COLUMN games text[];
