"""Announcements and questions on pages and in the API of a served ladder: who reads them, and the forms."""

from html import unescape

from ladder.access import Actor, Role
from ladder.actions import clarifications as acts
from ladder.database.connection import Pool
from tests.catalogue import GAMES
from tests.web.everybody import GAME, Everybody
from tests.web.serving import serving
from tests.web.test_forms_that_write import sent

PAGE = "/clarifications"
OLGA = Actor("olga", Role.OPERATOR)


def test_an_announcement_stands_above_every_page_as_text(everybody: Everybody) -> None:
    done = acts.announce(OLGA, everybody.pool, "<script>alert(1)</script> & <b>bold</b>\nsecond line", GAME)
    for path in ("/", f"/games/{GAME}", "/guide", "/account", f"/games/{GAME}/submit", PAGE):
        page = everybody.ask("session", "get", path).text
        assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;bold&lt;/b&gt;" in page, path
        assert "<script>alert" not in page
    assert "alert(1)" not in everybody.ask("nobody", "get", "/login").text, "only players may read this ladder"
    acts.withdraw(OLGA, everybody.pool, done.id)
    assert "alert(1)" not in everybody.ask("session", "get", f"/games/{GAME}/leagues/wood-2").text


def test_the_pages_of_a_game_show_nothing_that_is_about_another(everybody: Everybody) -> None:
    done = acts.announce(OLGA, everybody.pool, "The ice melts at six.", "ice-and-fire")
    for path in ("/", "/games/ice-and-fire", "/guide"):
        band = everybody.ask("session", "get", path).text.partition('id="announced"')[2]
        assert "The ice melts at six." in band, path
        assert GAMES.find("ice-and-fire").title in unescape(band)
    for path in (f"/games/{GAME}", f"/games/{GAME}/leagues/wood-2", f"/games/{GAME}/submit"):
        assert "The ice melts at six." not in everybody.ask("session", "get", path).text, path
    acts.withdraw(OLGA, everybody.pool, done.id)


def test_a_question_is_asked_and_answered_by_forms(everybody: Everybody) -> None:
    assert sent(everybody, f"{PAGE}/ask", {"text": "Why <i>this</i>?", "game": GAME}, PAGE).status_code == 303
    rows = everybody.ask("read", "get", "/api/v1/questions").json()["items"]
    assert (rows[0]["question"], rows[0]["game"], rows[0]["asked_by"]) == ("Why <i>this</i>?", GAME, "kim")
    number = rows[0]["id"]
    assert "Why &lt;i&gt;this" in everybody.ask("session", "get", PAGE).text
    for who in ("another player", "play", "bound", "off duty"):
        assert everybody.ask(who, "get", "/api/v1/questions").json()["items"] == []
        assert "&lt;i&gt;this" not in everybody.ask(who, "get", PAGE).text
    refused = sent(everybody, f"{PAGE}/{number}/answer", {"text": "So."}, PAGE)
    assert (refused.status_code, "only an operator may answer a question" in refused.text) == (403, True)
    empty = sent(everybody, f"{PAGE}/{number}/answer", {"text": " "}, PAGE, who="desk")
    assert (empty.status_code, "the answer is empty" in empty.text) == (422, True)
    done = sent(everybody, f"{PAGE}/{number}/answer", {"text": "Because.", "to": "all"}, PAGE, who="desk")
    assert done.status_code == 303
    told = everybody.ask("another player", "get", "/api/v1/announcements", query={"game": GAME}).json()["items"][0]
    assert (told["id"], told["answer"], told.get("asked_by")) == (number, "Because.", None)
    assert "Because." in everybody.ask("another player", "get", "/").text
    assert sent(everybody, f"{PAGE}/{number}/withdraw", {}, PAGE, who="desk").status_code == 303
    assert "Because." not in everybody.ask("another player", "get", "/").text


def test_a_private_answer_stands_above_its_players_pages_alone(everybody: Everybody) -> None:
    acts.answer(OLGA, everybody.pool, acts.ask_question(Actor("kim"), everybody.pool, "Where?").id, "In room seven.")
    assert "Answer to you" in everybody.ask("session", "get", "/").text
    for who in ("another player", "operator", "play", "bound"):
        assert "In room seven." not in everybody.ask(who, "get", "/").text


def test_what_is_too_long_is_refused_in_one_sentence_and_typed_words_stay(everybody: Everybody) -> None:
    long = sent(everybody, f"{PAGE}/ask", {"text": "€" * 2001}, PAGE)
    assert long.status_code == 422
    assert all(words in long.text for words in ("2,001 characters; it can have 2,000", "€€€"))
    assert sent(everybody, f"{PAGE}/ask", {"text": "🦑" * 2000}, PAGE).status_code == 303, "the longest"
    huge = sent(everybody, f"{PAGE}/ask", {"text": "x" * 1_000_000}, PAGE)
    assert (huge.status_code, "more than 32768 bytes" in huge.text) == (422, True)
    by_program = everybody.ask("owner", "post", "/api/v1/questions", {"text": "x" * 1_000_000})
    assert (by_program.status_code, by_program.json()["detail"].count(".")) == (413, 0)
    unfit = everybody.ask("owner", "post", "/api/v1/questions", {"text": "x" * 2001})
    assert (unfit.status_code, "text" in unfit.json()["detail"]) == (422, True)
    unknown = sent(everybody, f"{PAGE}/ask", {"text": "Why?", "game": "chess"}, PAGE)
    assert (unknown.status_code, "unknown game" in unknown.text) == (422, True)


def test_somebody_alone_has_the_page_without_forms(small_ladder_pool: Pool) -> None:
    acts.announce(OLGA, small_ladder_pool, "The sea is open.")
    acts.ask_question(Actor("kim"), small_ladder_pool, "How deep?")
    with serving(small_ladder_pool) as site:
        page = site.get(PAGE).text
        assert "The sea is open." in site.get("/").text
    assert ("The sea is open." in page, "How deep?" in page, 'method="post"' in page) == (True, True, False)
