"""A referee that breaks is nobody's loss: the match has no result, and what happened is written down."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from engine.conformance.programs import patiently
from engine.errors import HostBusy, MissingTool, RefereeFault
from engine.referees.process import TAIL_BYTES, RefereeProcess, Tail, box_of
from engine.referees.program import ProgramBounds
from engine.sandbox.choice import open_sandbox
from tests.fair import busy_programs
from tests.referees.bad import WAYS
from tests.referees.live import WAITS, in_shell, laid_out, played, program_of

BAD = Path(__file__).with_name("bad.py")
PATIENT = ProgramBounds(output_bytes=2_000_000, questions=20)
HASTY = ProgramBounds(first_question_s=1, question_s=1)

REFEREES = {
    "ends at once": "ended before the end of the match: it ended",
    "ends at question 5": 'ended with exit code 1; its last words: "out of ideas"',
    "fails": "it broke: IllegalStateException: no more berries",
    "hangs at start": "asked nothing for 1 s",
    "hangs in mid-match": "asked nothing for 1 s",
    "computes for ever": "used up its 1 s of CPU time",
    "floods stdout": "said more than 2 MB",
    "floods a summary": "lines without a question",
    "floods stderr": "said more than 2 MB",
    "never reads": "asked nothing for 1 s",
    "asks without end": "more than 20 questions",
    "too short a question": "asked nothing for 1 s",
    "scores of one line too few": "ended before the end of the match",
    "too large a count": "1,000,000,000 lines",
    "half a line": "asked nothing for 1 s",
    "NUL": "NUL",
    "no UTF-8": "not UTF-8",
    "asks seat 7": "seat 7",
    "asks for 10^9 lines": "1,000,000,000 lines",
    "limit 0": "a limit of 0 ms",
    "limit -1": "a limit of -1 ms",
    "scores twice": "goes on after its SCORES",
    "scores of one seat": "scores to 1 of 2 seats",
    "text for a score": '"many" for a score',
    "takes 2 GB": "MemoryError",
    "forks": "Error",
    "opens a socket": "Error",
    "writes files": "Error",
    "goes on after the end": "goes on after its SCORES",
    "asks nobody": 'ended the match without a question to a bot; its words: "Failure: invalid input"',
    "asks for no answer": 'ended the match without a question to a bot; its words: "Failure: invalid input"',
}
"""What is said of each."""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with laid_out(BAD) as folder:
        yield folder


def bounds_for(way: str) -> ProgramBounds:
    if "asked nothing" in REFEREES[way]:
        return HASTY
    return ProgramBounds(cpu_s=1) if way == "computes for ever" else PATIENT


def test_every_way_to_break_has_its_words() -> None:
    assert set(REFEREES) == set(WAYS)


@pytest.mark.parametrize("way", REFEREES)
def test_a_bad_referee_is_nobodys_loss_and_leaves_evidence(way: str, folder: Path) -> None:
    program = program_of(folder, "/usr/bin/python3", "-I", "-S", "bad.py", way, bounds=bounds_for(way))
    with pytest.raises(RefereeFault, match=REFEREES[way]) as caught:
        played(program, [in_shell(WAITS)] * 2)
    evidence = caught.value.evidence
    assert evidence.splitlines()[0].count("; ") == 2
    assert "--- what it was sent, all of it:\n[[INIT] 2]\n2\nseed=42\n" in evidence
    assert "--- what it said" in evidence
    assert "--- what it wrote to stderr" in evidence
    assert "\0" not in evidence
    assert len(evidence) < 4 * TAIL_BYTES
    assert (caught.value.last_seat is None) == ("no bot had answered" in evidence)


def test_the_evidence_says_whose_answer_came_last_and_what_was_asked(folder: Path) -> None:
    program = program_of(folder, "python3", "-I", "-S", "bad.py", "ends at question 5", bounds=PATIENT)
    with pytest.raises(RefereeFault) as caught:
        played(program, [in_shell(WAITS)] * 2)
    first = caught.value.evidence.splitlines()[0]
    assert first == (
        "the program ended with exit code 1; the last question, number 4, was to seat 1; the last answer was that of "
        "seat 1"
    )
    assert caught.value.last_seat == 1


def a_process(folder: Path, way: str, bounds: ProgramBounds = HASTY) -> RefereeProcess:
    box = box_of(program_of(folder, "python3", "-I", "-S", "bad.py", way))
    return RefereeProcess(open_sandbox(), box, bounds)


def test_a_referee_that_is_stopped_from_outside_hangs(folder: Path) -> None:
    with a_process(folder, "asks without end") as process:
        process.ready()
        process.send(b"[[GET_GAME_INFO] 0]\n")
        assert b"NEXT_PLAYER_INFO" in process.receive()
        os.kill(process._process.pid, signal.SIGSTOP)
        process.send(b"[[SET_PLAYER_OUTPUT] 0]\n[[GET_GAME_INFO] 0]\n")
        with pytest.raises(RefereeFault, match="asked nothing for 1 s"):
            while True:
                process.receive()


def test_what_a_referee_never_reads_does_not_hold_us_up(folder: Path) -> None:
    with a_process(folder, "never reads") as process:
        process.ready()
        with pytest.raises(RefereeFault, match="asked nothing for"):
            process.send(b"[[GET_GAME_INFO] 0]\n" + b"x" * 1_000_000)


SLOW_TO_BEGIN = """
import time
input()
while time.process_time() < 0.7: pass
print("asked", flush=True)
time.sleep(60)
"""


@pytest.fixture
def crowded(one_core: int) -> Iterator[None]:
    with busy_programs(3, {one_core}, of_other_people=False):
        yield


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.referees.process.MOST_WAITS", 100)


def test_waits_for_a_core_do_not_count_against_a_referees_limit(folder: Path, crowded: None, patience: None) -> None:
    def first_words() -> tuple[bytes, float]:
        box = box_of(program_of(folder, "python3", "-I", "-S", "-c", SLOW_TO_BEGIN))
        with RefereeProcess(open_sandbox(), box, ProgramBounds(first_question_s=1)) as process:
            process.ready()
            began = time.monotonic()
            process.send(b"[[GET_GAME_INFO] 0]\n")
            return process.receive(), time.monotonic() - began

    heard, took_s = patiently(first_words)
    assert heard == b"asked\n"
    assert took_s > 1, "the core was shared"


@pytest.mark.parametrize("way", ["hangs at start", "computes for ever"])
def test_a_referee_that_hangs_or_computes_is_at_fault_on_a_shared_core_too(
    folder: Path, crowded: None, patience: None, way: str
) -> None:
    def asks_without_end() -> None:
        with a_process(folder, way) as process:
            process.ready()
            while True:
                process.send(b"[[GET_GAME_INFO] 0]\n")
                process.receive()

    with pytest.raises(RefereeFault, match=r"asked nothing for \d s, in which it computed"):
        patiently(asks_without_end)


def test_a_referee_that_the_host_keeps_from_its_work_for_too_long_is_nobodys_fault(
    folder: Path, crowded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.referees.process.MOST_WAITS", 0.5)
    box = box_of(program_of(folder, "python3", "-I", "-S", "-c", SLOW_TO_BEGIN))
    with RefereeProcess(open_sandbox(), box, ProgramBounds(first_question_s=1)) as process, ExitStack() as stack:
        process.ready()
        stack.enter_context(busy_programs(9, os.sched_getaffinity(0)))
        process.send(b"[[GET_GAME_INFO] 0]\n")
        with pytest.raises(HostBusy, match="the host left the referee without a CPU for most of"):
            process.receive()


def test_patience_ends_without_a_fault(folder: Path) -> None:
    with a_process(folder, "hangs at start", ProgramBounds()) as process:
        process.ready()
        began = time.monotonic()
        process.send(b"[[GET_GAME_INFO] 0]\n")
        assert process.receive(0.01) == b""
        assert time.monotonic() - began < ProgramBounds().first_question_s


def test_patience_ends_with_the_end_of_the_program(folder: Path) -> None:
    with a_process(folder, "ends at once", ProgramBounds()) as process:
        process.ready()
        process.send(b"[[GET_GAME_INFO] 0]\n")
        assert process.receive(1000) == b""


def test_of_a_long_stream_the_end_is_kept() -> None:
    tail = Tail()
    for number in range(40_000):
        tail.add(b"%d\n" % number)
    assert tail.text.endswith("\n39998\n39999\n")
    assert len(tail.text) == TAIL_BYTES
    assert tail.with_title("all").startswith("--- all, the last 65,536 of 228,890 bytes:\n")


def test_a_referees_needs_are_missed_in_a_line(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "languages.toml"
    recipe = '[cobol]\ntitle = "COBOL"\nextensions = [".cob"]\nsource = "bot.cob"\n[cobol.toolchains.own]\n'
    table.write_text(f'{recipe}run = ["cobrun"]\ntools = ["cobrun"]\n')
    monkeypatch.setenv("LADDER_LANGUAGES", str(table))
    with pytest.raises(MissingTool, match="this game's referee needs cobrun, which is not installed here"):
        box_of(program_of(folder, "nothing", needs=("cobol",)))
