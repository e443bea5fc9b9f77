-- When a match or a build was last put into the queue.
ALTER TABLE matches RENAME COLUMN rung_at TO enqueued_at;
ALTER TABLE versions RENAME COLUMN rung_at TO enqueued_at;
