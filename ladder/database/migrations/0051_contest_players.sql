-- Who takes part in the contest that a season is: those on the list with which it was opened. None: everybody.
CREATE TABLE contest_players (
    game       text NOT NULL,
    season     int NOT NULL,
    player_id  bigint NOT NULL REFERENCES players,
    PRIMARY KEY (game, season, player_id)
);
