"""Matches led by both protocols or by whole commands: blocks, words and results; jars; scripted bots."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bot.clock import Policy, Spent, TimeRule
from engine.bot.output import Reply
from engine.conversation import NO_ANSWER, OK, Ask, Outcome, SeatVerdict, TimeLimits, Verdict
from engine.errors import GameFault, RefereeFault, UsageFault
from engine.match import MatchSpec
from engine.referees.blocks import (
    FAIL,
    INPUT,
    MONITORING,
    MOST_BLOCK_LINES,
    PARAMETERS,
    QUESTION,
    SCORES,
    SUMMARY,
    TOOLTIP,
    VIEW,
    BlockReader,
    RefereeStep,
    block_of,
)
from engine.referees.match_command import home_of, read_printed, script, with_home, write_starters
from engine.referees.notes import MOST_FOR_PEOPLE_BYTES, MOST_METADATA_BYTES, Notebook
from engine.referees.process import MatchSetup
from engine.referees.program import (
    CLASS_FILE,
    ProgramBounds,
    ProtocolKind,
    RefereeProgram,
    endings,
    fill_in,
    jar_of,
    jar_start,
    takes_seed,
    why_unfit,
)
from engine.referees.session import LINE_ENDS_OF_OTHERS, BrutaltesterMatch, SdkMatch
from engine.toolchains.program import Program
from tests.referees.live import game_of
from tests.referees.playing import FAILED, ScriptedChannel, a_program, led

CODINGAME = TimeRule(Policy.CODINGAME)


def question(seat: object = 0, answer_lines: object = 1, limit_ms: object = 50, *lines: str) -> bytes:
    return block_of(INPUT, lines) + block_of(QUESTION, [str(seat), str(answer_lines), str(limit_ms)])


def scores(*given: object) -> bytes:
    return block_of(SCORES, [f"{seat} {score}" for seat, score in enumerate(given)])


def says(*lines: str | None, charged_us: int = 0) -> Callable[[Ask], Reply]:
    """Bots that give these answers, one after the other; None for none, after which they say WAIT."""
    rest = iter(lines)

    def answer(_: Ask) -> Reply:
        line = next(rest, "WAIT")
        return FAILED if line is None else Reply(line, Spent(wall_us=charged_us, cpu_us=charged_us))

    return answer


WAITS = says()


def sdk(
    *steps: bytes,
    answer: Callable[[Ask], Reply] = WAITS,
    players: int = 2,
    time: TimeRule = TimeRule(),  # noqa: B008 - frozen
    first_limit_ms: int | None = None,
    **settings: Any,
) -> tuple[list[Ask], Outcome, list[str], Notebook]:
    channel, notebook = ScriptedChannel(steps), Notebook(players)
    spec = MatchSpec(game_of(a_program(**settings)), 19, 42, first_limit_ms, players=players)
    asks, outcome = led(SdkMatch(channel, MatchSetup(spec, time), notebook).conversation(), answer)
    return asks, outcome, [data.decode() for data in channel.sent], notebook


def brutaltester(
    *texts: str, answer: Callable[[Ask], Reply] = WAITS, players: int = 2, seed: int = 42, **settings: Any
) -> tuple[list[Ask], Outcome, list[str]]:
    channel = ScriptedChannel(texts)
    spec = MatchSpec(game_of(a_program(ProtocolKind.BRUTALTESTER, **settings)), 19, seed, players=players)
    asks, outcome = led(BrutaltesterMatch(channel, MatchSetup(spec), Notebook(players)).conversation(), answer)
    return asks, outcome, [data.decode() for data in channel.sent]


def answers(sent: list[str]) -> list[list[str]]:
    return [text.split("\n")[:-2] for text in sent[1:]]


class TestSdk:
    def test_it_begins_with_players_seed_and_parameters(self) -> None:
        _, _, sent, _ = sdk(scores(1, 0), parameters=(("width", "9"),))
        assert sent == ["[[INIT] 3]\n2\nseed=42\nwidth=9\n[[GET_GAME_INFO] 0]\n"]
        _, _, sent, _ = sdk(scores(1, 0), parameters=(("seed", "7"),))
        assert sent == ["[[INIT] 2]\n2\nseed=7\n[[GET_GAME_INFO] 0]\n"]

    def test_an_answer_of_several_lines_and_one_of_none(self) -> None:
        asks, outcome, sent, notebook = sdk(
            question(1, 2, 1000, "a", "b"),
            question(1, 0, 50, "c"),
            question(0, 0, 50, "d"),
            question(1, 1, 50, "e"),
            scores(3, 4),
            answer=says("one\ntwo", "three"),
        )
        assert asks == [Ask(1, ("a", "b"), 1000, 2), Ask(1, ("c", "e"), 50, 1)]
        assert answers(sent) == [
            ["[[SET_PLAYER_OUTPUT] 2]", "one", "two"],
            ["[[SET_PLAYER_OUTPUT] 0]"],
            ["[[SET_PLAYER_OUTPUT] 0]"],
            ["[[SET_PLAYER_OUTPUT] 1]", "three"],
        ]
        assert (outcome.scores, outcome.places, outcome.verdicts) == ((3, 4), (2, 1), (OK, OK))
        assert [asked.limit_ms for asked in notebook.questions] == [1000, None, None, 50]

    def test_a_seat_that_failed_is_asked_no_more_and_the_others_play_on(self) -> None:
        asks, outcome, sent, notebook = sdk(
            question(2), question(0), question(2), question(2, 0), question(1), scores(5, 5, -1),
            answer=says(None), players=3,
        )  # fmt: skip
        assert [ask.seat for ask in asks] == [2, 0, 1]
        timeout = ["[[SET_PLAYER_TIMEOUT] 0]"]
        moved = ["[[SET_PLAYER_OUTPUT] 1]", "WAIT"]
        assert answers(sent) == [timeout, moved, timeout, timeout, moved]
        assert outcome == Outcome((5, 5, -1), "end", (OK, OK, NO_ANSWER))
        assert notebook.last_answer_seat == 1

    def test_between_two_the_end_is_named_after_the_fault(self) -> None:
        assert sdk(question(0), scores(-1, 4), answer=says(None))[1].reason == NO_ANSWER.verdict.value

    @pytest.mark.parametrize(
        ("settings", "limit_ms", "expected_ms"), [({}, 100, 50), ({"has_time_bank": True}, 100, 100), ({}, 30, 1)]
    )
    def test_after_monitoring_the_limit_is_the_true_one_and_times_are_reported(
        self, settings: dict[str, Any], limit_ms: int, expected_ms: int
    ) -> None:
        asks, _, sent, _ = sdk(
            block_of(MONITORING) + question(0, 1, limit_ms), question(1, 1, limit_ms), question(1, 0), scores(1, 0),
            answer=says("a\nb", charged_us=900), **settings,
        )  # fmt: skip
        assert [(ask.limit_ms, ask.counts_overruns) for ask in asks] == [(expected_ms, False)] * 2
        assert answers(sent) == [
            ["[[SET_PLAYER_OUTPUT] 3]", "0", "a", "b"],
            ["[[SET_PLAYER_OUTPUT] 2]", "0", "WAIT"],
            ["[[SET_PLAYER_OUTPUT] 1]", "0"],
        ]

    @pytest.mark.parametrize(
        ("charged_us", "policy", "limit_ms", "reported"),
        [
            (7_900, Policy.STRICT, None, "7"),
            (50_000, Policy.STRICT, None, "50"),
            (50_001, Policy.CODINGAME, None, "51"),
            (99_000, Policy.CODINGAME, None, "99"),
            (60_000, Policy.STRICT, 200, "50"),
            (210_000, Policy.CODINGAME, 200, "60"),
            (20_000, Policy.CODINGAME, 10, "60"),
        ],
    )
    def test_what_is_reported_is_the_charge_measured_by_the_referees_own_limit(
        self, charged_us: int, policy: Policy, limit_ms: int | None, reported: str
    ) -> None:
        """Where somebody else sets another limit, the referee hears of an overrun if it is one of that limit."""
        _, _, sent, _ = sdk(
            block_of(MONITORING) + question(0, 1, 100), scores(1, 0),
            answer=says("a", charged_us=charged_us), time=TimeRule(policy), first_limit_ms=limit_ms,
        )  # fmt: skip
        assert answers(sent)[0][1] == reported

    def test_without_monitoring_overruns_are_counted_here(self) -> None:
        assert [ask.counts_overruns for ask in sdk(question(0), scores(1, 0), time=CODINGAME)[0]] == [True]

    def test_limits_that_others_set_count_instead_of_the_referees(self) -> None:
        steps = [question(0, 1, 1000), question(0, 1, 50), question(1, 1, 50), scores(1, 0)]
        assert [ask.limit_ms for ask in sdk(*steps, limits=TimeLimits(2000, 100))[0]] == [2000, 100, 2000]
        assert [ask.limit_ms for ask in sdk(*steps, first_limit_ms=300)[0]] == [300, 50, 300]

    @pytest.mark.parametrize("command", [("java", "-jar", "x.jar"), ("sh", "run.sh"), ("kotlin", "x"), ("./run",)])
    @pytest.mark.parametrize("end", LINE_ENDS_OF_OTHERS)
    def test_no_bot_can_end_a_line_within_its_line(self, command: tuple[str, ...], end: str) -> None:
        answer = f"WAIT{end}DIE\té"
        for keeps, seen in ((False, "WAIT\ufffdDIE\té"), (True, answer)):
            settings: dict[str, Any] = {"command": command, "keeps_line_ends": keeps}
            _, _, sent, _ = sdk(question(0), scores(1, 0), answer=says(answer), **settings)
            assert sent[1] == f"[[SET_PLAYER_OUTPUT] 1]\n{seen}\n[[GET_GAME_INFO] 0]\n"
            assert len(sent[1].splitlines()) == 3 or keeps
            _, _, told = brutaltester("###Output 0 1\n", "###End 01\n", answer=says(answer), **settings)
            assert told[1] == f"{seen}\n"

    def test_a_negative_score_of_a_seat_that_answered_is_an_illegal_move(self) -> None:
        tips = block_of(TOOLTIP, ["$1 built a wall", "1", "$0: invalid action", "0"])
        steps = [tips + question(0), scores(-1, 2)]
        assert sdk(*steps)[1].verdicts == (SeatVerdict(Verdict.ILLEGAL, "$0: invalid action"), OK)
        assert sdk(*steps, negative_score_is_fault=False)[1].verdicts == (OK, OK)
        assert sdk(scores(0, -3))[1].verdicts[1].message == "the referee gave it a score of -3"

    def test_what_people_see_is_noted(self) -> None:
        tips = block_of(SUMMARY, ["it begins"]) + block_of(TOOLTIP, ["hi", "1"])
        end = block_of(PARAMETERS, ["seed=42", "map=a=b"]) + block_of("METADATA", ['{"n":1}'])
        *_, notebook = sdk(tips + question(0, 1, 50, "x"), b"hello\n" + end + scores(1, 0))
        notes = notebook.notes()
        assert (notes.summaries, notes.metadata) == (("it begins", ""), '{"n":1}')
        assert [(tip.seat, tip.text, tip.question) for tip in notes.tooltips] == [(1, "hi", 0)]
        assert notes.parameters == (("seed", "42"), ("map", "a=b"))
        assert [asked.lines for asked in notes.questions] == [("x",)]

    def test_metadata_are_kept_whole_where_a_referee_talks_much_before_them(self) -> None:
        words = block_of(SUMMARY, ["x" * (MOST_FOR_PEOPLE_BYTES + 1)])
        end = block_of("METADATA", ['{"n":1}'])
        *_, notebook = sdk(words + question(), words + question(1), end + scores(1, 0))
        notes = notebook.notes()
        assert [len(summary) for summary in notes.summaries] == [MOST_FOR_PEOPLE_BYTES, 0, 0]
        assert notes.metadata == '{"n":1}'
        *_, notebook = sdk(block_of("METADATA", ["x" * (MOST_METADATA_BYTES + 1)]) + scores(1, 0))
        assert len(notebook.notes().metadata) == MOST_METADATA_BYTES

    def test_words_for_people_break_no_match(self) -> None:
        tips = ["two", "lines", "1", "nobody", "7", "all", "-1", "0", "1", "left over"]
        *_, notebook = sdk(block_of(TOOLTIP, tips) + scores(1, 0))
        assert [(tip.seat, tip.text) for tip in notebook.notes().tooltips] == [(1, "two\nlines"), (1, "0")]

    def test_the_limit_of_a_question_without_an_answer_does_not_matter(self) -> None:
        asks, *_ = sdk(question(0, 0, 0), question(1, 0, -1), question(" 1 ", "1", "50 "), scores(1, 0))
        assert asks[0].limit_ms == 50

    @pytest.mark.parametrize(
        ("steps", "words"),
        [
            ([question(7)], "seat 7; there are the seats 0 to 1"),
            ([question(-1)], "seat -1"),
            ([question(0, 10**9)], "an answer of 1,000,000,000 lines"),
            ([question(0, -1)], "an answer of -1 lines"),
            ([question(0, 1, 0)], "a limit of 0 ms"),
            ([question(0, 1, -1)], "a limit of -1 ms"),
            ([question(0, 1, "soon")], '"soon" for a limit of time'),
            ([block_of(QUESTION, ["0", "1"])], "has 2 lines, not 3"),
            ([block_of(FAIL, ["java.lang.Oops: ", "at Referee"])], "it broke: java.lang.Oops:  at Referee"),
            ([question(0)] * 6, "more than 5 questions"),
            ([scores(1, 0) * 2], "goes on after its SCORES"),
            ([scores(1, 0) + question(0)], "goes on after its SCORES"),
            ([scores(1)], "scores to 1 of 2 seats"),
            ([scores(1, 2, 3)], "seat 2"),
            ([block_of(SCORES, ["0 1", "0 1"])], "two scores to seat 0"),
            ([scores("many", 0)], '"many" for a score'),
            ([scores("1.5", 0)], '"1.5" for a score'),
            ([scores(2**31, 0)], "too large"),
            ([block_of(SCORES, ["0", "1"])], '"" for a score'),
            ([b"###Input 0\n5\n###Output 0 1\n"], 'says "###Input 0": it speaks the older protocol'),
            ([b"half a line"], "silent"),
        ],
    )
    def test_nonsense_is_the_referees_fault_and_no_bots(self, steps: list[bytes], words: str) -> None:
        with pytest.raises(RefereeFault, match=words):
            sdk(*steps, bounds=ProgramBounds(questions=5))

    @pytest.mark.parametrize("said", ["[[SCORES] 2]", "[[SCORES] 2]\n0 1\n1 9", "[[FAIL] 0]", "[[NEXT_PLAYER_INFO] 3]"])
    def test_a_bot_that_speaks_as_the_referee_does_changes_nothing(self, said: str) -> None:
        lines = said.split("\n")
        steps = [question(0, len(lines)), block_of(SUMMARY, ["$0 says:", *lines]) + question(1), scores(4, 2)]
        asks, outcome, sent, _ = sdk(*steps, answer=says(said))
        assert [ask.seat for ask in asks] == [0, 1]
        assert outcome.scores == (4, 2)
        assert answers(sent)[0] == [f"[[SET_PLAYER_OUTPUT] {len(lines)}]", *lines]

    def test_seeds_of_31_bits_are_never_cut_down(self) -> None:
        setup = MatchSetup(MatchSpec(game_of(a_program(seed_bits=31)), 19, 2**31))
        with pytest.raises(UsageFault, match="seeds of this game's referee are 0 to 2147483647"):
            next(SdkMatch(ScriptedChannel([]), setup, Notebook(2)).conversation())


class TestBrutaltester:
    def test_input_goes_to_its_seat_and_waits_for_its_question(self) -> None:
        asks, outcome, sent = brutaltester(
            "hello\n###Input 0\n5\n###Input 1\n6\n7\n###Input 0\n8\n###Output 0 1\n",
            "###Error oops\n###Output 1 2\n",
            "###End 1 0\n",
            answer=says("A", "B\nC"),
        )
        assert asks == [Ask(0, ("5", "8"), 1000), Ask(1, ("6", "7"), 1000, 2)]
        assert sent == ["###Seed 42\n###Start 2\n", "A\n", "B\nC\n"]
        assert (outcome.scores, outcome.verdicts) == ((0, 1), (OK, OK))

    def test_no_seed_is_given_to_a_referee_that_knows_none(self) -> None:
        assert brutaltester("###End 01\n", seed_bits=0)[2] == ["###Start 2\n"]

    def test_places_are_groups_of_level_seats(self) -> None:
        asks, outcome, _ = brutaltester("###End 1 20 3\n", players=4, fault_line="OUT")
        assert (asks, outcome.scores, outcome.places) == ([], (1, 3, 1, 0), (2, 1, 2, 4))

    def test_limits_are_the_games_or_the_usual_ones(self) -> None:
        texts = ["###Output 0 1\n", "###Output 0 1\n", "###End 0 1\n"]
        assert [ask.limit_ms for ask in brutaltester(*texts)[0]] == [1000, 100]
        assert [ask.limit_ms for ask in brutaltester(*texts, limits=TimeLimits(7, 3))[0]] == [7, 3]

    def test_between_two_the_match_ends_with_the_first_missing_answer(self) -> None:
        asks, outcome, sent = brutaltester("###Output 0 1\n", "###Output 1 1\n", answer=says("x", None))
        assert [ask.seat for ask in asks] == [0, 1]
        assert outcome == Outcome((1, 0), NO_ANSWER.verdict.value, (OK, NO_ANSWER))
        assert sent[1:] == ["x\n"]

    def test_with_more_the_seat_makes_wrong_moves_from_then_on(self) -> None:
        asks, outcome, sent = brutaltester(
            "###Output 2 2\n", "###Output 0 1\n", "###Input 2\n1\n###Output 2 1\n", "###End 10 2\n",
            answer=says(None, "x"), players=3, fault_line="OUT",
        )  # fmt: skip
        assert [ask.seat for ask in asks] == [2, 0]
        assert sent[1:] == ["OUT\nOUT\n", "x\n", "OUT\n"]
        assert outcome == Outcome((1, 1, 0), "end", (OK, OK, NO_ANSWER))
        with pytest.raises(GameFault, match="no fault line"):
            brutaltester("###Output 2 2\n", answer=says(None), players=3)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("###End 0\n", "does not give each seat one place"),
            ("###End 01 1\n", "does not give each seat one place"),
            ("###End -1 0\n", "does not give each seat one place"),
            ("###Output 0\n", "a seat and a number of lines"),
            ("###Output 7 1\n", "seat 7"),
            ("###Output 0 1000000000\n", "1,000,000,000 lines"),
            ("###Input x\n", '"x" for a seat'),
            ("###Input 0\na\0\n", "NUL"),
            ("###Input 0\n" + "1\n" * 100_001, "100,000 lines"),
            ("###Output 0 1", "silent"),
            ("[[NEXT_PLAYER_INPUT] 1]\n5\n[[NEXT_PLAYER_INFO] 3]\n", "speaks the protocol of the kind sdk"),
        ],
    )
    def test_nonsense_is_the_referees_fault_and_no_bots(self, text: str, words: str) -> None:
        with pytest.raises(RefereeFault, match=words):
            brutaltester(text)

    def test_a_bot_that_speaks_as_the_referee_does_changes_nothing(self) -> None:
        _, outcome, _ = brutaltester("###Output 0 1\n", "###End 1 0\n", answer=says("###End 0 1"))
        assert outcome.scores == (0, 1)


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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, file in {"good.jar": CLASS_FILE, "other.jar": "Main.class"}.items():
        with ZipFile(tmp_path / name, "w") as jar:
            jar.writestr(file, b"")
    (tmp_path / "text.jar").write_text("hello")
    return tmp_path


def test_the_class_that_speaks_the_protocol_is_started_by_the_users_options_and_ours(folder: Path) -> None:
    """Theirs come last, so that they win; level and mode are the game's."""
    command = ("java", "-Xmx100m", "-Dx=y", "-jar", "good.jar", "-p1", "a")
    start = jar_start(RefereeProgram(ProtocolKind.SDK, folder, command, memory_mb=600), 3)
    assert start
    words = start.command
    assert words[0] == "java"
    assert words[-7:-3] == ("-Xmx100m", "-Dx=y", "-Dgame.mode=multi", "-Dleague.level=3")
    assert words[-3:] == ("-cp", "good.jar", "com.codingame.gameengine.core.RefereeMain")
    assert {"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xmx400m"} <= set(words)


