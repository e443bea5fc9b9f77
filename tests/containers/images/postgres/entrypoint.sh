#!/bin/sh
# Makes the database where there is none yet, and becomes the server, as an ordinary user.
set -eu
if [ "$(id -u)" = 0 ]; then
    install -d -o postgres -g postgres -m 700 "$PGDATA" /run/postgresql
    exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-host=scram-sha-256 --auth-local=trust >/dev/null
    echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
    pg_ctl --wait --options='-c listen_addresses= -k /run/postgresql' start >/dev/null
    createdb --host=/run/postgresql --username="$POSTGRES_USER" "$POSTGRES_DB" 2>/dev/null || true
    pg_ctl --wait stop >/dev/null
fi
exec "$@" -c listen_addresses='*' -k /run/postgresql
