"""The browser's forms, without script: a version is submitted, put on the board, plays a gauntlet or a match."""

import re
from collections.abc import Mapping
from html import unescape

import httpx

from ladder import actions, audit
from ladder.access import Actor
from ladder.accounts import accounts
from ladder.database.connection import transaction
from ladder.ids import RequestId
from ladder.matchmaking import requests
from ladder.matchmaking.matchmaker import Pairing
from ladder.names import read_name
from ladder.views.bots import read_source
from tests.ladder.arena import within
from tests.ladder.rated import change
from tests.web.everybody import GAME, Everybody
from tests.web.test_writing_routes import FOLDER, packed

SUBMIT = f"/games/{GAME}/submit"
KRAKEN = f"/games/{GAME}/bots/kraken"


def token_in(page: httpx.Response) -> str:
    found = re.search(r'name="form_token" value="(\w+)"', page.text)
    assert found, page.text
    return found[1]


def sent(
    everybody: Everybody, path: str, fields: Mapping[str, str], page: str = SUBMIT, who: str = "session", **more: object
) -> httpx.Response:
    """Send a form with the token of a page. `files`: among what goes with it."""
    return everybody.send(who, path, {"form_token": token_in(everybody.ask(who, "get", page)), **fields}, **more)


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
    match_id, _ = within(everybody.pool, requests.make, request.id, battle, 123456)
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


def test_rows_of_who_looks_are_marked_on_boards(everybody: Everybody) -> None:
    board = f"/games/{GAME}/leagues/wood-2"
    assert 'class="mine"' in everybody.ask("session", "get", board).text
    assert 'class="mine"' not in everybody.ask("another player", "get", board).text


def test_a_file_is_submitted_and_its_page_follows(everybody: Everybody) -> None:
    source = b"# from a file\r\nprint(1)\r\n"
    files = {"file": ("kraken.py", source, "text/x-python")}
    done = sent(everybody, SUBMIT, {"bot": "kraken", "note": "by hand"}, files=files)
    assert done.status_code == 303, done.text
    page = everybody.ask("session", "get", done.headers["location"])
    assert "building" in page.text
    assert '<meta http-equiv="refresh" content="3">' in page.text, "also without script"
    with transaction(everybody.pool) as connection:
        (line,) = audit.latest(connection, 1)
        found = read_source(connection, read_name(line.target.split()[0]), GAME)
    assert (found.text, found.language, found.note) == (source.decode(), "python", "by hand")
    assert (line.actor, line.via, line.action) == ("kim", "session", "submit")


def test_an_archive_of_a_folder_is_submitted(everybody: Everybody) -> None:
    done = sent(everybody, SUBMIT, {"bot": "kraken"}, files={"file": ("kraken.zip", packed(FOLDER), "application/zip")})
    assert done.status_code == 303, done.text
    damaged = sent(everybody, SUBMIT, {"bot": "kraken"}, files={"file": ("kraken.zip", b"PK")})
    assert (damaged.status_code, "kraken.zip: it cannot be unpacked" in damaged.text) == (422, True)


def test_what_is_pasted_is_submitted_and_what_is_wrong_is_said_beside_it(everybody: Everybody) -> None:
    pasted = {"bot": "kraken", "text": "# pasted <b>\r\nx = 1\r\n"}
    unclear = sent(everybody, SUBMIT, pasted, files={"file": ("", b"")})
    assert (unclear.status_code, "choose the language" in unclear.text) == (422, True)
    assert "# pasted &lt;b&gt;\nx = 1\n" in unclear.text, "it is still there"
    assert sent(everybody, SUBMIT, pasted | {"language": "python"}, files={"file": ("", b"")}).status_code == 303
    again = sent(everybody, SUBMIT, pasted | {"language": "python"}, files={"file": ("", b"")})
    assert (again.status_code, "this source was submitted before" in again.text) == (409, True)
    for fields, files, words in (
        ({"bot": "kraken"}, {"file": ("", b"")}, "choose a file or paste"),
        ({"bot": "kraken"}, {"file": ("x.py", b"\xff")}, "not UTF-8"),
        ({"bot": "boss-wood-2"}, {"file": ("x.py", b"#")}, "belongs to"),
        ({"bot": "a b"}, {"file": ("x.py", b"#")}, "name is 1 to 39"),
        ({"bot": "kraken"}, {"file": ("x.odd", b"#")}, "unknown file ending"),
    ):
        wrong = sent(everybody, SUBMIT, fields, files=files)
        assert (wrong.status_code in {403, 409, 422}, words in wrong.text) == (True, True), (fields, wrong.text)


def test_forms_of_others_are_refused(everybody: Everybody) -> None:
    files = {"file": ("x.py", b"# forged")}
    assert everybody.send("session", SUBMIT, {"bot": "kraken", "form_token": "0" * 64}, files=files).status_code == 403
    everybody.headers["lured"] = everybody.headers["session"] | {"Origin": "https://evil.example"}
    token = token_in(everybody.ask("session", "get", SUBMIT))
    for path in (SUBMIT, f"{KRAKEN}/v/1/activate", f"{KRAKEN}/v/1/gauntlet", "/gauntlets/1/stop"):
        lured = everybody.send("lured", path, {"bot": "kraken", "form_token": token}, files=files)
        assert (lured.status_code, "another site" in lured.text) == (403, True)
    assert everybody.send("owner", SUBMIT, {"form_token": token}, files=files).status_code == 403, "a token is nobody"
    long = everybody.send("session", SUBMIT, {"form_token": token}, files={"file": ("x.py", b"#" * 500_000)})
    assert long.status_code == 413
    nobody = everybody.ask("nobody", "get", f"{SUBMIT}?bot=x")
    assert (nobody.status_code, nobody.headers["location"].startswith("/login?next=")) == (303, True)


def test_a_version_is_put_on_the_board_and_plays_a_gauntlet(everybody: Everybody) -> None:
    page = f"{KRAKEN}/v/1"
    done = sent(everybody, f"{page}/activate", {}, page)
    assert (done.status_code, done.headers["location"]) == (303, page)
    assert "Put it on the board" not in everybody.ask("session", "get", page).text
    begun = sent(everybody, f"{page}/gauntlet", {"against": "wahoo@v1", "pairs": "3", "sprt": "1"}, page)
    assert begun.status_code == 303, begun.text
    gauntlet = begun.headers["location"]
    assert "Stop it" in everybody.ask("session", "get", gauntlet).text
    assert sent(everybody, f"{gauntlet}/stop", {}, gauntlet).status_code == 303
    assert "Let it go on" in everybody.ask("session", "get", gauntlet).text
    assert sent(everybody, f"{gauntlet}/resume", {}, gauntlet).status_code == 303
    for wrong in ({"pairs": "many"}, {"minutes": "nan"}, {"minutes": "0"}):
        assert sent(everybody, f"{page}/gauntlet", wrong, page).status_code == 422
    hasty = sent(everybody, f"{page}/gauntlet", {"minutes": "20", "sprt": "1"}, page)
    assert (hasty.status_code, "needs to know how long matches take" in hasty.text) == (409, True)


def test_others_see_no_forms_that_write_on_a_page(everybody: Everybody) -> None:
    for path in (f"{KRAKEN}/v/1", KRAKEN, f"/gauntlets/{everybody.numbers['gauntlets']}"):
        assert 'method="post"' not in everybody.ask("another player", "get", path).text


PLAY = f"/games/{GAME}/play"
