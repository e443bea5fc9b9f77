"""The viewer of matches in the terminal, on matches that official referees recorded, and the page of a match."""

import asyncio
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

from cli.match.view.app import Viewer, page, pager_command
from cli.match.view.command import match_lines, turn_lines
from cli.match.view.drawn_match import KEYS, Scene, ViewerPlace, pressed, typed, where_lost
from cli.match.view.picture import screen
from engine.errors import GameFault, UsageFault
from engine.frames import DRAWING_FUNCTIONS, Cell
from engine.game import Game
from engine.games.game_folder import load_game
from engine.new_game import TEMPLATE
from engine.replay import Replay, ReplayTurn
from ladder.ids import MatchId
from ladder.viewer import ASSETS, game_module, hash_of, page_of, script_of, viewer_script
from ladder.views.turns.lost_matches import loss_in
from tests.catalogue import GAMES
from tests.watching import HOSTILE, NAMES, as_played, made_hostile, recorded, records_of, watched, watched_of

OCEAN, WAR = GAMES.find("ocean-of-code"), GAMES.find("ice-and-fire")
TURNS = 80
"""At least so many has each match that is looked at."""
SMALL, LARGE = (80, 24), (140, 50)


@cache
def scene_of(game: Game) -> Scene:
    return Scene(watched(game.name, TURNS), game.text_drawing())


def shown(scene: Scene, size: tuple[int, int], *keys: str, place: ViewerPlace | None = None) -> tuple[Viewer, str]:
    """Start the viewer without a terminal, press keys, and return it with what its screen shows."""

    async def look() -> tuple[Viewer, str]:
        app = Viewer(scene, place or ViewerPlace())
        async with app.run_test(size=size) as pilot:
            await pilot.press(*keys)
            await pilot.pause()
            return app, "\n".join(strip.text for strip in app.pane.strips)

    return asyncio.run(look())


def with_turns(scene: Scene, turns: tuple[ReplayTurn, ...]) -> Scene:
    return replace(scene, watched=replace(scene.watched, replay=replace(scene.watched.replay, turns=turns)))


def text_of(scene: Scene, place: ViewerPlace, size: tuple[int, int] = SMALL) -> str:
    return "\n".join(line.plain for line in screen(scene, place, *size, is_coloured=False))


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x50"])
@pytest.mark.parametrize("game", [OCEAN, WAR], ids=lambda game: game.name)
def test_a_turn_is_shown_with_both_orders_times_and_stderr(game: Game, size: tuple[int, int]) -> None:
    scene = scene_of(game)
    _, text = shown(scene, size, "right", "down", place=ViewerPlace(6))
    assert [len(line) for line in text.split("\n")] == [size[0]] * size[1]
    turn, other = scene.turns[8], scene.turns[7]
    assert f"turn 9 of {len(scene.turns)}: seat {turn.seat}, its turn {turn.own_number}" in text
    for one in (turn, other):
        assert one.line is not None
        assert f"{one.own_number}: {one.line[:20]}" in text
    assert "27.8 ms of 50 ms" in text
    assert turn.stderr
    assert all(words in text for words in (turn.stderr.split("\n")[0], "kraken@v3", "wahoo@v12"))
    assert "q quit" in text or "e pager q" in text


