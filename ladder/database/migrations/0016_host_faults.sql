-- In whose turn the host was too busy, so that a bot that brings this about itself can be found.

ALTER TABLE failed_attempts ADD COLUMN seat smallint;  -- null: that is not why it failed, or nobody knows whose turn it was
CREATE INDEX failed_attempts_host_busy ON failed_attempts (failed_at) WHERE seat IS NOT NULL;
