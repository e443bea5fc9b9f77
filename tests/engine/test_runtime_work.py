"""The work of a runtime's own threads: which they are, what the allowance bears of it, and that no bot can abuse it."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engine.bot.conditions import OFFICIAL
from engine.bot.output import Reply
from engine.bot.process import RunningBot
from engine.bot.runtime_work import EARLY_TURNS, Runtime, RuntimeThreads
from engine.conversation import Ask, Verdict
from engine.errors import MissingTool
from engine.sandbox.box import Sandbox
from engine.sandbox.choice import open_sandbox
from engine.toolchains.build import build
from engine.toolchains.languages import find_language, languages
from engine.toolchains.program import missing_tools
from tests.fair import busy_programs
from tests.fakes import fault_of
from tests.processes import staying_on
from tests.runtimes.trial import OPPONENT, built, matches, searchers, tally

LIMIT_MS = 50
FIRST_MS = 20_000
STARTS = 3
SHORT_MATCH = 4
"""A seed on which the bots that search would play about two hundred turns; on others they play up to three hundred."""
TURNS = 30
"""Of a match in which the opponent then ends. What compiles while it runs is late in the first turns, if ever."""

THREADS = """
import ctypes, sys, threading, time
rename = ctypes.CDLL(None).prctl
def burn(ms):
    end = time.thread_time() + ms / 1000
    while time.thread_time() < end: pass
def work(name, asked, done, waits):
    if waits:
        done.set(); asked.wait(); asked.clear()
    rename(15, name.encode(), 0, 0, 0)
    done.set()
    while True:
        asked.wait(); asked.clear(); burn(30); done.set()
threads = []
for line in sys.stdin:
    word, argument = line.split()
    if word in ("start", "begin"):
        asked, done = threading.Event(), threading.Event()
        threads.append((asked, done))
        threading.Thread(target=work, args=(argument, asked, done, word == "begin"), daemon=True).start()
        done.wait(); done.clear()
    elif word in ("burn", "name"):
        asked, done = threads[int(argument)]
        asked.set(); done.wait(); done.clear()
    else:
        rename(15, argument.encode(), 0, 0, 0); burn(30)
    print("done", flush=True)
"""
"""Starts threads and names them at once or later, lets one of them compute, or renames and uses its first one."""

Say = Callable[[str], None]


@pytest.fixture
def process() -> Iterator[tuple[int, Say]]:
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", THREADS], text=True, **pipes) as running:
        stdin, stdout = running.stdin, running.stdout
        assert stdin is not None
        assert stdout is not None

        def say(words: str) -> None:
            stdin.write(f"{words}\n")
            stdin.flush()
            assert stdout.readline() == "done\n"

        yield running.pid, say
        running.kill()


class TestTellingARuntimesThreadsFromTheBots:
    @pytest.fixture
    def found(self, process: tuple[int, Say]) -> Iterator[RuntimeThreads]:
        pid, say = process
        say("start compiler")
        threads = RuntimeThreads(pid, ("compiler", "collector"))
        threads.look()
        yield threads
        threads.close()

    def burnt_ms(self, found: RuntimeThreads, say: Say, words: str) -> float:
        before_ns = found.cpu_ns()
        say(words)
        found.look()
        return (found.cpu_ns() - before_ns) / 1e6

    def test_the_one_of_that_name_is_found_and_what_it_computes_is_known(
        self, found: RuntimeThreads, process: tuple[int, Say]
    ) -> None:
        assert self.burnt_ms(found, process[1], "burn 0") >= 30

    @pytest.mark.parametrize(
        ("name", "has_answered", "is_found"),
        [("collector", False, True), ("compiler", False, False), ("collector", True, False)],
        ids=["one that starts later", "a second one of the same name", "one that starts after the first answer"],
    )
    def test_of_threads_that_start_later_only_new_names_before_the_first_answer_are_the_runtimes(
        self, found: RuntimeThreads, process: tuple[int, Say], name: str, has_answered: bool, is_found: bool
    ) -> None:
        if has_answered:
            found.close_search()
        self.burnt_ms(found, process[1], f"start {name}")
        burnt_ms = self.burnt_ms(found, process[1], "burn 1")
        assert burnt_ms >= 30 if is_found else burnt_ms < 5

    def test_one_that_gets_no_core_before_it_has_named_itself_is_found_however_often_it_was_looked_at(
        self, found: RuntimeThreads, process: tuple[int, Say]
    ) -> None:
        process[1]("begin collector")
        for _ in range(20):
            found.look()
        self.burnt_ms(found, process[1], "name 1")
        assert self.burnt_ms(found, process[1], "burn 1") >= 30

    def test_the_first_thread_is_the_bots_however_called(self, found: RuntimeThreads, process: tuple[int, Say]) -> None:
        assert self.burnt_ms(found, process[1], "rename collector") < 5

    def test_what_an_ended_process_computed_stays_known(self, found: RuntimeThreads, process: tuple[int, Say]) -> None:
        self.burnt_ms(found, process[1], "burn 0")
        pid, _ = process
        before_ns = found.cpu_ns()
        os.kill(pid, 9)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        found.look()
        assert found.cpu_ns() == before_ns


IMPORTS = "import java.lang.management.*; import java.util.*; import java.util.function.*; import java.util.stream.*;"
BURN = """
    static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    static void burn(long ms) {
        long end = BEAN.getCurrentThreadCpuTime() + ms * 1_000_000;
        while (BEAN.getCurrentThreadCpuTime() < end) { }
    }
