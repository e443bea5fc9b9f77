"""Boards in narrow terminals: numbers stay whole, names are folded, and what has no room is named."""

import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.console import Console, RenderableType
from rich.text import Text

from cli.season import SEASONS, final_table
from cli.simulate import table_of_rows
from cli.terminal.table import NAME, WORDS, FittingTable, alike, table_of_cells
from cli.texts.boards import board_table
from cli.texts.bots import bots_table
from cli.texts.ratings import INDENT, label_lines, wrap_line
from ladder.bots.bots import Bot
from ladder.ids import BotId, LeagueId, SeasonId, VersionId
from ladder.leagues.leagues import League
from ladder.matchmaking.simulation import Row, SimulationPlan
from ladder.ratings.counts import Record
from ladder.ratings.standings import SettledRank, Standing
from ladder.seasons.seasons import Season, SeasonRank, Series
from ladder.views.boards import board_rows
from ladder.views.bots import ListedBot
from ladder.views.seasons import SeasonSoFar, SeriesSoFar, final_rows
from tests.unit.test_promotion import a_standing

GAME = "ocean-of-code"
LEAGUE = League(
    LeagueId(1), "ocean-of-code", "wood-2", "Wood 2", 1, 1, 20, 60, "rank_above_boss", 0, demotion=False, is_open=True
)
SEASON = Season(SeasonId(1), "ocean-of-code", 1, None, closed_at=datetime(2026, 11, 1, tzinfo=UTC))
RECORD = Record(matches=12345, wins=5432, draws=1234, losses=5679, timeouts=321, faults=17)
PLAIN = replace(a_standing(1, score=-36.70), player="house", number=12, record=RECORD, waiting=12)
BOSS = replace(PLAIN, bot="boss-wood-2", is_boss=True, mu=-12.34, sigma=8.12)
LONG_NAME = "a-bot-with-the-longest-name-there-can-be"
LONG = replace(PLAIN, version_id=VersionId(2), bot=LONG_NAME, is_rival=True, mu=31.41, sigma=0.78)
BOARD = [BOSS, LONG]
BOARD_OF_TWO = board_table(LEAGUE, board_rows(LEAGUE, BOARD, 100))
ALWAYS = ["-12.34", "31.41", "8.12", "0.78", "6172.5", "5432/1234/5679"]


def final(row: Standing, rank: int) -> SeasonRank:
    return SeasonRank(
        *(LeagueId(1), "wood-2", "Wood 2", 1, rank, 1, 12, -123.4, 45.6, rank, row.version_id, row.bot, row.number),
        *(row.player, row.is_boss, row.score, row.mu, row.sigma),
        row.record,
    )


FINAL = final_table(final_rows(SEASON, [final(row, rank) for rank, row in enumerate(BOARD, 1)]))


def drawn(thing: RenderableType, width: int) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(thing)
    return out.getvalue()


@pytest.mark.parametrize("width", [140, 100, 80, 60])
@pytest.mark.parametrize("table", [BOARD_OF_TWO, FINAL], ids=["board", "season"])
def test_a_board_fits_and_what_it_must_always_show_is_whole(table: RenderableType, width: int) -> None:
    text = drawn(table, width)
    lines = text.splitlines()
    assert max(len(line) for line in lines) <= width
    assert "…" not in text
    words = text.replace("│", " ").split()
    assert [number for number in ALWAYS if number not in words] == []
    heads = " ".join(lines[:4])
    assert all(head in heads for head in ("rank", "version", "mu", "sigma", "battles", "w/d/l"))


OF_FOUR = replace(LEAGUE, players=(3, 4))
PLACES = [
    replace(BOSS, record=replace(BOSS.record, matches=4321, places=(2100, 1200, 900, 121))),
    replace(LONG, record=replace(BOSS.record, matches=0, places=(0, 0, 0, 0))),
]
BOARD_OF_FOUR = board_table(OF_FOUR, board_rows(OF_FOUR, PLACES, 100))
FINAL_OF_FOUR = final_table(final_rows(SEASON, [final(row, rank) for rank, row in enumerate(PLACES, 1)]))


