-- How often a version came 1st, 2nd and so on in matches of more than two players, up to the worst place that it had.
ALTER TABLE standings
    ADD COLUMN places int[] NOT NULL DEFAULT '{}',
    ADD CONSTRAINT standings_places_are_counts
        CHECK (cardinality(places) <= 8 AND 0 <= ALL (places) AND array_position(places, NULL) IS NULL);
ALTER TABLE frozen_standings ADD COLUMN places int[] NOT NULL DEFAULT '{}';
ALTER TABLE season_ranks ADD COLUMN places int[] NOT NULL DEFAULT '{}';

CREATE OR REPLACE VIEW frozen.standings AS
    SELECT standings.* FROM standings
    WHERE NOT EXISTS (
        SELECT FROM frozen.since
        WHERE since.league_id = standings.league_id AND (entered_at >= frozen_from OR EXISTS (
            SELECT FROM frozen_standings AS kept
            WHERE kept.version_id = standings.version_id AND kept.league_id = standings.league_id)))
    UNION ALL
    SELECT kept.* FROM frozen_standings AS kept JOIN frozen.since ON since.league_id = kept.league_id;
CREATE OR REPLACE VIEW frozen.season_ranks AS
    SELECT season_ranks.* FROM season_ranks
    WHERE season_id IN (SELECT id FROM frozen.seasons WHERE closed_at IS NOT NULL);

-- The counts when that place was taken once more. It is one expression, so that recordings do not have to call it.
CREATE FUNCTION one_more_place(places int[], place int) RETURNS int[] IMMUTABLE LANGUAGE sql AS $$
    SELECT CASE WHEN place > cardinality(places)
        THEN places || array_fill(0, ARRAY[place - 1 - cardinality(places)]) || 1
        ELSE places[:place - 1] || (places[place] + 1) || places[place + 1:] END
$$;

-- The counts as they are shown: one for each place that there is in matches of these numbers of players.
CREATE FUNCTION every_place(places int[], players smallint[]) RETURNS int[] IMMUTABLE LANGUAGE sql AS $$
    SELECT CASE WHEN players[cardinality(players)] > 2
        THEN places || array_fill(0, ARRAY[greatest(players[cardinality(players)] - cardinality(places), 0)])
        ELSE places END
$$;

-- How often each version took which place in a league's rated matches of more than two. `before_freeze`: only in those
-- from before the league's board was frozen. Where no standing has been in such a match, it looks at none.
CREATE FUNCTION taken_places(before_freeze boolean) RETURNS TABLE (version_id bigint, league_id bigint, places int[])
    STABLE LANGUAGE sql AS $$
    SELECT ledger.version_id, ledger.league_id,
           (ARRAY[count(*) FILTER (WHERE place = 1), count(*) FILTER (WHERE place = 2),
                  count(*) FILTER (WHERE place = 3), count(*) FILTER (WHERE place = 4),
                  count(*) FILTER (WHERE place = 5), count(*) FILTER (WHERE place = 6),
                  count(*) FILTER (WHERE place = 7), count(*) FILTER (WHERE place = 8)])[:max(place)]::int[]
    FROM matches
    JOIN seats ON seats.match_id = matches.id
    JOIN ledger ON ledger.match_id = matches.id AND ledger.version_id = seats.version_id
    WHERE matches.players > 2 AND place IS NOT NULL AND EXISTS (SELECT FROM standings WHERE further_opponents > 0)
      AND (NOT before_freeze OR finished_at < (
          SELECT frozen_from FROM board_freezes JOIN leagues USING (game) WHERE leagues.id = ledger.league_id))
    GROUP BY ledger.version_id, ledger.league_id
$$;

-- Count the places of all standings, for those that come from before this migration: here, and from older exports.
-- Those of frozen boards come second, as the first change of a standing can keep it for them.
CREATE FUNCTION count_places() RETURNS void LANGUAGE sql AS $$
    UPDATE standings SET places = taken.places FROM taken_places(before_freeze => false) AS taken
    WHERE standings.version_id = taken.version_id AND standings.league_id = taken.league_id;
    UPDATE frozen_standings AS kept SET places = taken.places FROM taken_places(before_freeze => true) AS taken
    WHERE kept.version_id = taken.version_id AND kept.league_id = taken.league_id;
$$;
SELECT count_places();
