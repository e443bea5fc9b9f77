"""A contest's page, its line on other pages and its JSON: the same for all, but for what is somebody's own."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest

from ladder.access import Actor, Role
from ladder.accounts.class_list import ClassMember
from ladder.actions.games import freeze_boards, thaw_boards
from ladder.actions.seasons import ContestTerms, close, open_contest
from ladder.views.contests import contest
from ladder.views.encoding import to_json
from tests.ladder.arena import rows_of, within
from tests.ladder.rated import change
from tests.web.everybody import GAME, Everybody

OLGA = Actor("olga", Role.OPERATOR)
PAGE = f"/games/{GAME}/contest"
NOW = datetime.now(UTC)
UNTIL = NOW + timedelta(days=2, hours=3, minutes=30)
CLASS = [
    ClassMember("student10"),
    ClassMember("Kim", "zqxReal", "zqx7b", "zqx@x.example", "zqx9"),
    ClassMember("student2"),
]


@pytest.fixture(autouse=True)
def _an_open_contest(everybody: Everybody) -> None:
    terms = ContestTerms(NOW - timedelta(days=1), title="Winter <cup>", rules="Be kind.\n<b>Always</b>.")
    rows_of(everybody.pool, "DELETE FROM season_plans RETURNING 1")
    open_contest(OLGA, everybody.pool, GAME, UNTIL, players=CLASS, terms=terms)


def test_everybody_reads_what_a_contest_is_and_a_player_what_is_their_own(everybody: Everybody) -> None:
    shown = everybody.ask("another player", "get", PAGE).text
    assert "Winter &lt;cup&gt;" in shown
    assert "Be kind.\n&lt;b&gt;Always&lt;/b&gt;." in shown
    names = re.findall(r'href="/players/(\w+)"', shown[shown.index("Who takes part") :])
    assert names == ["kim", "student2", "student10"]
    assert shown.count("no bot yet") == 2
    assert "Your bot" not in shown, "a token is not a person"
    own = everybody.ask("session", "get", PAGE).text
    assert re.search(r"Your bot.*<bdi>\w+@v\d</bdi>.* ranks \d+ of \d+ in", own, re.DOTALL)
    assert "versions a day" in own
    assert f'href="/games/{GAME}/submit"' in own
    commands = re.search(r"<code>(ladder login.*?)</code>", own, re.DOTALL)
    bot = re.search(r"Your bot.*<bdi>(\w+)@v\d</bdi>", own, re.DOTALL)
    assert commands
    assert bot
    assert commands[1].splitlines() == [
        "ladder login http://localhost:8210",
        f"ladder new {bot[1]} --game {GAME} --language python",
        f"cd {bot[1]}",
        "ladder submit --watch",
    ]


def test_what_the_class_list_says_of_people_is_on_no_page(everybody: Everybody) -> None:
    for who in ("session", "another player", "operator"):
        assert "zqx" not in everybody.ask(who, "get", PAGE).text, who


def test_its_json_is_that_of_the_command_and_says_of_people_only_what_the_reader_may_know(everybody: Everybody) -> None:
    def told(who: str) -> str:
        answer = everybody.ask(who, "get", f"/api/v1{PAGE}")
        assert answer.status_code == 200
        return answer.text

    whole = json.loads(to_json(within(everybody.pool, contest, GAME), spare=True))
    assert json.loads(told("operator")) == whole
    assert {row.get("email") for row in whole["players"] if row["player"] == "kim"} == {"zqx@x.example"}
    assert "zqx" in told("owner")
    assert "zqx" not in told("another player")
    assert json.loads(told("another player"))["plan"] == whole["plan"]
    freeze_boards(OLGA, everybody.pool, GAME, datetime.now(UTC))
    lacks = [json.loads(told(who))["unplayed"] for who in ("operator", "another player")]
    thaw_boards(OLGA, everybody.pool, GAME)
    assert lacks == [whole["unplayed"], None], "what lacked then is not what lacks now"


PLACES = ("/", f"/games/{GAME}", f"/games/{GAME}/leagues/wood-2", f"/games/{GAME}/submit", PAGE)


def test_a_line_on_the_pages_that_players_look_at_says_until_when(everybody: Everybody) -> None:
    def all_say(words: str) -> bool:
        pages = [everybody.ask("session", "get", path).text for path in PLACES]
        found = [re.findall(r'<p class="contest">(.*?)</p>', page, re.DOTALL) for page in pages]
        assert [len(lines) for lines in found] == [1] * len(PLACES)
        return all(re.search(words, " ".join(re.sub("<.*?>", "", line).split())) for (line,) in found)

    assert all_say(rf"until {UNTIL:%Y-%m-%d %H:%M} UTC \(2 d 3 h left\)")
    freeze_boards(OLGA, everybody.pool, GAME, UNTIL - timedelta(hours=1))
    assert all_say(f"; boards frozen from {UNTIL - timedelta(hours=1):%Y-%m-%d %H:%M} UTC$")
    change(everybody.pool, "DELETE FROM board_freezes")
    change(everybody.pool, "UPDATE season_plans SET submit_from = now() + interval '65 minutes'")
    assert all_say(r"begins .* UTC \(in 1 h 4 min\)")
    change(everybody.pool, "UPDATE season_plans SET submit_from = NULL, submit_until = now()")
    assert all_say("over since")


def test_a_contest_that_has_not_begun_refuses_beside_the_form(everybody: Everybody) -> None:
    from tests.web.test_forms_that_write import SUBMIT, sent

    change(everybody.pool, "UPDATE season_plans SET submit_from = now() + interval '1 hour'")
    done = sent(everybody, SUBMIT, {"bot": "kraken"}, files={"file": ("kraken.py", b"# early", "text/x-python")})
    assert (done.status_code, f"the contest of {GAME} begins" in done.text) == (409, True)


def test_where_there_is_no_contest_the_page_says_where_to_go_on(everybody: Everybody) -> None:
    page = everybody.ask("session", "get", "/games/ice-and-fire/contest")
    assert (page.status_code, '<a href="/games/ice-and-fire">Its leagues and seasons</a>' in page.text) == (404, True)
    assert everybody.ask("session", "get", "/games/nothing/contest").status_code == 404


def test_a_closed_contest_says_what_it_was_and_operators_what_each_has_reached(everybody: Everybody) -> None:
    freeze_boards(OLGA, everybody.pool, GAME, datetime.now(UTC))
    close(OLGA, everybody.pool, GAME)
    change(everybody.pool, "DELETE FROM season_plans RETURNING 1")
    page = everybody.ask("session", "get", PAGE)
    assert (page.status_code, "Its final boards are not to be seen yet." in page.text) == (200, True)
    thaw_boards(OLGA, everybody.pool, GAME)
    for who, is_operator in (("session", False), ("operator", True)):
        page = everybody.ask(who, "get", PAGE)
        assert (page.status_code, f'href="/games/{GAME}/seasons/1"' in page.text) == (200, True)
        for words in ("Winter &lt;cup&gt;", "Be kind.", "It is over: versions were submitted until", "student10"):
            assert words in page.text, (who, words)
        assert ("<h2>Grades" in page.text, "<td>nothing</td>" in page.text) == (is_operator, is_operator)
        assert "zqx" not in page.text
    assert '<p class="contest">' not in everybody.ask("session", "get", "/").text
