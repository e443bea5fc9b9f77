"""The form by which a player starts a match, without script; and the page that leads to it."""

import re
from html import unescape

import httpx

from ladder import actions, audit
from ladder.access import Actor
from ladder.accounts import accounts
from ladder.database.connection import transaction
from ladder.ids import RequestId
from ladder.matchmaking import requesting, requests
from ladder.matchmaking.matchmaker import Pairing
from tests.ladder.arena import within
from tests.ladder.rated import change
from tests.web.everybody import GAME, Everybody
from tests.web.test_forms_that_write import KRAKEN, sent, token_in

PLAY = f"/games/{GAME}/play"


def text_of(page: httpx.Response) -> str:
    return unescape(re.sub("<[^>]+>", "", page.text))


def play(everybody: Everybody, **fields: str) -> httpx.Response:
    return sent(everybody, PLAY, {"a": "kraken", "b": "wahoo"} | fields, PLAY)


def test_a_match_is_requested_and_its_page_leads_to_it_once_it_is_made(everybody: Everybody) -> None:
    page = everybody.ask("session", "get", f"{PLAY}?a=kraken@v2")
    assert 'value="kraken@v2"' in page.text
    assert "<option>wahoo@v1</option>" in page.text, "it stands on the same board"
    done = play(everybody, a="kraken@v2", b="wahoo@v1", seed="123456", league="wood-2")
    assert done.status_code == 303, done.text
    place = done.headers["location"]
    with transaction(everybody.pool) as connection:
        (line,) = audit.latest(connection, 1)
        request = requests.find(connection, RequestId(int(place.rpartition("/")[2])))
    assert (line.actor, line.via, line.action) == ("kim", "session", "match request")
    assert (request.versions, request.battles, request.seed) == (["kraken@v2", "wahoo@v1"], 1, 123456)
    waiting = everybody.ask("session", "get", place)
    assert (waiting.status_code, "ladder match cancel" in waiting.text) == (200, True)
    assert '<meta http-equiv="refresh" content="3">' in waiting.text, "also without script"
    battle = Pairing(request.league_id, (request.first_id, request.second_id), request_id=request.id)
    match_id, _ = within(everybody.pool, requesting.make, request.id, battle, 123456)
    leads = everybody.ask("session", "get", place)
    assert (leads.status_code, leads.headers["location"]) == (303, f"/matches/{match_id}")
    assert everybody.ask("session", "get", "/requests/999999").status_code == 404


def test_a_request_that_ended_without_a_match_says_why(everybody: Everybody) -> None:
    place = play(everybody).headers["location"]
    actions.matches.cancel(Actor("kim"), everybody.pool, RequestId(int(place.rpartition("/")[2])))
    page = everybody.ask("session", "get", place)
    assert ("It is not played" in page.text, "taken back" in page.text, "refresh" in page.text) == (True, True, False)


def test_what_is_wrong_with_a_match_is_said_beside_what_was_typed(everybody: Everybody) -> None:
    for fields, status, words in (
        ({"b": "nobody"}, 422, "nobody"),
        ({"b": "wahoo@v99"}, 422, "unknown version of wahoo 'v99'"),
        ({"b": "wahoo@x"}, 422, "it should look like kraken@v3"),
        ({"b": "wa\0hoo"}, 422, "unknown bot"),
        ({"b": "w" * 101}, 422, "a name has at most 100 characters"),
        ({"b": " "}, 409, "name 2 versions, not 1"),
        ({"others": "boss-wood-2"}, 409, "name 2 versions, not 3"),
        ({"a": "wahoo"}, 409, "cannot play against itself"),
        ({"b": "boss-gold"}, 409, "they meet only on one board"),
        ({"seed": "many"}, 422, "the seed is many; it must be a whole number"),
        ({"seed": "9" * 19}, 422, "it must be a whole number of 64 bits"),
        ({"seed": "-" + "9" * 19}, 422, "it must be a whole number of 64 bits"),
        ({"league": "tin"}, 422, "unknown league of ocean-of-code"),
        ({"league": "gold"}, 409, "not in Gold: versions meet where they play"),
    ):
        before = within(everybody.pool, requests.latest, 1, ended=True)
        wrong = play(everybody, **{"seed": "77", **fields})
        assert (wrong.status_code, words in text_of(wrong)) == (status, True), text_of(wrong)
        assert f'value="{fields.get("seed", "77")}"' in wrong.text, "it is still there"
        assert within(everybody.pool, requests.latest, 1, ended=True) == before, fields


def test_a_match_takes_room_in_the_quota_of_battles(everybody: Everybody) -> None:
    with transaction(everybody.pool) as connection:
        kim = accounts.find_account(connection, "kim")
        connection.execute("INSERT INTO quotas (player_id, battles_per_day) VALUES (%s, 0)", [kim.id])
    wrong = play(everybody, b="wahoo@v1")
    change(everybody.pool, "DELETE FROM quotas WHERE player_id = %s", kim.id)
    assert (wrong.status_code, "kim may" in text_of(wrong), 'value="wahoo@v1"' in wrong.text) == (429, True, True)


def test_a_match_is_started_by_players_who_have_logged_in_alone(everybody: Everybody) -> None:
    nobody = everybody.ask("nobody", "get", f"{PLAY}?a=kraken@v2")
    assert (nobody.status_code, nobody.headers["location"].startswith("/login?next=")) == (303, True)
    fields = {"a": "kraken", "b": "wahoo"}
    token = token_in(everybody.ask("session", "get", PLAY))
    assert everybody.send("session", PLAY, fields).status_code == 403, "no token"
    assert everybody.send("session", PLAY, fields | {"form_token": "0" * 64}).status_code == 403
    assert everybody.send("owner", PLAY, fields | {"form_token": token}).status_code == 403, "a token is not a person"
    for page in (KRAKEN, f"{KRAKEN}/v/2", f"/games/{GAME}/versus?a=kraken&b=wahoo"):
        assert f'href="{PLAY}?a=kraken' in everybody.ask("session", "get", page).text
        assert PLAY not in everybody.ask("another player", "get", page).text
