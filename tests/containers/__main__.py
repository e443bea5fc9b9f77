"""`make containers`: do the image and the compose file of `deploy`, unmodified, make a ladder that loses nothing?

It builds both targets of the Dockerfile, twice, and starts the compose file with the guarantees `strict`. Then it does
to the containers what can happen to them, and looks after each act whether matches are recorded and every container is
healthy again. At the end nothing may be lost, and the ledger is replayed. See `engine` for what runs them. The exit
status is 1 if a promise was broken, and 5, with one sentence, where this machine cannot run containers.
"""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable

from tests.containers.deployed import IMAGE, NEXT, PLAYING_S, PROJECT, Deployed, give_password
from tests.containers.engine import CannotRun, Engine, engines
from tests.patience import wait_until

MOST_COMMANDS_MB = 350
AWAY_S = 30
MOST = 4
"""Workers."""
BEGIN = time.monotonic()


def main() -> int:
    """Do all of it and return the exit status."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        with engines(say) as kind:
            give_password(kind.checkout)
            with kind.building() as engine:
                build(engine)
            with kind.running() as engine:
                return run(Deployed(engine))
    except CannotRun as error:
        say(str(error))
        return 5
    except KeyboardInterrupt:
        say("interrupted; the containers are taken away")
        return 130


def say(words: str) -> None:
    print(f"{time.monotonic() - BEGIN:6.1f} s  {words}", flush=True)  # noqa: T201 - this is how it reports


def build(engine: Engine) -> None:
    """Build both targets, as they are and as the next version's. Raises AssertionError where one is too large."""
    for image in (IMAGE, NEXT):
        for target, tag in (("commands", f"{image}-commands"), ("worker", image)):
            base = [f"--build-arg=BASE={engine.base}"] if engine.base else []
            engine.build(".", tag, f"--target={target}", f"--build-arg=REVISION={image}", *base)
            size_mb = int(engine.docker("image", "inspect", "--format={{.Size}}", tag)) / 1e6
            say(f"built {tag}: {size_mb:.0f} MB")
            if target == "commands" and size_mb > MOST_COMMANDS_MB:
                raise AssertionError(f"{tag} has {size_mb:.0f} MB; at most {MOST_COMMANDS_MB} are promised")


def run(ladder: Deployed) -> int:
    """Do what can happen to containers, one act after the other, and return the exit status."""
    try:
        for act in ACTS:
            say(str(act.__doc__))
            act(ladder)
    except (AssertionError, subprocess.SubprocessError) as error:
        say(f"broken: {error}")
        say(ladder.compose("ps", "--all"))
        say(ladder.compose("logs", "--no-color", "--tail=30"))
        return 1
    finally:
        ladder.compose("--profile=metrics", "--profile=web", "down", "--volumes", "--timeout=5")
    say("all promises were kept")
    return 0


def examine(ladder: Deployed) -> None:
    """`doctor` in a worker: every guarantee holds"""
    words = ("run", "--rm", "--no-TTY", "worker", "doctor", "--all", "--json")
    findings = json.loads(ladder.tried(*words).stdout)
    guarantees = [finding for finding in findings if finding["group"] == "guarantees"]
    assert guarantees, "there are some"
    assert all(finding["ok"] for finding in guarantees), [found for found in guarantees if not found["ok"]]


def start(ladder: Deployed) -> None:
    """`up` with two workers under `strict`: all containers come up and are healthy"""
    ladder.up()
    assert len(ladder.containers("worker")) == 2


def submit(ladder: Deployed) -> None:
    """`submit` and `play`: the bots are built, play and stand on the board"""
    bots = f"{ladder.engine.sources}/engine/games/ocean_of_code/bots:/bots:ro"
    mounted = ("run", "--rm", "--no-TTY", "--volume", bots)
    for bot in ("gunner.py", "tracker.py"):
        ladder.compose(*mounted, "cli", "submit", f"/bots/{bot}", "--game", "ocean-of-code")
    ladder.compose(*mounted, "worker", "play", "ocean-of-code", "/bots/gunner.py", "/bots/trivial.c", "--seed", "1")
    wait_until(lambda: ladder.command("board", "--game", "ocean-of-code"), "both bots on the board", 2.0, fits=has_both)
    ladder.ask("UPDATE leagues SET battles = 10000")  # a quiet machine would have played all of them too soon
    ladder.plays_on()


