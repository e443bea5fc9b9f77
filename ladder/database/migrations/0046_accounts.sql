-- Accounts: who may do what, by which secret, how much of it, and what was done. Somebody alone needs no row of these
-- tables. What lets somebody in is stored as a hash (SHA-256 of 32 random bytes, argon2id of a password): who reads the
-- database cannot act in anybody's name with it.

-- `password_hash`: null for those who have never logged in.
ALTER TABLE players
    ADD COLUMN role text NOT NULL DEFAULT 'player',
    ADD COLUMN password_hash text,
    ADD COLUMN disabled_at timestamptz,
    ADD COLUMN disabled_why text,
    ADD CONSTRAINT players_role_is_known CHECK (role IN ('player', 'operator'));

-- What programs show. `game`, `bot`: what alone it is for, by name, so that it can be made before its bot; null: all.
CREATE TABLE tokens (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    player_id       bigint NOT NULL REFERENCES players,
    name            text NOT NULL,
    hash            bytea NOT NULL,
    last_four       text NOT NULL,
    scopes          text[] NOT NULL,
    game            text,
    bot             text,
    created_at      timestamptz NOT NULL DEFAULT now(),
    expires_at      timestamptz NOT NULL,
    last_used_at    timestamptz,
    last_used_from  text,
    revoked_at      timestamptz,
    CONSTRAINT tokens_hash_is_unique UNIQUE (hash),
    CONSTRAINT tokens_name_is_plain CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,38}$'),
    CONSTRAINT tokens_scopes_are_known CHECK (scopes <@ '{read,submit,play,operate}' AND cardinality(scopes) > 0)
);
CREATE UNIQUE INDEX tokens_name_is_unique ON tokens (player_id, lower(name)) WHERE revoked_at IS NULL;

-- A browser that somebody has logged in with.
CREATE TABLE sessions (
    hash        bytea PRIMARY KEY,
    player_id   bigint NOT NULL REFERENCES players,
    created_at  timestamptz NOT NULL DEFAULT now(),
    seen_at     timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL,
    agent       text NOT NULL
);
CREATE INDEX sessions_of_player ON sessions (player_id);

-- A program that asks to be let in (RFC 8628). `user_code`: the hash of what people type; `client`, `address`: who asks,
-- by its own words and from where; `player_id`: who has answered.
CREATE TABLE device_grants (
    device_hash  bytea PRIMARY KEY,
    user_code    bytea NOT NULL,
    scopes       text[] NOT NULL,
    client       text NOT NULL,
    address      text NOT NULL,
    player_id    bigint REFERENCES players,
    state        text NOT NULL DEFAULT 'pending',
    expires_at   timestamptz NOT NULL,
    polled_at    timestamptz,
    CONSTRAINT device_grants_code_is_unique UNIQUE (user_code),
    CONSTRAINT device_grants_state_is_known CHECK (state IN ('pending', 'granted', 'denied', 'used'))
);

-- A link that makes somebody an account. `new`: of a player who did not play before; `claim`: of one who did; `reset`: a
-- new password; `join`: whoever follows it chooses a name, `uses_left` times.
CREATE TABLE invitations (
    hash        bytea PRIMARY KEY,
    kind        text NOT NULL,
    role        text NOT NULL,
    player_id   bigint REFERENCES players,
    uses_left   int NOT NULL,
    created_by  text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL,
    CONSTRAINT invitations_kind_is_known CHECK (kind IN ('new', 'claim', 'reset', 'join')),
    CONSTRAINT invitations_role_is_known CHECK (role IN ('player', 'operator')),
    CONSTRAINT invitations_are_for_somebody CHECK ((player_id IS NULL) = (kind = 'join')),
    CONSTRAINT invitations_uses_are_left_or_not CHECK (uses_left >= 0)
);

-- What a write has answered, for whoever asks the same again. `status` is null while the first is still at it.
CREATE TABLE idempotency (
    player_id   bigint NOT NULL REFERENCES players,
    key         text NOT NULL,
    route       text NOT NULL,
    body_hash   bytea NOT NULL,
    status      int,
    body        text,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (player_id, key)
);

-- A link with which others see a match as its player does.
CREATE TABLE shares (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash        bytea NOT NULL UNIQUE,
    match_id    bigint NOT NULL REFERENCES matches,
    player_id   bigint NOT NULL REFERENCES players,
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL,
    revoked_at  timestamptz
);
CREATE INDEX shares_of_match ON shares (match_id);

-- How much a player may ask for. `player_id` null: everybody's default; a number that is null: no limit.
CREATE TABLE quotas (
    player_id          bigint REFERENCES players,
    versions_per_hour  int CHECK (versions_per_hour >= 0),
    versions_per_day   int CHECK (versions_per_day >= 0),
    battles_per_day    int CHECK (battles_per_day >= 0),
    gauntlets_running  int CHECK (gauntlets_running >= 0),
    cpu_s_per_day      int CHECK (cpu_s_per_day >= 0),
    tokens             int CHECK (tokens >= 0),
    CONSTRAINT quotas_one_for_each UNIQUE NULLS NOT DISTINCT (player_id)
);

-- What matches that a player asked for have taken, hour by hour.
CREATE TABLE usage (
    player_id  bigint NOT NULL REFERENCES players,
    hour       timestamptz NOT NULL,
    cpu_us     bigint NOT NULL DEFAULT 0,
    matches    int NOT NULL DEFAULT 0,
    PRIMARY KEY (player_id, hour)
);

-- What was done: a line for each write, added in its own transaction and never changed. It takes the place of the deeds,
-- which are those lines that concern others: `details` says so. `via`: session, token, database or scheduler.
ALTER TABLE deeds RENAME TO audit;
ALTER TABLE audit RENAME COLUMN done_at TO at;
ALTER TABLE audit RENAME COLUMN done_by TO actor;
ALTER TABLE audit RENAME COLUMN deed TO action;
ALTER TABLE audit RENAME COLUMN about TO target;
ALTER TABLE audit
    ADD COLUMN token_id bigint,
    ADD COLUMN via text NOT NULL DEFAULT 'database',
    ADD COLUMN address text,
    ADD COLUMN details jsonb NOT NULL DEFAULT '{}';
UPDATE audit SET details = '{"concerns_others": true}';
CREATE INDEX audit_concerns_others ON audit (id) WHERE details @> '{"concerns_others": true}';
CREATE INDEX audit_of_actor ON audit (lower(actor), id);

CREATE FUNCTION refuse_to_change_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit is only added to';
END
$$;
CREATE TRIGGER audit_is_kept BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION refuse_to_change_audit();

-- The time on the processor that a seat was charged for in all; null for matches from before.
ALTER TABLE seats ADD COLUMN cpu_us bigint;
-- Whether everybody who may read sees the sources of its versions.
ALTER TABLE bots ADD COLUMN source_is_public boolean NOT NULL DEFAULT false;
-- A game that takes no new versions and no other ones on its boards at present; play goes on.
CREATE TABLE game_locks (
    game       text PRIMARY KEY,
    closed_at  timestamptz NOT NULL DEFAULT now(),
    why        text NOT NULL,
    by         text NOT NULL
);
