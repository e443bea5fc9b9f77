-- What bots print about themselves, and how often they spoke before they were asked.

ALTER TABLE matches ADD COLUMN metrics jsonb NOT NULL DEFAULT '{}';
ALTER TABLE seats ADD COLUMN metrics jsonb NOT NULL DEFAULT '{}';
ALTER TABLE seats ADD COLUMN early_lines int NOT NULL DEFAULT 0;
-- Whether a line that comes before it is asked for loses the match; otherwise it is the answer of the next turn.
ALTER TABLE leagues ADD COLUMN early_line_loses boolean NOT NULL DEFAULT false;