def has_both(board: str) -> bool:
    return "gunner" in board and "tracker" in board


def kill_worker(ladder: Deployed) -> None:
    """a worker is killed: the engine starts it again"""
    worker = ladder.containers("worker")[0]
    ladder.engine.tried(
        "exec", worker["Id"], "sh", "-c", "kill -KILL -1"
    )  # all but the container's first, which ends then
    wait_until(lambda: ladder.containers("worker")[0]["RestartCount"], "its new start", 1.0)


def stop_worker(ladder: Deployed) -> None:
    """a worker is stopped: it ends in good order, with the exit status 0"""
    worker = ladder.containers("worker")[0]
    ladder.engine.docker("stop", worker["Id"])
    (stopped,) = [found for found in ladder.containers("worker") if found["Id"] == worker["Id"]]
    assert stopped["State"]["ExitCode"] == 0, stopped["State"]
    ladder.plays_on()
    ladder.engine.docker("start", worker["Id"])


def restart_database(ladder: Deployed) -> None:
    """PostgreSQL is started again"""
    ladder.compose("restart", "postgres")
    ladder.compose("up", "--detach", "--no-recreate", "--wait", "postgres")


def empty_broker(ladder: Deployed) -> None:
    """Redis is emptied"""
    ladder.compose("exec", "-T", "redis", "redis-cli", "flushall")


def cut_network(ladder: Deployed) -> None:
    """a worker is off the network for 30 s"""
    worker = ladder.containers("worker")[0]["Id"]
    ladder.engine.docker("network", "disconnect", f"{PROJECT}_inside", worker)
    time.sleep(AWAY_S)
    ladder.engine.docker("network", "connect", f"{PROJECT}_inside", worker)


def upgrade(ladder: Deployed) -> None:
    """all containers get the next image"""
    ladder.image = NEXT
    ladder.up()


def roll_back(ladder: Deployed) -> None:
    """all containers get the image of before"""
    ladder.image = IMAGE
    ladder.up()


def follow_demand(ladder: Deployed) -> None:
    """workers follow `ladder_workers_wanted`: from one to four, and to none when nothing is wanted"""
    ladder.compose("--profile=metrics", "up", "--detach", "--wait", "--wait-timeout=600", "metrics")
    ladder.scale(1)
    wait_until(lambda: follow(ladder), "four workers", 5.0, quiet_s=PLAYING_S, fits=lambda workers: workers == MOST)
    ladder.ask("UPDATE leagues SET battles = 1, placement_battles = 1")
    wait_until(lambda: follow(ladder), "no worker", 5.0, quiet_s=PLAYING_S, fits=lambda workers: workers == 0)
    ladder.scale(2)


def follow(ladder: Deployed) -> int:
    """Let there be as many workers as are wanted, and return how many; down by one at a time."""
    wanted, present = min(ladder.wanted(), MOST), len(ladder.containers("worker"))
    workers = max(wanted, present - 1)
    if workers != present:
        say(f"{wanted} wanted, {present} there")
        ladder.scale(workers)
    return workers


def lose_nothing(ladder: Deployed) -> None:
    """without a scheduler all that waits is played: nothing is void, and the ledger's replay agrees"""
    ladder.compose("stop", "scheduler")
    waiting = "SELECT count(*) FROM matches WHERE state IN ('queued', 'running')"
    wait_until(lambda: int(ladder.ask(waiting)), "the last match", 2.0, quiet_s=900.0, fits=lambda found: found == 0)
    assert ladder.ask("SELECT count(*) FROM matches WHERE state <> 'finished'") == "0"
    say(ladder.command("rating", "verify"))
    say(f"{ladder.finished()} matches")


def then_well(act: Callable[[Deployed], None]) -> Callable[[Deployed], None]:
    """Return an act after which matches go on and all containers are healthy."""

    def done(ladder: Deployed) -> None:
        before = ladder.finished()
        act(ladder)
        ladder.plays_on()
        ladder.is_well()
        assert ladder.finished() >= before

    done.__doc__ = act.__doc__
    return done


FAULTS = (kill_worker, stop_worker, restart_database, empty_broker, cut_network, upgrade, roll_back)
ACTS = (start, examine, submit, *map(then_well, FAULTS), follow_demand, lose_nothing)

if __name__ == "__main__":
    sys.exit(main())