def test_there_is_one_collector(folder: Path) -> None:
    """A JVM refuses two."""
    command = ("/opt/bin/java", "-XX:+UseParallelGC", "-jar", "good.jar")
    start = jar_start(RefereeProgram(ProtocolKind.SDK, folder, command), 19)
    assert start
    assert [option for option in start.options if option.endswith("GC")] == ["-XX:+UseParallelGC"]


@pytest.mark.parametrize("command", ["java -jar other.jar", "java -cp good.jar Main", "./good.jar", "python3 a -jar b"])
def test_any_other_command_is_run_as_it_is(folder: Path, command: str) -> None:
    assert jar_start(RefereeProgram(ProtocolKind.SDK, folder, tuple(command.split())), 19) is None


def test_a_command_that_ends_too_early_has_no_jar() -> None:
    assert jar_of(("java", "-jar")) is None


@pytest.mark.parametrize("name", ["text.jar", "missing.jar"])
def test_what_is_no_jar_is_named(folder: Path, name: str) -> None:
    with pytest.raises(UsageFault, match=f"{name} cannot be read"):
        jar_start(RefereeProgram(ProtocolKind.SDK, folder, ("java", "-jar", name)), 19)


@pytest.mark.parametrize(
    ("command", "players", "meant"),
    [
        ("play {SEED} {PLAYERS}", 2, "play 7 /players/p1 /players/p2"),
        ("play {SEED} {PLAYERS}", 3, "play 7 /players/p1 /players/p2 /players/p3"),
        ("play -p1 {P1} -p2 {P2} -d seed={SEED}", 2, "play -p1 /players/p1 -p2 /players/p2 -d seed=7"),
        ("play --bot={PLAYERS} {PLAYER_COUNT}", 2, "play --bot=/players/p1 --bot=/players/p2 2"),
        ("play {SEED} {REPLAY_PATH} {PLAYERS}", 2, "play 7 /tmp/replay /players/p1 /players/p2"),
        ("play %DIR%/%ALL_PLAYERS%.exe", 2, "play /players/p1.exe /players/p2.exe"),
        ("play %DIR%/%P1%.exe %DIR%/%P2%.exe", 2, "play /players/p1.exe /players/p2.exe"),
        ("play %SEED% %DIR% %P2% %P1%", 2, "play 7 /players p2 p1"),
        ("play {P0} {PX} %P% {}", 2, "play {P0} {PX} %P% {}"),
    ],
)
def test_words_are_filled_as_the_tools_do_it(command: str, players: int, meant: str) -> None:
    assert fill_in(command.split(), 7, players) == tuple(meant.split())


