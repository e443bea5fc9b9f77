"""Time that is charged to real bots and time that is not: whose turn it is, grace, and a host that is too busy."""

import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from threading import Timer, get_native_id

import pytest

from engine.bot import stopwatch
from engine.bot.clock import Policy, TimeRule, whose_fault
from engine.bot.conditions import Conditions
from engine.bot.output import Reply
from engine.bot.process import RunningBot
from engine.conversation import Ask, Verdict
from engine.errors import HostBusy
from engine.sandbox.choice import open_sandbox
from engine.toolchains.build import build
from engine.toolchains.languages import find_language
from tests.fair import Work, busy_programs, program_that_knows_its_cost, request
from tests.fakes import fault_of
from tests.processes import give_way

LIMIT_MS = 50
PATIENCE_MS = 60_000
BUSY_PROGRAMS = 3
HEAD = """
import hashlib, sys, threading, time
def burn(ms):
    end = time.process_time() + ms / 1000
    while time.process_time() < end: pass
"""
THINKER = "for line in sys.stdin: burn(float(line)); print('done', flush=True)"
SLEEPER = "for line in sys.stdin: time.sleep(float(line) / 1000); print('done', flush=True)"

BURNS_ON = """
#include <pthread.h>
#include <stdio.h>

static void *burn(void *nothing) { for (volatile long i = 0;; i++) {} return nothing; }
static void *answer(void *nothing)
{
    char line[99];
    while (fgets(line, sizeof line, stdin)) { puts("done"); fflush(stdout); }
    return nothing;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, answer, NULL);
    for (int i = 0; i < 8; i++) pthread_create(&thread, NULL, burn, NULL);
    burn(NULL);
}
"""
"""A bot of nine threads that compute all the time, and one that answers."""
COPIES_ON = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PART = 2 << 20, MOST = 1000 };

static void *rest(void *nothing) { for (;;) pause(); return nothing; }
int main(void)
{
    char line[99], *from = mmap(0, (size_t)MOST * PART, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char *to = malloc(PART);
    struct iovec parts[MOST];
    int count, threads, memory = open("/proc/self/mem", O_RDONLY);
    for (int i = 0; i < MOST; i++) parts[i] = (struct iovec){to, PART};
    while (fgets(line, sizeof line, stdin) && sscanf(line, "%d %d", &count, &threads) == 2) {
        for (pthread_t thread; threads > 0; threads--) pthread_create(&thread, NULL, rest, NULL);
        puts("done");
        fflush(stdout);
        if (count > 0) preadv(memory, parts, count, (off_t)from);
    }
}
"""
"""A bot that keeps the kernel busy after its answer, by copying some parts of 2 MB in one call, and starts some threads
before."""

SLEEPS_TOGETHER = """
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 39, EVERY_NS = 20000000, WORK_NS = 20000 };

static long clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}
static void nap(void)
{
    long until = (clock_ns(CLOCK_MONOTONIC) / EVERY_NS + 1) * EVERY_NS;
    struct timespec time = {until / 1000000000L, until % 1000000000L};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}
