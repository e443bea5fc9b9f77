-- Which states of a match mean that it is to be played yet, or is being played. A new state that means so is added here
-- and to the CHECK. PostgreSQL puts the body in the function's place, so that the index matches_waiting is used.
CREATE FUNCTION is_waiting(state text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN state IN ('queued', 'running');

-- Whether a lease has ended, by the database's clock.
CREATE FUNCTION is_over(lease_until timestamptz) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN lease_until < now();

-- When a lease ends: as it was written down, but for one that would last longer from now on than it lasts in all, since
-- the database's clock was set back meanwhile: it lasts its length from now. A lease that was once longer than the usual
-- seconds keeps its length.
CREATE FUNCTION lease_end(lease_until timestamptz, begun timestamptz, usual_s double precision) RETURNS timestamptz
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN least(lease_until, clock_timestamp() + greatest(make_interval(secs => usual_s), lease_until - begun));

-- Plain words: a rival stays on the board beside its bot's newer version; battles are counted from this many on.
ALTER TABLE standings RENAME COLUMN kept TO is_rival;
ALTER TABLE standings RENAME COLUMN owed_from TO counted_from;
ALTER TABLE standings RENAME CONSTRAINT standings_kept_is_on_board TO standings_rivals_are_on_board;
ALTER TABLE versions RENAME COLUMN keep TO leaves_rival;
