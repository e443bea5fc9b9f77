"""The services that `ladder up` starts by itself: PostgreSQL, Redis, and the supervisor that keeps everything going.

control         what a command calls: up, down
supervisor      the long-lived process behind `ladder up`
postgres        how PostgreSQL is made, started, found ready and recovered
redis           the same for Redis
postgres_alone  PostgreSQL without the other services, to read from
disk            room for a start, and what is said where there is none
home            LADDER_HOME and the files in it
folders         where the servers' data and sockets stand, and under which account
programs        where the servers' binaries are
processes       finding and ending what a killed supervisor left behind
state_file      what the supervisor writes down for commands, and whether it runs
"""
