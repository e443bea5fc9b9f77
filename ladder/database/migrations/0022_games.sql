-- What a league needs to know of its game: so nothing that reads or writes rows asks for the game itself. The values are
-- written whenever the leagues are registered; until then those of most games stand here.

ALTER TABLE leagues
    ADD COLUMN game_draw_probability double precision NOT NULL DEFAULT 0.05,
    ADD COLUMN most_asks_per_seat    integer NOT NULL DEFAULT 300,
    ADD COLUMN game_first_limit_ms   integer NOT NULL DEFAULT 1000,
    ADD COLUMN game_turn_limit_ms    integer NOT NULL DEFAULT 50;

UPDATE leagues SET game_draw_probability = 0.01, most_asks_per_seat = 100 WHERE game = 'ice-and-fire';