def test_a_word_with_blanks_stays_one_word() -> None:
    assert fill_in(("sh", "-c", "play {P1} {P2}"), 1, 2) == ("sh", "-c", "play /players/p1 /players/p2")


@pytest.mark.parametrize(
    ("command", "players", "why"),
    [
        ("play {PLAYERS}", (2, 3, 4), None),
        ("play %DIR%/%ALL_PLAYERS%", (2, 8), None),
        ("play {P1} {P2}", (2,), None),
        ("play %P1% %P2% %P3%", (3,), None),
        ("play", (2,), "names no bot"),
        ("play {P1} {P2}", (2, 3), "names the bots 1, 2, and its matches have 2 or 3"),
        ("play {P1} {P2}", (3,), "names the bots 1, 2, and its matches have 3"),
        ("play {P1} {P2} {P3}", (2,), "names the bots 1, 2, 3, and its matches have 2"),
    ],
)
def test_a_command_names_all_bots_of_every_match(command: str, players: tuple[int, ...], why: str | None) -> None:
    found = why_unfit(command.split(), players)
    assert found is None if why is None else why in (found or "")


def test_seeds_are_known_to_commands_that_are_given_one() -> None:
    assert takes_seed(("play", "seed={SEED}"))
    assert takes_seed(("play", "%SEED%"))
    assert not takes_seed(("play", "{PLAYERS}", "SEED"))


