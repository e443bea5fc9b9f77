"""The settings for what is kept of matches, and texts as they are stored."""

import re
from pathlib import Path

import pytest

from engine.errors import UsageFault
from ladder.errors import DamagedRecord
from ladder.matches.stderr import packed_text, unpacked_text
from ladder.retention import Retention, retention_from


def test_records_are_kept_for_ever_by_default_and_stderr_for_a_quarter() -> None:
    assert retention_from({}) == Retention(stderr_days=90, record_days=None)


def test_every_setting_counts() -> None:
    environment = {
        "LADDER_STDERR_DAYS": "forever",
        "LADDER_RECORD_DAYS": "365",
        "LADDER_KEEP_NEWEST": "0",
        "LADDER_STDERR_MB_PER_DAY": "7",
        "LADDER_ARCHIVE": "/mnt/old matches",
    }
    assert retention_from(environment) == Retention(None, 365, 0, 7, archive=Path("/mnt/old matches"))


def test_an_archive_is_named_by_its_full_path_as_each_worker_runs_elsewhere() -> None:
    with pytest.raises(UsageFault, match=r"LADDER_ARCHIVE is 'old'; it must be the full path of a folder"):
        retention_from({"LADDER_ARCHIVE": "old"})


@pytest.mark.parametrize("word", ["-1", "1.5", "never", "²", "1000001", " 3"])
@pytest.mark.parametrize("name", ["LADDER_STDERR_DAYS", "LADDER_RECORD_DAYS", "LADDER_KEEP_NEWEST"])
def test_a_number_that_cannot_be_is_refused_in_one_sentence(name: str, word: str) -> None:
    with pytest.raises(UsageFault, match=re.escape(f"{name} is {word!r}; it must be a number from 0 to")) as refused:
        retention_from({name: word})
    assert ("forever" in str(refused.value)) == ("DAYS" in name)


@pytest.mark.parametrize("text", ["", "x", "x\x9c short", "turn 1: 12.5\n" * 1000, "\x00\ud800"])
def test_a_text_comes_back_as_it_was_and_is_never_longer_than_it_was(text: str) -> None:
    stored, plain = packed_text(text), text.encode("utf-8", "replace")
    assert unpacked_text(stored) == plain.decode()
    assert len(stored) <= len(plain)


def test_repeated_words_take_little_room() -> None:
    assert len(packed_text("turn 1: 12.5\n" * 1000)) < 200


def test_a_damaged_text_is_said_to_be_that() -> None:
    with pytest.raises(DamagedRecord):
        unpacked_text(packed_text("kraken " * 100)[:20])