"""
IN_ITS_OWN_THREAD = """
class Player {%s
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        Thread.currentThread().setName("C2 CompilerThread0");
        for (boolean first = true; in.hasNextLine(); first = false) {
            in.nextLine();
            if (!first) burn(60);
            System.out.println("done");
        }
    }
}
"""
"""Computes 60 ms each turn but the first, in a thread that calls itself a compiler."""
IN_THREADS_NAMED_LIKE_COMPILERS = """
class Player {%s
    public static void main(String[] args) throws Exception {
        java.util.concurrent.SynchronousQueue<Long> asked = new java.util.concurrent.SynchronousQueue<>();
        java.util.concurrent.SynchronousQueue<Long> done = new java.util.concurrent.SynchronousQueue<>();
        for (String name : new String[] {"C1 CompilerThread0", "C2 CompilerThread0", "VM Thread"}) {
            Thread helper = new Thread(() -> {
                try { for (;;) { burn(asked.take()); done.put(0L); } } catch (InterruptedException over) { }
            }, name);
            helper.setDaemon(true);
            helper.start();
        }
        Scanner in = new Scanner(System.in);
        for (boolean first = true; in.hasNextLine(); first = false) {
            in.nextLine();
            for (int i = 0; i < 3; i++) asked.put(first ? 0L : 20L);
            for (int i = 0; i < 3; i++) done.take();
            System.out.println("done");
        }
    }
}
"""
"""Lets each of three threads that are named like the runtime's compute for 20 ms."""
IN_THE_FINALIZER = """
class Player {%s
    static volatile boolean computed;
    static volatile long cost;
    protected void finalize() {
        Thread.currentThread().setName("C2 CompilerThread0");
        burn(cost);
        computed = true;
    }
    public static void main(String[] args) throws Exception {
        Scanner in = new Scanner(System.in);
        for (boolean first = true; in.hasNextLine(); first = false) {
            in.nextLine();
            cost = first ? 0 : 60;
            computed = false;
            new Player();
            System.gc();
            while (!computed) Thread.sleep(1);
            System.out.println("done");
        }
    }
}
"""
"""Lets the thread compute that the runtime started for finalizers, before any code of the bot; it renames itself."""
HARD_TO_COMPILE = """
class Player {%s
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        for (int turn = 0; in.hasNextLine(); turn++) {
            in.nextLine();
            long end = BEAN.getCurrentThreadCpuTime() + 30_000_000, sum = 0;
            for (int i = 0; turn > 0 && BEAN.getCurrentThreadCpuTime() < end; i++) {
                int shift = i;
                sum += IntStream.range(0, 20).boxed().map(x -> x * shift).filter(x -> x %% 3 != 0)
                    .sorted(Comparator.reverseOrder()).collect(Collectors.toList()).hashCode();
                sum += String.format("%%d %%s", i, new TreeMap<>(Map.of(i, "one", i + 1, "two"))).length();
                sum += Arrays.stream(("a " + i + " b").split(" ")).collect(Collectors.joining("|")).hashCode();
            }
            System.out.println("done " + sum);
        }
    }
}
"""
"""Computes 30 ms by the clock of its own thread, with code that the runtime has to compile meanwhile."""


