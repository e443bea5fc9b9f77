"""What must hold when the faults are over: one function for each promise.

Each says what it looked at and what is wrong, in a Finding; its `wrong` is empty where the promise was kept.
"""

import hashlib
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, LiteralString

from ladder.bots.builds import MOST_ATTEMPTS, MOST_ATTEMPTS_IN_ALL
from tests.chaos import game_of_three
from tests.chaos.clients import Clients
from tests.chaos.load import Load
from tests.chaos.readers import Readers
from tests.chaos.victim import WORKERS, Rows, Victim
from tests.patience import patience_s
from workers.broker import queue_lengths
from workers.embedded.processes import last_lines
from workers.embedded.supervisor import LONGEST_BUSY_PAUSE_S

GONE_LIMIT_S = 15.0
"""Watchmen look for a while until they are sure."""
STARTED_LIMIT_S = 2 * LONGEST_BUSY_PAUSE_S
"""A worker that found this machine too busy to try its sandbox is started again only after a pause."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One promise: what was looked at, and what is wrong with it."""

    promise: str
    looked_at: str
    wrong: list[str] = field(default_factory=list)


def all_submissions_are_there(victim: Victim, load: Load) -> Finding:
    """Each is a version with its source, once, and was let in: they are all good bots."""
    wrong: list[str] = []
    for one in load.accepted:
        rows = victim.ask("SELECT source_hash, state, message FROM versions WHERE id = %s", one.version_id)
        if not rows or rows[0][0] != hash_of(one.source):
            wrong.append(f"version {one.version_id} of {one.name} is not there with its source")
        elif rows[0][1] != "accepted":
            wrong.append(f"version {one.version_id} of {one.name} is {rows[0][1]}: {rows[0][2]}")
    for source in load.sources:
        kept = victim.ask("SELECT id FROM versions WHERE source_hash = %s", hash_of(source))
        if len(kept) > 1:
            wrong.append(f"one submission is there {len(kept)} times: versions {kept}")
    return Finding("every accepted submission is there once", f"{len(load.accepted)} submissions", wrong)