def test_endings_are_those_that_follow_names() -> None:
    assert endings(("%DIR%/%ALL_PLAYERS%.exe", "x%P2%-bot y")) == {"", ".exe", "-bot"}


@pytest.mark.parametrize(
    ("word", "there"),
    [
        ("/bot", "/player-files/p2"),
        ("/bot/main", "/player-files/p2/main"),
        ("-cp=/bot:/bot/lib", "-cp=/player-files/p2:/player-files/p2/lib"),
        ("/robot/bot", "/robot/bot"),
        ("/bots", "/bots"),
        ("x/bot/y", "x/bot/y"),
    ],
)
def test_paths_in_the_folder_of_bots_are_moved_and_no_others(word: str, there: str) -> None:
    assert with_home(word, home_of(1)) == there


def test_a_starter_goes_to_the_bots_folder_and_becomes_the_bot() -> None:
    program = Program("", "c", Path("/x"), ("/bot/main", "it's"), {"NAME": "a b", "AT": "/bot/x"})
    line = "cd /player-files/p1 && exec env HOME=/player-files/p1 NAME='a b' AT=/player-files/p1/x "
    assert script(program, home_of(0)) == f"#!/bin/sh\n{line}/player-files/p1/main 'it'\"'\"'s'\n"


def test_there_is_a_starter_under_each_name(tmp_path: Path) -> None:
    write_starters(tmp_path, ("%DIR%/%ALL_PLAYERS%.exe",), [Program("", "c", Path("/x"), ("/bot/main",), {})] * 2)
    assert {path.name for path in tmp_path.iterdir()} == {"p1", "p1.exe", "p2", "p2.exe"}
    assert all(path.stat().st_mode & 0o777 == 0o755 for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("printed", "scores", "places"),
    [
        ("12 7", (12, 7), (1, 2)),
        ("7\n12\n", (7, 12), (2, 1)),
        ("seed 4\nboard ...\n3 3\n", (3, 3), (1, 1)),
        ('{"ranks": [0, 1]}', (1, 0), (1, 2)),
        ('{"ranks": [1, 0], "errors": [0, 0]}\n', (0, 1), (2, 1)),
        ('{"ranks": [0, 0]}', (0, 0), (1, 1)),
        ('words\n{"ranks": [0, 1]}', (1, 0), (1, 2)),
        ('{\n "ranks": [0, 1]\n}\n', (1, 0), (1, 2)),
        ('{"ranks": [0, 2, 0, 3], "errors": [0, 0, 0, 0]}', (2, 1, 2, 0), (1, 3, 1, 4)),
    ],
)
def test_scores_and_ranks_are_read(printed: str, scores: tuple[int, ...], places: tuple[int, ...]) -> None:
    outcome, _ = read_printed(printed, len(places))
    assert (outcome.scores, outcome.places) == (scores, places)
    assert {verdict.verdict for verdict in outcome.verdicts} == {Verdict.OK}