static void *nap_on(void *nothing)
{
    for (;;) {
        nap();
        for (long end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + WORK_NS; clock_ns(CLOCK_THREAD_CPUTIME_ID) < end;) { }
    }
    return nothing;
}
int main(void)
{
    char line[99];
    int slept_ms;
    for (int i = 0; i < THREADS; i++) { pthread_t thread; pthread_create(&thread, NULL, nap_on, NULL); }
    while (fgets(line, sizeof line, stdin) && sscanf(line, "%d", &slept_ms) == 1) {
        for (long end = clock_ns(CLOCK_MONOTONIC) + slept_ms * 1000000L; clock_ns(CLOCK_MONOTONIC) < end;) nap();
        puts("done");
        fflush(stdout);
    }
}
"""
"""A bot of forty threads that sleep, all wake at the same moment, compute for 20 us, and sleep again."""

Start = Callable[..., RunningBot]
"""Starts a bot from a source, in Python if not said otherwise, to be timed by a rule."""


@pytest.fixture
def start() -> Iterator[Start]:
    """Start bots; they end with the test."""
    with ExitStack() as running:

        def start(source: str, rule: TimeRule = TimeRule(), language: str = "python") -> RunningBot:  # noqa: B008 - frozen
            sandbox = open_sandbox()
            text = HEAD + source if language == "python" else source
            program = build(text, find_language(language), sandbox)
            return running.enter_context(RunningBot(sandbox, program.box(), Conditions(time=rule)))

        yield start


def turns(bot: RunningBot, *times_ms: int) -> list[Reply]:
    bot.ask(Ask(0, ("0",), PATIENCE_MS))
    return [bot.ask(Ask(0, (str(time_ms),), LIMIT_MS)) for time_ms in times_ms]


def test_an_answer_after_the_bot_was_given_up_is_not_an_answer_within_its_limit(start: Start) -> None:
    """While last words are heard, a line may come: it may not be counted as there in time."""
    (late,) = turns(start(THINKER, TimeRule(Policy.STRICT)), LIMIT_MS + 190)
    assert re.match(rf"answered after |no complete line within {LIMIT_MS} ms, it computed ", fault_of(late).message)


def test_a_bot_gets_no_time_while_the_other_thinks(start: Start) -> None:
    eager = start("""
threading.Thread(target=burn, args=(1e9,), daemon=True).start()
for line in sys.stdin: print('done', flush=True)
""")
    thinker = start("for line in sys.stdin: burn(200); print('done', flush=True)")
    eager.ask(Ask(0, ("go",), PATIENCE_MS))
    before_ns = eager._process.meter.cpu_ns()
    assert thinker.ask(Ask(0, ("go",), PATIENCE_MS)).line == "done"
    assert eager._process.meter.cpu_ns() - before_ns < 50_000_000, "it would have used 200 ms"


def test_in_a_turn_that_hardly_took_any_time_waiting_is_not_measured(start: Start, one_core: int) -> None:
    bot = start("for line in sys.stdin: burn(float(line)); print('done', flush=True)")
    bot.ask(Ask(0, ("0",), PATIENCE_MS))
    quick = [bot.ask(Ask(0, ("0",), LIMIT_MS)).spent for _ in range(300)]
    brief = [spent for spent in quick if spent.wall_us < 100]  # on all but very slow machines, nearly all
    assert all((spent.wait_us, spent.late_us) == (0, 0) for spent in brief)
    assert all(spent.charged_us == max(spent.wall_us, spent.cpu_us) for spent in brief)
    with busy_programs(BUSY_PROGRAMS, {one_core}):
        spent = [bot.ask(Ask(0, ("30",), LIMIT_MS)).spent for _ in range(5)]
    assert max(one.wait_us for one in spent) > 10_000
    assert all(one.charged_us < 1000 * LIMIT_MS for one in spent)


def test_a_bot_is_not_charged_for_a_machine_that_stands_still(start: Start) -> None:
    """As a virtual machine does when its host runs another; here bot and referee are stopped together for a while."""
    bot = start("for line in sys.stdin: burn(25); print('done', flush=True)")
    bot.ask(Ask(0, ("go",), PATIENCE_MS))
    both = f"{bot._process.pid} {os.getpid()}"
    for _ in range(40):
        stopper = subprocess.Popen(["sh", "-c", f"sleep 0.01; kill -STOP {both}; sleep 0.08; kill -CONT {both}"])
        reply = bot.ask(Ask(0, ("go",), LIMIT_MS))
        stopper.wait()
        assert reply.line == "done"
        if reply.spent.wall_us > 80_000:
            assert whose_fault(reply.spent, LIMIT_MS) == "host"
            return
    raise AssertionError("no turn was interrupted")


def asked_by_who_loses_the_core(start: Start, monkeypatch: pytest.MonkeyPatch, core: int, source: str) -> Reply:
    """Ask a bot when it has started; as soon as it is let go another program has the core of who asked for long.

    In a thread of its own, as not everybody may get a thread back that has given way to all others.
    """

    def get_back(thread: int) -> None:
        with suppress(PermissionError):
            os.sched_setscheduler(thread, os.SCHED_OTHER, os.sched_param(0))

    def ask() -> Reply:
        bot = start(source)
        turns(bot)
        let_go = bot._process.thaw

        def let_go_and_lose_the_core() -> None:
            let_go()
            until_s = time.monotonic() + 6 * LIMIT_MS / 1000
            Timer(6 * LIMIT_MS / 1000, get_back, [get_native_id()]).start()
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            while time.monotonic() < until_s:
                pass

        monkeypatch.setattr(bot._process, "thaw", let_go_and_lose_the_core)
        with busy_programs(1, {core}, of_other_people=False):
            return bot.ask(Ask(0, ("1",), LIMIT_MS))

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(ask).result()


CHATTER = """
import os
for line in sys.stdin:
    for _ in range(20): os.write(2, b'x' * 2999 + b'\\n')
    print('done', flush=True)
