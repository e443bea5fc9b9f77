"""The page of a match in a browser, opened from a disk with the network off.

Each test also fails for a request, a message on the console or an uncaught error: see `tests.browser.pages`.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.match import MatchResult, MatchSpec, converse
from ladder.ids import MatchId
from ladder.matches.local_matches import local_match
from ladder.viewer import ASSETS, game_module, page_of
from ladder.views.turns import watched_match as looking
from ladder.views.turns.lost_matches import loss_in
from ladder.views.turns.watched_match import WatchedMatch, replay_data
from tests.browser.pages import Pages, opened
from tests.catalogue import GAMES
from tests.fakes import Scripted
from tests.ladder.foragers import FORAGERS, GAMES_HERE
from tests.patience import wait_until
from tests.watching import HOSTILE, NAMES, made_hostile, watched

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

PLAYED = ("ocean-of-code", "ice-and-fire")
WEBM = b"\x1a\x45\xdf\xa3"
PNG = b"\x89PNG\r\n\x1a\n"


@cache
def match_of(game: str) -> WatchedMatch:
    return watched(game, 60)


def written(folder: Path, *matches: WatchedMatch) -> Path:
    path = folder / f"{matches[0].game}.html"
    path.write_text(page_of(matches, GAMES.find(matches[0].game)), "utf-8")
    return path


def turn_of(page: Page) -> int:
    return int(page.locator(".at").inner_text().partition(" /")[0])


def until(page: Page, condition: str) -> None:
    """Wait until something is so in the page, whose policy lets Playwright wait in no other way."""

    def is_so() -> bool:
        page.wait_for_timeout(20)
        return bool(page.evaluate(condition))

    wait_until(is_so, condition)


def at_rest(page: Page) -> int:
    until(page, "viewer.player.isAtRest && !viewer.player.isPlaying")
    return turn_of(page)


def men(state: dict[str, Any]) -> set[tuple[int, int]]:
    submarines = {(seat, side["cell"]) for seat, side in enumerate(state.get("submarines", []))}
    return submarines | {
        (seat, cell) for seat, realm in enumerate(state.get("realms", [])) for _, _, cell in realm["units"]
    }


@pytest.mark.parametrize("game", PLAYED)
def test_a_page_shows_each_turn_by_the_rules_and_fits_a_phone(game: str, pages: Pages, tmp_path: Path) -> None:
    match = match_of(game)
    turns = json.loads(json.dumps(replay_data(match)))["turns"]
    page = opened(pages, written(tmp_path, match))
    assert page.title() == f"{NAMES[0]} {match.seats[0].score} : {match.seats[1].score} {NAMES[1]}"
    for number in range(1, 61, 6):
        page.evaluate(f"viewer.player.go({number})")
        turn = turns[number - 1]
        assert page.evaluate("viewer.columns[0].picture.scene.state") == turn["state"]
        drawn = page.evaluate("viewer.columns[0].picture.drawn()")
        assert {(one["seat"], one["cell"]) for one in drawn if one["what"] in {"submarine", "unit"}} == men(
            turn["state"]
        )
        panel = page.locator(".seat").nth(turn["seat"]).inner_text()
        assert f"turn {number}, its" in panel
        assert turn["line"] in panel
        assert all(line in panel for line in turn["stderr"].split("\n"))
        assert all(event["text"] in page.locator(".turn").inner_text() for event in turn["events"])
    pages.keep_picture(page, game)
    pages.keep_picture(opened(pages, written(tmp_path, match), "t=30&view=0", dark=True), f"{game}-dark")
    narrow = opened(pages, written(tmp_path, match), "t=30&view=1", width=390, height=844)
    pages.keep_picture(narrow, f"{game}-narrow")
    assert narrow.evaluate("document.documentElement.scrollWidth") == 390, "nothing has to be scrolled sideways"
    bar = narrow.locator(".bar").bounding_box()
    assert bar is not None
    assert bar["y"] + bar["height"] <= 844  # the buttons are in reach wherever the page is scrolled to
    narrow.evaluate("scrollTo(0, 600)")
    assert narrow.locator(".bar").bounding_box() == bar


def test_every_key_does_what_the_list_of_keys_says(pages: Pages, tmp_path: Path) -> None:
    match = match_of("ocean-of-code")
    last = len(match.replay.turns)
    page = opened(pages, written(tmp_path, match), "t=0")
    press = page.keyboard.press

    press("ArrowRight")
    assert page.evaluate("viewer.player.isAtRest") is False  # a single step is seen to happen
    assert at_rest(page) == 1
    press("Shift+ArrowRight")
    assert at_rest(page) == 11
    press("ArrowLeft")
    assert at_rest(page) == 10
    press("Shift+ArrowLeft")
    assert at_rest(page) == 0
    press("End")
    assert at_rest(page) == last
    press("Home")
    assert at_rest(page) == 0

    with_events = [turn.number for turn in match.replay.turns if any(event.kind != "message" for event in turn.events)]
    press("n")
    press("n")
    assert at_rest(page) == with_events[1]
    press("p")
    assert at_rest(page) == with_events[0]
    press("p")
    assert page.locator(".status").inner_text() == "There is no earlier event."
    press("t")
    assert at_rest(page) == min(match.replay.turning_points)

    for key, speed in zip("1234567", (0.5, 1, 2, 4, 8, 16, 32), strict=True):
        press(key)
        assert page.evaluate("viewer.player.turnsIn(400)") == speed
        assert page.get_by_label("Speed").input_value() == str(speed)
    press("Home")
    press(" ")
    assert page.get_by_role("button", name="Pause").is_visible()
    until(page, "viewer.player.turn > 5")
    press(" ")
    assert at_rest(page) > 5
    assert page.get_by_role("button", name="Play").is_visible()

    shown = []
    for _ in range(3):
        press("v")
        shown.append(page.evaluate("viewer.columns[0].picture.scene.shown"))
    assert shown == [0, 1, -1]

    press("Home")
    assert at_rest(page) == 0
    press("?")
    assert "copy a link to this turn" in page.get_by_role("dialog", name="All keys").inner_text()
    press("End")
    assert at_rest(page) == 0  # while the list is open, it is the list's key
    press("Escape")
    assert page.get_by_role("dialog").count() == 0


def test_a_link_leads_to_a_turn_and_a_view_and_can_be_copied(pages: Pages, tmp_path: Path) -> None:
    path = written(tmp_path, match_of("ocean-of-code"))
    page = opened(pages, path, "t=42&view=1")
    assert turn_of(page) == 42
    assert page.evaluate("viewer.columns[0].picture.scene.shown") == 1
    page.keyboard.press("Shift+ArrowLeft")
    assert page.evaluate("location.hash") == "#t=32&view=1"
    page.evaluate("location.hash = '#t=7'")
    until(page, "viewer.player.turn === 7")
    assert page.evaluate("viewer.columns[0].picture.scene.shown") == -1

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.keyboard.press("s")
    until(page, "document.querySelector('.status').textContent === 'The link to this turn is copied.'")
    assert page.evaluate("navigator.clipboard.readText()") == f"{path.as_uri()}#t=7"
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed')) }")
    page.get_by_role("button", name="Copy a link").click()
    assert page.get_by_role("dialog").locator("pre").inner_text() == f"{path.as_uri()}#t=7"

    assert turn_of(opened(pages, path, "t=999999")) == len(match_of("ocean-of-code").replay.turns)


def test_a_match_opens_where_it_turned_first_and_says_how_it_was_lost(pages: Pages, tmp_path: Path) -> None:
    match = match_of("ocean-of-code")
    path = written(tmp_path, match)
    for fragment in ("", "t=a&view=9", "t=-4"):
        page = opened(pages, path, fragment)
        assert turn_of(page) == match.replay.turning_points[0] > 0
    loss = loss_in(match)
    assert loss is not None
    assert page.locator("nav.jumps .loss").inner_text() == f"{loss.sentence}."


def test_a_match_opens_as_the_readers_bot_saw_it_unless_its_address_says_more(pages: Pages, tmp_path: Path) -> None:
    path = written(tmp_path, match_of("ocean-of-code"))
    path.write_text(
        path.read_text("utf-8").replace('<main class="stage"', '<main class="stage" data-seat="1"'), "utf-8"
    )
    for fragment, view in (("", "&view=1"), ("t=5", ""), ("t=5&view=0", "&view=0")):
        assert re.fullmatch(rf".*#t=\d+{view}", opened(pages, path, fragment).url), fragment


def test_a_match_is_gone_through_by_slider_time_line_table_and_its_filters(pages: Pages, tmp_path: Path) -> None:
    match = match_of("ice-and-fire")
    page = opened(pages, written(tmp_path, match))
    box = page.locator(".charts").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 5)
    assert at_rest(page) == round(len(match.replay.turns) / 2)
    page.get_by_label("Turn", exact=True).fill("12")
    assert at_rest(page) == 12
    page.get_by_role("button", name="37", exact=True).click()
    assert at_rest(page) == 37
    assert page.locator("tr[aria-current]").inner_text().startswith("37")

    rows = page.locator("table.all tbody tr:visible")
    page.get_by_label("Whose turns").select_option("1")
    assert rows.count() == sum(turn.seat == 1 for turn in match.replay.turns)
    page.get_by_label("with stderr").check()
    assert rows.count() == sum(turn.seat == 1 and bool(turn.stderr) for turn in match.replay.turns)
    page.get_by_label("with stderr").uncheck()
    page.get_by_label("Whose turns").select_option(label="both bots")
    page.get_by_label("over half of the limit").check()
    slow = [turn for turn in match.replay.turns if turn.spent.charged_us > 500 * (turn.limit_ms or 0)]
    assert 0 < rows.count() == len(slow) < len(match.replay.turns)

    page.evaluate("viewer.player.go(6)")
    words = page.locator(".seat").nth(match.replay.turns[5].seat).inner_text()
    assert "charged 24.5 ms of 50 ms: wall 70.0 ms, CPU 20.0 ms, waiting 45.5 ms" in words
    assert "only because this machine was busy: not the bot's fault" in words


def test_a_turn_is_saved_as_a_picture_and_a_range_as_a_film(pages: Pages, tmp_path: Path) -> None:
    page = opened(pages, written(tmp_path, match_of("ocean-of-code")), "t=20")
    page.keyboard.press("7")
    page.get_by_role("button", name="Save a picture or a film").click()
    with page.expect_download() as picture:
        page.get_by_role("button", name="Save this turn as PNG").click()
    assert picture.value.suggested_filename == "match-17-turn-20.png"
    assert Path(picture.value.path()).read_bytes().startswith(PNG)
    assert Path(picture.value.path()).stat().st_size > 10_000
    with page.expect_download() as film:
        page.get_by_role("button", name="Save these turns as WebM").click()
    assert film.value.suggested_filename == "match-17-turns-20-40.webm"
    assert Path(film.value.path()).read_bytes().startswith(WEBM)
    assert Path(film.value.path()).stat().st_size > 10_000
    page.get_by_label("from turn").fill("50")
    page.get_by_role("button", name="Save these turns as WebM").click()
    assert "has to come after" in page.locator("dialog .note").inner_text()


def test_two_matches_on_one_seed_are_turned_together(pages: Pages, tmp_path: Path) -> None:
    one = match_of("ocean-of-code")
    turns = list(one.replay.turns[:-7])
    turns[29] = replace(turns[29], line="MSG elsewhere")
    seats = (one.seats[0], replace(one.seats[1], version="orca"))
    other = replace(one, id=MatchId(23), seats=seats, replay=replace(one.replay, turns=tuple(turns)))
    page = opened(pages, written(tmp_path, one, other))
    assert page.locator(".which").all_inner_texts() == ["match 17", "match 23"]
    page.get_by_role("navigation").get_by_role("button").first.click()
    assert at_rest(page) == 30
    assert page.get_by_label("Whose view").locator("option").all_inner_texts() == [
        "all is seen",
        f"seen by {NAMES[0]}",
        "seen by player 1",
    ]
    states = page.evaluate("viewer.columns.map((column) => column.picture.scene.state)")
    assert states == json.loads(json.dumps([turns[29].state] * 2))
    panels = page.locator(".turn").all_inner_texts()
    assert ["MSG elsewhere" in panel for panel in panels] == [False, True]
    pages.keep_picture(page)
    page.keyboard.press("End")
    assert at_rest(page) == len(one.replay.turns)
    assert page.locator("tr[aria-current]").evaluate_all("rows => rows.map((row) => row.cells[0].textContent)") == [
        str(len(one.replay.turns)),
        str(len(turns)),
    ]
    narrow = opened(pages, written(tmp_path, one, other), "t=30", width=390, height=844)
    assert narrow.evaluate("document.documentElement.scrollWidth") == 390
    pages.keep_picture(narrow, "narrow")


@pytest.mark.parametrize("game", PLAYED)
def test_whatever_bots_write_is_shown_as_text(game: str, pages: Pages, tmp_path: Path) -> None:
    page = opened(pages, written(tmp_path, made_hostile(watched(game, 8))), width=390, height=844)
    assert page.locator("b, img").count() == page.locator("b[class^=of-]").count()
    for index in range(len(HOSTILE)):
        page.evaluate(f"viewer.player.go({index + 1})")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert not set(page.locator("body").inner_text()) & set("\x00\x07\x1b\x7f\u202e\u2066\u200f\u2028\ud800")
    page.evaluate("viewer.player.go(3)")
    assert "␛[31mred␇ ␀ NUL ␡" in page.locator(".seat.now pre").first.inner_text()
    page.evaluate("viewer.player.go(1)")
    assert HOSTILE[0] in page.locator(".seat.now pre").first.inner_text()

    page.evaluate("viewer.player.go(7)")
    line = page.locator(".seat.now .folded").first
    assert len(line.locator("pre").inner_text()) == 2000
    line.get_by_role("button", name="Show all 1,000,000 characters").click()
    assert page.evaluate("document.querySelector('.seat.now pre').textContent.length") == 1_000_000
    page.evaluate("viewer.player.go(8)")
    pages.keep_picture(page)
    assert page.evaluate("typeof alert") == "function"


@pytest.mark.parametrize("game", PLAYED)
def test_axe_finds_nothing_serious(game: str, pages: Pages, tmp_path: Path) -> None:
    """On a light page with its dialog of keys, and on a dark one."""
    from axe_playwright_python.sync_playwright import Axe

    dark = game == "ice-and-fire"
    page = opened(pages, written(tmp_path, watched(game, 8)), "t=7", dark=dark)
    for context in (None, "dialog"):
        found = Axe().run(page, context).response["violations"]
        serious = [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in {"serious", "critical"}]
        assert serious == []
        page.keyboard.press("?")


def test_everything_can_be_done_by_keyboard_alone(pages: Pages, tmp_path: Path) -> None:
    page = opened(pages, written(tmp_path, match_of("ocean-of-code")), "t=1")
    page.evaluate(
        """() => {
            window.reached = [];
            addEventListener("focusin", ({ target }) => reached.push(target.ariaLabel || target.innerText));
        }"""
    )
    for _ in range(60):
        page.keyboard.down("Tab")
    page.keyboard.up("Tab")
    reached = page.evaluate("reached")
    for name in ("Turn", "Play", "One turn on", "Next event", "Speed", "Whose view", "Copy a link to this turn"):
        assert name in reached
    assert "Save a picture or a film" in reached
    assert any(name.startswith("Table of all turns of ") for name in reached)
    assert "Whose turns" in reached
    assert any(name.startswith("input, ") for name in reached)

    page.get_by_role("button", name="One turn on").focus()
    page.keyboard.press("Enter")
    page.keyboard.press(" ")  # the button's, not play
    assert at_rest(page) == 3
    page.get_by_label("Turn", exact=True).focus()
    page.keyboard.press("ArrowRight")
    assert at_rest(page) == 4
    page.get_by_role("button", name="Save a picture or a film").focus()
    page.keyboard.press("Enter")
    with page.expect_download():
        page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").count() == 0
    assert page.evaluate("document.activeElement.ariaLabel") == "Save a picture or a film"


def test_where_motion_is_unwelcome_a_step_is_there_at_once(pages: Pages, tmp_path: Path) -> None:
    page = opened(pages, written(tmp_path, match_of("ocean-of-code")), "t=5", reduced_motion=True)
    page.keyboard.press("ArrowRight")
    assert page.evaluate("viewer.player.isAtRest") is True
    assert turn_of(page) == 6
    assert page.evaluate("viewer.columns[0].picture.scene.progress") == 1


def test_without_script_there_are_the_result_and_a_table(pages: Pages, tmp_path: Path) -> None:
    match = match_of("ocean-of-code")
    page = pages.open(written(tmp_path, match), script=False, width=390, height=844)
    assert NAMES[0] in page.locator("h1").inner_text()
    assert page.locator("tbody tr").count() == len(match.replay.turns)
    assert (match.replay.turns[3].line or "") in page.locator("tbody tr").nth(3).inner_text()
    pages.keep_picture(page)


def test_without_a_drawing_or_turns_as_much_is_shown_as_there_is(pages: Pages, tmp_path: Path) -> None:
    match = match_of("ocean-of-code")
    game = replace(GAMES.find("ocean-of-code"), folder=tmp_path)
    path = tmp_path / "plain.html"
    path.write_text(page_of([match], game), "utf-8")
    page = opened(pages, path, "t=4")
    assert "No picture" in page.locator(".pictured").inner_text()
    assert (match.replay.turns[3].line or "") in page.locator(".seat.now").inner_text()
    assert page.get_by_role("button", name="Save a picture or a film").count() == 0

    bare = tuple(replace(turn, state=None, events=(), advantage=None, input=None) for turn in match.replay.turns)
    old = replace(
        match.replay, turns=bare, setup=None, start=None, curves=(), views=(), fault="played by rules 1; these are 2"
    )
    page = opened(pages, written(tmp_path, replace(match, replay=old)), "t=4")
    assert page.locator(".pictured .note").inner_text() == "No picture: played by rules 1; these are 2"
    pages.keep_picture(page, "old")
    page = pages.open(written(tmp_path, replace(match, replay=replace(old, turns=(), fault="it is queued"))))
    assert page.locator(".pictured .note").inner_text() == "No picture: it is queued"


def test_the_modules_of_the_page_also_work_as_a_server_hands_them_out(pages: Pages, tmp_path: Path) -> None:
    whole = written(tmp_path, match_of("ocean-of-code")).read_text("utf-8")
    page_text = whole.partition('<script type="module">')[0] + '<script type="module" src="/main.js"></script>'
    page_text = page_text.replace('http-equiv="Content-Security-Policy"', 'name="none"')
    drawing = f"{game_module(GAMES.find('ocean-of-code'))}\nexport {{ game }};"

    def answer(route: Route) -> None:
        name = route.request.url.rpartition("/")[2].partition("#")[0]
        if name.endswith(".js"):
            text = drawing if name == "game.js" else (ASSETS / name).read_text("utf-8")
            route.fulfill(body=text, content_type="text/javascript")
        else:
            route.fulfill(body=page_text, content_type="text/html")

    context = pages.browser.new_context()
    context.route("http://viewer.test/**", answer)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(error.message))
    page.goto("http://viewer.test/match#t=42")
    page.wait_for_selector("table.all tbody tr", state="attached")
    assert turn_of(page) == 42
    assert errors == []


def test_a_match_of_four_has_a_panel_a_lane_and_a_colour_for_each_seat(pages: Pages, tmp_path: Path) -> None:
    spec = MatchSpec(FORAGERS, 19, 7, players=4)
    outcome, turns = converse(spec, [Scripted(lambda _: "PICK 1")] * 4)
    result = MatchResult(spec, outcome, turns, ("",) * 4, (0, 0, 0, 0), (0, 0, 0, 0))
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    played = local_match(result, "Arena", ("a.py", "b.py", "c.py", "d.py"), 0, moment)
    match = looking.watched(played, "local:1", GAMES_HERE)
    path = tmp_path / "four.html"
    path.write_text(page_of([match], FORAGERS), "utf-8")
    page = opened(pages, path, "t=3")
    assert page.locator(".turn .seat").count() == 4
    assert [page.locator(f".lane-{seat}").count() for seat in range(5)] == [1, 1, 1, 1, 0]
    assert page.locator(".turn .seat.now h2").inner_text().startswith("c.py turn 3")
    assert page.locator(".filters select option").first.inner_text() == "all bots"
    colours = {page.locator(f"h1 .of-{seat}").evaluate("of => getComputedStyle(of).color") for seat in range(4)}
    assert len(colours) == 4
