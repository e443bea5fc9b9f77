"""What commands write, and where to: terminals, full disks, pipes that nobody reads, rows that are missing."""

import os
import re
import subprocess
from itertools import product
from pathlib import Path

import pytest

from engine.bot.clock import Spent
from engine.match import Turn
from ladder.database.connection import Pool
from ladder.matches.record import Recording, pack
from ladder.ratings.counts import battles_text
from tests.acceptance.conftest import LADDER, Desk, Shell, on_terminal
from tests.ladder.arena import on_the_board
from tests.ladder.rated import History, a_history, change
from tests.patience import patience_s, wait_until
from tests.processes import finished

GAME = "ocean-of-code"
BOARD = ("board", "--game", GAME)
STYLES = re.compile(r"\x1b\[[0-9;]*m")
BUFFERED, UNBUFFERED = "", "1"
OUTPUTS = [
    (("game", "list"), BUFFERED, UNBUFFERED),
    (("game", "list", "--json"), UNBUFFERED, BUFFERED),
    (("game", "show", GAME), BUFFERED, UNBUFFERED),
    (("--help",), UNBUFFERED, BUFFERED),
]
"""A table, a line, a long text and a help: how each is written onto a full disk, and to a reader that has gone."""


@pytest.mark.parametrize(("words", "unbuffered", "_"), OUTPUTS)
def test_a_full_disk_is_one_sentence(shell: Shell, words: tuple[str, ...], unbuffered: str, _: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run_into(shell, full.fileno(), *words, PYTHONUNBUFFERED=unbuffered)
    assert done.stderr == "ladder: cannot write: No space left on device\n"
    assert done.returncode == 1


@pytest.mark.usefixtures("database_url", "bosses")
def test_a_full_disk_hides_no_accepted_version(desk: Desk, bot: Path) -> None:
    for name, as_json in (("kraken", ()), ("orca", ("--json",))):
        with Path("/dev/full").open("wb") as full:
            done = run_into(desk, full.fileno(), "submit", bot, "--game", GAME, "--bot", name, *as_json)
        assert done.stderr.endswith(f"ladder: cannot write: No space left on device ({name}@v1 was accepted)\n")
        assert (done.returncode, done.stderr.count("cannot write")) == (1, 1)


@pytest.mark.parametrize(("words", "_", "unbuffered"), OUTPUTS)
def test_no_reader_ends_a_command_silently(shell: Shell, words: tuple[str, ...], _: str, unbuffered: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = run_into(shell, writing, *words, PYTHONUNBUFFERED=unbuffered)
    os.close(writing)
    assert done.stderr == ""
    assert done.returncode == 141


def run_into(shell: Shell, out: int, *words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command, pipe, full = [LADDER, *words], subprocess.PIPE, shell.full_environment(**environment)
    return subprocess.run(command, stdout=out, stderr=pipe, text=True, timeout=patience_s(), check=False, env=full)


def test_boards_on_a_narrow_terminal_show_whole_what_they_always_show(desk: Desk, pool: Pool, history: History) -> None:
    on_the_board(pool, "kraken", "kraken, a little better", leaves_rival=True)
    rows = desk.json(*BOARD)
    desk.ok("season", "close", GAME, "--yes", "--now")
    for columns, words in product((80, 60), (("season", "show", GAME, "1"), BOARD)):
        shown = on_a_terminal(desk, columns, *words)
        assert words != BOARD or "(rival)" in shown
        assert max(map(len, shown.splitlines())) <= columns, shown
        for row in rows:
            numbers = (f"{row['mu']:.2f}", f"{row['sigma']:.2f}", battles_text(row["matches"], 2), str(row["timeouts"]))
            assert {*numbers, f"{row['wins']}/{row['draws']}/{row['losses']}"} <= set(shown.split()), shown


@pytest.mark.usefixtures("database_url")
def test_on_a_narrow_terminal_the_list_of_leagues_keeps_leagues_and_bosses_apart(desk: Desk) -> None:
    for columns in (80, 60):
        shown = on_a_terminal(desk, columns, "league", "list")
        assert max(map(len, shown.splitlines())) <= columns
        assert "…" not in shown
        assert {"wood-2", "wood-1", "gold", "boss-wood-2", "boss-silver"} <= set(shown.split()), shown
        assert "no room for memory" in shown


def test_lists_fit_a_narrow_terminal_and_have_80_columns_in_a_pipe(desk: Desk, pool: Pool) -> None:
    on_the_board(pool, "k" * 39, player="p" * 39)
    for words in (("bot", "list"), ("season", "list")):
        shown = on_a_terminal(desk, 60, *words)
        assert max(map(len, shown.splitlines())) <= 60
        assert "…" not in shown
        assert {GAME, "ice-and-fire"} <= set(shown.split()), shown
    assert "k" * 39 in (shown := on_a_terminal(desk, 60, "bot", "list"))
    assert "no room for player, guards" in shown
    piped = {columns: desk.ok("bot", "list", COLUMNS=columns) for columns in ("", "0", "140")}
    assert {"k" * 39, "p" * 39, "its"} <= set(piped["140"].split())
    assert piped[""] == piped["0"]
    assert max(map(len, piped[""].splitlines())) <= 80 < max(map(len, piped["140"].splitlines())) <= 140
    assert not re.search("[│┃┏└]", "".join(piped.values()))


def test_a_settled_board_on_a_narrow_terminal_has_whole_numbers(desk: Desk, history: History) -> None:
    rows = desk.json("rating", "settle", "--game", GAME)
    for columns in (80, 40):
        shown = on_a_terminal(desk, columns, "rating", "settle", "--game", GAME)
        assert max(map(len, shown.splitlines())) <= columns
        assert "…" not in shown
        for row in rows:
            assert {str(row["rank"]), f"{row['strength']:+.0f}", row["version"]} <= set(shown.split()), shown


def test_why_a_bot_stands_where_it_does_begins_with_a_line_that_fits_80_columns(desk: Desk, history: History) -> None:
    first = desk.ok("bot", "why", "kraken").splitlines()[0]
    (row,) = (row for row in desk.json(*BOARD) if row["version"] == "kraken@v1")
    assert first.endswith(f"{row['wins']}/{row['draws']}/{row['losses']}")
    assert len(first) <= 80


def test_the_help_of_the_board_says_what_a_battle_is(desk: Desk, history: History) -> None:
    assert "A battle is two matches" in " ".join(desk.ok("board", "--help").split())


def on_a_terminal(desk: Desk, columns: int, *words: str) -> str:
    return STYLES.sub("", desk.screen(columns, *words)).replace("│", " ")


def test_a_match_that_has_lost_a_seat_shows_what_is_there(desk: Desk, pool: Pool, history: History) -> None:
    match_id = str(history.matches[0])
    said = [Turn(0, "7 7", Spent(wall_us=900)), Turn(1, "8 8", Spent(wall_us=800))]
    change(pool, "UPDATE matches SET record = %s WHERE id = %s", pack(Recording(tuple(said))), match_id)
    change(pool, "DELETE FROM seats WHERE match_id = %s AND seat = 1", match_id)
    shown = desk.ok("match", "show", match_id, "--turns")
    assert "seat 0: " in shown
    assert "seat 1: its row is missing in the database" in shown
    assert "8 8" in shown
    told = desk.json("match", "show", match_id)
    assert [seat["seat"] for seat in told["seats"]] == [0]
    assert [turn["line"] for turn in told["said"]] == ["7 7", "8 8"]
    assert "0:?" in desk.ok("match", "list")
    assert match_id in [str(row["id"]) for row in desk.json("match", "list")]
    for words in (("rejudge", match_id), ("rematch", match_id)):
        assert f"match {match_id} has lost rows" in desk.refused(1, "match", *words)
    change(pool, "DELETE FROM seats WHERE match_id = %s", match_id)
    assert desk.ok("match", "show", match_id).count("missing in the database") == 2


def test_people_read_in_words_how_a_match_ended_and_scripts_read_the_games_name_for_it(desk: Desk, pool: Pool) -> None:
    match_id = str(a_history(pool, battles=1).matches[0])
    change(pool, "UPDATE matches SET reason = 'turn_limit' WHERE id = %s", match_id)
    for words in (("match", "list"), ("match", "show", match_id)):
        shown = desk.ok(*words)
        assert "turn limit" in shown
        assert "turn_limit" not in shown
    assert desk.json("match", "show", match_id)["reason"] == "turn_limit"
    desk.ok("match", "void", match_id, "--why", "map_7 was wrong")
    assert "void (map_7 was wrong)" in desk.ok("match", "show", match_id)


def test_a_match_that_was_taken_back_says_by_whom_when_and_why(desk: Desk, history: History) -> None:
    match_id = str(history.matches[0])
    assert desk.json("match", "show", match_id)["void_by"] is None
    desk.ok("match", "void", match_id, "--why", "the referee slept", LADDER_PLAYER="ann")
    assert "void (the referee slept)\ntaken back by ann, 20" in desk.ok("match", "show", match_id)
    told = desk.json("match", "show", match_id)
    assert (told["reason"], told["void_by"]) == ("the referee slept", "ann")
    assert told["void_at"]


def test_a_reason_that_is_a_story_is_refused(desk: Desk, history: History) -> None:
    match_id = str(history.matches[0])
    assert "501 characters, the limit is 500" in desk.refused(2, "match", "void", match_id, "--why", "x" * 501)
    assert "the limit is 500" in desk.refused(2, "gauntlet", "purge", "1", "--host", "h", "--why", "x" * 501)
    desk.ok("match", "void", match_id, "--why", "x" * 500)


@pytest.mark.usefixtures("database_url")
def test_all_commands_use_the_same_words_for_a_file_that_may_not_be_read(desk: Desk) -> None:
    """It is one that not even root may read."""
    file = "/proc/sys/vm/drop_caches"
    for words in (
        ("play", GAME, "{file}", "{file}"),
        ("submit", "{file}", "--game", GAME),
        ("league", "apply", "{file}"),
    ):
        told = desk.refused(2, *(word.format(file=file) for word in words))
        assert told == f"ladder: cannot read {file}: Permission denied\n"


def test_an_unknown_game_is_what_is_complained_of(desk: Desk, history: History) -> None:
    for words in (
        ("match", "list", "--bot", "kraken"),
        ("gauntlet", "list", "--bot", "kraken"),
        ("gauntlet", "run", "kraken@v1"),
        ("bot", "show", "kraken"),
        ("bot", "why", "kraken"),
        ("bot", "activate", "kraken@v1", "--player", "kim"),
        ("bot", "rewind", "kraken", "--player", "kim"),
    ):
        assert "unknown game 'nogame'; known: ocean-of-code" in desk.refused(2, *words, "--game", "nogame")
    assert "say --bot too" in desk.refused(2, "gauntlet", "list", "--game", GAME), "a game alone is not ignored"


def test_known_bots_are_named_once_in_order_and_too_many_are_counted(desk: Desk, pool: Pool) -> None:
    """The bosses of all games have the same names."""
    before = known_bots(desk)
    assert "boss-bronze" in before
    assert before == sorted(set(before), key=str.lower)
    for number in range(20 - len(before)):
        on_the_board(pool, f"Eel-{number:02}", str(number))
    whole = known_bots(desk)
    assert (len(whole), whole) == (20, sorted(whole, key=str.lower))
    on_the_board(pool, "zander", "z")
    assert known_bots(desk) == [*whole, "and 1 more"]
    on_the_board(pool, "Aal", "a")
    assert known_bots(desk) == ["Aal", *whole[:19], "and 2 more"]


def known_bots(desk: Desk) -> list[str]:
    return desk.refused(2, "bot", "show", "nessie").strip().partition("known: ")[2].split(", ")


@pytest.mark.parametrize(
    ("words", "status", "closed"),
    [
        ("game list", 0, "<&-"),
        ("game list", 0, ">&-"),
        ("status", 4, "2>&-"),
        ("game show x", 2, "<&- >&- 2>&-"),
        ("--help", 0, ">&-"),
        ("--help", 0, "<&- >&- 2>&-"),
    ],
)
def test_streams_that_were_closed_change_no_status(shell: Shell, words: str, status: int, closed: str) -> None:
    done = finished(["sh", "-c", f'"{LADDER}" {words} {closed}'], env=shell.full_environment())
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert "unexpected" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_what_an_encoding_lacks_is_escaped_as_json_does(shell: Shell, encoding: str) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        environment = shell.full_environment(PYTHONIOENCODING=encoding)
        command = [str(LADDER), "game", "show", *words]
        return subprocess.run(command, capture_output=True, encoding=encoding, check=False, env=environment)

    rules, name = run(GAME, "--lang", "fr"), run("\N{SNAKE}\N{LATIN SMALL LETTER L WITH STROKE}")
    assert (rules.returncode, rules.stderr) == (0, "")
    assert ("r\\u00e8gles" in rules.stdout) == (encoding == "ascii")
    assert name.returncode == 2
    assert "\\ud83d\\udc0d\\u0142" in name.stderr


@pytest.mark.parametrize(("for_table", "for_error"), [(0, 7), pytest.param(7, 0, marks=pytest.mark.weekly)])
def test_terminals_without_width_get_something_to_read(shell: Shell, for_table: int, for_error: int) -> None:
    stats = f'"{LADDER}" gauntlet stats'
    script = ["script", "-qec", f"COLUMNS={for_table} {stats} 0 0 4 0 2; COLUMNS={for_error} {stats} 1 1", "/dev/null"]
    done = finished(script, env=shell.full_environment())
    lines = done.stdout.splitlines()
    assert "2 won, 4 even" in " ".join(done.stdout.split())
    assert "2 counts make no result" in " ".join(done.stdout.split())
    assert max(map(len, lines)) <= 80
    assert len(lines) < 40, "no letter stands alone"


def test_moments_that_no_clock_here_can_show_are_refused(desk: Desk, pool: Pool, bosses: None) -> None:
    for zone in ("America/New_York", "Asia/Tokyo", "UTC"):
        for moment in ("9999-12-31 23:59", "0001-01-01", "3000-01-01T00:00"):
            for words in (
                ("contest", "open", GAME, "--until", moment),
                ("contest", "open", GAME, "--until", "2126-01-01", "--frozen-from", moment),
                ("season", "plan", GAME, "--submit-until", moment),
                ("board", "--game", GAME, "--frozen-from", moment),
            ):
                assert "too far away: name a moment in the years 2000 to 2999" in desk.refused(2, *words, TZ=zone)


COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-9][0-9;]*m")
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def test_a_win_is_green_a_loss_red_and_no_color_is_honoured(shell: Shell, desk: Desk, nonsense: Path) -> None:
    lost = on_terminal(shell, 80, "play", "ocean-of-code", nonsense, "boss-wood-2", "--seed", "3")
    assert "\x1b[31mboss-wood-2 beats nonsense.py" in lost
    won = desk.screen(120, "play", "ocean-of-code", "boss-wood-2", nonsense, "--seed", "3")
    assert "\x1b[32mboss-wood-2 beats nonsense.py" in won
    without = desk.screen(80, "play", "ocean-of-code", nonsense, "boss-wood-2", "--seed", "3", NO_COLOR="1")
    assert "boss-wood-2 beats nonsense.py" in without
    assert COLOUR.search(without) is None


def test_sentences_wrap_at_blanks_and_only_on_a_terminal(desk: Desk) -> None:
    lines = on_terminal(desk, 40, "game", "list").splitlines()
    assert max(map(len, lines)) <= 40
    whole = desk.ok("game", "list")
    assert " ".join(" ".join(lines).split()) == " ".join(whole.split())
    assert len(whole.splitlines()) == 2


def test_errors_wrap_at_blanks_and_only_on_a_terminal(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / ("a-long-name" * 10 + ".py")
    words = ("play", "ocean-of-code", "boss-wood-2", path)
    (whole,) = desk.run(*words).stderr.splitlines()
    lines = on_terminal(desk, 60, *words, status=2).splitlines()
    assert " ".join(lines) == whole
    assert all(len(line) <= 60 or line == f"{path}:" for line in lines)
    assert f"{path}:" in lines, "no path is broken"
    assert len(lines) > 2


def test_a_command_at_the_end_of_a_line_is_copied_from_a_terminal_as_one(desk: Desk, bot: Path) -> None:
    shown = desk.screen(60, "play", "ocean-of-code", bot, "boss-gold", "--seeds", "7", "--jobs", "1", "--worse-only")
    (line,) = (line for line in CODES.sub("", shown).splitlines() if line.startswith("seed 7"))
    assert line.endswith(f": ladder play ocean-of-code {bot} boss-gold --seed 7 --matches 2 --league bronze")


def test_boards_dim_bosses_and_no_name_is_broken(arena: Desk) -> None:
    words = ("board", "--game", "ocean-of-code", "--league", "wood-2")
    boss = "boss-wood-2@v1"
    wait_until(lambda: arena.ok(*words), "the boss, which is being built", 0.2, fits=lambda told: boss in told)
    for width, shown in ((80, on_terminal(arena, 80, *words)), (120, arena.screen(120, *words))):
        assert re.search(r"\x1b\[2mboss-wood-2@v1", shown)
        plain = CODES.sub("", shown)
        assert "boss-wood-2@v1" in plain
        assert max(map(len, plain.splitlines())) <= width
