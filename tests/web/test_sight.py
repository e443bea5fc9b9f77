"""Who sees what of a served ladder: words that are private occur in nothing that others can fetch."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any
from urllib.parse import quote

import pytest

from engine.errors import UnknownName, UsageFault
from ladder import audit, codec
from ladder.access import Actor, Role, Scope, Via
from ladder.accounts import accounts, links, sessions
from ladder.actions.matches import revoke_share, share
from ladder.actions.tokens import WantedToken, create
from ladder.audit import AuditLine
from ladder.contract import READS, function_of
from ladder.database.connection import Connection, Pool, transaction
from ladder.errors import NotAllowed
from ladder.matches.filters import Filter, parse
from ladder.settings import web_settings_from
from ladder.visibility import PUBLIC, Sight, look, looked_at, sight_of
from ladder.web.identity import SESSION
from ladder.web.pages import routers as page_routers
from ladder.web.watcher import OF_ALL, OF_ONE
from tests.catalogue import GAMES
from tests.ladder.arena import columns_of, within
from tests.ladder.rated import change
from tests.web.a_ladder import BusyLadder
from tests.web.serving import Served, serving

HOST = "localhost:8210"
WEB = web_settings_from(
    {"LADDER_WEB_MODE": "served", "LADDER_PUBLIC_URL": f"https://{HOST}", "LADDER_WEB_READ": "everyone"}
    | {"LADDER_READS_PER_MINUTE": "100000"}
)
MARK = "zqx"
"""How every word begins that is private: then come its owner and what it is."""
KINDS = ("stderr", "metric", "verdict", "warning", "rejection", "source", "rejected")
MARKED = """
    UPDATE bots SET player_id = (SELECT id FROM players WHERE name = 'lee') WHERE name = 'wahoo';
    CREATE TEMP TABLE owned ON COMMIT DROP AS
        SELECT versions.id, 'zqx' || players.name AS mark FROM versions
        JOIN bots ON bots.id = bot_id JOIN players ON players.id = player_id;
    UPDATE seats SET metrics = jsonb_build_object(mark || 'metric', '7'), verdict = 'crashed',
                     message = mark || 'verdict',
                     stderr = convert_to(mark || 'stderr ', 'UTF8'), stderr_dropped_bytes = 4242
    FROM owned, matches
    WHERE owned.id = version_id AND matches.id = match_id AND matches.state = 'finished' AND imported_from IS NULL;
    UPDATE versions SET warnings = mark || 'warning' FROM owned WHERE owned.id = versions.id;
    INSERT INTO sources (hash, content)
        SELECT DISTINCT encode(sha256(mark::bytea), 'hex'), mark || 'source' FROM owned;
    INSERT INTO versions (bot_id, number, source_hash, language, state, message, note)
        SELECT bots.id, 90, encode(sha256(('zqx' || players.name)::bytea), 'hex'), 'python', 'rejected',
               'zqx' || players.name || 'rejection', 'zqx' || players.name || 'rejected'
        FROM bots JOIN players ON players.id = player_id WHERE bots.name IN ('kraken', 'wahoo');
    UPDATE failed_attempts SET host = 'zqxhost', why = 'zqxwhy ' || why;
    UPDATE matches SET host = 'zqxhost' WHERE state = 'finished';
    UPDATE matches SET reason = 'zqxwhy' WHERE state = 'void' AND void_at IS NULL;
    UPDATE workers SET host = 'zqxhost';
    INSERT INTO tokens (player_id, name, hash, last_four, scopes, expires_at)
        SELECT id, 'zqxaccount', sha256('a'), 'abcd', '{read}', now() + interval '1 day' FROM players
        WHERE name = 'lee';
    INSERT INTO contest_players
        SELECT 'ocean-of-code', 1, id, 'zqxlist' || name, 'zqxlist' || name, 'zqxlist' || name, 'zqxlist' || name
        FROM players WHERE name IN ('kim', 'lee');
    INSERT INTO clarifications (game, asked_by, question, answer, answered_by, answered_at)
        SELECT 'ocean-of-code', name, 'zqxquestion' || name, 'zqxanswer' || name, 'olga', now() FROM players
        WHERE name IN ('kim', 'lee');
    INSERT INTO sessions (player_id, hash, agent, expires_at)
        SELECT id, sha256('b'), 'zqxaccount', now() + interval '1 day' FROM players WHERE name = 'lee';
