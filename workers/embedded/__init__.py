"""The services that `ladder up` starts by itself: PostgreSQL, Redis, and the supervisor that keeps everything going.

control     what a command calls: up, down
supervisor  the long-lived process behind `ladder up`
postgres    how PostgreSQL is made, started, found ready and recovered; alone, to read from
redis       how Redis is made, started, found ready and recovered
home        LADDER_HOME and the files in it; room for a start, and what is said where there is none
folders     where the servers' data, sockets and binaries stand, and under which account
processes   finding and ending what a killed supervisor left behind
state_file  what the supervisor writes down for commands, and whether it runs
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from workers.embedded import control, home, postgres, state_file, supervisor
else:
    __getattr__ = lazily(__name__)

__all__ = ["control", "home", "postgres", "state_file", "supervisor"]
