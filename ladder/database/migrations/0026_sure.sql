-- The chance of standing above the boss at which a version goes up before it has had all its battles; null: never.
-- Leagues that exist keep to their battles; new ones begin with the default.

ALTER TABLE leagues
    ADD COLUMN sure double precision,
    ADD CONSTRAINT leagues_sure_is_sane CHECK (sure BETWEEN 0.5 AND 1);
ALTER TABLE leagues ALTER COLUMN sure SET DEFAULT 0.999;
