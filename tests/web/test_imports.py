"""A league that was imported, in the browser: versions without sources and matches without records."""

from collections.abc import Iterator

import pytest

from ladder.access import Actor, Role
from ladder.actions.installation import import_league
from ladder.imports import psyleague
from ladder.imports.league_import import ImportOrder
from tests.conftest import cloned, opened
from tests.fakes import RememberingQueue
from tests.foreign import a_psyleague_folder
from tests.ladder.arena import GAME, accept_bosses
from tests.web.serving import Served, serving
from tests.web.test_matches import matches_on, text_of
from workers.embedded.state_file import Running


@pytest.fixture(scope="module")
def site(services: Running, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    league = psyleague.read(a_psyleague_folder(tmp_path_factory.mktemp("psyleague")), {})
    with cloned(services, "ladder") as name, opened(services, name, most=8) as pool:
        import_league(Actor("kim", Role.OPERATOR), pool, RememberingQueue(), ImportOrder(GAME, (2,), league))
        accept_bosses(pool)
        with serving(pool) as served:
            yield served


def test_pages_show_what_is_known_and_say_what_is_not(site: Served) -> None:
    latest, level, first = matches_on(site.get(f"/games/{GAME}/matches").text)
    page = text_of(site.get(f"/matches/{first}").text)
    assert (
        "This match cannot be shown turn by turn: it was imported from psyleague and has no record of its turns ."
        in page
    )
    assert "tron_v1@v1 2nd : 1st tron_v2@v1" in page
    assert "verdict fault of unknown kind" in page
    assert "map = big , depth = 3" in page
    assert "seed unknown" in text_of(site.get(f"/matches/{level}").text)
    assert "on record" in text_of(site.get(f"/games/{GAME}/bots/wasp").text)
    version = text_of(site.get(f"/games/{GAME}/bots/tron_v2/v/1").text)
    assert "imported from psyleague , where it was tron_v2" in version
    assert "wasp@v1" in text_of(site.get(f"/matches/{latest}").text)


def test_no_address_of_what_was_imported_is_broken(site: Served) -> None:
    latest, level, first = matches_on(site.get(f"/games/{GAME}/matches").text)
    bots = [f"/games/{GAME}/bots/{bot}" for bot in ("wasp", "tron_v2")]
    shown = [
        *(f"/matches/{match}" for match in (latest, level, first)),
        *(bot + part for bot in bots for part in ("", "/v/1")),
        f"/games/{GAME}",
        f"/games/{GAME}/versus?a=wasp&b=tron_v2",
        f"/games/{GAME}/matches?where=fault+%3D+unknown",
        *(f"/api/v1/matches/{match}" for match in (latest, level, first)),
        *(f"/api/v1{bot}{part}" for bot in bots for part in ("", "/ratings", "/timing")),
        f"/api/v1/games/{GAME}/bots/tron_v2/why",
        f"/api/v1/games/{GAME}/matches",
        f"/api/v1/games/{GAME}/versus?a=wasp&b=tron_v2",
    ]
    for address in shown:
        assert site.get(address).status_code == 200, address
    without_record = [
        *(f"/matches/{first}/{part}" for part in ("data", "curves.svg")),
        f"/api/v1/matches/{first}/replay",
        f"/api/v1/matches/{first}/seats/0/input",
        f"/compare?a={latest}&b={level}",
    ]
    for address in without_record:
        answer = site.get(address)
        assert (answer.status_code, "it has no record of its turns" in answer.text) == (409, True), address
