-- Whose answer came last before a referee program broke, so that a version after whose answers that happens again and again shows.
ALTER TABLE failed_attempts ADD COLUMN answered_seat smallint CHECK (answered_seat BETWEEN 0 AND 7);
CREATE INDEX failed_attempts_answered ON failed_attempts (match_id) WHERE answered_seat IS NOT NULL;
