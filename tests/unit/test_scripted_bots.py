"""A live bot without a box: lines, clock and verdicts, by programs that follow a script."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bot.clock import Clock, Policy, TimeRule
from engine.bot.conditions import OFFICIAL, Conditions
from engine.bot.output import Reply
from engine.bot.process import RunningBot
from engine.conversation import Ask, Verdict
from engine.sandbox.standstill import CoreTime
from tests.fakes import fault_of
from tests.scripted_sandbox import A_BOX, ScriptedSandbox, Step

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


def test_a_flood_loses_and_so_does_too_much_memory_although_the_answer_is_there() -> None:
    narrow = replace(OFFICIAL, output=replace(OFFICIAL.output, line_bytes=1000))
    assert verdict(replies(Step("x" * 2000), conditions=narrow)[0]) is Verdict.FLOODED
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
