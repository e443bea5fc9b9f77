"""Blocks out of bytes, however they come, and however wrong they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import RefereeFault
from engine.referees.blocks import (
    INPUT,
    MOST_BLOCK_LINES,
    QUESTION,
    SCORES,
    SUMMARY,
    TOOLTIP,
    VIEW,
    BlockReader,
    RefereeStep,
    block_of,
)

QUESTION_END = f"[[{QUESTION}] 3]\n0\n1\n50\n"


def steps_of(text: str | bytes, piece_bytes: int = 1 << 20) -> tuple[list[RefereeStep], BlockReader]:
    """Read a text, in pieces of so many bytes."""
    data = text.encode() if isinstance(text, str) else text
    reader = BlockReader()
    steps = []
    for begin in range(0, len(data), piece_bytes):
        reader.feed(data[begin : begin + piece_bytes])
        while step := reader.take():
            steps.append(step)
    return steps, reader


def shown(step: RefereeStep) -> list[tuple[str, list[str]]]:
    return [(block.name, list(block.lines)) for block in step.blocks]


@pytest.mark.parametrize("piece_bytes", [1, 2, 3, 1000])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_step_ends_with_its_question_however_it_comes(end: str, piece_bytes: int) -> None:
    text = f"[[{VIEW}]2]\na\n\n[[{SUMMARY}] 0]\n[[{INPUT}] 1]\nüb 1\n{QUESTION_END}[[{SCORES}] 2]\n0 1\n1 -1\n"
    (question, over), reader = steps_of(text.replace("\n", end), piece_bytes)
    asked = (QUESTION, ["0", "1", "50"])
    assert shown(question) == [(VIEW, ["a", ""]), (SUMMARY, []), (INPUT, ["üb 1"]), asked]
    assert shown(over) == [(SCORES, ["0 1", "1 -1"])]
    assert not reader.has_begun


def test_unknown_blocks_and_text_between_blocks_are_skipped_and_the_beginning_of_the_text_is_kept() -> None:
    (step,), reader = steps_of(f"hello\n[[NEW] 2]\n[[x\ny\n{'z' * 5000}\n[[{INPUT}] 1]\n7\n{QUESTION_END}")
    assert shown(step) == [(INPUT, ["7"]), (QUESTION, ["0", "1", "50"])]
    assert reader.stray == f"hello\n{'z' * 5000}"[:4096]


@pytest.mark.parametrize("piece_bytes", [1, 1000])
def test_what_a_bot_says_in_a_summary_is_a_line_of_the_summary(piece_bytes: int) -> None:
    said = ["[[SCORES] 2]", "0 9", "1 0", "[[FAIL] 0]", f"[[{INPUT}] 1]", f"[[{QUESTION}] 3]", "1", "1", "60"]
    for lines in (said[:1], said[:3], said[3:4], said[4:], said):
        data = block_of(SUMMARY, lines) + block_of(INPUT, ["7"]) + QUESTION_END.encode()
        (step,), reader = steps_of(data, piece_bytes)
        assert shown(step) == [(SUMMARY, lines), (INPUT, ["7"]), (QUESTION, ["0", "1", "50"])]
        assert reader.stray == ""


@pytest.mark.parametrize("piece_bytes", [1, 1000])
def test_a_block_that_is_too_short_ends_at_the_next_header(piece_bytes: int) -> None:
    tip = f"[[{TOOLTIP}] 2]\nhi\n0\n"
    asks = f"[[{INPUT}] 1]\n7\n{QUESTION_END}"
    for text in (f"[[{SUMMARY}] 2]\na\n{tip}{asks}", f"[[{SUMMARY}] 3]\na\n{asks}", f"[[{SUMMARY}] 5]\na\n{asks}"):
        (step,), _ = steps_of(text, piece_bytes)
        assert shown(step)[0] == (SUMMARY, ["a"])
        assert shown(step)[-2:] == [(INPUT, ["7"]), (QUESTION, ["0", "1", "50"])]
        assert step.blocks[0].is_short


def test_silence_shows_that_a_block_is_too_short() -> None:
    steps, reader = steps_of(f"[[{SUMMARY}] 90]\na\n[[{INPUT}] 20]\n7\n{QUESTION_END}")
    assert steps == []
    assert reader.is_unsure
    step = reader.silence()
    assert step is not None
    assert shown(step) == [(SUMMARY, ["a"]), (INPUT, ["7"]), (QUESTION, ["0", "1", "50"])]
    assert reader.silence() is None


def test_what_holds_numbers_alone_holds_no_header() -> None:
    """So scores that somebody has said where nothing is to be said are none."""
    (step,), _ = steps_of(f"[[{SCORES}] 2]\n[[{INPUT}] 2]\n1 2\n3 4\n{QUESTION_END}")
    assert shown(step) == [(INPUT, ["1 2", "3 4"]), (QUESTION, ["0", "1", "50"])]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (f"[[{INPUT}] {MOST_BLOCK_LINES + 1}]\n".encode(), "100,001 lines"),
        (b"[[WHATEVER] 1000000000]\n", "1,000,000,000 lines"),
        (b"[[VIEW] 1]\n\0\n", "NUL"),
        (b"[[NEXT_PLAYER_INPUT] 2]\nok\na\xff\xfe\n", 'not UTF-8, near "ok'),
        (b"x\n" * 200_001, "200,000 lines without a question"),
        (b"[[VIEW] 2]\n" * 3 * 100_000, "without a question"),
    ],
)
def test_what_nobody_can_read_is_the_referees_fault(data: bytes, words: str) -> None:
    with pytest.raises(RefereeFault, match=words):
        steps_of(data, 65536)


def test_blocks_within_blocks_cannot_keep_us_busy() -> None:
    """Each is too short in a way that shows only at its end."""
    depth = 20_000
    data = b"".join(b"[[VIEW] %d]\n" % (2 * depth - 2 * at - 2) for at in range(depth)) + b"x\n" * depth
    with pytest.raises(RefereeFault, match=r"shorter than they say, too often"):
        for _ in range(3):
            reader = steps_of(data)[1]
            while reader.is_unsure:
                reader.silence()


LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=8), max_size=5)


@given(st.lists(st.tuples(st.sampled_from([VIEW, SUMMARY, TOOLTIP]), LINES), max_size=4), LINES, st.integers(1, 50))
def test_what_is_written_is_read(blocks: list[tuple[str, list[str]]], lines: list[str], piece_bytes: int) -> None:
    data = b"".join(block_of(name, said) for name, said in blocks) + block_of(INPUT, lines) + QUESTION_END.encode()
    (step,), reader = steps_of(data, piece_bytes)
    assert shown(step) == [*blocks, (INPUT, lines), (QUESTION, ["0", "1", "50"])]
    assert reader.stray == ""