@pytest.mark.parametrize(
    ("printed", "verdicts"),
    [
        ('{"ranks": [0, 1], "errors": [0, 1]}', ["ok", "unknown"]),
        ('{"ranks": [1, 0], "errors": [true, false]}', ["unknown", "ok"]),
        ("-1 5", ["unknown", "ok"]),
    ],
)
def test_an_error_is_a_fault_of_unknown_kind(printed: str, verdicts: list[str]) -> None:
    assert [verdict.verdict for verdict in read_printed(printed, 2)[0].verdicts] == verdicts


def test_a_negative_score_is_no_fault_where_the_game_says_so() -> None:
    outcome, _ = read_printed("-1 -5", 2, negative_is_fault=False)
    assert [verdict.verdict for verdict in outcome.verdicts] == ["ok", "ok"]
    assert outcome.places == (1, 2)


def test_metrics_are_those_of_the_match_and_of_the_player() -> None:
    psyleague = {"ranks": [0, 1], "test_data": {"map": "small"}, "player_data": [{"moves": 7}, {"moves": 9, "x": []}]}
    expected = ({"map": "small", "moves": "7"}, {"map": "small", "moves": "9"})
    assert read_printed(json.dumps(psyleague), 2)[1].metrics == expected
    attributes: list[dict[str, Any]] = [
        {"name": "map", "player": None, "turn": None, "value": "big"},
        {"name": "gold", "player": 1, "turn": None, "value": 3.5},
        {"name": "gold", "player": 1, "turn": 4, "value": 1},
    ]
    cgarena = {"ranks": [0, 1], "errors": [0, 0], "attributes": attributes}
    _, notes = read_printed(json.dumps(cgarena), 2)
    assert notes.metrics == ({"map": "big"}, {"map": "big", "gold": "3.5"})
    assert notes.metadata == json.dumps(cgarena)


