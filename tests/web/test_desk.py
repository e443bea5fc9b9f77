"""The desk of operators, without script: each form does what its command does, or says why not; players have none."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from html import unescape
from zoneinfo import ZoneInfo

import httpx

from cli.web.process import mailing
from ladder import audit
from ladder.access import Actor, Role
from ladder.accounts import links
from ladder.accounts.class_list import ClassMember
from ladder.actions.accounts import invite
from ladder.actions.seasons import open_contest
from ladder.bots import bots
from ladder.leagues import leagues
from ladder.matches import match_rows
from ladder.quotas import quotas
from ladder.ratings import frozen
from ladder.seasons import ending
from ladder.settings import settings_from
from ladder.web.server import server_for
from ladder.web.site import Site
from ladder.web.writing.desk import DEEDS
from tests.catalogue import GAMES
from tests.ladder.arena import submitted, within
from tests.ladder.rated import change
from tests.mail_server import mail_box
from tests.web.a_ladder import BusyLadder
from tests.web.everybody import GAME, WEB, Everybody
from tests.web.serving import Served, answering
from tests.web.test_forms_that_write import sent

TRACKER = (GAMES.find(GAME).bots_folder / "tracker_v1.py").read_text("utf-8")
UNTIL = (datetime.now(UTC) + timedelta(days=30)).replace(second=0, microsecond=0)


def done(everybody: Everybody, deed: str, **fields: str) -> httpx.Response:
    answer = sent(everybody, f"/desk/{deed}", fields, "/desk", "desk")
    assert (answer.status_code, answer.headers.get("location")) == (303, "/desk#deeds"), answer.text
    return answer


def refused(everybody: Everybody, deed: str, sentence: str, **fields: str) -> str:
    """Send a form that is refused, which changes nothing, and return the page with the one sentence."""
    before = lines(everybody)
    answer = sent(everybody, f"/desk/{deed}", fields, "/desk", "desk")
    assert answer.status_code in {409, 422}, answer.text
    (said,) = re.findall(r'role="alert"><bdi>(.*?)</bdi>', answer.text)
    assert sentence in said
    assert lines(everybody) == before
    return answer.text


def lines(everybody: Everybody) -> list[tuple[str, str, str]]:
    return [(line.actor, line.action, line.target) for line in within(everybody.pool, audit.latest, 100)]


def test_a_players_form_is_refused_and_written_down(everybody: Everybody) -> None:
    for deed in DEEDS:
        fields: Mapping[str, str] = {"game": GAME, "why": "no", "sure": "1", "bot": "wahoo", "match": "1"}
        answer = sent(everybody, f"/desk/{deed}", fields, f"/games/{GAME}/submit", "session")
        assert (answer.status_code, "the desk is for operators of this ladder" in answer.text) == (403, True), deed
        assert lines(everybody)[0][:2] == ("kim", "refused"), deed
    assert sent(everybody, "/desk/nothing", {}, "/desk", "desk").status_code == 404, "there is no such form"


def test_the_desk_is_seen_by_operators_who_have_logged_in_alone(everybody: Everybody) -> None:
    assert '<a href="/desk">Desk</a>' in everybody.ask("desk", "get", "/").text
    assert "/desk" not in everybody.ask("session", "get", "/").text
    assert everybody.ask("session", "get", "/desk").status_code == 403
    assert everybody.ask("operator", "get", "/desk").status_code == 403, "a token is not a person"
    nobody = everybody.ask("nobody", "get", "/desk")
    assert (nobody.status_code, nobody.headers["location"]) == (303, "/login?next=%2Fdesk")
    assert everybody.send("desk", "/desk/lock", {"game": GAME, "why": "x", "form_token": "0" * 64}).status_code == 403
    assert within(everybody.pool, quotas.find, GAME) is None


def test_the_desk_counts_open_questions_and_announces(everybody: Everybody) -> None:
    before = everybody.ask("desk", "get", "/desk").text
    asked = sent(everybody, "/clarifications/ask", {"text": "May a bot sleep?"}, "/clarifications", "session")
    assert asked.status_code == 303
    count = re.compile(r">(\d+) open questions?<")
    after = everybody.ask("desk", "get", "/desk").text
    assert [int(count.findall(page)[0]) for page in (before, after)] == [0, 1]
    told = sent(everybody, "/clarifications/announce", {"text": "It begins at nine.", "game": GAME}, "/desk", "desk")
    assert (told.status_code, lines(everybody)[0][:2]) == (303, ("olga", "contest announce"))


def test_boards_are_frozen_and_thawed(everybody: Everybody) -> None:
    refused(everybody, "thaw", "are not frozen", game=GAME, sure="1")
    done(everybody, "freeze", game=GAME, frozen_from="2999-12-18T17:00", zone="Europe/Berlin")
    found = within(everybody.pool, frozen.find, GAME)
    assert found is not None
    assert found.frozen_from == datetime(2999, 12, 18, 17, tzinfo=ZoneInfo("Europe/Berlin"))
    done(everybody, "freeze", game=GAME)
    page = everybody.ask("desk", "get", "/desk").text
    assert "Boards are frozen since" in page
    assert page.index("board freeze") > page.index("Last deeds")
    refused(everybody, "thaw", "tick the box", game=GAME)
    done(everybody, "thaw", game=GAME, sure="1")
    assert lines(everybody)[0] == ("olga", "board thaw", GAME)
    for wrong, zone in (("tomorrow", "UTC"), ("2999-12-18T17:00", "../etc"), ("2999-12-18T17:00", "No/Where")):
        refused(everybody, "freeze", "is not a moment of", game=GAME, frozen_from=wrong, zone=zone)
    refused(everybody, "freeze", "unknown game", game="nothing")


def test_a_game_is_locked_with_a_reason_and_unlocked(everybody: Everybody) -> None:
    refused(everybody, "lock", "say why", game=GAME, why=" ")
    done(everybody, "lock", game=GAME, why="until  <Sunday>")
    assert "until &lt;Sunday&gt;" in everybody.ask("desk", "get", "/desk").text
    refused(everybody, "lock", "is locked already", game=GAME, why="again")
    done(everybody, "unlock", game=GAME)
    assert within(everybody.pool, quotas.find, GAME) is None


def test_a_bot_is_disqualified_and_reinstated(everybody: Everybody) -> None:
    page = refused(everybody, "disqualify", "tick the box", game=GAME, bot="wahoo", why="a copy")
    assert 'value="a copy"' in page, "it is still there"
    done(everybody, "disqualify", game=GAME, bot="wahoo", why="a copy", sure="1")
    assert within(everybody.pool, bots.find_bot, "wahoo", GAME).is_disqualified
    done(everybody, "reinstate", game=GAME, bot="wahoo")
    assert [line[1] for line in lines(everybody)[:2]] == ["bot reinstate", "bot disqualify"]
    refused(everybody, "disqualify", "unknown bot", game=GAME, bot="nothing", why="x", sure="1")


def test_a_match_is_judged_again_and_taken_back(everybody: Everybody, busy_ladder: BusyLadder) -> None:
    match_id = busy_ladder.small.matches[GAME][0]
    before = lines(everybody)
    asked = f"/desk/rejudged?match={match_id}&policy=codingame&clock=wall"
    assert f"match {match_id} under policy codingame, wall clock: " in everybody.ask("desk", "get", asked).text
    missing = everybody.ask("desk", "get", asked.replace(f"={match_id}", "=999999"))
    assert (missing.status_code, "there is no match 999999" in missing.text) == (422, True)
    assert [line for line in lines(everybody) if line[1] != "look"] == [one for one in before if one[1] != "look"]
    assert everybody.ask("session", "get", asked).status_code == 403
    for wrong in ("x", "-1", "9" * 30):
        refused(everybody, "void", "it must be a whole number", match=wrong, why="x", sure="1")
    refused(everybody, "void", "say which match", match="", why="x", sure="1")
    done(everybody, "void", match=str(match_id), why="a wrong rule", sure="1")
    found = within(everybody.pool, match_rows.find_match, match_id)
    assert found is not None
    assert (found.state, found.void_by) == ("void", "olga")


def test_a_contest_is_opened_with_slips_for_its_players(everybody: Everybody) -> None:
    fields = {"game": GAME, "until": f"{UNTIL:%Y-%m-%dT%H:%M}", "title": "Winter cup", "rules": "Be kind."}
    page = refused(everybody, "contest", "KIM is in the list twice", **fields, players="kim\nKIM\n")
    assert "kim\nKIM\n</textarea>" in page
    answer = sent(everybody, "/desk/contest", {**fields, "players": "zoe\nben\n"}, "/desk", "desk")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    slips = dict(re.findall(r"<strong><bdi>(\w+)</bdi></strong>.*?<code>(\S+)</code>", answer.text))
    assert slips.keys() == {"zoe", "ben"}
    plan = within(everybody.pool, ending.find, GAME)
    assert plan is not None
    assert (plan.submit_until, plan.title, plan.rules, plan.planned_by) == (UNTIL, "Winter cup", "Be kind.", "olga")
    assert "2 players, 0 with a bot." in everybody.ask("desk", "get", "/desk").text
    earlier = fields | {"until": f"{UNTIL - timedelta(days=1):%Y-%m-%dT%H:%M}"}
    refused(everybody, "contest", "tick the box to end that earlier", **earlier)
    done(everybody, "contest", **earlier, earlier="1")
    plan = within(everybody.pool, ending.find, GAME)
    assert plan is not None
    assert (plan.title, plan.rules, plan.one_bot) == ("Winter cup", "Be kind.", False), "what is left empty stays"
    refused(everybody, "contest", "say until when", game=GAME)
    assert "zoe" in everybody.ask("nobody", "get", slips["zoe"].removeprefix("http://localhost:8210")).text

    renewed = sent(everybody, "/desk/links", {"player": "zoe"}, "/desk", "desk")
    again = dict(re.findall(r"<strong><bdi>(\w+)</bdi></strong>.*?<code>(\S+)</code>", renewed.text))
    assert [*again] == ["zoe"]
    assert again["zoe"] != slips["zoe"]
    assert everybody.ask("nobody", "get", slips["zoe"].removeprefix("http://localhost:8210")).status_code == 404
    change(everybody.pool, "UPDATE invitations SET expires_at = now()")
    shown = everybody.ask("desk", "get", "/desk").text
    assert "New links for all 2" in shown
    assert shown.count("expired") == 2
    whole = sent(everybody, "/desk/links", {}, "/desk", "desk").text
    assert re.findall(r"<strong><bdi>(\w+)</bdi></strong>", whole) == ["ben", "zoe"]
    refused(everybody, "links", "waits for no link", player="olga")
    assert "join/" not in everybody.ask("desk", "get", "/desk").text


def test_a_contest_has_the_leagues_and_the_last_series_that_its_form_says(everybody: Everybody) -> None:
    fields = {"game": "ice-and-fire", "until": f"{UNTIL:%Y-%m-%dT%H:%M}"}
    for name, wrong, sentence in (
        ("leagues", "50", "say 1 to"),
        ("leagues", "two", "leagues is two; it must be a whole number"),
        ("series", "1001", "1 to 1,000 battles"),
    ):
        refused(everybody, "contest", sentence, **fields, **{name: wrong})
    assert within(everybody.pool, ending.find, "ice-and-fire") is None
    done(everybody, "contest", **fields, leagues="1", series="20", one_bot="0")
    plan = within(everybody.pool, ending.find, "ice-and-fire")
    assert plan is not None
    assert (plan.series_battles, plan.series_top, plan.one_bot) == (20, 10, False)
    assert [one.is_open for one in within(everybody.pool, leagues.leagues, "ice-and-fire")][:2] == [True, False]
    done(everybody, "contest", **fields, series="5", top="3")
    plan = within(everybody.pool, ending.find, "ice-and-fire")
    assert plan is not None
    assert (plan.series_battles, plan.series_top) == (5, 3)


def test_of_a_team_its_members_get_links(everybody: Everybody) -> None:
    olga = Actor("olga", Role.OPERATOR)
    open_contest(olga, everybody.pool, "ice-and-fire", UNTIL, players=[ClassMember("sharks")])
    for name in ("sam", "sue"):
        invite(olga, everybody.pool, name, team="sharks")
    change(everybody.pool, "UPDATE invitations SET expires_at = now()")
    names = {one.player for one in within(everybody.pool, links.newcomers)}
    assert ({"sam", "sue"} <= names, "sharks" in names) == (True, False)


def test_links_go_by_mail_where_there_is_a_server_for_mails(everybody: Everybody) -> None:
    fields = {"game": GAME, "until": f"{UNTIL:%Y-%m-%dT%H:%M}", "mail": "1"}
    assert 'name="mail"' not in everybody.ask("desk", "get", "/desk").text
    with mail_box() as box:
        settings = settings_from({"LADDER_SMTP_URL": f"smtp://{box.place}", "LADDER_MAIL_FROM": "arena@example.org"})
        site = Site(everybody.pool, GAMES, None, web=WEB, mail=partial(mailing, replace(settings, web=WEB)))
        with answering(server_for(site)) as client:
            mails = replace(everybody, site=Served("", client))
            page = mails.ask("desk", "get", "/desk").text
            people = "name,email\nzoe,zoe@example.org\nben,\n"
            slips = sent(mails, "/desk/contest", fields | {"players": people}, "/desk", "desk").text
            again = sent(mails, "/desk/links", {"player": "zoe"}, "/desk", "desk").text
    assert 'name="mail"' in page
    assert "zoe got the link by mail" in slips
    assert "no mail went to ben: no address is known" in slips
    (link,) = re.findall(r"http://localhost:8210/join/\S+", box.mail_to("zoe@example.org").get_content())
    assert f"<code>{link}</code>" in slips
    assert "by mail" not in again


def test_wrong_settings_for_mails_are_said_before_anything_is_done(everybody: Everybody) -> None:
    settings = settings_from({"LADDER_SMTP_URL": "ftp://localhost", "LADDER_MAIL_FROM": "arena@example.org"})
    site = Site(everybody.pool, GAMES, None, web=WEB, mail=partial(mailing, settings))
    fields = {"game": GAME, "until": f"{UNTIL:%Y-%m-%dT%H:%M}", "players": "zoe", "mail": "1"}
    with answering(server_for(site)) as client:
        refused(replace(everybody, site=Served("", client)), "contest", "LADDER_SMTP_URL must be like", **fields)


def test_operators_alone_see_which_sources_are_alike_and_what_differs(everybody: Everybody) -> None:
    path, page = f"/games/{GAME}/similar", everybody.ask("desk", "get", "/desk").text
    assert f'href="{path}"' in page
    for number, player in enumerate(("kim", "lee")):
        submitted(everybody.pool, f"copy-of-{player}", f"{TRACKER}\n# {number}\n", player)
    found = everybody.ask("desk", "get", path).text
    assert (found.count("100%"), "copy-of-kim@v1" in found) == (2, True)
    (diff,) = re.findall(r'href="([^"]*against=[^"]*)"', found)
    assert '<span class="good">+# 1</span>' in everybody.ask("desk", "get", unescape(diff)).text
    assert everybody.ask("session", "get", path).status_code == 403
