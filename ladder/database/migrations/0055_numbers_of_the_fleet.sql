-- What anybody may ask of machines and processes, who sees nothing of them: how many machines have workers that live, how
-- many processes these are, and how many of those play a match or build a version.
CREATE FUNCTION count_fleet(OUT machines bigint, OUT processes bigint, OUT at_work bigint)
    STABLE LANGUAGE sql SET search_path FROM CURRENT AS $$
    SELECT count(DISTINCT host), count(*), count(*) FILTER (
        WHERE EXISTS (SELECT FROM matches WHERE worker_id = workers.id AND state = 'running')
           OR EXISTS (SELECT FROM versions WHERE worker_id = workers.id AND state = 'building'))
    FROM workers JOIN live_workers USING (id)
$$;
