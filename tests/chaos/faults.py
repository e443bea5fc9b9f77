"""The faults: each is one function that does its worst to the ladder and says what it hit.

Each returns a sentence for the log. Those that need something to be going on (a match, a recording) wait for it; where
nothing comes they raise Stuck, and the fault is tried again later.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from random import Random

from ladder.errors import QueueDown
from ladder.ids import MatchId
from tests.chaos.clients import Clients
from tests.chaos.load import Load
from tests.chaos.readers import Readers
from tests.chaos.victim import WORKERS, Playing, Stuck, Victim, wait_for
from workers.app import queue_for
from workers.commands import WEB
from workers.embedded import state_file

MATCH_LIMIT_S = 20.0
"""A match to hit comes within this time, or something else is going on."""
FULL_S = 12.0
HOUR_S = 3600
DELIVERIES = 3


@dataclass
class Scene:
    """What a fault has to do with."""

    victim: Victim
    load: Load
    readers: Readers
    chance: Random
    clients: Clients = field(default_factory=Clients)

    def a_match(self, limit_s: float = MATCH_LIMIT_S) -> Playing:
        """Return a match that is being played, as soon as there is one. Raises Stuck."""
        found: list[Playing] = wait_for(self.victim.playing, "a match to be played", limit_s)
        return self.chance.choice(found)

    def attempt_of(self, match_id: MatchId) -> tuple[str, int]:
        state, attempt = self.victim.ask("SELECT state, attempt FROM matches WHERE id = %s", match_id)[0]
        return str(state), int(attempt)


Fault = Callable[[Scene], str]


def kill_in_mid_match(scene: Scene) -> str:
    hit = scene.a_match()
    scene.victim.kill(hit.pid)
    return f"killed {hit}"


def kill_referee(scene: Scene) -> str:
    """Kill the referee program of a match that it leads; the bots and the worker live on."""
    led: list[tuple[Playing, int]] = wait_for(scene.victim.led, "a match that a program leads", MATCH_LIMIT_S)
    hit, pid = scene.chance.choice(led)
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError as error:
        raise Stuck(f"the referee of {hit} was gone a moment too early") from error
    return f"killed the referee, process {pid}, of {hit}"


def kill_in_mid_record(scene: Scene) -> str:
    """Kill the process whose match is half written down, or the one that writes."""
    with recording_held(scene) as hit:
        pid = one_of_two(scene, hit)
        scene.victim.kill(pid)
    return f"killed {hit}, in its recording" if pid == hit.pid else f"killed process {pid}, which recorded {hit}"


def kill_worker(scene: Scene) -> str:
    """Kill the main process of a worker, which takes the others along."""
    name = scene.chance.choice(WORKERS)
    pid = scene.victim.pid_of(name)
    scene.victim.kill(pid)
    return f"killed the main process of {name}, {pid}"


def kill_scheduler(scene: Scene) -> str:
    pid = scene.victim.pid_of("scheduler")
    scene.victim.kill(pid)
    return f"killed the scheduler, process {pid}"


def kill_web(scene: Scene) -> str:
    pid = scene.victim.pid_of(WEB)
    scene.victim.kill(pid)
    return f"killed the process behind the pages, {pid}, after {scene.readers.answers} answers"


def kill_web_of_players(scene: Scene) -> str:
    """Kill the process that serves the ladder to players, several times, while they submit."""
    victim, clients = scene.victim, scene.clients
    before = clients.kills, len(clients.kept)
    names = clients.submit_while_killed(victim.database_url, victim.broker_url, victim.home.folder)
    victim.ask(
        """
        UPDATE versions SET state = 'rejected', message = 'only submitted'
        WHERE state = 'building' AND bot_id IN (
            SELECT bots.id FROM bots JOIN players ON players.id = player_id WHERE players.name = ANY(%s))
        """,
        names,
    )
    kills, kept = clients.kills - before[0], len(clients.kept) - before[1]
    return f"killed the process that serves players {kills} times while {len(names)} of them submitted {kept} versions"


def kill_all(scene: Scene) -> str:
    """Kill the supervisor, whose children all end with it, and start the ladder again."""
    scene.victim.remember_marks()
    pid = scene.victim.running().pid
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: state_file.running(scene.victim.home) is None, "the supervisor to be gone")
    scene.victim.up()
    return f"killed the supervisor, process {pid}, and started the ladder again"


def lose_messages(scene: Scene) -> str:
    return f"killed Redis, process {scene.victim.forget_messages()}, and deleted its file of writes"


def restart_database_fast(scene: Scene) -> str:
    """Restart PostgreSQL so that it rolls back what is under way."""
    return f"restarted PostgreSQL (fast), process {scene.victim.stop_database(signal.SIGINT)}"


def restart_database_immediately(scene: Scene) -> str:
    """Restart PostgreSQL so that it has to recover from its log."""
    return f"restarted PostgreSQL (immediate), process {scene.victim.stop_database(signal.SIGQUIT)}"


def deliver_twice(scene: Scene) -> str:
    """Send several messages for everything that waits, is under way, or has been done lately."""
    matches = scene.victim.ask("SELECT id FROM matches ORDER BY state <> 'running', id DESC LIMIT 60")
    versions = scene.victim.ask("SELECT id FROM versions ORDER BY id DESC LIMIT 5")
    queue = queue_for(scene.victim.broker_url)
    with suppress(QueueDown):
        for _ in range(DELIVERIES):
            for (match_id,) in matches:
                queue.enqueue_match(match_id)
            for (version_id,) in versions:
                queue.enqueue_build(version_id)
    return f"rang {DELIVERIES} times more for {len(matches)} matches and {len(versions)} builds"


def result_after_the_end(scene: Scene) -> str:
    """Stop the process that plays; its lease runs out, another one plays and records; then the first one's comes."""
    with stopped(scene) as late:
        ring_first(scene, late)
        over = wait_for(lambda: is_over(scene, late), f"match {late.match_id} to be played by another", 60)
    return f"stopped {late}; {over}; let it go on"