@pytest.mark.parametrize("width", [140, 120, 80])
@pytest.mark.parametrize("table", [BOARD_OF_FOUR, FINAL_OF_FOUR], ids=["board", "season"])
def test_a_board_of_many_players_shows_places_and_their_mean_in_any_terminal(table: RenderableType, width: int) -> None:
    text = drawn(table, width)
    assert max(len(line) for line in text.splitlines()) <= width
    assert {"2100/1200/900/121", "1.78", "0/0/0/0"} <= set(text.replace("│", " ").split())
    assert "places: how often 1st/2nd/3rd/4th\n" in text


def test_a_board_of_two_has_no_columns_of_places() -> None:
    assert "place" not in drawn(BOARD_OF_TWO, 140)


def test_places_that_leave_out_matches_of_two_say_so() -> None:
    rows = board_rows(OF_FOUR, [replace(BOSS, record=replace(BOSS.record, matches=9, places=(4, 3, 0, 0)))])
    assert "how often 1st/2nd/3rd/4th, in matches of more than two" in drawn(board_table(OF_FOUR, rows), 140)


def test_a_board_shows_what_it_ranks_by_longer_than_other_numbers() -> None:
    assert "no room for player, time-outs, faults" in drawn(BOARD_OF_TWO, 60)
    shown = " ".join(drawn(BOARD_OF_TWO, 40).split())
    assert "no room for player, mu, sigma, w/d/l, time-outs, faults" in shown
    assert "-36.70" in shown


def test_the_board_of_a_closed_season_gives_up_columns_in_the_order_of_the_live_one_and_never_elo() -> None:
    shown = " ".join(drawn(FINAL, 60).split())
    assert "no room for 95 %, player, ±, time-outs, faults, live rank, score" in shown
    shown = " ".join(drawn(FINAL, 40).split())
    assert all(left_out in shown.partition("no room for")[2] for left_out in ("mu", "sigma", "time-outs"))
    assert "rank version Elo " in shown
    assert shown.count("-123") == 2


