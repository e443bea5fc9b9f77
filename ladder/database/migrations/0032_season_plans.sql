-- A season's end that is planned: from `submit_until` on no version is submitted; when nothing is left to be played the
-- last series is, if there is to be one (series_battles above 0), and then the season is closed and the plan is over.
CREATE TABLE season_plans (
    game            text PRIMARY KEY,
    number          int NOT NULL CHECK (number > 0),
    submit_until    timestamptz NOT NULL,
    series_battles  int NOT NULL CHECK (series_battles >= 0),
    series_top      int NOT NULL CHECK (series_top >= 0),
    planned_by      text NOT NULL,
    planned_at      timestamptz NOT NULL DEFAULT now());
