"""The page of a match, as a file: what is in it, what it may do, and how it is written."""

import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

from engine.errors import GameFault, UsageFault
from engine.frames import DRAWING_FUNCTIONS
from ladder.ids import MatchId
from ladder.viewer import ASSETS, game_module, hash_of, page_of, script_of, viewer_script
from tests.catalogue import GAMES
from tests.watching import HOSTILE, NAMES, made_hostile, watched

OCEAN = GAMES.find("ocean-of-code")
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


def test_the_script_is_small_and_its_modules_can_be_joined() -> None:
    names = [name for path in MODULES for name in AT_THE_TOP.findall(path.read_text("utf-8"))]
    assert {name for name in names if names.count(name) > 1} == set()
    assert {"game", "viewer"} & set(names) == set()
    for game in GAMES.all:
        assert len(script_of(game).encode()) < 60_000, game.name
    assert re.findall(r"^(?:import|export)\b.*", viewer_script(), re.MULTILINE) == []


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
