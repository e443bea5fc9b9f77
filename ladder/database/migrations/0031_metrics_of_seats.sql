-- What a bot says about the match stays with the seat that said it. Before, the second seat's word took the place of the
-- first one's, and it is no longer known whose it was: it goes to both.
UPDATE seats SET metrics = matches.metrics || seats.metrics
FROM matches WHERE matches.id = seats.match_id AND matches.metrics <> '{}';

ALTER TABLE matches DROP COLUMN metrics;