class TestJava:
    """Its compilers work beside the bot, at no charge; the bot itself is charged for all it does."""

    @pytest.fixture
    def sandbox(self) -> Sandbox:
        return open_sandbox()

    def replies(self, template: str, sandbox: Sandbox) -> list[Reply]:
        """Build a bot and start it some times; ask each once with much time and then once with 50 ms, for its reply.

        Where no Java is, that it is missing; then there are none.
        """
        java = find_language("java")
        source = IMPORTS + template % BURN
        if missing_tools(("java", "javac"), []):
            with pytest.raises(MissingTool):
                build(source, java, sandbox)
            return []
        program = build(source, java, sandbox)
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(allowed)})  # as in a match
        replies = []
        try:
            for _ in range(STARTS):
                with RunningBot(sandbox, program.box(), OFFICIAL, program.runtime) as bot:
                    assert bot.ask(Ask(0, ("go",), FIRST_MS)).fault is None
                    replies.append(bot.ask(Ask(0, ("go",), LIMIT_MS)))
            return replies
        finally:
            os.sched_setaffinity(0, allowed)

    @pytest.mark.parametrize(
        "source",
        [
            pytest.param(IN_ITS_OWN_THREAD, id="in its own thread"),
            pytest.param(IN_THREADS_NAMED_LIKE_COMPILERS, id="in threads named like compilers"),
            pytest.param(IN_THE_FINALIZER, id="in a thread that the runtime has started"),
        ],
    )
    def test_a_bot_that_computes_60_ms_is_late_every_time(self, source: str, sandbox: Sandbox) -> None:
        for reply in self.replies(source, sandbox):
            assert fault_of(reply).verdict is Verdict.TIMEOUT
            assert reply.spent.charged_us > 1000 * LIMIT_MS

    def test_a_bot_is_not_late_because_its_runtime_compiles(self, sandbox: Sandbox) -> None:
        """With the compilers' work its first short turn takes more than its 50 ms of CPU time."""
        first = self.replies(HARD_TO_COMPILE, sandbox)
        assert [reply.fault for reply in first] == [None] * len(first)
        helped = [reply.spent for reply in first if reply.spent.runtime_us]
        assert helped or not first
        assert all(spent.cpu_us > 1000 * LIMIT_MS >= spent.charged_us for spent in helped)


IN_A_THREAD_TAKEN_FOR_A_COMPILER = """
import ctypes, sys, threading, time
rename = ctypes.CDLL(None).prctl
asked, done, cost, own = threading.Event(), threading.Event(), 0, 0
def compiler():
    while True:
        asked.wait(); asked.clear()
        end = time.thread_time() + cost / 1000
        while time.thread_time() < end: pass
        done.set()
rename(15, b"compiler", 0, 0, 0)
threading.Thread(target=compiler, daemon=True).start()
rename(15, b"bot", 0, 0, 0)
time.sleep(0.3)
for line in sys.stdin:
    cost, own = map(int, line.split())
    asked.set(); done.wait(); done.clear()
    end = time.thread_time() + own / 1000
    while time.thread_time() < end: pass
    print("done", flush=True)
"""
"""Does a part of its work in a thread that it has named before our first look, as one may that wins that race."""


