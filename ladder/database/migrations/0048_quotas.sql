-- Quotas hold for what is asked for through the web, not for what somebody does who reaches the database.
-- `is_limited`: whether its player's quotas hold for it; `waits_until`: when there is processor time for it again, null
-- while there is.
ALTER TABLE gauntlets
    ADD COLUMN is_limited boolean NOT NULL DEFAULT false,
    ADD COLUMN waits_until timestamptz;
ALTER TABLE automatic_gauntlets ADD COLUMN is_limited boolean NOT NULL DEFAULT false;
CREATE INDEX requests_of_player ON requests (lower(asked_by), created_at);

-- What a seat has used, as quotas count it; 0046 says "charged", and a bot that sleeps is charged for that, too.
COMMENT ON COLUMN seats.cpu_us IS 'the time on the processor that a seat used in all its turns';

-- Whether a bot left the boards because its player's account was disabled, so that it comes back with the account.
ALTER TABLE bots ADD COLUMN left_with_player boolean NOT NULL DEFAULT false;
