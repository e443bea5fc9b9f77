"""What happens is a line in the log, in a form that is chosen, without passwords and without what a terminal obeys."""

import io
import json
import logging
import re
from collections.abc import Callable, Iterator

import pytest

from engine.errors import UsageFault
from ladder.event_log import Outage, event, log_settings, log_to

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00"


@pytest.fixture
def written() -> Iterator[Callable[..., list[str]]]:
    """Lets everything be written into memory, as an environment says, and returns the lines so far."""
    root, ours = logging.getLogger(), logging.getLogger("ladder")
    before = root.handlers[:], root.level, ours.level
    text = io.StringIO()

    def lines(**environment: str) -> list[str]:
        if environment or not text.getvalue():
            log_to(logging.StreamHandler(text), environment)
        return text.getvalue().splitlines()

    lines()
    yield lines
    root.handlers[:] = before[0]
    root.setLevel(before[1])
    ours.setLevel(before[2])


def test_an_event_is_a_line_with_its_time_level_name_and_fields(written: Callable[..., list[str]]) -> None:
    event("match_claimed", match=12, attempt=1, worker=None, versions=[3, 4])
    (line,) = written()
    assert re.fullmatch(rf"{TIME} info match_claimed match=12 attempt=1 versions=3,4 host=\S+ pid=\d+", line)


def test_as_json_a_line_is_an_object(written: Callable[..., list[str]]) -> None:
    written(LADDER_LOG="json")
    event("match_void", logging.WARNING, match=12, words='it "broke"\nhere')
    logging.getLogger("celery.worker").warning("a message of a library")
    first, second = map(json.loads, written())
    assert (first["level"], first["event"], first["match"]) == ("warning", "match_void", 12)
    assert first["words"] == 'it "broke"\nhere'
    assert (second["event"], second["words"]) == ("message", "a message of a library")
    assert {"time", "host", "pid"} <= set(first) & set(second)


@pytest.mark.parametrize("form", ["text", "json"])
def test_what_others_have_written_stays_on_its_line(written: Callable[..., list[str]], form: str) -> None:
    written(LADDER_LOG=form)
    event("version_rejected", words="\x1b[2J a\r\n2026 info match_finished\u2028\x85 b")
    (line,) = written()
    assert line.isprintable()


def test_passwords_of_the_services_are_left_out(written: Callable[..., list[str]]) -> None:
    written(LADDER_DATABASE_URL="postgresql://ladder:s3%2Fcret@db/ladder", PGPASSWORD="t0p", LADDER_BROKER_URL="[")
    event("database_lost", words="no answer from ladder:s3%2Fcret@db with s3/cret or t0p")
    assert "ladder:***@db with *** or ***" in written()[0]


def test_an_error_is_told_in_its_words_and_its_traceback_only_where_that_is_asked_for(
    written: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for debug in ("", "1"):
        monkeypatch.setenv("LADDER_DEBUG", debug)
        with pytest.raises(UsageFault) as fault:
            log_settings({"LADDER_LOG": "xml"})
        logging.getLogger("workers.tasks").error("no result of match 7", exc_info=fault.value)
    first, second = written()
    assert '"no result of match 7: LADDER_LOG is' in first
    assert ("Traceback" in first, "Traceback" in second) == (False, True)


def test_less_than_the_level_is_not_written(written: Callable[..., list[str]]) -> None:
    written(LADDER_LOG_LEVEL="warning")
    event("round")
    event("match_given_back", logging.WARNING)
    assert [line.split()[2] for line in written()] == ["match_given_back"]


def test_a_service_that_is_away_is_two_lines_however_often_it_is_tried(written: Callable[..., list[str]]) -> None:
    outage = Outage("broker")
    outage.ends()
    for _ in range(3):
        outage.begins("it does not answer")
    for _ in range(3):
        outage.ends()
    lost, found = written()
    assert (lost.split()[1:3], found.split()[1:3]) == (["warning", "broker_lost"], ["info", "broker_found"])
    assert re.search(r" s=\d+\.\d ", found)


def test_a_word_that_is_neither_is_refused() -> None:
    for name, word in (("LADDER_LOG", "xml"), ("LADDER_LOG_LEVEL", "loud")):
        with pytest.raises(UsageFault, match=f"^{name} is '{word}'; it must be one of: "):
            log_settings({name: word})
