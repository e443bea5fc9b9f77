-- Whether something happened within the last seconds. A moment that is yet to come was written down before the
-- database's clock was set back: it says nothing about the last seconds, so it does not count as recent.
CREATE FUNCTION recently(moment timestamptz, seconds double precision) RETURNS boolean
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN moment BETWEEN now() - make_interval(secs => seconds) AND clock_timestamp();