def hash_of(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()


def all_matches_are_over(victim: Victim) -> Finding:
    """Finished, or void with a reason and the evidence of enough attempts."""
    rows = victim.ask("SELECT state, count(*)::int FROM matches GROUP BY state")
    counts: dict[str, int] = {str(state): int(count) for state, count in rows}
    wrong = one_by_one(
        victim,
        """
        SELECT 'match ' || id || ' is ' || state || ': ' || reason FROM matches
        WHERE state NOT IN ('finished', 'void')
           OR state = 'void' AND (reason = '' OR void_at IS NULL AND strikes < %s AND attempt < %s)
        """,
        MOST_ATTEMPTS,
        MOST_ATTEMPTS_IN_ALL,
    )
    words = (
        f"{sum(counts.values())} matches: {', '.join(f'{count} {state}' for state, count in sorted(counts.items()))}"
    )
    return Finding("every match is finished, or void with a reason", words, wrong)


def attempts_are_accounted_for(victim: Victim) -> Finding:
    """Each attempt but the one that was recorded has its evidence."""
    begun_again = victim.ask("SELECT count(*), coalesce(sum(attempt - 1), 0) FROM matches WHERE attempt > 1")[0]
    wrong = one_by_one(
        victim,
        """
        SELECT format('match %s (%s) was begun %s times; evidence there is of %s', matches.id, state,
                      matches.attempt, count(failed.attempt))
        FROM matches LEFT JOIN failed_attempts AS failed
             ON failed.match_id = matches.id AND (state <> 'finished' OR failed.attempt < matches.attempt)
        GROUP BY matches.id
        HAVING count(failed.attempt) <> matches.attempt - (state = 'finished')::int
        """,
    )
    words = f"{begun_again[0]} matches begun again, {begun_again[1]} attempts failed"
    return Finding("every failed attempt has its evidence", words, wrong)


def sums_are_the_rows(victim: Victim) -> Finding:
    """What Prometheus is told of matches and attempts is kept as sums."""
    rows = victim.ask(
        """
        WITH counted AS (SELECT * FROM tallies UNION ALL SELECT * FROM tally_lines)
        SELECT 'finished', (SELECT count(*)::int FROM matches WHERE state = 'finished'),
               (coalesce(sum(number) FILTER (WHERE name = 'finished'), 0)
                - coalesce(sum(number) FILTER (WHERE name = 'taken_back'), 0))::int FROM counted
        UNION ALL
        SELECT 'void', (SELECT count(*)::int FROM matches WHERE state = 'void'),
               coalesce(sum(number) FILTER (WHERE name IN ('put_aside', 'taken_back')), 0)::int FROM counted
        UNION ALL
        SELECT 'failed attempts', (SELECT count(*)::int FROM failed_attempts),
               coalesce(sum(number) FILTER (WHERE name = 'failed'), 0)::int FROM counted
        """
    )
    wrong = [f"{what}: {there} rows, and {counted} were counted" for what, there, counted in rows if there != counted]
    return Finding(
        "sums for metrics are what the rows are", ", ".join(f"{there} {what}" for what, there, _ in rows), wrong
    )


def ledger_has_pairs(victim: Victim) -> Finding:
    """One line for each seat of a finished match that rates, and no other line."""
    lines = victim.ask("SELECT count(*) FROM ledger")[0][0]
    wrong = one_by_one(
        victim,
        """
        SELECT format('match %s (%s) has the ledger lines %s', matches.id, state, array_agg(ledger.version_id))
        FROM matches LEFT JOIN ledger ON ledger.match_id = matches.id
        GROUP BY matches.id
        HAVING coalesce(array_agg(ledger.version_id ORDER BY ledger.version_id) FILTER (WHERE sequence IS NOT NULL),
                        '{}')
            <> CASE WHEN state = 'finished' AND rates
               THEN (SELECT array_agg(version_id ORDER BY version_id) FROM seats WHERE match_id = matches.id)
               ELSE '{}' END
        """,
    )
    return Finding("one ledger line for each seat of a finished match that rates", f"{lines} lines", wrong)


def ledger_verifies(victim: Victim) -> Finding:
    done = victim.run("rating", "verify")
    words = (done.stdout + done.stderr).strip()
    return Finding("`ladder rating verify` is clean", words.splitlines()[-1], [words] if done.returncode else [])


def both_games_were_played(victim: Victim) -> Finding:
    rows = victim.ask("SELECT players, count(*)::int FROM matches WHERE state = 'finished' GROUP BY players ORDER BY 1")
    counts: dict[int, int] = {int(players): int(count) for players, count in rows}
    wrong = [f"no match of {players} was finished" for players in (2, game_of_three.PLAYERS) if players not in counts]
    words = ", ".join(f"{count} of {players} players" for players, count in counts.items())
    return Finding("matches of both games were finished", words, wrong)


def reasons_of_failures(victim: Victim) -> list[tuple[str, int, int]]:
    """Return why attempts failed, how many, and how many of them count against their match."""
    rows = victim.ask(
        """
        SELECT split_part(why, chr(10), 1), count(*)::int, (count(*) FILTER (WHERE counts))::int
        FROM failed_attempts GROUP BY 1 ORDER BY 2 DESC
        """
    )
    return [(str(why), int(count), int(counted)) for why, count, counted in rows]


def most_attempts(victim: Victim) -> int:
    return int(victim.ask("SELECT max(attempt) FROM matches")[0][0])


def battles_are_whole(victim: Victim) -> Finding:
    """A battle is one seed in as many orders of the seats as it has players, by the same versions."""
    battles = victim.ask("SELECT count(DISTINCT pair_id) FROM matches")[0][0]
    wrong = one_by_one(
        victim,
        """
        SELECT format('battle %s of %s has %s matches, %s seeds, %s orders of the seats, %s fields', pair_id,
                      max(players), count(*), count(DISTINCT seed), count(DISTINCT in_order), count(DISTINCT who))
        FROM matches, LATERAL (
            SELECT array_agg(version_id ORDER BY seat) AS in_order, array_agg(version_id ORDER BY version_id) AS who
            FROM seats WHERE match_id = matches.id) AS seated
        GROUP BY pair_id
        HAVING (count(*), count(DISTINCT seed), count(DISTINCT in_order), count(DISTINCT who), min(players))
            <> (max(players), 1, max(players), 1, max(players))
        """,
    )
    return Finding("every battle is one seed in each order of its seats", f"{battles} battles", wrong)


def gauntlets_are_whole(victim: Victim, load: Load) -> Finding:
    """Each that was begun has ended with a verdict, and every pair of it was played exactly once."""
    wrong = one_by_one(
        victim,
        """
        SELECT format('gauntlet %s is %s (%s) with %s whole pairs of %s', gauntlets.id, state, verdict, pairs_played,
                      pairs)
        FROM gauntlets, LATERAL (
            SELECT count(*) AS pairs_played FROM (
                SELECT slot FROM matches WHERE gauntlet_id = gauntlets.id AND state = 'finished'
                GROUP BY slot HAVING count(*) = max(players)) AS whole) AS played
        WHERE state <> 'finished' OR verdict IS NULL OR pairs_played <> pairs
        """,
    )
    begun = victim.ask("SELECT count(*) FROM gauntlets")[0][0]
    if begun < len(load.gauntlets):
        wrong.append(f"{len(load.gauntlets)} were begun, but {begun} are there")
    return Finding("every gauntlet has its verdict and each pair once", f"{begun} gauntlets", wrong)


def requests_are_whole(victim: Victim, load: Load) -> Finding:
    """Of each all battles were made, each once, or the rest has lapsed with a reason; and they rate nobody."""
    wrong = one_by_one(
        victim,
        """
        SELECT format('request %s: %s of %s battles made, %s are there, %s of their matches rate; %s', requests.id,
                      made, battles, found, rating, coalesce(lapsed, 'it has not lapsed'))
        FROM requests, LATERAL (
            SELECT count(DISTINCT pair_id) AS found, count(*) FILTER (WHERE rates) AS rating
            FROM matches WHERE request_id = requests.id) AS there
        WHERE found <> made OR made < battles AND lapsed IS NULL OR rating > 0
        """,
    )
    asked = victim.ask("SELECT count(*) FROM requests")[0][0]
    if asked < len(load.requests):
        wrong.append(f"{len(load.requests)} were made, but {asked} are there")
    return Finding("every battle that was asked for is made once and rates nobody", f"{asked} requests", wrong)


def workers_are_idle(victim: Victim) -> Finding:
    """As many workers as there should be, none of them playing, and no message waits."""

    def look() -> list[str]:
        alive = victim.ask("SELECT count(*) FROM live_workers")[0][0]
        wanted = len(WORKERS) * victim.processes
        waiting = {name: count for name, count in queue_lengths(victim.broker_url).items() if count}
        wrong = [f"{alive} worker processes are alive, not {wanted}"] if alive != wanted else []
        return wrong + [f"messages wait: {waiting}"] * bool(waiting)

    wrong = until_none(look, STARTED_LIMIT_S)
    logs = [f"the end of the log of {name}:\n{last_lines(victim.home.log(name))}" for name in WORKERS]
    return Finding(
        "the workers live and are idle", f"{len(WORKERS) * victim.processes} processes", wrong and wrong + logs
    )


def nothing_runs(victim: Victim) -> Finding:
    """No box, bot, idle watchdog or control group of any worker that there was."""
    return Finding(
        "no bot, sandbox or control group is left",
        f"what {len(victim.marks)} watchdogs knew",
        until_none(victim.bearing_marks),
    )


def nothing_is_left(victim: Victim) -> Finding:
    """After `ladder down` there is no process at all."""
    return Finding(
        "after `ladder down` no process is left",
        "all processes",
        until_none(lambda: victim.processes_left() + victim.bearing_marks()),
    )


def clients_have_what_they_were_promised(ask: Callable[..., Rows], clients: Clients) -> Finding:
    """Every 201 is a version, once; no version is there without one; no player has more than the quota, or less."""
    wrong = list(clients.wrong)
    answered = {one.version_id: one for one in clients.kept}
    if len(answered) < len(clients.kept):
        wrong.append(f"{len(clients.kept)} submissions were answered by {len(answered)} versions")
    rows = ask(
        """
        SELECT versions.id, players.name, versions.source_hash
        FROM versions JOIN bots ON bots.id = bot_id JOIN players ON players.id = player_id
        WHERE players.name = ANY(%s)
        """,
        clients.players,
    )
    there = {version: (player, source) for version, player, source in rows}
    for version, one in answered.items():
        if there.get(version) != (one.player, hash_of(one.source)):
            wrong.append(f"version {version} of {one.player} was answered by 201 and is not there with its source")
    wrong += [f"version {version} is there, and no 201 has said so" for version in there.keys() - answered.keys()]
    counts = Counter(player for player, _ in there.values())
    wrong += [
        f"{player} has {counts[player]} versions, and may submit {clients.quota} an hour"
        for player in clients.players
        if counts[player] != clients.quota
    ]
    words = f"{len(clients.kept)} answers; the process was killed {clients.kills} times under {len(clients.players)}"
    return Finding("every 201 is one version, and no quota is exceeded", f"{words} players", wrong)


def one_by_one(victim: Victim, query: LiteralString, *parameters: Any) -> list[str]:
    return [row[0] for row in victim.ask(query, *parameters)]


def until_none(look: Callable[[], list[str]], quiet_s: float = GONE_LIMIT_S) -> list[str]:
    """Look until nothing is wrong, for so long on a quiet machine; return what still is."""
    deadline = time.monotonic() + patience_s(quiet_s)
    while (found := look()) and time.monotonic() < deadline:
        time.sleep(0.2)
    return found


def pages_are_whole(readers: Readers) -> Finding:
    wrong = readers.wrong + ([] if readers.see_it_again() else ["the pages did not come back"])
    return Finding("pages are whole, and come back after each fault", readers.told(), wrong)


def check_all(victim: Victim, load: Load, readers: Readers, clients: Clients) -> list[Finding]:
    """Check everything that can be while the ladder runs."""
    return [
        all_submissions_are_there(victim, load),
        all_matches_are_over(victim),
        attempts_are_accounted_for(victim),
        both_games_were_played(victim),
        sums_are_the_rows(victim),
        ledger_has_pairs(victim),
        ledger_verifies(victim),
        battles_are_whole(victim),
        gauntlets_are_whole(victim, load),
        requests_are_whole(victim, load),
        pages_are_whole(readers),
        clients_have_what_they_were_promised(victim.ask, clients),
        workers_are_idle(victim),
        nothing_runs(victim),
    ]
