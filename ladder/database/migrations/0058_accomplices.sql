-- What one player's bots may do in a league. `own_bots_meet`: whether two of them meet in matches that rate; null: only on
-- a ladder without accounts. `most_bots`: how many of them can be in it; null: any number.

ALTER TABLE leagues
    ADD COLUMN own_bots_meet boolean,
    ADD COLUMN most_bots int,
    ADD CONSTRAINT leagues_most_bots_is_sane CHECK (most_bots BETWEEN 1 AND 10000);

-- Whether anybody has an account, so that the ladder is served to players and not one person's alone.
CREATE FUNCTION has_accounts() RETURNS boolean
LANGUAGE sql STABLE
RETURN EXISTS (SELECT FROM players WHERE password_hash IS NOT NULL);