"""
"""Waits for room in its debug output: long lines fill a pipe before as many bytes are in it as it holds."""


@pytest.mark.parametrize("source", [SLEEPER, CHATTER], ids=["sleeps", "waits for room in its debug output"])
def test_an_answer_is_taken_and_not_charged_however_late_the_referee_comes_to_look(
    start: Start, monkeypatch: pytest.MonkeyPatch, one_core: int, source: str
) -> None:
    """It has let the bot go, and then another program has the core for long."""
    reply = asked_by_who_loses_the_core(start, monkeypatch, one_core, source)
    assert (reply.line, reply.fault) == ("done", None), reply
    assert reply.spent.wall_us > 5000 * LIMIT_MS


def test_no_thread_of_a_bot_computes_in_its_opponents_turn(start: Start, one_core: int) -> None:
    """The signal that stops a bot is taken by one of its threads, when that has the core."""
    bot = start(BURNS_ON, language="c")
    for _ in range(5):
        bot.ask(Ask(0, ("go",), PATIENCE_MS))
        stopped_ns = bot._process.meter.cpu_ns()
        time.sleep(0.1)
        assert bot._process.meter.cpu_ns() == stopped_ns


def test_what_a_bot_computes_after_its_answer_is_part_of_its_next_turn(start: Start, one_core: int) -> None:
    bot = start(COPIES_ON, language="c")
    assert bot.ask(Ask(0, ("400 0",), PATIENCE_MS)).line == "done"
    time.sleep(0.5)
    spent = bot.ask(Ask(0, ("0 0",), PATIENCE_MS)).spent
    assert spent.wall_us >= spent.cpu_us > 1000


def test_a_bot_that_keeps_the_kernel_busy_in_its_opponents_turn_loses(start: Start, one_core: int) -> None:
    """Its opponent's turn would take as much longer, or become void.

    Where it is stopped between its answer and the call that takes long, it does that in its own next turn: so there are
    short turns between.
    """
    bot = start(COPIES_ON, language="c")
    assert bot.ask(Ask(0, ("0 1",), PATIENCE_MS)).line == "done"
    replies = (bot.ask(Ask(0, (line,), PATIENCE_MS)) for line in ("1000 0", "0 0", "0 0") * 20)
    fault = fault_of(next(reply for reply in replies if reply.line is None))
    assert fault.verdict is Verdict.TIMEOUT
    assert "ms after its answer" in fault.message


def test_a_bot_that_slept_between_computing_is_charged_for_its_sleep(start: Start, one_core: int) -> None:
    bot = start("for line in sys.stdin: burn(30); time.sleep(0.1); burn(30); print('done', flush=True)")
    spent = [bot.ask(Ask(0, ("go",), PATIENCE_MS)).spent for _ in range(3)]
    assert all(turn.cpu_us < 100_000 < turn.charged_us for turn in spent)


SUSPECTED = "so it was in three matches"


def starved(core: int, monkeypatch: pytest.MonkeyPatch, suspicion: str = "") -> Reply:
    """Start a bot as others are, and ask it with the lowest priority beside programs that take all there is."""
    monkeypatch.setattr("engine.bot.process.PATIENCE", 1)
    sandbox = open_sandbox()
    program = program_that_knows_its_cost(sandbox)
    with RunningBot(sandbox, program.box(), Conditions(), suspicion=suspicion) as bot:
        bot.ask(request(0, Work(1), PATIENCE_MS))
        with busy_programs(BUSY_PROGRAMS, {core}):
            give_way(bot._process.pid)
            return bot.ask(request(1, Work(45), LIMIT_MS))


def test_a_bot_whose_host_leaves_it_no_core_loses_nothing(one_core: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(HostBusy, match="without a CPU"):
        starved(one_core, monkeypatch)


def load(monkeypatch: pytest.MonkeyPatch, average: float) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (average, average, average))


def test_a_suspected_bot_loses_where_others_would_be_excused(one_core: int, monkeypatch: pytest.MonkeyPatch) -> None:
    load(monkeypatch, 0.5)
    reply = starved(one_core, monkeypatch, SUSPECTED)
    assert reply.spent.wall_us > 1000 * LIMIT_MS
    assert fault_of(reply).verdict is Verdict.TIMEOUT
    assert re.fullmatch(f"cheated the clock: the host left .*; {SUSPECTED}", fault_of(reply).message)


def test_a_bot_that_is_suspected_is_excused_as_others_are_on_a_machine_that_is_overloaded(
    one_core: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(monkeypatch, 4.5 * (os.cpu_count() or 1))
    with pytest.raises(HostBusy):
        starved(one_core, monkeypatch, SUSPECTED)


def test_threads_that_wait_for_each_other_do_not_make_a_match_void(start: Start, one_core: int) -> None:
    """Together they wait for longer than the turn takes, though nobody but the bot itself kept them waiting."""
    bot = start("""
