-- Whether a worker can lead the matches of a game: of one with rules in Python it needs the folder, and of one whose referee
-- is a program (it has an edition) the languages that the referee needs. Null: not known, then it may be able to.
CREATE FUNCTION has_game(its_games text[], its_plays text[], game text, edition text) RETURNS boolean
LANGUAGE sql STABLE
RETURN CASE WHEN edition IS NULL THEN its_games @> ARRAY[game]
            ELSE its_plays @> (SELECT needs FROM game_editions WHERE hash = edition) END;
