"""Finding bots, versions, players and matches by the field in the top bar."""

import pytest

from tests.web.a_ladder import SmallLadder
from tests.web.serving import Served
from tests.web.test_boards import words_of

GAME = "ocean-of-code"


def led_to(site: Served, words: str) -> str:
    answer = site.client.get("/search", params={"q": words})
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


@pytest.mark.parametrize("words", ["{}", "#{}", "match {}", " Match #{} "])
def test_a_number_leads_to_its_match(site: Served, small_ladder: SmallLadder, words: str) -> None:
    match_id = small_ladder.matches[GAME][0]
    assert led_to(site, words.format(match_id)) == f"/matches/{match_id}"


@pytest.mark.parametrize(
    ("words", "address"),
    [
        ("wahoo", f"/games/{GAME}/bots/wahoo"),
        ("WAHOO", f"/games/{GAME}/bots/wahoo"),
        ("wah", f"/games/{GAME}/bots/wahoo"),
        ("kraken@v2", f"/games/{GAME}/bots/kraken/v/2"),
        ("kraken@x", f"/games/{GAME}/bots/kraken"),
        ("kim", "/players/kim"),
    ],
)
def test_a_name_or_the_only_one_with_a_part_in_it_leads_to_its_page(site: Served, words: str, address: str) -> None:
    assert led_to(site, words) == address


def test_names_that_several_have_are_listed_with_whose_they_are(site: Served) -> None:
    page = site.client.get("/search", params={"q": "boss-wood-2"})
    assert page.status_code == 200
    for game in (GAME, "ice-and-fire"):
        assert f'href="/games/{game}/bots/boss-wood-2"' in page.text
    assert "Ocean of Code" in (said := words_of(page.text))
    assert "A Code of Ice and Fire" in said


@pytest.mark.parametrize("words", ["nobody-here", "99999999999999999999", "%", "_", "<script>", "a" * 5000])
def test_what_nothing_is_called_gets_a_sentence(site: Served, words: str) -> None:
    page = site.client.get("/search", params={"q": words})
    assert page.status_code == 200
    assert "No bot and no player has that in its name" in words_of(page.text)
    assert "<script>" not in page.text


def test_without_words_the_page_says_what_can_be_typed(site: Served) -> None:
    assert "Type a bot or a player" in words_of(site.get("/search").text)


def test_an_address_that_is_none_leads_on(site: Served) -> None:
    page = site.get("/games/ocean-of-code/bots/nobody")
    assert page.status_code == 404
    assert 'action="/search"' in page.text
    assert "by name or number in the top bar" in words_of(page.text)