@pytest.mark.parametrize(
    ("printed", "why"),
    [
        ("", "the command printed no result"),
        (" \n\n", "the command printed no result"),
        ("player 1 wins", "neither JSON nor 2 scores at the end, but: player 1 wins"),
        ("1", "neither JSON nor 2 scores"),
        ("1 2 3", "neither JSON nor 2 scores"),
        ("1.5 2", "neither JSON nor 2 scores"),
        ("99999999999 1", "a score that is too large"),
        ('{"ranks": [0, 1]', "neither JSON nor 2 scores"),
        ('{"scores": [0, 1]}', "ranks that are not a list of 2 numbers: None"),
        ('{"ranks": [0]}', "ranks that are not a list of 2 numbers"),
        ('{"ranks": [0, "x"]}', "ranks that are not whole numbers"),
        ('{"ranks": [0, 1e400]}', "ranks that are not whole numbers"),
        ('{"ranks": [0, 1], "errors": [1]}', "errors that are not a list of 2 numbers"),
        ('[{"ranks": [0, 1]}]', "JSON that is not an object with `ranks`; a command plays one match"),
        ("[" * 5000, "neither JSON nor 2 scores"),
    ],
)
def test_anything_else_is_the_commands_fault(printed: str, why: str) -> None:
    with pytest.raises(RefereeFault) as caught:
        read_printed(printed, 2)
    assert why in str(caught.value)


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=2, max_size=8))
def test_printed_scores_come_back(scores: list[int]) -> None:
    assert read_printed("\n".join(map(str, scores)), len(scores))[0].scores == tuple(scores)


@given(st.text())
def test_no_text_does_anything_but_raise(printed: str) -> None:
    try:
        read_printed(printed, 3)
    except RefereeFault:
        return
