"""Who takes part in a gauntlet: one set of rules for the queue, for local gauntlets and for automatic ones."""

from collections.abc import Sequence

import pytest

from engine.errors import Refused, UnknownName, UsageFault
from ladder.gauntlets.lineup import (
    LineupWords,
    Participant,
    Word,
    WordKind,
    lacks_earlier,
    lineup_of_those_there,
    make_lineup,
    read_word,
    words_or_usual,
)
from ladder.ids import BotId, VersionId

GAME = "ocean-of-code"


def version(
    version_id: int, number: int, bot: str = "kraken", state: str = "accepted", game: str = GAME
) -> Participant:
    return Participant(VersionId(version_id), f"{bot}@v{number}", game, "python", bot, BotId(1), number, state)


CANDIDATE = version(8, 8)
FILE = Participant(VersionId(-1), "old.py", GAME, "python")
KNOWN = {
    "kraken@v7": [version(7, 7)],
    "prior:2": [version(7, 7), version(6, 6)],
    "boss": [version(1, 1, "boss")],
    "./old.py": [FILE],
    "kraken@v8": [CANDIDATE],
    "kraken@v5": [version(5, 5, state="rejected")],
    "kraken@v9": [version(9, 9, state="building")],
    "marcher": [version(3, 1, "marcher", game="ice-and-fire")],
    "prior:9": [],
}


def meant(word: str) -> Sequence[Participant]:
    if word not in KNOWN:
        raise UnknownName(f"there is no bot {word}")
    return KNOWN[word]


def test_each_opponent_takes_part_once_in_the_order_in_which_it_is_named() -> None:
    chosen = make_lineup(CANDIDATE, None, LineupWords(("boss", "prior:2", "kraken@v7", "./old.py")), meant)
    assert [one.name for one in chosen.opponents] == ["boss@v1", "kraken@v7", "kraken@v6", "old.py"]
    assert chosen.participants[0] is CANDIDATE


def test_the_version_before_decides_where_it_takes_part_and_else_all_do() -> None:
    assert make_lineup(CANDIDATE, None, LineupWords(("boss", "prior:2")), meant).deciding_ids == (7,)
    assert make_lineup(CANDIDATE, None, LineupWords(("boss", "./old.py")), meant).deciding_ids is None
    assert make_lineup(CANDIDATE, version(7, 7), LineupWords(("prior:2",)), meant).deciding_ids is None


def test_a_file_that_would_be_a_bots_next_version_is_decided_by_the_version_before_too() -> None:
    file = Participant(VersionId(-2), "kraken.py", GAME, "python", "kraken", BotId(1), 9)
    assert make_lineup(file, None, LineupWords(("prior:2", "boss")), meant).deciding_ids == (7,)


def test_the_baseline_is_no_opponent() -> None:
    chosen = make_lineup(CANDIDATE, version(7, 7), LineupWords(("prior:2", "boss")), meant)
    assert [one.name for one in chosen.opponents] == ["kraken@v6", "boss@v1"]
    assert [one.name for one in chosen.participants] == ["kraken@v8", "kraken@v7", "kraken@v6", "boss@v1"]


