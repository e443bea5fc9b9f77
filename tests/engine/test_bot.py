"""Live bots in the real sandbox: asked, answered, timed, and blamed for what they did."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from engine.bot.conditions import Conditions, OutputLimits
from engine.bot.process import RunningBot
from engine.conversation import Ask, Verdict
from engine.sandbox.choice import open_sandbox
from engine.toolchains.build import build
from engine.toolchains.languages import find_language
from tests.fakes import fault_of

ASK = Ask(0, ("hello",), 1000)
PATIENT = Ask(0, ("hello",), 5000)
QUICK = Ask(0, ("hello",), 50)
HEAD = "import sys, os, time\n"


Start = Callable[[str], RunningBot]
"""Starts a bot from a Python source."""


@pytest.fixture
def start() -> Iterator[Start]:
    """Start bots from Python sources; they end with the test."""
    with ExitStack() as running:

        def start(source: str) -> RunningBot:
            sandbox = open_sandbox()
            program = build(HEAD + source, find_language("python"), sandbox)
            return running.enter_context(RunningBot(sandbox, program.box(), Conditions()))

        yield start


def test_a_bot_hears_the_lines_and_its_answer_is_returned_without_the_line_end(start: Start) -> None:
    bot = start("for line in sys.stdin: print(line.strip()[::-1], flush=True)")
    assert bot.ask(PATIENT).line == "olleh"
    assert bot.ask(Ask(0, ("abc",), 1000)).line == "cba"


def test_what_a_bot_computes_is_on_its_clock_also_when_it_shares_our_core(start: Start, one_core: int) -> None:
    """Handing over the request can hand over the core as well, until the bot has answered."""
    bot = start(
        """
for line in sys.stdin:
    end = time.process_time() + 0.02
    while time.process_time() < end: pass
    print("done", flush=True)
"""
    )
    replies = [bot.ask(PATIENT) for _ in range(20)]
    assert all(reply.line == "done" for reply in replies)
    assert min(reply.spent.wall_us for reply in replies) >= 19_000


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("input(); sys.exit(3)", "exit code 3"),
        ("input(); sys.exit(0)", "exit code 0"),
        ("input(); raise ValueError('oops')", "exit code 1"),
        ("input(); os.abort()", "ended|killed"),
    ],
)
def test_a_program_that_ends_instead_of_answering_has_crashed(start: Start, source: str, words: str) -> None:
    fault = fault_of(start(source).ask(PATIENT))
    assert fault.verdict is Verdict.CRASHED
    assert re.search(words, fault.message)


def test_an_endless_flood_ends_the_turn_long_before_its_limit(start: Start) -> None:
    reply = start("while True: os.write(1, b'x' * 65536)").ask(Ask(0, ("hello",), 60_000))
    assert fault_of(reply).verdict is Verdict.FLOODED
    assert reply.spent.wall_us < 30_000_000


def test_an_answer_that_was_asked_for_is_never_called_early(start: Start) -> None:
    bot = start("for line in sys.stdin: print(line.strip(), flush=True)")
    assert [bot.ask(Ask(0, (str(number),), 5000)).line for number in range(200)] == [str(n) for n in range(200)]
    assert bot.early_lines == 0


@pytest.mark.parametrize(
    ("writes", "turns", "kept_bytes"),
    [
        (100 * ["d" * 65536], 3, 3 * OutputLimits().stderr_turn_bytes),
        (["d" * 5000], 60, OutputLimits().stderr_match_bytes),
    ],
    ids=["endless output in each turn", "more in a match than is kept"],
)
def test_debug_output_neither_blocks_the_bot_nor_fills_our_memory(
    start: Start, writes: list[str], turns: int, kept_bytes: int
) -> None:
    bot = start(
        f"""
for line in sys.stdin:
    for _ in range({len(writes)}):
        os.write(2, b'd' * {len(writes[0])})
    print('done', flush=True)
"""
    )
    for _ in range(turns):
        assert bot.ask(Ask(0, ("hello",), 60_000)).line == "done"
    assert len(bot.stderr) == kept_bytes


ENDS = {
    "it plays on": "print('yes', flush=True)",
    "it writes after its answer": "print('yes', flush=True); os.write(2, b'after')",
    "it exits": "sys.exit(3)",
    "it is killed": "os.write(2, b'last'); os.kill(os.getpid(), 9)",
    "it sleeps": "time.sleep(60)",
    "it floods": "os.write(1, b'x' * 5_000_000)",
    "it closes its debug output": "os.close(2); print('yes', flush=True)",
    "it chatters and dies": "os.write(2, b'd' * 300_000); raise ValueError('the end')",
    "it ends in the middle of a character": "os.write(2, '\N{EURO SIGN}'.encode()[:2]); sys.exit(0)",
}


@pytest.mark.parametrize("end", ENDS)
def test_every_character_of_the_debug_output_belongs_to_a_turn_however_the_bot_ends(start: Start, end: str) -> None:
    bot = start(
        f"""
for turn, line in enumerate(sys.stdin):
    os.write(2, b'turn %d\\n' % turn)
    if turn < 2:
        print('yes', flush=True)
        continue
    {ENDS[end]}
"""
    )
    asked = 0
    for _ in range(4):
        asked += 1
        if bot.ask(QUICK if asked > 1 else PATIENT).line is None:
            break
    bot.hear_rest()
    assert (len(bot.stderr_chars), sum(bot.stderr_chars)) == (asked, len(bot.stderr))
    assert bot.stderr_chars[:2] == [7, 7]
    assert bot.stderr_chars[2] >= 7


def test_a_bot_that_does_not_read_blocks_no_other(start: Start) -> None:
    bot = start("print('\\n'.join(str(n) for n in range(20)), flush=True); time.sleep(60)")
    long = ("x" * 20_000,)
    answers = [bot.ask(Ask(0, long, 5000)).line for _ in range(20)]
    assert answers == [str(number) for number in range(20)]


def test_a_bot_that_closes_its_input_may_go_on_speaking(start: Start) -> None:
    bot = start("os.close(0); print('one', flush=True); print('two', flush=True); time.sleep(60)")
    assert [bot.ask(PATIENT).line, bot.ask(QUICK).line] == ["one", "two"]


def test_closing_ends_a_bot_that_never_would(start: Start) -> None:
    bot = start("import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass")
    began = time.monotonic()
    bot.close()
    bot.close()
    assert time.monotonic() - began < 30
