"""What bots write, how one that ended is judged, and live bots without a box, by programs that follow a script."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bot.clock import Clock, Policy, TimeRule
from engine.bot.conditions import FLOOD_BYTES, OFFICIAL, Conditions, OutputLimits
from engine.bot.output import (
    LAST_WORDS_BYTES,
    LONGEST_METRIC_WORD,
    MOST_METRICS,
    TAGGED_TURN_BYTES,
    DebugOutput,
    LineBuffer,
    Reply,
    describe_exit,
    metrics_of,
    verdict_of_exit,
)
from engine.bot.process import RunningBot
from engine.conversation import Ask, SeatVerdict, Verdict
from engine.sandbox.standstill import CoreTime
from tests.fakes import fault_of
from tests.scripted_sandbox import A_BOX, ScriptedSandbox, Step


def lines_of(*chunks: bytes) -> list[str]:
    buffer = LineBuffer()
    for chunk in chunks:
        buffer.feed(chunk)
    found = []
    while (line := buffer.take()) is not None:
        found.append(line)
    return found


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ((b"a\nb\n",), ["a", "b"]),
        ((b"a\r\nb\r\n",), ["a", "b"]),
        ((b"a\rb\r",), ["a", "b"]),
        ((b"a\r", b"\nb\n"), ["a", "b"]),
        ((b"a\r", b"b\n"), ["a", "b"]),
        ((b"a\r", b"\n", b"\nb\n"), ["a", "", "b"]),
        ((b"a\n\rb\n",), ["a", "", "b"]),
        ((b"\n",), [""]),
        ((b"half", b" a line\n", b"rest"), ["half a line"]),
        ((b"",), []),
    ],
)
def test_three_line_ends_are_understood_however_the_bytes_are_cut(chunks: tuple[bytes, ...], lines: list[str]) -> None:
    assert lines_of(*chunks) == lines


def test_no_other_character_ends_a_line() -> None:
    for character in "\x0b\x0c\x1c\x85\u2028\u2029":
        assert lines_of(f"a{character}b\n".encode()) == [f"a{character}b"]


def test_invalid_utf8_becomes_replacement_characters() -> None:
    assert lines_of(b"MOVE \xff N\n") == ["MOVE \ufffd N"]


def test_a_line_of_9999_bytes_is_a_line_and_one_byte_more_is_a_flood() -> None:
    longest = b"x" * (FLOOD_BYTES - 1)
    assert lines_of(longest + b"\n") == [longest.decode()]
    buffer, other = LineBuffer(), LineBuffer()
    other.feed(longest + b"x\n")
    assert (other.flooded, other.take()) == (True, None), "even when its end comes in the same chunk"
    buffer.feed(longest)
    assert not buffer.flooded
    buffer.feed(b"x")
    assert buffer.flooded


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=5))
def test_cutting_the_bytes_elsewhere_gives_the_same_lines(data: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    assert lines_of(*[data[start:end] for start, end in pairwise(edges)]) == lines_of(data)


def test_an_answer_of_several_lines_is_whole_with_its_last_line() -> None:
    buffer = LineBuffer()
    buffer.answer_lines = 3
    assert buffer.lacking == "no complete line"
    buffer.feed(b"one\n")
    assert buffer.lacking == "1 of 3 lines"
    buffer.feed(b"two\nthr")
    assert (buffer.take(), buffer.has_answer, buffer.lacking) == (None, False, "2 of 3 lines")
    buffer.feed(b"ee\r\nfour\n")
    assert buffer.take() == "one\ntwo\nthree"
    buffer.answer_lines = 1
    assert buffer.take() == "four"
    assert buffer.lacking == "no complete line"


LIMITS = OutputLimits(stderr_turn_bytes=10, stderr_match_bytes=25)


@pytest.mark.parametrize(
    ("turns", "text", "dropped_bytes"),
    [
        pytest.param([[b"0123456", b"789abc"]], "0123456789", 3, id="a turn's share"),
        pytest.param([[b"a" * 12], [b"b" * 12]], "a" * 10 + "b" * 10, 4, id="each turn has its own"),
        pytest.param([[bytes([one]) * 10] for one in b"abcd"], "a" * 10 + "b" * 10 + "c" * 5, 15, id="a match's"),
        pytest.param([[b"\xff\x00ok"]], "\ufffd\0ok", 0, id="bytes that are no text"),
    ],
)
def test_what_is_beyond_a_share_is_counted_and_dropped(turns: list[list[bytes]], text: str, dropped_bytes: int) -> None:
    output = DebugOutput(LIMITS)
    for chunks in turns:
        for chunk in chunks:
            output.take(chunk)
        output.new_turn()
    assert (output.text, output.dropped_bytes) == (text, dropped_bytes)


def test_the_last_words_are_the_end_of_what_was_said_kept_or_not() -> None:
    output = DebugOutput(LIMITS)
    output.take(b"first turn, with much in it")
    output.new_turn()
    output.take(b"chatter and ")
    output.take(b"the reason")
    assert output.last_words.endswith("in itchatter and the reason")


@pytest.mark.parametrize(
    ("said", "text", "dropped_bytes"),
    [
        (b"0123456789abcdefghijKLMNOPQRST", "0123456789\n[10 bytes were dropped here]\nKLMNOPQRST", 10),
        (b"0123456789abc", "0123456789abc", 0),
    ],
)
def test_last_words_of_a_bot_that_ended_are_kept_beyond_its_share(said: bytes, text: str, dropped_bytes: int) -> None:
    output = DebugOutput(LIMITS)
    output.take(said)
    output.keep_last_words()
    assert (output.text, output.dropped_bytes) == (text, dropped_bytes)


@pytest.mark.parametrize("turn_bytes", [0, 10_000_000])
def test_the_last_words_take_little_memory_whatever_a_league_keeps(turn_bytes: int) -> None:
    output = DebugOutput(OutputLimits(stderr_turn_bytes=turn_bytes, stderr_match_bytes=0))
    for _ in range(20):
        output.take(b"x" * 65_536)
    assert len(output.last_words) == LAST_WORDS_BYTES
    output.keep_last_words()
    assert len(output.text) < 2 * LAST_WORDS_BYTES


def test_a_league_that_keeps_nothing_keeps_no_last_words() -> None:
    output = DebugOutput(OutputLimits(stderr_turn_bytes=0))
    output.take(b"the end")
    output.keep_last_words()
    assert (output.text, output.dropped_bytes, output.last_words) == ("", 7, "the end")


def test_last_words_are_those_of_the_last_turn_alone() -> None:
    output = DebugOutput(LIMITS)
    output.take(b"a" * 12)
    output.new_turn()
    output.take(b"the end")
    output.keep_last_words()
    assert (output.text, output.dropped_bytes) == ("a" * 10 + "the end", 2)


@given(st.lists(st.lists(st.binary(max_size=15) | st.text(max_size=5).map(str.encode), max_size=3), max_size=6))
def test_the_characters_of_all_turns_are_those_that_are_kept(said: list[list[bytes]]) -> None:
    output = DebugOutput(LIMITS)
    for turn in said:
        output.new_turn()
        for chunk in turn:
            output.take(chunk)
    if said:
        output.keep_last_words()
    assert len(output.turn_chars) == len(said)
    assert sum(output.turn_chars) == len(output.text)


def test_each_turn_has_the_characters_that_it_wrote() -> None:
    output = DebugOutput(LIMITS)
    for chunk in (b"abc", b"", "d\N{EURO SIGN}".encode()[:2], "\N{EURO SIGN}f".encode()[1:]):
        output.new_turn()
        output.take(chunk)
    assert output.text == "abcd\N{EURO SIGN}f"
    assert output.turn_chars == [3, 0, 1, 2], "a character that two turns share is the later one's"


def test_both_tags_are_metrics_of_the_seat_that_printed_them() -> None:
    assert metrics_of("[TDATA] size = 15\nnoise\n[PDATA] depth = 3\n") == {"size": "15", "depth": "3"}


def test_lines_of_another_form_are_only_debug_output() -> None:
    lines = ["TDATA a = 1", "[TDATA]a = 1", "[TDATA] a=1", "[TDATA] a =", "[TDATA] a : 1"]
    assert [metrics_of(line) for line in (*lines, "[tdata] a = 1", "x [TDATA] a = 1")] == [{}] * 7


def test_the_last_value_counts_and_plus_sums() -> None:
    found = metrics_of("[PDATA] a = 1\n[PDATA] a = 2\n[PDATA+] b = 1\n[PDATA+] b = 2.5\n[PDATA+] b = -0.5")
    assert found == {"a": "2", "b": "3"}


def test_what_cannot_be_summed_counts_for_nothing() -> None:
    assert metrics_of("[PDATA+] a = x\n[PDATA+] a = 2\n[PDATA+] a = nan\n[PDATA+] a = inf") == {"a": "2"}
    assert metrics_of("[PDATA+] nodes = 1234567\n" * 300 + "[PDATA+] nodes = 1") == {"nodes": "370370101"}


def test_metrics_count_in_all_that_was_said_however_little_of_it_is_kept_and_wherever_it_is_cut() -> None:
    said = (
        b"[PDATA+] nodes = 7\n"
        + b"chatter" * 2000
        + b"\n[TDATA] size = 15 \xff\n[PDATA+] nodes = 5\n[PDATA] depth = 12"
    )
    for size in (1, 5, 4096, len(said)):
        output = DebugOutput(LIMITS)
        for begin in range(0, len(said), size):
            output.take(said[begin : begin + size])
        assert output.metrics == {"nodes": "12", "size": "15", "depth": "12"}, size
        output.new_turn()
        output.take(b"\n" + said)
        assert output.metrics == {"nodes": "24", "size": "15", "depth": "12"}, size


def test_a_bot_cannot_fill_the_database_with_metrics() -> None:
    many = "\n".join(f"[PDATA] {'k' * 500}{number} = {'v' * 500}\n[PDATA] {number} = 1" for number in range(1000))
    kept = metrics_of(many)
    assert len(kept) <= MOST_METRICS
    assert all(len(key) <= LONGEST_METRIC_WORD and len(value) <= LONGEST_METRIC_WORD for key, value in kept.items())
    flood, fits = b"[PDATA+] a = 1\n" * 1000, TAGGED_TURN_BYTES // 15_000
    output = DebugOutput(LIMITS)
    for _ in range(fits + 3):
        output.take(flood)
    assert output.metrics == {"a": str(1000 * fits)}
    output.new_turn()
    output.take(flood)
    assert output.metrics == {"a": str(1000 * (fits + 1))}


@given(st.text())
def test_no_debug_output_is_an_error(said: str) -> None:
    assert len(metrics_of(f"[PDATA+] {said}")) <= 1 + said.count("[")


@pytest.mark.parametrize(
    "words",
    [
        *("MemoryError", "terminate called after throwing an instance of 'std::bad_alloc'"),
        *("java.lang.OutOfMemoryError: Java heap space", "fatal error: runtime: out of memory"),
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        "memory allocation of 1048576 bytes failed",
    ],
)
def test_a_runtime_that_says_it_ran_out_of_memory_is_believed(words: str) -> None:
    verdict = verdict_of_exit(1, f"some trace\n{words}\n", 768, ended_for_memory=False)
    assert verdict.verdict is Verdict.MEMORY
    assert 'it wrote "' in verdict.message
    assert "768 MB" in verdict.message


def test_what_the_kernel_ended_for_memory_needs_no_words() -> None:
    verdict = verdict_of_exit(-9, "", 64, ended_for_memory=True)
    assert verdict.verdict is Verdict.MEMORY
    assert "it had used up its 64 MB of memory" in verdict.message


def test_a_program_that_ends_well_has_not_run_out_of_memory_whatever_it_says() -> None:
    verdict = verdict_of_exit(0, "MemoryError handled", 768, ended_for_memory=False)
    assert verdict.verdict is Verdict.CRASHED


def test_any_other_end_is_a_crash_with_its_code_or_signal() -> None:
    assert verdict_of_exit(3, "oops", 768, ended_for_memory=False).message == "the program ended with exit code 3"
    assert verdict_of_exit(-11, "", 768, ended_for_memory=False).message == "the program was killed by SIGSEGV"
    assert describe_exit(-99) == "the program was killed by signal 99", "one without a name"


def test_of_a_program_that_just_ended_it_is_not_said_that_it_crashed() -> None:
    ended = verdict_of_exit(0, "", 768, ended_for_memory=False)
    assert ended.words == ended.message == "the program ended without an answer (exit code 0)"
    assert SeatVerdict(Verdict.TIMEOUT, "no complete line").words == "time-out (no complete line)"


LIMIT_MS = 50


def replies(*script: Step, conditions: Conditions = OFFICIAL, limit_ms: int = LIMIT_MS, asks: int = 0) -> list[Reply]:
    with RunningBot(ScriptedSandbox(*script), A_BOX, conditions) as bot:
        return [bot.ask(Ask(0, ("your", "turn"), limit_ms)) for _ in range(asks or len(script))]


def verdict(reply: Reply) -> Verdict:
    return fault_of(reply).verdict


def test_it_hears_the_lines_of_its_turn_and_its_answer_is_one_line() -> None:
    sandbox = ScriptedSandbox(Step("MOVE N\n"), Step("MOVE S\n"))
    with RunningBot(sandbox, A_BOX, OFFICIAL) as bot:
        assert bot.ask(Ask(0, ("3 4", "SECTOR"), LIMIT_MS)).line == "MOVE N"
        assert sandbox.started[0].heard() == "3 4\nSECTOR\n"
        assert bot.ask(Ask(0, ("5",), LIMIT_MS)).line == "MOVE S"
        assert sandbox.started[0].heard() == "5\n"


def test_it_is_stopped_outside_its_turns() -> None:
    sandbox = ScriptedSandbox(Step("MOVE N\n"))
    with RunningBot(sandbox, A_BOX, OFFICIAL) as bot:
        assert sandbox.started[0].is_stopped
        bot.ask(Ask(0, (), LIMIT_MS))
        assert sandbox.started[0].is_stopped


def test_a_line_that_came_before_it_was_asked_for_answers_the_next_turn_or_loses() -> None:
    with RunningBot(ScriptedSandbox(Step("one\n\nthree\n")), A_BOX, OFFICIAL) as bot:
        assert [bot.ask(Ask(0, (), LIMIT_MS)).line for _ in range(3)] == ["one", "", "three"]
        assert bot.early_lines == 2
    strict = replies(Step("one\ntwo\n"), conditions=replace(OFFICIAL, early_line_loses=True), asks=2)
    assert verdict(strict[1]) is Verdict.ILLEGAL
    assert "before it was asked" in fault_of(strict[1]).message


def test_lines_may_end_as_on_any_system() -> None:
    assert [reply.line for reply in replies(Step("one\rtwo\r\nthree\n"), asks=3)] == ["one", "two", "three"]


def test_it_is_charged_for_what_it_computes_and_sleeps_and_not_for_what_it_waits() -> None:
    (computed,) = replies(Step("a\n", cpu_ms=20))
    cores = CoreTime()
    (slept,) = replies(Step("a\n", slept_ms=20))
    idle_ns = cores.idle_ns()
    (waited,) = replies(Step("a\n", waited_ms=12, cpu_ms=1))
    assert computed.spent.charged_us > 15_000
    assert slept.spent.charged_us > 15_000 or idle_ns < 20_000_000, "on a busy core nothing proves that it slept"
    assert waited.spent.wall_us >= 12_000
    assert waited.spent.charged_us < waited.spent.wall_us / 2


@pytest.mark.parametrize("late", [Step("a\n", cpu_ms=80), Step("a\n", slept_ms=1500)], ids=["computed", "slept"])
def test_an_answer_that_was_too_late_loses(late: Step) -> None:
    """One that slept longer than any turn may take, as on a busy machine nothing proves that a bot sleeps."""
    (reply,) = replies(late)
    assert verdict(reply) is Verdict.TIMEOUT
    assert "50 ms" in fault_of(reply).words


def test_a_bot_that_ends_a_moment_after_it_was_given_up_is_late_not_crashed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.bot.process.LAST_WORDS_MS", 20_000)
    by_wall = replace(OFFICIAL, time=TimeRule(Policy.STRICT, Clock.WALL))
    (reply,) = replies(Step(slept_ms=1000, exit_code=1, stderr="at last\n"), conditions=by_wall)
    assert verdict(reply) is Verdict.TIMEOUT
    assert reply.spent.wall_us < 1_000_000


def test_waits_of_the_bot_count_by_the_wall_clock_alone() -> None:
    """Waits that are short enough to be believed without evidence from the core."""
    waited = Step("a\n", waited_ms=12, cpu_ms=1)
    by_wall = replace(OFFICIAL, time=TimeRule(Policy.STRICT, Clock.WALL))
    assert replies(waited, limit_ms=8)[0].line == "a"
    assert verdict(replies(waited, conditions=by_wall, limit_ms=8)[0]) is Verdict.TIMEOUT


def test_the_third_overrun_loses_by_codingames_policy() -> None:
    lenient = replace(OFFICIAL, time=TimeRule(Policy.CODINGAME, Clock.FAIR))
    overrun = Step("a\n", cpu_ms=LIMIT_MS + 10)
    first, second, third = replies(overrun, overrun, overrun, conditions=lenient)
    assert (first.line, second.line) == ("a", "a")
    assert verdict(third) is Verdict.TIMEOUT


def test_silence_is_a_timeout_and_half_a_line_is_silence() -> None:
    assert verdict(replies(Step(""))[0]) is Verdict.TIMEOUT
    assert verdict(replies(Step("MOVE"))[0]) is Verdict.TIMEOUT


def test_a_program_that_ends_without_an_answer_has_crashed_and_its_last_words_are_kept() -> None:
    with RunningBot(ScriptedSandbox(Step(stderr="no such direction\n", exit_code=1)), A_BOX, OFFICIAL) as bot:
        reply = bot.ask(Ask(0, (), LIMIT_MS))
        assert verdict(reply) is Verdict.CRASHED
        assert "exit code 1" in fault_of(reply).words
        assert bot.stderr == "no such direction\n"


def test_an_answer_that_is_there_counts_although_the_program_has_ended() -> None:
    first, second = replies(Step("MOVE N\n", exit_code=0), Step())
    assert first.line == "MOVE N"
    assert verdict(second) is Verdict.CRASHED


def test_a_flood_loses() -> None:
    narrow = replace(OFFICIAL, output=replace(OFFICIAL.output, line_bytes=1000))
    assert verdict(replies(Step("x" * 2000), conditions=narrow)[0]) is Verdict.FLOODED


def test_too_much_memory_loses_although_the_answer_is_there() -> None:
    assert verdict(replies(Step("a\n", cpu_ms=5, memory_mb=2000))[0]) is Verdict.MEMORY


def test_a_program_that_does_not_stop_after_its_answer_loses() -> None:
    (reply,) = replies(Step("a\n", goes_on=True))
    assert verdict(reply) is Verdict.TIMEOUT
    assert "it computed on after its answer" in fault_of(reply).words


ENDS = st.sampled_from(
    [
        Step("a\n"),
        Step("a\n", exit_code=0),
        Step("", exit_code=3),
        Step("a", exit_code=-9),
        Step("a\n", goes_on=True),
        Step("x" * 2000),
        Step("a\n", cpu_ms=5, memory_mb=2000),
        Step("a\n", slept_ms=60),
        Step("", slept_ms=60),
    ]
)


@settings(max_examples=12)
@given(
    said=st.lists(st.text(max_size=20), max_size=3),
    last=ENDS,
    end=st.text(max_size=60),
    kept_bytes=st.integers(0, 40),
    strict=st.booleans(),
)
def test_all_that_is_kept_of_stderr_belongs_to_a_turn_however_a_bot_ends(
    said: list[str], last: Step, end: str, kept_bytes: int, strict: bool
) -> None:
    script = [*(Step("a\n", stderr=words) for words in said), replace(last, stderr=end)]
    output = replace(OFFICIAL.output, line_bytes=1000, stderr_turn_bytes=kept_bytes, stderr_match_bytes=2 * kept_bytes)
    policy = TimeRule(Policy.STRICT if strict else Policy.CODINGAME, Clock.FAIR)
    with RunningBot(ScriptedSandbox(*script), A_BOX, replace(OFFICIAL, output=output, time=policy)) as bot:
        asked = 0
        for _ in range(len(script) + 1):
            asked += 1
            if bot.ask(Ask(0, (), 10)).line is None:
                break
    assert len(bot.stderr_chars) == asked
    assert sum(bot.stderr_chars) == len(bot.stderr)


def test_a_turn_lasts_until_the_last_line_of_its_answer_and_what_is_left_answers_the_next() -> None:
    sandbox = ScriptedSandbox(Step("one\ntwo\nthree\n"), Step("four\n"))
    with RunningBot(sandbox, A_BOX, OFFICIAL) as bot:
        assert bot.ask(Ask(0, (), LIMIT_MS, 2)).line == "one\ntwo"
        assert bot.ask(Ask(0, (), LIMIT_MS, 2)).line == "three\nfour"
        assert bot.early_lines == 0  # the turn was not over before it began
        silent = bot.ask(Ask(0, (), LIMIT_MS, 3))
    assert verdict(silent) is Verdict.TIMEOUT


def test_of_an_answer_that_is_not_whole_the_lines_are_counted() -> None:
    with RunningBot(ScriptedSandbox(Step("one\ntwo\n", slept_ms=1), Step()), A_BOX, OFFICIAL) as bot:
        reply = bot.ask(Ask(0, (), LIMIT_MS, 3))
    assert fault_of(reply).words.startswith("time-out (2 of 3 lines within 50 ms")


def test_a_long_answer_of_a_bot_that_ends_is_heard_whole() -> None:
    lines = "\n".join(["x" * 900] * 60)
    with RunningBot(ScriptedSandbox(Step(f"{lines}\n", exit_code=0)), A_BOX, OFFICIAL) as bot:
        assert bot.ask(Ask(0, (), LIMIT_MS, 60)).line == lines


def test_where_the_referee_counts_overruns_only_one_beyond_the_grace_loses() -> None:
    late, too_late = Step("a\n", cpu_ms=60), Step("a\n", cpu_ms=130)
    conditions = replace(OFFICIAL, time=TimeRule(Policy.CODINGAME))
    for counts in (True, False):
        with RunningBot(ScriptedSandbox(late, late, late, too_late), A_BOX, conditions) as bot:
            heard = [bot.ask(Ask(0, (), LIMIT_MS, counts_overruns=counts)).line for _ in range(3 + (not counts))]
        assert heard == (["a", "a", None] if counts else ["a", "a", "a", None])