@pytest.mark.parametrize(
    ("baseline", "words", "sentence"),
    [
        (None, ["kraken@v8"], "kraken@v8 cannot play against itself"),
        (None, ["prior:9"], "prior:9: no such opponent for kraken@v8 yet; name others with --against"),
        (None, ["kraken@v5"], "kraken@v5 was rejected, so it cannot play"),
        (None, ["marcher"], "marcher@v1 plays ice-and-fire, and kraken@v8 plays ocean-of-code"),
        (CANDIDATE, ["boss"], "kraken@v8 cannot be compared with itself"),
        (version(5, 5, state="rejected"), ["boss"], "kraken@v5 was rejected, so it cannot play"),
        (version(7, 7), ["kraken@v7"], "kraken@v7: no such opponent for kraken@v8 yet"),
    ],
)
def test_who_cannot_take_part_is_refused(baseline: Participant | None, words: list[str], sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        make_lineup(CANDIDATE, baseline, LineupWords(tuple(words)), meant)


def test_a_candidate_that_was_rejected_is_refused() -> None:
    with pytest.raises(Refused, match="kraken@v5 was rejected"):
        make_lineup(version(5, 5, state="rejected"), None, LineupWords(("boss",)), meant)


def test_an_automatic_gauntlet_passes_over_words_without_an_opponent_now() -> None:
    words = ("gone", "prior:9", "kraken@v5", "kraken@v9", "marcher", "kraken@v8", "prior:2")
    chosen = lineup_of_those_there(CANDIDATE, LineupWords(words), lambda word: () if word == "gone" else meant(word))
    assert chosen is not None
    assert [one.name for one in chosen.opponents] == ["kraken@v7", "kraken@v6"]
    assert (
        lineup_of_those_there(CANDIDATE, LineupWords(words[:-1]), lambda word: () if word == "gone" else meant(word))
        is None
    )


def test_it_is_known_whether_earlier_versions_were_asked_for_and_there_are_none() -> None:
    with_earlier = make_lineup(CANDIDATE, None, LineupWords(("boss", "prior:2")), meant)
    without = make_lineup(CANDIDATE, None, LineupWords(("boss",)), meant)
    assert not lacks_earlier(with_earlier, ["boss", "prior:2"])
    assert lacks_earlier(without, ["boss", "prior:9"])
    assert not lacks_earlier(without, ["boss"])


def test_the_usual_opponent_is_the_predecessor_with_others_for_information_and_with_a_baseline_the_boss() -> None:
    assert words_or_usual([], None, has_baseline=False) == LineupWords(("predecessor",), ("prior:3", "boss"))
    assert words_or_usual([], (), has_baseline=False) == LineupWords(("predecessor",))
    assert words_or_usual([], ("orca",), has_baseline=False) == LineupWords(("predecessor",), ("orca",))
    assert words_or_usual([], None, has_baseline=True) == LineupWords(("boss",))
    assert words_or_usual(["orca"], None, has_baseline=False) == LineupWords(("orca",))
    assert words_or_usual(["orca"], ("boss",), has_baseline=True) == LineupWords(("orca",), ("boss",))


def test_opponents_for_information_come_last_once_and_decide_nothing() -> None:
    chosen = make_lineup(CANDIDATE, None, LineupWords(("kraken@v7",), ("prior:2", "boss")), meant)
    assert [one.name for one in chosen.opponents] == ["kraken@v7"]
    assert [one.name for one in chosen.context] == ["kraken@v6", "boss@v1"]
    assert chosen.deciding_ids == (7,)
    rival = make_lineup(CANDIDATE, None, LineupWords(("boss",), ("prior:2",)), meant)
    assert [one.name for one in rival.opponents] == ["boss@v1"]
    assert rival.deciding_ids is None, "all opponents that are not for information"
    with pytest.raises(Refused, match="kraken@v8 cannot play against itself"):
        make_lineup(CANDIDATE, None, LineupWords(("boss",), ("kraken@v8",)), meant)


def test_where_there_is_no_predecessor_the_opponents_for_information_take_its_place() -> None:
    words = LineupWords(("prior:9",), ("boss",))
    for chosen in (make_lineup(CANDIDATE, None, words, meant), lineup_of_those_there(CANDIDATE, words, meant)):
        assert chosen is not None
        assert [one.name for one in chosen.opponents] == ["boss@v1"]
        assert chosen.context == ()
    with pytest.raises(Refused, match="prior:9 and prior:9: no such opponent for kraken@v8 yet"):
        make_lineup(CANDIDATE, None, LineupWords(("prior:9",), ("prior:9",)), meant)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("boss", Word("boss", WordKind.BOSS)),
        ("predecessor", Word("predecessor", WordKind.PREDECESSOR)),
        ("prior:12", Word("prior:12", WordKind.PRIOR, 12)),
        ("board:top3", Word("board:top3", WordKind.BOARD_TOP, 3)),
        ("kraken@v3", Word("kraken@v3", WordKind.VERSION)),
    ],
)
def test_words_are_read(text: str, word: Word) -> None:
    assert read_word(text) == word


@pytest.mark.parametrize("text", ["", "prior:", "prior:0", "prior:x", "board:top1234567", "board:5", "later:2"])
def test_words_that_cannot_name_an_opponent_are_bad_use(text: str) -> None:
    with pytest.raises(UsageFault, match=r"there are BOT@vN.* prior:N, boss, board:topN"):
        read_word(text)