"""


@pytest.fixture(scope="module")
def marked_pool(busy_ladder_pool: Pool) -> Pool:
    with transaction(busy_ladder_pool) as connection:
        connection.execute("INSERT INTO players (name, role) VALUES ('lee', 'player'), ('olga', 'operator')")
        connection.execute(MARKED)
    return busy_ladder_pool


@pytest.fixture(scope="module")
def served(marked_pool: Pool) -> Iterator[Served]:
    with serving(marked_pool, None, web=WEB) as site:
        yield site


def seen_by(connection: Connection, sight: Sight) -> set[str]:
    look(connection, sight)
    rows = connection.execute(
        """
        SELECT DISTINCT (regexp_matches(word, 'zqx[a-z]+', 'g'))[1] FROM (
            SELECT convert_from(stderr, 'UTF8') FROM seats UNION ALL
            SELECT metrics::text FROM seats UNION ALL SELECT message FROM seats
            UNION ALL SELECT message || ' ' || note || ' ' || warnings FROM versions
            UNION ALL SELECT content FROM versions JOIN sources ON hash = source_hash
            UNION ALL SELECT coalesce(host, '') || ' ' || reason FROM matches
            UNION ALL SELECT concat_ws(' ', real_name, group_name, email, external_id) FROM contest_players
            UNION ALL SELECT concat_ws(' ', question, answer) FROM clarifications
            UNION ALL SELECT host || ' ' || why FROM failed_attempts UNION ALL SELECT host FROM workers) AS found (word)
        """
    )
    return {word for (word,) in rows}


KIMS = {f"zqxkim{kind}" for kind in KINDS}
LEES = {f"zqxlee{kind}" for kind in KINDS}
KIMS_LIST, LEES_LIST = ({f"zqx{kind}{name}" for kind in ("list", "question", "answer")} for name in ("kim", "lee"))
"""What a class list says of them, and what they asked. Both are for operators, whose look at it is not written down."""
OPERATORS = {"zqxhost", "zqxwhy", "zqxhousewarning"}


@pytest.mark.parametrize(
    ("sight", "words"),
    [
        (PUBLIC, set()),
        (Sight("mia"), set()),
        (Sight("Kim"), KIMS | KIMS_LIST),
        (Sight("lee"), LEES | LEES_LIST),
        (Sight("lee", bot="WAHOO"), LEES),
        (Sight("kim", game="ice-and-fire"), {f"zqxkim{kind}" for kind in KINDS[:4]}),
        (Sight("kim", bot="hydra"), set()),
    ],
)
def test_the_database_shows_what_is_private_to_its_player(marked_pool: Pool, sight: Sight, words: set[str]) -> None:
    with transaction(marked_pool) as connection:
        assert seen_by(connection, sight) == words
        assert looked_at(connection) == []


def test_an_operator_sees_everything_and_whose_it_was_is_known(marked_pool: Pool) -> None:
    with transaction(marked_pool) as connection:
        found = seen_by(connection, Sight("lee", operates=True))
        assert (found, looked_at(connection)) == (KIMS | LEES | KIMS_LIST | LEES_LIST | OPERATORS, ["house", "kim"])


def test_a_share_shows_its_players_side_of_its_match_alone(marked_pool: Pool, busy_ladder: BusyLadder) -> None:
    match_id = busy_ladder.small.matches["ocean-of-code"][-1]
    with transaction(marked_pool) as connection:
        row = connection.execute("SELECT id FROM players WHERE name = 'lee'").fetchone()
        assert row
        shown = seen_by(connection, Sight(shared=(row[0], match_id)))
        assert shown == {"zqxleestderr", "zqxleemetric", "zqxleeverdict"}
        stderr = connection.execute("SELECT match_id FROM seats WHERE stderr <> ''").fetchall()
    assert stderr == [(match_id,)]


def test_the_views_have_the_columns_of_their_tables(pool: Pool) -> None:
    """A column that a view lacks would be missing for everybody on a served ladder."""
    tables, views = columns_of(pool, "public"), columns_of(pool, "seen")
    shown = views.keys() & tables.keys()
    assert shown == {"seats", "versions", "matches", "failed_attempts", "workers", "contest_players", "clarifications"}
    assert {name: views[name] for name in shown} == {name: tables[name] for name in shown}


def test_a_token_needs_the_scope_read_for_its_players_private_things() -> None:
    def by_token(*scopes: Scope, role: Role = Role.PLAYER, bot: str | None = None) -> Sight:
        return sight_of(Actor("kim", role, Via.TOKEN, frozenset(scopes), bot=bot))

    assert sight_of(None) == by_token(Scope.PLAY, Scope.SUBMIT) == PUBLIC
    assert by_token(Scope.READ) == sight_of(Actor("kim", via=Via.SESSION)) == Sight("kim")
    assert by_token(Scope.READ, bot="kraken") == Sight("kim", bot="kraken")
    assert by_token(Scope.READ, role=Role.OPERATOR) == Sight("kim")
    assert by_token(Scope.OPERATE, role=Role.OPERATOR) == Sight("kim", operates=True)


@dataclass(frozen=True)
class Reader:
    """Somebody who reads a served ladder, with a token or with the cookie of a browser."""

    site: Served
    token: str | None
    more: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def headers(self) -> dict[str, str]:
        shown = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        return {"Host": HOST, **shown, **self.more}

    def get(self, path: str) -> tuple[int, str]:
        answer = self.site.client.get(path, headers=self.headers)
        return answer.status_code, answer.text

    def whole(self, path: str, **headers: str) -> str:
        """Return head and body of an answer, which name no address in clear text, as the ladder is served by TLS."""
        answer = self.site.client.get(path, headers=self.headers | headers)
        assert answer.status_code in {200, 303, 307, 401, 403, 404, 409, 422}, (answer.status_code, path, answer.text)
        found = f"{dict(answer.headers)} {answer.text}"
        assert f"http://{HOST}" not in found, (path, headers)
        return found.replace(quote(path), "")


@pytest.fixture(scope="module")
def readers(served: Served, marked_pool: Pool) -> dict[str, Reader]:
    def token(player: str, role: Role, *scopes: Scope) -> str:
        actor = Actor(player, role, Via.SESSION)
        return create(actor, marked_pool, WantedToken(f"t{len(scopes)}", frozenset(scopes))).secret

    return {
        "nobody": Reader(served, None),
        "kim": Reader(served, token("kim", Role.PLAYER, Scope.READ)),
        "olga": Reader(served, token("olga", Role.OPERATOR, Scope.READ, Scope.OPERATE)),
    }


ENDLESS = "/api/v1/events"
STREAMS = "/api/v1/games/ocean-of-code/matches"
"""What is sent as lines, too."""
NAMES = {"game": ["ocean-of-code"], "league": ["wood-2"], "bot": ["kraken", "wahoo@v1", "wahoo@v90"], "name": ["class"]}
"""What there is on the ladder, for each part of a path but numbers."""
SEARCHES = ("metric.zqxkimmetric > 5", "not metric.zqxleemetric = 7", "fault = crashed")
ASKED = {
    "/games/{game}/versus": "a=kraken&b=wahoo",
    "/api/v1/games/{game}/versus": "a=kraken",
    "/games/{game}/seasons/{number}": "",
}


def addresses(served: Served, busy: BusyLadder) -> list[str]:
    described: dict[str, Any] = served.client.get("/api/v1/openapi.json", headers={"Host": HOST}).json()
    routes = [path for path, methods in described["paths"].items() if "get" in methods and path != ENDLESS]
    routes += [getattr(route, "path", "") for router in page_routers() for route in router.routes]
    own, void = busy.small.matches["ocean-of-code"][-1], busy.void[0]
    found = [one for route in routes for one in filled(route, busy)]
    where = [f"where={quote(text)}" for text in SEARCHES]
    found += [f"{place}/games/ocean-of-code/matches?{one}" for place in ("", "/api/v1") for one in where]
    return [*found, *(f"{place}?a={own}&b={own}" for place in ("/compare", "/compare/data")), *views(own, void, busy)]


def filled(route: str, busy: BusyLadder) -> list[str]:
    own, void = busy.small.matches["ocean-of-code"][-1], busy.void[0]
    gauntlets = list(busy.gauntlets.values())
    of_route = [1] if "/bots/" in route or "/seasons/" in route else gauntlets if "gauntlet" in route else [own, void]
    parts = {**NAMES, "player": ["kim", "lee"], "number": of_route, "match_id": of_route, "seat": [0, 1]}
    named_in = re.findall(r"{(\w+)}", route)
    given = product(*(parts[name] for name in named_in))
    query = f"?{ASKED[route]}" if ASKED.get(route) else ""
    return [route.format(**dict(zip(named_in, one, strict=True))) + query for one in given]


def views(own: int, void: int, busy: BusyLadder) -> list[str]:
    given, found = given_words(own, void, busy), []
    for name in READS:
        if name != "gauntlet-held":  # is asked with a gauntlet whole, and says what "gauntlet" does
            wanted = needed_words(function_of(READS[name]), given)
            for one in product(*wanted.values()):
                words = json.dumps(dict(zip(wanted, one, strict=True)))
                found.append(f"/api/v1/views/{name}?words={quote(words)}")
    return found


def needed_words(view: Callable[..., Any], given: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    return {name: given[name] for name, one in codec.parameters(view).items() if codec.is_needed(view, one)}


def given_words(own: int, void: int, busy: BusyLadder) -> dict[str, list[Any]]:
    return {
        "named": [{"bot": "kraken", "number": 90}, {"bot": "wahoo", "number": 1}, {"bot": "wahoo", "number": 90}],
        "first": [{"bot": "wahoo", "number": 1}],
        "second": [{"bot": "wahoo", "number": 90}],
        "name": ["kraken"],
        "player": ["lee"],
        "bot": ["wahoo"],
        "against": ["wahoo"],
        "version_id": [busy.small.versions["wahoo@v1"]],
        "limit": [100],
        "ended": [True],
        "match_id": [own, void],
        "match_ids": [[own, void]],
        "rule": [{"policy": "strict", "clock": "wall"}],
        "request_id": [1],
        "gauntlet_id": list(busy.gauntlets.values()),
        "number": [1],
        "league": [None],
        "latest": [None],
        "game": ["ocean-of-code"],
        "wanted": [codec.converter(GAMES).unstructure(parse(text), Filter) for text in SEARCHES],
    }


def words_at(reader: Reader, path: str) -> set[str]:
    return words_in(reader.whole(path))


def words_in(text: str) -> set[str]:
    return set(re.findall("zqx[a-z]+", text))


def latest_look_of_olga(pool: Pool) -> AuditLine | None:
    return next(iter(within(pool, audit.latest, 1, "olga", "look")), None)


def test_no_private_word_and_no_address_in_clear_text_occurs_in_anything_that_others_can_fetch(
    served: Served, readers: dict[str, Reader], busy_ladder: BusyLadder, marked_pool: Pool
) -> None:
    asked = addresses(served, busy_ladder)
    typed = {"zqxkimmetric", "zqxleemetric"}
    shown: dict[str, set[str]] = {name: set() for name in readers}
    latest = latest_look_of_olga(marked_pool)
    absolute = 0
    for path in asked:
        own = typed if "zqx" in path else set[str]()
        texts = [readers[name].whole(path) for name in ("nobody", "kim")]
        absolute += sum(f"https://{HOST}" in text for text in texts)
        nobody, kim = map(words_in, texts)
        assert nobody <= own, path
        assert kim <= KIMS | KIMS_LIST | own, path
        shown["kim"] |= kim
        olga = words_at(readers["olga"], path)
        shown["olga"] |= olga
        if "zqxlee" in "".join(olga - own):
            before, latest = latest, latest_look_of_olga(marked_pool)
            assert latest is not None, path
            assert (latest != before, latest.target) == (True, path.partition("?")[0]), path
            assert "lee" in latest.details["players"], path
    assert shown["kim"] >= KIMS | KIMS_LIST, "its player sees it"
    assert shown["olga"] >= KIMS | LEES | KIMS_LIST | LEES_LIST | {"zqxhost", "zqxwhy", "zqxaccount"}
    link = share(Actor("kim"), marked_pool, busy_ladder.small.matches["ocean-of-code"][-1]).path
    for path in (*(one for one in asked if one.startswith(STREAMS)), link, "/gauntlets/", "/login/", "/nothing"):
        absolute += f"https://{HOST}" in readers["kim"].whole(path, Accept="application/x-ndjson")
    assert absolute > 10, "addresses are absolute in some answers"


def test_an_account_page_shows_ones_own_account_alone(served: Served, marked_pool: Pool) -> None:
    with transaction(marked_pool) as connection:
        browsers = {
            name: sessions.begin(connection, accounts.find_account(connection, name).id, "a test")
            for name in ("kim", "lee", "olga")
        }
    pages = ["/account", "/device", "/login", "/join", "/games/ocean-of-code/submit"]
    for name, secret in browsers.items():
        browser = Reader(served, None, {"Cookie": f"{SESSION}={secret}"})
        words = {page: words_at(browser, page) for page in pages}
        answers = set[str]() if name == "olga" else {f"zqxanswer{name}", f"zqxquestion{name}"}
        account = {"zqxaccount"} if name == "lee" else set[str]()
        assert words == {page: answers | (account if page == "/account" else set()) for page in pages}, name
    assert [words_at(Reader(served, None), page) for page in pages] == [set()] * len(pages)


def test_the_first_event_names_topics_and_nothing_of_them(served: Served, readers: dict[str, Reader]) -> None:
    topics = sorted([*(f"{kind}:{number}" for kind in OF_ONE for number in (1, 2, 999)), *OF_ALL])
    assert readers
    for name, reader in readers.items():
        asked = "&".join(f"topic={topic}" for topic in topics)
        with served.client.stream("GET", f"{ENDLESS}?{asked}", headers=reader.headers) as answer:
            assert answer.status_code == 200, name
            data = next(line for line in answer.iter_lines() if line.startswith("data:"))
        assert json.loads(data.removeprefix("data:")) == topics, name


def test_old_metrics_only_operators_see(readers: dict[str, Reader], busy_ladder: BusyLadder, marked_pool: Pool) -> None:
    """Kim's own bot plays in that match; an older ladder may have mixed its metrics with another seat's."""
    match_id = busy_ladder.small.matches["ice-and-fire"][-1]
    path, where = f"/api/v1/matches/{match_id}", quote("metric.zqxkimmetric > 5")
    search = f"/api/v1/games/ice-and-fire/matches?limit=500&where={where}"

    def seen(name: str) -> tuple[bool, bool]:
        found = json.loads(readers[name].get(search)[1])["items"]
        return "zqxkimmetric" in readers[name].get(path)[1], match_id in {one["id"] for one in found}

    assert {name: seen(name) for name in readers} == {
        "nobody": (False, False),
        "kim": (True, True),
        "olga": (True, True),
    }
    change(
        marked_pool,
        "UPDATE matches SET finished_at = (SELECT applied_at FROM migrations WHERE number = 1) - interval '1 s'"
        " WHERE id = %s",
        match_id,
    )
    assert {name: seen(name) for name in readers} == {
        "nobody": (False, False),
        "kim": (False, False),
        "olga": (True, True),
    }
    assert "zqxkimstderr" in readers["kim"].get(path)[1], "what was always kept by seat stays kim's to see"


def test_what_is_private_is_absent_and_not_found(readers: dict[str, Reader], busy_ladder: BusyLadder) -> None:
    match = busy_ladder.small.matches["ocean-of-code"][-1]
    seats = {name: json.loads(reader.get(f"/api/v1/matches/{match}")[1])["seats"] for name, reader in readers.items()}
    private = {"stderr", "metrics", "message", "stderr_dropped_bytes"}
    assert [private & one.keys() for one in seats["nobody"]] == [set(), set()]
    assert {frozenset(private & one.keys()) for one in seats["kim"]} == {frozenset(), frozenset(private)}
    assert [private & one.keys() for one in seats["olga"]] == [private, private]

    def found(name: str, where: str) -> int:
        answer = readers[name].get(f"/api/v1/games/ocean-of-code/matches?limit=500&where={quote(where)}")[1]
        return len(json.loads(answer)["items"])

    every = found("nobody", "turns >= 0")
    assert [found(name, "metric.zqxleemetric > 5") for name in ("nobody", "kim")] == [0, 0]
    assert found("nobody", "not metric.zqxleemetric > 5") == every
    assert found("olga", "metric.zqxleemetric > 5") > 0
    assert found("kim", "metric.zqxkimmetric > 5") == found("olga", "metric.zqxkimmetric > 5") > 0


def test_what_is_for_others_is_refused(readers: dict[str, Reader], busy_ladder: BusyLadder, marked_pool: Pool) -> None:
    match_id = busy_ladder.small.matches["ocean-of-code"][-1]
    seats = [readers["kim"].get(f"/api/v1/matches/{match_id}/seats/{one}/stderr") for one in (0, 1)]
    assert sorted(status for status, _ in seats) == [200, 403]
    refused = next(json.loads(text) for status, text in seats if status == 403)
    assert refused["exit_status"] == 3
    assert refused["detail"] == "only its player and operators see what wahoo@v1 wrote to stderr"
    source = f"/api/v1/views/source?words={quote(json.dumps({'named': {'bot': 'wahoo', 'number': 1}}))}"
    status, text = readers["kim"].get(source)
    assert (status, json.loads(text)["detail"]) == (403, "only its player and operators see the source of wahoo@v1")
    page = "/games/ocean-of-code/bots/wahoo/v/1"
    assert readers["kim"].get(f"{page}/source")[0] == 403
    assert "/source" not in readers["kim"].get(page)[1]
    change(marked_pool, "UPDATE bots SET source_is_public = true WHERE name = 'wahoo'")
    assert readers["nobody"].get(source)[0] == 200
    change(marked_pool, "UPDATE bots SET source_is_public = false WHERE name = 'wahoo'")


def test_a_match_to_play_again_is_for_who_may_read_its_sources_and_shows_them_alone(
    readers: dict[str, Reader], busy_ladder: BusyLadder, marked_pool: Pool
) -> None:
    match_id = busy_ladder.small.matches["ocean-of-code"][-1]
    again = f"/api/v1/views/match-to-play-again?words={quote(json.dumps({'match_id': match_id}))}"
    status, text = readers["kim"].get(again)
    assert (status, json.loads(text)["exit_status"]) == (403, 3)
    assert json.loads(text)["detail"] == "only its player and operators see the source of wahoo@v1"
    change(marked_pool, "UPDATE bots SET source_is_public = true")
    assert words_at(readers["nobody"], again) == set()
    assert words_at(readers["kim"], again) == {"zqxkimstderr", "zqxkimmetric", "zqxkimverdict"}
    change(marked_pool, "UPDATE bots SET source_is_public = false")


def test_a_link_shows_a_match_as_its_player_sees_it_until_it_is_revoked(
    readers: dict[str, Reader], busy_ladder: BusyLadder, marked_pool: Pool
) -> None:
    match_id, void = busy_ladder.small.matches["ocean-of-code"][-1], busy_ladder.small.matches["ice-and-fire"][0]
    lee = Actor("lee", via=Via.SESSION)
    made = share(lee, marked_pool, match_id)
    parts = ["", "/data", "/curves.svg", *(f"/seats/{seat}/stderr" for seat in (0, 1))]
    answers = [readers["nobody"].get(f"{made.path}{part}") for part in parts]
    assert sorted(status for status, _ in answers) == [200, 200, 200, 200, 403]
    words = set(re.findall("zqx[a-z]+", "".join(text for _, text in answers)))
    assert words == {"zqxleestderr", "zqxleemetric", "zqxleeverdict"}
    assert f"{made.path}/data" in answers[0][1]
    with transaction(marked_pool) as connection:
        assert [one.id for one in links.shares_of_player(connection, "LEE")] == [made.share.id]
        dumped = connection.execute("SELECT shares::text FROM shares").fetchall()
    assert made.path.removeprefix("/r/") not in str(dumped)
    with pytest.raises(UnknownName, match="kim has no share"):
        revoke_share(Actor("kim"), marked_pool, made.share.id)
    revoke_share(lee, marked_pool, made.share.id)
    assert [readers["nobody"].get(f"{made.path}{part}")[0] for part in parts] == [404] * 5
    with pytest.raises(NotAllowed, match="no bot of lee plays in match"):
        share(lee, marked_pool, void)
    with pytest.raises(NotAllowed, match="for the bot hydra only"):
        share(Actor("lee", bot="hydra"), marked_pool, match_id)
    with pytest.raises(UsageFault, match="1 s to 365 days"):
        share(lee, marked_pool, match_id, 0)


def test_a_link_expires(readers: dict[str, Reader], busy_ladder: BusyLadder, marked_pool: Pool) -> None:
    made = share(Actor("kim"), marked_pool, busy_ladder.small.matches["ocean-of-code"][0])
    assert (made.share.expires_at - made.share.created_at).days == 30
    change(marked_pool, "UPDATE shares SET expires_at = now() WHERE id = %s", made.share.id)
    assert readers["nobody"].get(made.path)[0] == 404