def test_the_map_of_ocean_of_code_has_both_submarines_with_their_ways_and_lives() -> None:
    scene = scene_of(OCEAN)
    _, text = shown(scene, SMALL, "end", "left")
    turn = len(scene.turns) - 1
    state = scene.state(turn)
    assert state is not None
    lines = text.split("\n")
    for seat, submarine in enumerate(state["submarines"]):
        y, x = divmod(submarine["cell"], 15)
        assert lines[3 + y][3 + 2 * x + seat] == f"{seat}"
        way = sorted(set(submarine["trail"]) - {submarine["cell"], *submarine["mines"]})
        assert all(lines[3 + cell // 15][3 + 2 * (cell % 15) + seat] in "↑→↓←·" for cell in way)
        assert f"lives {submarine['lives']} " in text


def test_the_map_of_ice_and_fire_has_land_units_and_gold() -> None:
    scene = scene_of(WAR)
    turn = 40
    text = text_of(scene, ViewerPlace(turn))
    state = scene.state(turn)
    assert state is not None
    lines = text.split("\n")
    for realm, fill in zip(state["realms"], "-=", strict=True):
        for _, level, cell in realm["units"]:
            assert lines[3 + cell // 12][3 + 2 * (cell % 12) + 1] == f"{level}"
        assert fill in text
        assert f"gold {realm['gold']} ({realm['income']:+})" in text


def test_a_view_of_a_seat_hides_the_opponent_and_shades_where_it_can_be() -> None:
    scene = scene_of(OCEAN)
    start = ViewerPlace(60)
    app, text = shown(scene, SMALL, "v", place=start)
    assert app.place.shown == 0
    view = scene.seen_by(0, 60)
    assert view is not None
    assert f"can be in {view.count} cell" in text
    state = scene.state(60)
    assert state is not None
    y, x = divmod(state["submarines"][1]["cell"], 15)
    assert text.split("\n")[3 + y][3 + 2 * x + 1] == "░"
    hidden = state["submarines"][1]["lives"]
    assert text.count("lives") == 1, hidden
    app, _ = shown(scene, SMALL, "v", "v", "v", place=start)
    assert app.place.shown == -1
    app, text = shown(scene_of(WAR), SMALL, "v")
    assert "not worked out" in text


@pytest.mark.parametrize("game", [OCEAN, WAR], ids=lambda game: game.name)
def test_keys_lead_to_events_damage_and_turning_points(game: Game) -> None:
    scene = scene_of(game)
    replay = scene.watched.replay
    app, _ = shown(scene, SMALL, "end", "right")
    assert app.place.turn == len(scene.turns)
    app, _ = shown(scene, SMALL, "home", "left", "n")
    assert app.place.turn == next(turn.number for turn in scene.turns if any(e.kind != "message" for e in turn.events))
    app, _ = shown(scene, SMALL, "end", "p")
    assert scene.events(app.place.turn)
    app, text = shown(scene, SMALL, "d")
    assert app.place.turn == scene.with_damage[0]
    assert any(event.kind in {"hit", "threat", "headquarters"} for event in scene.events(app.place.turn))
    assert "Loses" in text or "headquarters" in text
    visited = []
    place = ViewerPlace()
    for _ in replay.turning_points:
        place = pressed(scene, place, "t")
        visited.append(place.turn)
    assert visited == sorted(replay.turning_points)
    assert pressed(scene, place, "t").turn == visited[0]
    app, _ = shown(scene, SMALL, "right", "down", "shift+right", "up")
    assert (app.place.turn, scene.turns[app.place.turn - 1].seat) == (11, 0)


def test_a_lost_match_opens_where_it_turned_as_its_loser_saw_it_and_says_how_it_was_lost() -> None:
    scene = scene_of(OCEAN)
    loss, place = loss_in(scene.watched), where_lost(scene)
    assert loss is not None
    assert (place.turn, place.shown) == (min(scene.watched.replay.turning_points), loss.seat)
    assert loss.sentence[:60] in shown(scene, LARGE, place=place)[1]
    last = shown(scene, SMALL, place=place)[1].split("\n")[-2:]
    assert " ".join(line.rstrip() for line in last) == loss.sentence, "also where it is longer than a line"
    assert loss.sentence in [line.plain for line in match_lines(scene)]
    nothing = Scene(replace(scene.watched, seats=()), scene.drawing)
    assert where_lost(nothing) == ViewerPlace()


def test_stderr_is_searched_in_any_case_and_the_words_are_found_again() -> None:
    scene = scene_of(OCEAN)
    words = "one\ntwo\nPANIC [bold] now\n"
    turns = tuple(replace(turn, stderr=words) if turn.number in {21, 50} else turn for turn in scene.turns)
    scene = with_turns(scene, turns)
    app, text = shown(scene, SMALL, "slash", *"panix", "backspace", *"c [", "enter")
    assert (app.place.turn, app.place.scroll) == (21, 2)
    assert "PANIC [bold] now" in text
    place = pressed(scene, app.place, "slash")
    place = typed(scene, place, "enter", None)
    assert place.turn == 50
    assert typed(scene, pressed(scene, place, "slash"), "enter", None).turn == 21
    app, text = shown(scene, SMALL, "enter", place=ViewerPlace(typed="nowhere"))
    assert app.place.turn == 0
    assert "'nowhere' is not in the stderr of any turn" in text
    app, _ = shown(scene, SMALL, "slash", *"qnd", "escape", "right")
    assert (app.place.turn, app.place.typed) == (1, None)


def test_input_takes_the_place_of_stderr_where_there_is_room_for_one() -> None:
    scene = scene_of(WAR)
    _, text = shown(scene, SMALL, "right", "i", place=ViewerPlace(4))
    assert "input of seat" in text
    assert "depth" not in text
    sent = scene.turns[4].input
    assert sent is not None
    assert f"\n{sent[0]} " in text
    assert sent[-1] not in text.split("\n")[-3:]
    _, scrolled = shown(scene, SMALL, "pagedown", place=ViewerPlace(5, is_input=True, scroll=1000))
    assert scrolled.split("\n")[-2].rstrip() == sent[-1]
    deep = pressed(scene, ViewerPlace(5, is_input=True, scroll=1000), "pagedown")
    assert pressed(scene, deep, "pageup").scroll < deep.scroll < len(sent)
    large = text_of(scene, ViewerPlace(5), LARGE)
    assert "input of seat" in large
    assert large.count("stderr of seat") == 2


@pytest.mark.parametrize("size", [(20, 5), (1, 1), (8, 3), (66, 18), (40, 60), (300, 100)], ids=str)
@pytest.mark.parametrize("game", [OCEAN, WAR], ids=lambda game: game.name)
def test_a_terminal_of_any_size_shows_what_fits(game: Game, size: tuple[int, int]) -> None:
    scene = scene_of(game)
    last = ViewerPlace(len(scene.turns), 1, is_input=True)
    for place in (ViewerPlace(), ViewerPlace(60), ViewerPlace(61, 0), last, ViewerPlace(5, typed="x")):
        assert [line.cell_len for line in screen(scene, place, *size)] == [size[0]] * size[1]


def test_the_viewer_runs_in_a_terminal_of_20_by_5_and_when_it_is_made_larger() -> None:
    async def look() -> list[str]:
        app = Viewer(scene_of(OCEAN), ViewerPlace())
        async with app.run_test(size=(20, 5)) as pilot:
            await pilot.press("right", "v")
            screens = ["\n".join(strip.text for strip in app.pane.strips)]
            await pilot.resize_terminal(80, 24)
            await pilot.pause()
            return [*screens, "\n".join(strip.text for strip in app.pane.strips)]

    small, large = asyncio.run(look())
    assert small.split("\n")[0] == "match 17: kraken@v3 "
    assert "q quit" in small
    assert "0 1 2 3 4 5 6 7 8 9 0 1 2 3 4" in large


def test_nothing_that_a_bot_wrote_steers_the_terminal_or_is_taken_for_markup() -> None:
    scene = scene_of(OCEAN)
    hostile = made_hostile(scene.watched)
    turns = tuple(replace(turn, line=f"[bold red]x[/] \t{turn.line}") for turn in hostile.replay.turns)
    bad = with_turns(Scene(hostile, scene.drawing), turns)
    everything = "".join(text_of(bad, ViewerPlace(turn), size) for turn in range(1, 15) for size in (SMALL, LARGE))
    for size in (SMALL, LARGE):
        _, text = shown(bad, size, "right", "i", place=ViewerPlace(9))
        assert "[bold red]x[/]" in text
        everything += text
    plain = "\n".join(line.plain for line in turn_lines(bad, 3, is_coloured=False))
    assert "[bold red]x[/]" in plain
    odd = {character for character in everything if unicodedata.category(character) in {"Cc", "Cf", "Cs"}} - {"\n"}
    assert odd == set()
    assert "␛[31mred" in everything


def test_a_match_by_other_rules_is_shown_without_pictures() -> None:
    result = replace(recorded(OCEAN.name, TURNS), rules_version=OCEAN.rules_version + 1)
    scene = Scene(watched_of(result), OCEAN.text_drawing())
    _, text = shown(scene, SMALL, "right", "right", "right")
    assert "it was played by rules 2; these are 1" in " ".join(text.split())
    said = result.turns[2].line
    assert said is not None
    assert f": {said[:20]}" in text
    assert scene.turns[2].stderr.split("\n")[0] in text
    assert "no damage" in shown(scene, SMALL, "d")[1]
    assert "no turning points" in shown(scene, SMALL, "t")[1]
    assert any("these are 1" in line.plain for line in match_lines(scene))


def test_a_game_without_pictures_has_lines_times_and_stderr() -> None:
    scene = scene_of(OCEAN)
    bare = Replay(None, None, tuple(replace(turn, state=None, events=()) for turn in scene.turns))
    scene = Scene(replace(scene.watched, replay=bare), load_game(TEMPLATE).text_drawing())
    assert scene.drawing is None
    _, text = shown(scene, SMALL, "right", "right")
    assert scene.turns[1].line is not None
    assert scene.turns[1].line in text
    assert scene.turns[1].stderr.split("\n")[0] in text


def test_an_error_in_a_games_drawing_is_a_sentence() -> None:
    scene = scene_of(OCEAN)
    assert scene.drawing is not None

    def broken(*_: object) -> Sequence[Sequence[Cell]]:
        raise KeyError("cell")

    app, _ = shown(Scene(scene.watched, replace(scene.drawing, rows=broken)), SMALL)
    assert isinstance(app.return_value, GameFault)
    assert str(app.return_value) == "draw.py of ocean-of-code raised KeyError at turn 0: 'cell'"


def test_ctrl_c_ends_as_in_every_command_and_q_does_not() -> None:
    for keys in (("ctrl+c",), ("slash", "ctrl+c")):
        app, _ = shown(scene_of(OCEAN), SMALL, *keys)
        assert isinstance(app.return_value, KeyboardInterrupt)
    app, _ = shown(scene_of(OCEAN), SMALL, "q")
    assert app.return_value is None
    assert not app.is_running


@pytest.mark.parametrize("game", [OCEAN, WAR], ids=lambda game: game.name)
def test_every_state_of_recorded_matches_is_drawn_in_the_size_of_the_map(game: Game) -> None:
    drawing = game.text_drawing()
    records = [*records_of(game.name, step=25)]
    assert records
    for record in records:
        scene = Scene(watched_of(as_played(record)), drawing)
        assert scene.setup is not None
        width, height = scene.setup["width"], scene.setup["height"]
        for turn in range(0, len(scene.turns) + 1, 5):
            for seat in (-1, 0, 1):
                rows = scene.rows(turn, seat)
                assert (len(rows), {len(row) for row in rows}) == (height, {width})
                assert all(len(cell.text) == 2 for row in rows for cell in row)
            assert all(len(fact.values) == 2 for fact in scene.facts(turn))


def test_plain_text_has_one_turn_whole_or_the_match_in_short() -> None:
    scene = scene_of(OCEAN)
    turn = scene.with_damage[0]
    text = "\n".join(line.plain for line in turn_lines(scene, turn, is_coloured=False))
    assert f"turn {turn} of {len(scene.turns)}" in text
    assert "Loses" in text
    assert " 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4" in text
    sent = scene.turns[turn - 1].input
    assert sent is not None
    assert sent[0] in text
    assert scene.turns[turn - 1].stderr.strip() in text.replace("\n    ", "\n")
    with pytest.raises(UsageFault, match=f"turns 1 to {len(scene.turns)}, and no turn 9999"):
        list(turn_lines(scene, 9999, is_coloured=False))
    short = "\n".join(line.plain for line in match_lines(scene))
    assert "turning points: turn" in short
    assert f"{turn:4}  seat" in short
    assert len(short.split("\n")) < 3 * len(scene.turns)


def test_the_pager_gets_all_stderr_of_the_seat_and_begins_at_the_turn_where_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = scene_of(OCEAN)
    file = tmp_path / "paged"
    monkeypatch.setenv("PAGER", f"tee '{file}'")
    assert page(scene, ViewerPlace(5)).note == ""
    lines = file.read_text().splitlines()
    own = [turn for turn in scene.turns if turn.seat == 0 and turn.stderr]
    written = [line for turn in own for line in turn.stderr.splitlines()]
    assert [line for line in lines if not line.startswith("──")] == written
    assert lines[0] == f"── seat 0, its turn {own[0].own_number} (match turn {own[0].number})"
    assert pager_command("", 12) == ["less", "+12"]
    assert pager_command("less -R", 3) == ["less", "-R", "+3"]
    monkeypatch.setenv("PAGER", str(tmp_path / "none"))
    assert "cannot run" in page(scene, ViewerPlace(5)).note
    silent = tuple(replace(turn, stderr="") for turn in scene.turns)
    assert page(with_turns(scene, silent), ViewerPlace(5)).note == "seat 0 wrote nothing to stderr"


def test_every_key_of_the_last_line_has_a_meaning() -> None:
    assert {"left", "right", "up", "down", "home", "end", "n", "p", "d", "t", "v", "i", "slash"} <= set(KEYS)


MODULES = sorted(ASSETS.glob("*.js"))
AT_THE_TOP = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)


class Parts(HTMLParser):
    """The elements of a page, and the text of each kind."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.counts: dict[str, int] = {}
        self.texts: dict[str, str] = {}
        self.policy = ""
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if dict(attrs).get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(attrs)["content"] or ""

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        self.texts[self._inside] = self.texts.get(self._inside, "") + data


@cache
def short_page() -> str:
    return page_of([watched("ocean-of-code", 10)], OCEAN)


def test_a_page_allows_its_own_script_and_style_by_their_hashes_and_no_network() -> None:
    page = short_page()
    parts = Parts(page)
    script = page.partition('<script type="module">')[2].partition("</script>")[0]
    rules = dict(rule.split(" ", 1) for rule in parts.policy.split("; "))
    assert (rules["default-src"], rules["require-trusted-types-for"]) == ("'none'", "'script'")
    assert (rules["script-src"], rules["style-src"]) == (hash_of(script), hash_of(parts.texts["style"]))
    usual = {"default-src", "script-src", "style-src", "base-uri", "form-action"}
    assert set(rules) == {*usual, "require-trusted-types-for"}
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", page) == []
    assert page_of([watched("ocean-of-code", 10)], OCEAN) == page


def test_the_result_and_all_turns_can_be_read_without_script() -> None:
    match = watched("ocean-of-code", 10)
    page = short_page()
    text = re.sub(r"<[^>]*>", "", page)
    score = " : ".join(str(seat.score) for seat in match.seats)
    assert f"{NAMES[0]} {score} {NAMES[1]}" in text
    table = page.partition("<noscript>")[2].partition("</noscript>")[0]
    assert table.count("<tr>") == 1 + len(match.replay.turns)
    assert f"<td>{len(match.replay.turns)}</td>" in table


def test_what_bots_write_is_text_in_the_page_whatever_it_holds() -> None:
    harmless, hostile = short_page(), page_of([made_hostile(watched("ocean-of-code", 10))], OCEAN)
    counts, expected = Parts(hostile).counts, Parts(harmless).counts
    for tag in ("script", "img", "b", "noscript", "table", "tr", "html"):
        assert counts.get(tag) == expected.get(tag), tag
    assert re.search("[\x00-\x09\x0b-\x1f\x7f\u2028\u202e\u2066\ud800]", hostile) is None
    assert "␛[31mred␇ ␀ NUL ␡" in hostile
    assert "${name} $policy $$" in hostile
    assert "x" * 1000 not in hostile  # a long line is cut short here; the packed part has all of it
    assert len(HOSTILE[6]) == 1_000_000


def test_two_matches_on_one_seed_are_in_one_page_and_others_are_not() -> None:
    one = watched("ocean-of-code", 10)
    other = replace(one, id=MatchId(23))
    page = page_of([one, other], OCEAN)
    assert "ladder match view 17" in page
    assert "ladder match view 23" in page
    with pytest.raises(UsageFault, match="only matches on one seed compare"):
        page_of([one, replace(other, seed=one.seed + 1)], OCEAN)


def test_the_modules_of_the_script_can_be_joined() -> None:
    names = [name for path in MODULES for name in AT_THE_TOP.findall(path.read_text("utf-8"))]
    assert {name for name in names if names.count(name) > 1} == set()
    assert {"game", "viewer"} & set(names) == set()
    assert re.findall(r"^(?:import|export)\b.*", viewer_script(), re.MULTILINE) == []


def test_the_script_is_small() -> None:
    for game in GAMES.all:
        assert len(script_of(game).encode()) < 60_000, game.name


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_no_module_makes_markup_of_text_or_asks_the_network(module: Path) -> None:
    text = module.read_text("utf-8")
    makes_markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
    if module.name == "data.js":  # where a site's page names an address; a file names none, and its policy allows none
        text = text.replace("fetch(element.dataset.from)", "")
    assert re.findall(rf"{makes_markup}|\bfetch\(|XMLHttp|WebSocket|(?<!\{{)import\(", text) == []
    assert text.startswith("// ")
    assert max(len(line) for line in text.split("\n")) <= 120


def test_a_drawing_that_would_break_the_page_is_refused_with_its_file(tmp_path: Path) -> None:
    game = replace(OCEAN, folder=tmp_path)
    assert game_module(game) == "const game = null;"
    drawing = tmp_path / "draw.js"
    drawing.write_text("export function draw() {}")
    with pytest.raises(GameFault, match=r"draw\.js exports no function aspect"):
        game_module(game)
    drawing.write_text("".join(f"export function {name}() {{}}\n" for name in DRAWING_FUNCTIONS) + '"</SCRIPT>"')
    with pytest.raises(GameFault, match=r"draw\.js holds </script"):
        game_module(game)
