"""Judging programs that ended instead of answering."""

import pytest

from engine.bot.output import describe_exit, verdict_of_exit
from engine.conversation import SeatVerdict, Verdict


@pytest.mark.parametrize(
    "words",
    [
        "MemoryError",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "java.lang.OutOfMemoryError: Java heap space",
        "fatal error: runtime: out of memory",
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


def test_any_other_end_is_a_crash_with_its_code() -> None:
    assert verdict_of_exit(3, "oops", 768, ended_for_memory=False).message == "the program ended with exit code 3"
    ended = verdict_of_exit(0, "", 768, ended_for_memory=False)
    assert ended.message == "the program ended without an answer (exit code 0)"
    assert verdict_of_exit(-11, "", 768, ended_for_memory=False).message == "the program was killed by SIGSEGV"


def test_a_signal_without_a_name_is_called_by_its_number() -> None:
    assert describe_exit(-99) == "the program was killed by signal 99"


def test_a_program_that_just_ended_is_not_reported_as_a_crash() -> None:
    ended = verdict_of_exit(0, "", 768, ended_for_memory=False)
    assert ended.words == ended.message
    assert SeatVerdict(Verdict.TIMEOUT, "no complete line").words == "time-out (no complete line)"
