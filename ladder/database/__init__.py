"""The way to PostgreSQL.

connection       pools and transactions; where the driver's errors become ours
migrate          bringing the schema up to date
session          how a session is opened, so that both ends notice when the other is gone
tallies          how often things have happened
schema           do the database's schema and this program fit together?
worker_sessions  sessions that workers borrow

`schema.sql` is the schema, all of it.
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.database import connection as connection
    from ladder.database import migrate as migrate
else:
    __getattr__ = lazily(__name__)
