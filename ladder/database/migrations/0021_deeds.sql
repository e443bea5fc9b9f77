-- What operators did that concerns others: who, what and when, for everybody to see.

CREATE TABLE deeds (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    done_at  timestamptz NOT NULL DEFAULT now(),
    done_by  text NOT NULL,  -- as they name themselves: whoever reaches the database is an operator
    deed     text NOT NULL,  -- the command, as in `match void`
    about    text NOT NULL   -- what it concerned and what came of it, for people
);
