-- Machines and processes are for operators: for others they are absent, where they were an empty name and the number 0.
CREATE OR REPLACE VIEW seen.workers AS
    SELECT id, CASE WHEN seen.operates() THEN host END AS host, CASE WHEN seen.operates() THEN pid END AS pid,
           started_at, builds, plays, out_of_reach, games
    FROM workers;