sys.stdin.readline()
print('ready', flush=True)
sys.stdin.readline()
gate = threading.Barrier(60)
def compute():
    gate.wait()
    hashlib.pbkdf2_hmac('sha256', b'', b'', 2500)
for _ in range(60): threading.Thread(target=compute, daemon=True).start()
time.sleep(1000)
""")
    assert bot.ask(Ask(0, ("go",), PATIENCE_MS)).line == "ready"
    assert fault_of(bot.ask(Ask(0, ("go",), LIMIT_MS))).verdict is Verdict.TIMEOUT


@pytest.mark.parametrize(("source", "language"), [(SLEEPS_TOGETHER, "c"), (SLEEPER, "python")])
def test_a_bot_hides_no_sleep_beside_busy_programs_once_the_match_bears_no_more(
    start: Start, one_core: int, monkeypatch: pytest.MonkeyPatch, source: str, language: str
) -> None:
    """Threads that wake together wait for the same slices of the busy programs, and for the others.

    A machine that is busy besides may keep us from looking.
    """
    monkeypatch.setattr(stopwatch, "DOUBT_NS", 0)
    bot = start(source, language=language)
    turns(bot)
    with busy_programs(2, {one_core}):
        replies = (bot.ask(Ask(0, ("700",), LIMIT_MS)) for _ in range(8))
        assert fault_of(next(reply for reply in replies if reply.fault)).verdict is Verdict.TIMEOUT


def test_codingame_takes_two_slow_answers_and_the_third_loses(start: Start) -> None:
    replies = turns(start(THINKER, TimeRule(Policy.CODINGAME)), 75, 0, 75, 0, 0, 75)
    assert [reply.line is not None for reply in replies] == [True, True, True, True, True, False]
    fault = fault_of(replies[-1])
    assert fault.verdict is Verdict.TIMEOUT
    assert fault.message.startswith("answered after ")
    assert fault.message.endswith(f"ms, the limit is {LIMIT_MS} ms, the third overrun")


def test_codingame_loses_at_once_beyond_the_grace(start: Start) -> None:
    (late,) = turns(start(THINKER, TimeRule(Policy.CODINGAME)), 150)
    (silent,) = turns(start(THINKER, TimeRule(Policy.CODINGAME)), PATIENCE_MS)
    assert re.search(r"(beyond|within 100 ms,) the limit and (its|50 ms of) grace", fault_of(late).message)
    words = r"no complete line within 100 ms, the limit and its grace, it computed [0-9.]+ m?s and slept [0-9.]+ m?s"
    assert re.fullmatch(words, fault_of(silent).message)