@pytest.mark.parametrize("width", [100, 80, 60])
def test_a_list_of_bots_fits_and_says_whole_which_bot_plays_what(width: int) -> None:
    long_name, since = "a-bot-with-quite-a-long-name", datetime(2026, 11, 1, tzinfo=UTC)
    first = Bot(BotId(1), GAME, long_name, "a-player-with-a-long-name", LeagueId(1), "Wood 2", None, since)
    boss = Bot(BotId(2), "ice-and-fire", "boss-silver", "house", LeagueId(2), "Silver", LeagueId(2), since)
    text = drawn(bots_table([ListedBot(first, 12, ""), ListedBot(boss, None, "")]), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    assert {long_name, "ocean-of-code", "boss-silver", "ice-and-fire"} <= set(text.split())
    assert ("no room for guards" in text) == (width == 60)


@pytest.mark.parametrize("width", [100, 80, 60])
def test_a_list_of_seasons_fits_and_says_whole_which_is_on_and_how_far_its_series_is(width: int) -> None:
    closed = SeasonSoFar(GAME, 1, "closed", None, SEASON.closed_at)
    series = SeriesSoFar(20, 10, Series(battles=100, made=40, lapsed=0, waiting=7))
    on = SeasonSoFar(GAME, 12, "series", SEASON.closed_at, None, series)
    text = drawn(FittingTable(SEASONS, [closed, on]), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    words = text.replace("│", " ").split()
    assert {"ocean-of-code", "12", "series", "closed"} <= set(words)
    assert {"20", "battles", "40", "100", "7", "played"} <= set(words)


@pytest.mark.parametrize("width", [140, 80, 60])
def test_what_a_simulation_has_found_fits_and_its_figures_are_whole(width: int) -> None:
    rows = [
        Row(*("codingame", rating), battles, -0.123, 123.4, 0.56, 36.0, 61.0, 91.0, 158.0, 0.16)
        for rating in ("trueskill", "settle")
        for battles in (50, 100)
    ]
    text = drawn(table_of_rows(SimulationPlan(leagues=3), rows), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    words = text.replace("│", " ").split()
    assert all(words.count(figure) == 4 for figure in ("codingame", "-0.123", "123.4", "56%", "36-91"))
    assert ("no room for median" in text) == (width == 60)


def test_groups_of_rows_are_separated() -> None:
    table = replace(table_of_cells(("name",), [("orca",), ("eel",), ("krait",)], {}), ends=[1])
    lines = drawn(table, 40).splitlines()
    assert lines.count("├───────┤") == 1
    assert lines.index("├───────┤") == next(i for i, line in enumerate(lines) if "eel" in line) + 1


def test_words_stand_at_the_left() -> None:
    rows = [("wood-2-of-ocean", "7"), ("gold", "8")]
    table = table_of_cells(("league", "turns"), rows, {"league": WORDS}, ("turns",))
    assert "wood-2-of-ocean     7" in drawn(table, 21)
    assert "\ngold " in drawn(table, 21)


def test_words_are_folded_only_where_no_column_can_go_any_more() -> None:
    rows = [("wood-2-of-ocean", "7"), ("gold", "8")]
    table = table_of_cells(("league", "turns"), rows, {"league": WORDS}, ("turns",))
    assert "no room for turns" in drawn(table, 20)
    assert "wood-2-of-ocean" in drawn(table, 20)
    assert "…" not in drawn(table, 9)
    assert "wood-2-o" in drawn(table, 9)


def test_at_80_columns_a_board_shows_everything() -> None:
    boss = replace(BOSS, record=replace(BOSS.record, matches=84, wins=54, draws=2, losses=28))
    text = drawn(board_table(LEAGUE, board_rows(LEAGUE, [boss])), 80)
    assert "no room" not in text
    assert all(word in text for word in ("house", "-36.70", "42 +6", "54/2/28", "17"))


def test_a_board_that_ranks_by_the_settled_fit_shows_intervals_and_strengths_also_in_narrow_terminals() -> None:
    league = replace(LEAGUE, ranked_by="settled")
    known = replace(BOSS, settled_rank=SettledRank(-123.4, 35.2, 112, 119))
    table = board_table(league, board_rows(league, [known], 114))
    wide = drawn(table, 140)
    assert {"114", "112-119", "-123", "35", "-36.70"} <= set(wide.replace("│", " ").split())
    for width in (80, 60, 40):
        text = drawn(table, width)
        assert max(map(len, text.splitlines())) <= width
        assert {"114", "112-119", "-123"} <= set(text.split())
    unknown = board_table(league, board_rows(league, [known, BOSS], 114))
    assert "without Elo: nothing is known of it yet" in " ".join(drawn(unknown, 80).split())
    assert "without Elo" not in wide


def test_the_boss_and_rivals_are_marked() -> None:
    text = drawn(board_table(LEAGUE, board_rows(LEAGUE, BOARD)), 140)
    assert "boss-wood-2@v12 (boss)" in text
    assert f"{LONG.name} (rival)" in text


def test_a_players_own_rows_stand_out_and_bosses_step_back() -> None:
    own = board_table(LEAGUE, board_rows(LEAGUE, [BOSS, replace(LONG, player="tess", is_rival=False)]), "tess")
    boss, mine = own.cells[own.columns[1]]
    assert (str(boss.style), str(mine.style)) == ("dim", "bold cyan")


def test_a_name_that_is_too_long_is_folded_and_no_letter_is_lost() -> None:
    name = f"{LONG_NAME}@v12"
    lines = drawn(table_of_cells(("name", "points"), [(name, "1234567890")], {"name": NAME}), 24).splitlines()[2:]
    assert "".join(line[:13].strip() for line in lines) == name
    assert "1234567890" in lines[0]


def test_at_80_columns_a_table_gives_up_columns_before_it_breaks_a_name_of_usual_length() -> None:
    heads = ("match", "league", "seat 0", "seat 1", "score", "end", "turns", "seed", "rated")
    seats = ("boss-wood-2@v1", "nemo@v17 (time-out)")
    row = ("12345", "Wood 2", *seats, "-1:6", "time-out", "353", "-3638558099320383153", "yes")
    table = table_of_cells(
        heads, [row], dict.fromkeys(("league", "seat 0", "seat 1", "end"), NAME), ("league", "turns", "seed")
    )
    text = drawn(table, 80)
    assert {"boss-wood-2@v1", "nemo@v17", "time-out"} <= set(text.split())
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(("is_terminal", "rows"), [(False, 1), (True, 3)])
def test_a_title_is_whole_folded_on_a_terminal_and_in_one_line_elsewhere(is_terminal: bool, rows: int) -> None:
    out, title = io.StringIO(), ", ".join(["triton@v5 against many others"] * 4)
    console = Console(file=out, width=60, force_terminal=is_terminal, color_system=None)
    console.print(replace(BOARD_OF_TWO, title=title), crop=is_terminal)
    assert " ".join(line.strip() for line in out.getvalue().splitlines()[:rows]) == title


def test_tables_that_are_printed_together_look_alike() -> None:
    narrow, wide = table_of_cells(("a",), [("1",)], {}), table_of_cells(("a", "b"), [("1" * 20, "2" * 20)], {})
    both = alike([narrow, "words", wide], 44)
    assert both[1] == "words"
    assert all("┃" not in drawn(table, 44) for table in both), "the wide one has no room for rules"
    assert all("┃" in drawn(table, 80) for table in alike([narrow, wide], 80))


def test_what_unusual_heads_mean_stands_below() -> None:
    legend = "even: pairs with 1 point"
    assert drawn(replace(table_of_cells(("even",), [("7",)], {}), legend=legend), 40).splitlines()[-1] == legend


def test_only_heads_that_have_room_are_explained() -> None:
    meanings = {"far\nout": "what leaves first", "here": "what stays"}
    heads = ("here", "far\nout")
    table = table_of_cells(heads, [("x" * 30, "y" * 30)], {}, leaving=heads[1:], meanings=meanings)
    for width, explained in ((100, "here: what stays; far out: what leaves first"), (40, "here: what stays")):
        assert drawn(table, width).splitlines()[-1].strip() == explained


def test_columns_without_room_are_named_and_the_least_useful_go_first() -> None:
    heads, row = ("name", "long\nhead", "points"), ("kraken", "123456789", Text("7"))
    table = table_of_cells(heads, [row], {"name": NAME}, heads[1:2], "Board")
    assert "no room" not in drawn(table, 25)
    narrow = drawn(table, 20)
    assert "123456789" not in narrow
    assert "no room for long head" in " ".join(narrow.split())
    assert "kraken" in narrow
    assert narrow.startswith("Board\n")


def test_square_brackets_in_a_cell_are_letters() -> None:
    assert "[red]" in drawn(table_of_cells(("name",), [("[red]",)], {"name": NAME}), 40)


def test_a_board_without_a_row_has_its_heads() -> None:
    assert "w/d/l" in drawn(board_table(LEAGUE, []), 60)


def test_a_line_that_is_too_long_goes_on_behind_the_place_of_the_labels() -> None:
    words = "match 80: beat boss-wood-2@v1 (was expected to win 20 %), mu +1.19"
    first, second = label_lines("raised it most", [words] * 2)
    begun, *rest = wrap_line(first, 60).split("\n")
    assert begun.startswith("raised it most")
    assert rest
    assert all(len(line) - len(line.lstrip()) == INDENT for line in rest)
    assert all(len(line) <= 60 for line in wrap_line(second, 60).split("\n"))
    assert " ".join(wrap_line(first, 60).split()) == " ".join(first.split())