def result_before_the_other(scene: Scene) -> str:
    """Do the same, but the late result comes while the other process still plays."""
    with stopped(scene) as late:
        ring_first(scene, late)
        wait_for(lambda: scene.attempt_of(late.match_id)[1] > late.attempt, f"match {late.match_id} begun again", 60)
        again = scene.attempt_of(late.match_id)
    return f"stopped {late}; it was {again[0]} in attempt {again[1]} when it went on"


def result_before_anybody_saw(scene: Scene) -> str:
    hit = scene.a_match()
    end_lease(scene, hit)
    return f"ended the lease of {hit}, which went on"


def recording_stands_still(scene: Scene) -> str:
    """Stop the process whose match is half written down, or the one that writes, for some seconds."""
    pause_s = scene.chance.uniform(2, 5)
    with recording_held(scene) as hit:
        pid = one_of_two(scene, hit)
        os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(pause_s)
    finally:
        go_on(pid)
    return f"stopped process {pid} for {pause_s:.1f} s, in the recording of {hit}"


def recording_is_given_up(scene: Scene) -> str:
    """Stop the process that has written half of a match, until the database loses patience and another worker plays."""
    with recording_held(scene) as hit:
        pid = scene.victim.first_process_of(hit)
        os.kill(pid, signal.SIGSTOP)
    try:
        wait_for(lambda: hit.match_id not in locked_matches(scene), "the database to lose patience", 60)
        end_lease(scene, hit)
        over = wait_for(lambda: is_over_once_rung(scene, hit), f"match {hit.match_id} to be played by another", 60)
    finally:
        go_on(pid)
    return f"stopped process {pid} until its recording of {hit} was given up; {over}; let it go on"


def one_of_two(scene: Scene, hit: Playing) -> int:
    return scene.chance.choice([hit.pid, scene.victim.first_process_of(hit)])


def is_over_once_rung(scene: Scene, late: Playing) -> str | None:
    """Do the same, and have it begun again: a stopped worker may be sent the message."""
    over = is_over(scene, late)
    if over is None and scene.attempt_of(late.match_id)[1] == late.attempt:
        ring_first(scene, late)
        time.sleep(1)
    return over