class TestABotWhoseThreadIsTakenForACompiler:
    IN_ITS_PLACE, BESIDE_IT = (90, 0), (45, 45)
    ALLOWED = Runtime(("compiler",), cpu_ms=1000, late_cpu_ms=200)

    @pytest.fixture(autouse=True)
    def patient_referee(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Wait for a second of CPU time also where it takes a minute."""
        monkeypatch.setattr("engine.bot.process.PATIENCE", 60)

    def turns(self, costs_ms: list[tuple[int, int]]) -> list[Reply]:
        """Let the bot compute this much in its turns, each of 50 ms but for the first, until it is late.

        `costs_ms`: in the thread that is taken for a compiler, and in its own.
        """
        sandbox = open_sandbox()
        program = build(IN_A_THREAD_TAKEN_FOR_A_COMPILER, find_language("python"), sandbox)
        replies: list[Reply] = []
        with RunningBot(sandbox, program.box(), OFFICIAL, self.ALLOWED) as bot:
            assert bot.ask(Ask(0, ("0 0",), FIRST_MS)).fault is None
            while costs_ms and not (replies and replies[-1].fault):
                replies.append(bot.ask(Ask(0, (" ".join(map(str, costs_ms.pop(0))),), LIMIT_MS)))
        return replies

    def test_late_turns_cannot_take_more_than_what_is_left_for_them(self) -> None:
        idle = [(0, 0)] * (EARLY_TURNS - 1)
        late = self.turns([*idle, *[self.BESIDE_IT] * 20])[len(idle) :]
        assert late[0].fault is None, "the bot's thread was not taken for a compiler"
        assert fault_of(late[-1]).verdict is Verdict.TIMEOUT
        assert 0 < sum(reply.spent.runtime_us for reply in late) <= 1000 * self.ALLOWED.late_cpu_ms

    def test_a_late_turn_takes_nothing_for_what_such_a_thread_computes_in_the_place_of_the_bots_own(self) -> None:
        idle = [(0, 0)] * (EARLY_TURNS - 1)
        late = self.turns([*idle, self.IN_ITS_PLACE])[-1]
        assert late.fault is not None
        assert late.spent.charged_us > 1000 * LIMIT_MS

    def test_the_first_turns_may_take_more_than_that(self) -> None:
        early = self.turns([(190, 0)] * (EARLY_TURNS - 1))
        assert [reply.fault for reply in early] == [None] * (EARLY_TURNS - 1)
        assert sum(reply.spent.runtime_us for reply in early) > 1000 * self.ALLOWED.late_cpu_ms

    def test_a_turn_beyond_the_hard_stop_that_the_allowance_bears_is_in_time(self) -> None:
        (reply,) = self.turns([(1010, 0)])
        assert reply.fault is None
        assert reply.spent.runtime_us > 900_000

    def test_a_turn_beyond_the_hard_stop_and_the_allowance_is_late_and_not_the_hosts_fault(self) -> None:
        """So a loser does not void its match by spending its allowance in one turn."""
        (reply,) = self.turns([(1010, 45)])
        assert fault_of(reply).verdict is Verdict.TIMEOUT


def test_what_a_recipe_allows_is_less_than_a_second_of_a_match() -> None:
    """A bot that came to be taken for its own compiler would gain that much, once a match."""
    allowed_ms = [way.runtime_cpu_ms for language in languages().values() for way in language.toolchains]
    assert max(allowed_ms) <= 1000


def opponent_of(turns: int) -> str:
    every, some = "for line in sys.stdin:", f"for line, _ in zip(sys.stdin, range({turns})):"
    source = OPPONENT.read_text("utf-8")
    assert every in source
    return source.replace(every, some)


def searches() -> Iterator[Any]:
    """Give each bot beside a busy program, and one alone; once a week they all are."""
    for name in sorted(searchers()):
        yield pytest.param(name, 1, id=f"{name} beside a busy program")
        marks = pytest.mark.thorough if name == "javascript" else pytest.mark.weekly
        yield pytest.param(name, 0, id=f"{name} alone", marks=marks)


@pytest.mark.parametrize(("name", "busy"), list(searches()))
def test_a_bot_that_searches_for_35_ms_by_its_own_clock_is_never_late(name: str, busy: int, busy_core: int) -> None:
    """`make runtimes` in short."""
    try:
        program = built(searchers()[name], open_sandbox())
    except MissingTool as missing:
        pytest.skip(str(missing))
    opponent = build(opponent_of(TURNS), find_language("python"), open_sandbox())
    with staying_on(busy_core), busy_programs(busy, {busy_core}):
        done = tally(list(matches(program, 1, SHORT_MATCH, opponent)))
    assert done.unplayed == ()
    assert done.faults == ()
    assert done.turns > 10  # it may win earlier


def test_every_language_of_a_runtime_that_compiles_has_such_a_bot() -> None:
    assert set(searchers()) == {"csharp", "java", "javascript", "kotlin"}