def fill_disk(scene: Scene) -> str:
    """Fill the disk of one worker while new bots come in, and give the room back."""
    victim = scene.victim
    victim.disk.fill(victim.pids_of_second())
    deadline = time.monotonic() + FULL_S
    while time.monotonic() < deadline:
        scene.load.submit_now()
        time.sleep(1)
    victim.disk.make_room(victim.pids_of_second())
    return f"filled the disk of the second worker for {FULL_S:.0f} s: {victim.disk.how}"


def set_clock_back(scene: Scene) -> str:
    """Set the clocks of the workers and the scheduler, one back and one forward; what was written stays in the future.

    The database's clock cannot be set for it alone, so the times in its rows are moved as it would have left them.
    """
    name = scene.chance.choice(list(scene.victim.clocks))
    clock = scene.victim.clocks[name]
    back_s = scene.chance.choice([60, HOUR_S, 24 * HOUR_S])
    clock.set(-back_s)
    scene.victim.ask(
        """
        UPDATE matches SET enqueued_at = enqueued_at + shift, lease_until = lease_until + shift,
            created_at = created_at + shift, started_at = started_at + shift
        FROM (SELECT make_interval(secs => %s) AS shift) AS set_back WHERE state IN ('queued', 'running')
        """,
        back_s,
    )
    scene.victim.ask(
        """
        UPDATE versions
        SET enqueued_at = enqueued_at + shift, lease_until = lease_until + shift, began_at = began_at + shift
        FROM (SELECT make_interval(secs => %s) AS shift) AS set_back WHERE state = 'building'
        """,
        back_s,
    )
    scene.victim.ask("UPDATE failed_attempts SET failed_at = failed_at + make_interval(secs => %s)", back_s)
    how = f"set the clock of {name} back by {back_s} s" if clock.is_ours else "could not set a worker's clock (no gcc)"
    return f"{how}; moved the times in the database's rows as a clock that was set back leaves them"


def is_over(scene: Scene, late: Playing) -> str | None:
    state, attempt = scene.attempt_of(late.match_id)
    return f"it is {state} by attempt {attempt}" if attempt > late.attempt and state in {"finished", "void"} else None


@contextmanager
def stopped(scene: Scene) -> Iterator[Playing]:
    """Stop a process that plays a match, and let the match's lease run out; the process goes on after the block."""
    hit = scene.a_match()
    os.kill(hit.pid, signal.SIGSTOP)
    try:
        end_lease(scene, hit)
        yield hit
    finally:
        go_on(hit.pid)


def end_lease(scene: Scene, hit: Playing) -> None:
    """Let a match's lease be over, as if the time had passed. Raises Stuck where that attempt is over already."""
    ended = scene.victim.ask(
        """
        UPDATE matches SET lease_until = now() - interval '1 second'
        WHERE id = %s AND attempt = %s AND state = 'running' RETURNING id
        """,
        hit.match_id,
        hit.attempt,
    )
    if not ended:
        raise Stuck(f"{hit} was over a moment too early")


def ring_first(scene: Scene, hit: Playing) -> None:
    with suppress(QueueDown):
        queue_for(scene.victim.broker_url).enqueue_match(hit.match_id, first=True)


def go_on(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


@contextmanager
def recording_held(scene: Scene) -> Iterator[Playing]:
    """Hold a process in the middle of its recording: the ledger cannot be written to while the block runs."""
    with scene.victim.connect() as holder, holder.transaction():
        holder.execute("LOCK TABLE ledger IN SHARE MODE")
        yield wait_for(lambda: a_recording(scene), "a match to be recorded", MATCH_LIMIT_S)


def a_recording(scene: Scene) -> Playing | None:
    """Return a match that is being recorded, if there is one: played in one attempt before and after it was locked."""
    before = scene.victim.playing()
    if not scene.victim.ask("SELECT pid FROM pg_locks WHERE relation = 'ledger'::regclass AND NOT granted"):
        return None
    locked = locked_matches(scene)
    found = [match for match in scene.victim.playing() if match in before and match.match_id in locked]
    return scene.chance.choice(found) if found else None


def locked_matches(scene: Scene) -> set[int]:
    running = scene.victim.ask("SELECT id FROM matches WHERE state = 'running'")
    free = scene.victim.ask("SELECT id FROM matches WHERE state = 'running' FOR UPDATE SKIP LOCKED")
    return {row[0] for row in running} - {row[0] for row in free}
