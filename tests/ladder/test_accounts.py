"""Accounts and actions: who is let in, operates or may do what; and that each action leaves its line."""

import inspect
import pkgutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from argon2 import PasswordHasher
from psycopg.errors import RaiseException
from psycopg.sql import SQL, Identifier

from engine.errors import Refused, UnknownName, UsageFault
from ladder import actions, audit
from ladder.access import Actor, Role, Scope, Via
from ladder.accounts import accounts, idempotency, links, passwords, secrets, sessions, tokens
from ladder.accounts.class_list import ClassMember
from ladder.accounts.idempotency import Answered, KeyedWrite
from ladder.actions import games, gauntlets, installation, logins, matches, seasons
from ladder.actions.accounts import disable, enable, invite, join_code, reset, set_role
from ladder.actions.logins import Browser
from ladder.actions.tokens import WantedToken, create, revoke
from ladder.bots.players import player_id
from ladder.choices import NoticeEvent
from ladder.database.connection import Pool, one, transaction
from ladder.errors import NotAllowed, NotYourBot, QuotaUsed
from ladder.gauntlets.automatic_gauntlets import GauntletTerms
from ladder.gauntlets.lineup import GauntletRequest, LineupWords
from ladder.ids import ClarificationId, GauntletId, HookId, MatchId, RequestId, ShareId
from ladder.leagues.file import LeagueFile
from ladder.names import NamedVersion
from ladder.quotas.rules import Quota
from ladder.tuning.parameters import TuneRequest
from tests.catalogue import GAMES
from tests.fakes import BrokenQueue, RememberingQueue
from tests.ladder.arena import GAME, a_pair, a_submission, moved_to, on_the_board, present, rows_of, within
from tests.ladder.rated import change

KIM, MIA, OLGA = Actor("kim"), Actor("mia"), Actor("olga", Role.OPERATOR)
SUBMITS = frozenset({Scope.SUBMIT})
REAL = passwords.HASHER
"""What hashes passwords outside of tests."""
PASSWORD, BROWSER = "correct horse battery", Browser("a test", None)


def lines(pool: Pool) -> list[tuple[str, str]]:
    return [(line.actor, line.action) for line in within(pool, audit.latest, 100)]


def an_account(pool: Pool, name: str, role: Role = Role.PLAYER) -> None:
    invite(OLGA, pool, name, role)
    with transaction(pool) as connection:
        found = accounts.find_account(connection, name)
        accounts.set_password_hash(connection, found.id, "$argon2id$")
        accounts.set_role(connection, found.id, role)


def test_each_action_leaves_one_line_of_the_one_who_did_it(pool: Pool) -> None:
    """Whoever adds an action adds it here, or says in WITHOUT_LINE why it leaves none."""
    queue = RememberingQueue()
    kraken, orca = on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b")
    shared = a_pair(pool, kraken, orca)[0]
    moved_to(pool, orca, "wood-1")
    sides = (NamedVersion("kraken"), NamedVersion("orca"))
    terms = GauntletTerms(LineupWords(("boss",)), 5, None, gates=False, asked_by="")
    an_account(pool, "mia")
    in_order: dict[str, Callable[[], object]] = {
        "bots.submit": lambda: actions.bots.submit(KIM, pool, queue, a_submission(source="c")),
        "bots.activate": lambda: actions.bots.activate(KIM, pool, "kraken", 1, GAME),
        "bots.show_sources": lambda: actions.bots.show_sources(KIM, pool, "kraken", is_public=True, game=GAME),
        "bots.rewind": lambda: actions.bots.rewind(KIM, pool, "orca", GAME, to_league="wood-2"),
        "matches.share": lambda: actions.matches.share(KIM, pool, shared),
        "matches.revoke_share": lambda: actions.matches.revoke_share(KIM, pool, ShareId(1)),
        "bots.rename": lambda: actions.bots.rename(KIM, pool, "orca", "whale"),
        "matches.request": lambda: actions.matches.request(KIM, pool, (sides[0], NamedVersion("whale")), 1, GAME),
        "matches.cancel": lambda: actions.matches.cancel(KIM, pool, RequestId(1)),
        "gauntlets.begin": lambda: actions.gauntlets.begin(
            KIM, pool, queue, GauntletRequest("kraken@v1", "", ("whale",))
        ),
        "gauntlets.stop": lambda: actions.gauntlets.stop(KIM, pool, the_gauntlet(pool)),
        "gauntlets.resume": lambda: actions.gauntlets.resume(KIM, pool, the_gauntlet(pool)),
        "tunes.begin": lambda: actions.tunes.begin(KIM, pool, queue, TuneRequest("kraken@v1", ("DEPTH=4..12",))),
        "tunes.stop": lambda: actions.tunes.stop(KIM, pool, the_gauntlet(pool)),
        "tunes.resume": lambda: actions.tunes.resume(KIM, pool, the_gauntlet(pool)),
        "gauntlets.automate": lambda: actions.gauntlets.automate(KIM, pool, "kraken", None, GAME, terms),
        "gauntlets.end_automatic": lambda: actions.gauntlets.end_automatic(KIM, pool, "kraken", None, GAME),
        "games.lock": lambda: actions.games.lock(OLGA, pool, GAME, "final until Sunday"),
        "games.unlock": lambda: actions.games.unlock(OLGA, pool, GAME),
        "games.freeze_boards": lambda: actions.games.freeze_boards(OLGA, pool, GAME, datetime.now(UTC)),
        "games.thaw_boards": lambda: actions.games.thaw_boards(OLGA, pool, GAME),
        "seasons.open_contest": lambda: actions.seasons.open_contest(
            OLGA, pool, GAME, datetime.now(UTC) + timedelta(days=1), players=[ClassMember("zoe"), ClassMember("kim")]
        ),
        "clarifications.announce": lambda: actions.clarifications.announce(OLGA, pool, "Welcome."),
        "clarifications.ask_question": lambda: actions.clarifications.ask_question(KIM, pool, "Why?", GAME),
        "clarifications.answer": lambda: actions.clarifications.answer(OLGA, pool, ClarificationId(2), "So."),
        "clarifications.withdraw": lambda: actions.clarifications.withdraw(OLGA, pool, ClarificationId(1)),
        "accounts.change_quotas": lambda: actions.accounts.change_quotas(OLGA, pool, "kim", {Quota.TOKENS: 5}),
        "accounts.reset_quotas": lambda: actions.accounts.reset_quotas(OLGA, pool, "kim"),
        "bots.retire": lambda: actions.bots.retire(KIM, pool, "whale", GAME),
        "bots.disqualify": lambda: actions.bots.disqualify(OLGA, pool, "kraken", "a copy", GAME),
        "bots.reinstate": lambda: actions.bots.reinstate(OLGA, pool, "kraken", GAME),
        "games.apply": lambda: actions.games.apply(OLGA, pool, LeagueFile(GAME, {"wood-2": {"battles": 7}})),
        "games.recompute": lambda: actions.games.recompute(OLGA, pool, GAME),
        "installation.set_battles": lambda: actions.installation.set_battles(OLGA, pool, GAME, 9),
        "accounts.invite": lambda: invite(OLGA, pool, "ben"),
        "accounts.join_code": lambda: join_code(OLGA, pool, 30),
        "accounts.reset": lambda: reset(OLGA, pool, "mia"),
        "accounts.set_role": lambda: set_role(OLGA, pool, "mia", Role.OPERATOR),
        "hooks.add": lambda: actions.hooks.add(KIM, pool, "https://example.org/", [NoticeEvent.ACCEPTED]),
        "hooks.test": lambda: actions.hooks.test(KIM, pool, HookId(1)),
        "hooks.remove": lambda: actions.hooks.remove(KIM, pool, HookId(1)),
        "tokens.create": lambda: create(KIM, pool, WantedToken("ci", SUBMITS)),
        "tokens.revoke": lambda: revoke(KIM, pool, "kim", "ci"),
        "tokens.create again": lambda: create(KIM, pool, WantedToken("ci", SUBMITS)),
        "tokens.revoke_numbered": lambda: actions.tokens.revoke_numbered(KIM, pool, 2),
        "accounts.disable": lambda: disable(OLGA, pool, "kim", "shared a password"),
        "accounts.enable": lambda: enable(OLGA, pool, "kim"),
    }
    for name, act in in_order.items():
        before = lines(pool)
        act()
        new = lines(pool)[: -len(before)]
        assert len(new) == 1, (name, new)
        assert new[0][0] == ("olga" if name in BY_OLGA else "kim"), name
    assert {name.partition(" ")[0] for name in in_order} | set(WITHOUT_LINE) == {*all_actions()}


BY_OLGA = {
    *("bots.disqualify", "bots.reinstate", "games.apply", "games.recompute", "installation.set_battles"),
    *("accounts.invite", "accounts.join_code", "accounts.reset", "accounts.set_role"),
    *("accounts.disable", "accounts.enable", "accounts.change_quotas", "accounts.reset_quotas"),
    *("games.lock", "games.unlock"),
    *("games.freeze_boards", "games.thaw_boards", "seasons.open_contest"),
    *("clarifications.announce", "clarifications.answer", "clarifications.withdraw"),
}
WITHOUT_LINE = {
    "installation.import_ladder": "what was done on a ladder comes with its export",
    "installation.bring_up_to_date": "the supervisor does it, without an actor",
    "logins.log_out": "tests/web/test_accounts.py, as the next ones",
    "logins.end_other_sessions": "",
    "logins.change_password": "",
    "logins.answer": "",
    "installation.drain": "tests/operations/test_two_releases.py: workers have to live for it",
    "installation.migrate": "see test_schema: a new database has no ladder to leave a line in before",
    "installation.bring_in_games": "only where it changes a boss",
    "games.add": "tests/ladder/test_games.py",
    "games.update": "tests/ladder/test_games.py",
    "games.remove": "tests/ladder/test_games.py",
    "gauntlets.purge": "tests/acceptance/test_account_commands.py and its neighbours",
    "installation.import_league": "tests/acceptance/test_imports.py",
    "matches.void": "tests/acceptance/test_account_commands.py",
    "matches.prune": "tests/acceptance/test_backup.py",
    "seasons.close": "tests/acceptance/test_account_commands.py",
    "seasons.plan": "tests/acceptance/test_season_commands.py",
    "seasons.drop_plan": "tests/acceptance/test_season_commands.py",
}


def all_actions() -> list[str]:
    found = []
    for _, name, _ in pkgutil.iter_modules(actions.__path__):
        module = getattr(actions, name)
        for function in vars(module).values():
            if inspect.isfunction(function) and function.__module__ == module.__name__:
                first = [*inspect.signature(function).parameters][:2]
                if first in (["actor", "pool"], ["actor", "database_url"], ["database_url", "games"]):
                    found.append(f"{name}.{function.__name__}")
    return found


def the_gauntlet(pool: Pool) -> GauntletId:
    return GauntletId(within(pool, one, "SELECT max(id) FROM gauntlets", {})[0])


def test_what_is_refused_leaves_no_line(pool: Pool) -> None:
    join_code(OLGA, pool, 3)
    before = lines(pool)
    with pytest.raises(NotAllowed, match="only an operator may let people in"):
        invite(KIM, pool, "ben")
    with pytest.raises(UsageFault, match="a player's name is 1 to 39"):
        invite(OLGA, pool, "a b")
    with pytest.raises(Refused, match="come with Ladder"):
        invite(OLGA, pool, "House")
    assert lines(pool) == before
    assert before[0] == ("olga", "player join-code")


def test_no_line_of_the_audit_can_be_changed(pool: Pool) -> None:
    join_code(OLGA, pool, 3)
    before = lines(pool)
    for statement in (b"UPDATE audit SET actor = 'mia'", b"DELETE FROM audit"):
        with pytest.raises(RaiseException, match="the audit is only added to"), transaction(pool) as connection:
            connection.execute(statement)
    assert lines(pool) == before


def a_member(pool: Pool, name: str, team: str = "kraken") -> Actor:
    """Somebody who has followed the link of a member, and whom a session knows."""
    secret = logins.accept(pool, invite(OLGA, pool, name, team=team).secret, "", PASSWORD, BROWSER)
    assert present(within(pool, sessions.find, secret)).team == team
    return Actor(team, via=Via.SESSION, member=name)


def is_let_in(pool: Pool, name: str) -> bool:
    try:
        logins.log_in(pool, name, PASSWORD, BROWSER)
    except NotAllowed:
        return False
    return True


def test_members_act_as_their_team_and_the_audit_says_who(pool: Pool) -> None:
    anna, ben = a_member(pool, "anna"), a_member(pool, "ben")
    on_the_board(pool, "orca", "a", player="kraken")
    actions.bots.rename(anna, pool, "orca", "whale")
    line = within(pool, lambda connection: audit.latest(connection, 1))[0]
    assert (line.actor, line.by, line.action) == ("kraken", "kraken (anna)", "bot rename")
    assert within(pool, lambda connection: audit.latest(connection, 9, "anna"))[0].id == line.id
    assert within(pool, lambda connection: audit.latest(connection, 9, "ben"))[0].action != "bot rename"
    token = create(anna, pool, WantedToken("ci", SUBMITS))
    shown = present(within(pool, tokens.presented, token.secret))
    assert (shown.account, shown.team) == ("anna", "kraken")
    with pytest.raises(Refused, match="anna of kraken has a token ci already"):
        create(ben, pool, WantedToken("CI", SUBMITS))
    actions.accounts.change_quotas(OLGA, pool, "ben", {Quota.TOKENS: 1})
    with pytest.raises(QuotaUsed, match="kraken may have 1 tokens"):
        create(ben, pool, WantedToken("laptop", SUBMITS))
    assert [one.name for one in within(pool, tokens.of_player, "kraken")] == ["ci"]
    assert [(one.name, one.team) for one in within(pool, accounts.members, "kraken")] == [
        ("anna", "kraken"),
        ("ben", "kraken"),
    ]


def test_a_member_is_disabled_and_its_team_with_all(pool: Pool) -> None:
    anna, ben = a_member(pool, "anna"), a_member(pool, "ben")
    on_the_board(pool, "orca", "a", player="kraken")
    secrets_of = {actor.login: create(actor, pool, WantedToken(f"of-{actor.login}", SUBMITS)) for actor in (anna, ben)}

    def refusals() -> list[bool]:
        found = [within(pool, tokens.presented, made.secret) for made in secrets_of.values()]
        return [one is None or one.refusal is not None for one in found]

    done = disable(OLGA, pool, "anna", "left")
    assert (done.tokens, done.sessions, done.bots) == (1, 1, [])
    assert (refusals(), is_let_in(pool, "anna"), is_let_in(pool, "ben")) == ([True, False], False, True)
    enable(OLGA, pool, "anna")
    assert is_let_in(pool, "anna")
    done = disable(OLGA, pool, "kraken", "cheated")
    assert (done.tokens, done.sessions, done.bots) == (1, 3, ["orca"])
    assert (refusals(), is_let_in(pool, "anna"), is_let_in(pool, "ben")) == ([True, True], False, False)
    enable(OLGA, pool, "kraken")
    assert is_let_in(pool, "ben")


def test_a_new_password_of_a_member_ends_its_sessions_alone(pool: Pool) -> None:
    anna, _ = a_member(pool, "anna"), a_member(pool, "ben")
    logins.change_password(anna, pool, PASSWORD, "another long password", BROWSER)
    assert (is_let_in(pool, "anna"), is_let_in(pool, "ben")) == (False, True)
    logins.accept(pool, reset(OLGA, pool, "anna").secret, "", PASSWORD, BROWSER)
    assert is_let_in(pool, "anna")
    assert [len(within(pool, sessions.of_player, name)) for name in ("kraken", "anna", "ben")] == [0, 2, 2]


def test_a_name_is_one_players_or_one_teams_members(pool: Pool) -> None:
    a_member(pool, "anna")
    within(pool, lambda connection: player_id(connection, "kim"))
    for name, team, words in (
        ("KIM", "kraken", "kim is a player already"),
        ("kraken", "Kraken", "cannot be a member of itself"),
        ("anna", "orca", "anna is a member of kraken already"),
        ("anna", "kraken", "anna has an account already"),
        ("ben", "anna", "anna is a member of kraken, and no team"),
        ("ben", "house", "come with Ladder"),
        ("house", "kraken", "come with Ladder"),
    ):
        before = lines(pool)
        with pytest.raises(Refused, match=words):
            invite(OLGA, pool, name, team=team)
        assert lines(pool) == before
    assert within(pool, lambda connection: accounts.account_called(connection, "ben")) is None
    with pytest.raises(Refused, match="anna is a member of kraken, and bots are the team's"):
        on_the_board(pool, "orca", "a", player="anna")


def test_an_invitation_is_for_a_new_player_or_for_one_who_played_before(pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    assert (invite(OLGA, pool, "ben").kind, invite(OLGA, pool, "Kim").kind) == ("new", "claim")
    an_account(pool, "mia")
    with pytest.raises(Refused, match="mia has an account already: `ladder player reset mia`"):
        invite(OLGA, pool, "mia")
    with pytest.raises(Refused, match="ben has no password yet: `ladder player invite ben`"):
        reset(OLGA, pool, "ben")
    with pytest.raises(UnknownName, match="unknown player 'zoe'"):
        reset(OLGA, pool, "zoe")


def test_a_new_link_takes_the_place_of_the_one_before_and_is_used_once(pool: Pool) -> None:
    first, second = invite(OLGA, pool, "ben"), invite(OLGA, pool, "ben")
    with transaction(pool) as connection:
        assert links.find_invitation(connection, first.secret) is None
        assert links.find_invitation(connection, second.secret) is not None
        assert [links.use_invitation(connection, second.secret) for _ in range(2)] == [True, False]


def test_of_a_join_code_no_more_people_than_it_is_for_are_let_in_at_once(pool: Pool) -> None:
    made = join_code(OLGA, pool, 3)

    def use(_number: int) -> bool:
        return within(pool, links.use_invitation, made.secret)

    with ThreadPoolExecutor(6) as threads:
        assert sorted(threads.map(use, range(8))).count(True) == 3


def test_the_last_operator_cannot_be_disabled_or_made_a_player(pool: Pool) -> None:
    an_account(pool, "ann", Role.OPERATOR)
    for act in (lambda: disable(OLGA, pool, "ann", "why"), lambda: set_role(OLGA, pool, "ann", Role.PLAYER)):
        with pytest.raises(Refused, match="ann is the last operator"):
            act()
    an_account(pool, "ben", Role.OPERATOR)

    def leave(name: str) -> bool:
        try:
            set_role(OLGA, pool, name, Role.PLAYER)
        except Refused:
            return False
        return True

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(leave, ["ann", "ben"])) == [False, True]


def test_what_a_disabled_player_asked_for_ends_also_where_it_is_for_others_bots(pool: Pool) -> None:
    on_the_board(pool, "kraken", "a", "mia")
    on_the_board(pool, "orca", "b", "mia")
    an_account(pool, "kim")
    sides, mia, kim = (NamedVersion("kraken"), NamedVersion("orca")), Actor("mia"), Actor("kim")
    for player in (kim, mia):
        actions.matches.request(player, pool, sides, 3, GAME)
    actions.gauntlets.begin(kim, pool, RememberingQueue(), GauntletRequest("kraken@v1", "", ("orca",)))
    actions.gauntlets.begin(mia, pool, RememberingQueue(), GauntletRequest("orca@v1", "", ("kraken",)))
    done = disable(OLGA, pool, "kim", "spam")
    assert (done.gauntlets, done.requests) == (1, 1)
    with transaction(pool) as connection:
        gauntlets = connection.execute("SELECT asked_by, state FROM gauntlets ORDER BY id").fetchall()
        requests = connection.execute("SELECT asked_by, lapsed FROM requests ORDER BY id").fetchall()
    assert gauntlets == [("kim", "stopped"), ("mia", "running")]
    assert requests == [("kim", "the account kim was disabled"), ("mia", None)]


def test_a_disabled_account_is_shut_out_and_its_bots_leave_the_boards(pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    made = create(KIM, pool, WantedToken("ci", SUBMITS))
    done = disable(OLGA, pool, "KIM", "shared a password")
    assert (done.player, done.tokens, done.bots) == ("kim", 1, ["kraken"])
    assert (
        present(within(pool, tokens.presented, made.secret)).refusal
        == "the account kim is disabled (shared a password)"
    )
    for act in (
        lambda: actions.bots.submit(KIM, pool, RememberingQueue(), a_submission(source="b")),
        lambda: actions.bots.activate(KIM, pool, "kraken", 1, GAME),
        lambda: create(KIM, pool, WantedToken("other", SUBMITS)),
    ):
        with pytest.raises(NotAllowed, match="the account kim is disabled"):
            act()
    with pytest.raises(Refused, match="kim is disabled already"):
        disable(OLGA, pool, "kim", "again")
    enable(OLGA, pool, "kim")
    assert present(within(pool, tokens.presented, made.secret)).refusal == "this token is revoked", "make a new one"
    assert actions.bots.activate(KIM, pool, "kraken", 1, GAME).was_active


def test_the_bots_that_left_with_an_account_come_back_with_it_and_no_others(pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    on_the_board(pool, "kraken", "b", leaves_rival=True)
    on_the_board(pool, "orca", "c")
    on_the_board(pool, "eel", "d")
    on_the_board(pool, "cod", "e", player="mia")
    before = boards(pool)
    actions.bots.retire(KIM, pool, "orca", GAME)
    disable(OLGA, pool, "kim", "a copy")
    assert [row[0] for row in boards(pool)] == ["cod@v1"]
    actions.bots.disqualify(OLGA, pool, "eel", "a copy", GAME)
    assert enable(OLGA, pool, "kim").bots == ["kraken"]
    assert boards(pool) == [row for row in before if row[0] in {"cod@v1", "kraken@v1", "kraken@v2"}]
    actions.bots.reinstate(OLGA, pool, "eel", GAME)
    assert boards(pool) == [row for row in before if row[0] != "orca@v1"]
    disable(OLGA, pool, "kim", "again")
    actions.bots.disqualify(OLGA, pool, "eel", "a copy", GAME)
    actions.bots.reinstate(OLGA, pool, "eel", GAME)
    assert [row[0] for row in boards(pool)] == ["cod@v1"], "its player is still shut out"


def boards(pool: Pool) -> list[tuple[str, bool, float]]:
    query = """
        SELECT version_name(version_id), is_rival, score FROM standings
        JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id
        WHERE on_board AND boss_of IS NULL ORDER BY 1
        """
    return rows_of(pool, query)


class TestTokens:
    @pytest.fixture(autouse=True)
    def _kim(self, pool: Pool) -> None:
        within(pool, player_id, "kim")

    def test_the_database_holds_no_secret(self, pool: Pool) -> None:
        made, code = create(KIM, pool, WantedToken("ci", SUBMITS)), join_code(OLGA, pool, 3)
        assert len(made.secret) == len(secrets.TOKEN_PREFIX) + 43, "32 bytes"
        grant = actions.logins.ask(pool, SUBMITS, "a program", "10.0.0.1")
        match_id = a_pair(pool, on_the_board(pool, "orca", "b"), on_the_board(pool, "eel", "c"))[0]
        share = actions.matches.share(KIM, pool, match_id)
        with transaction(pool) as connection:
            session = sessions.begin(connection, accounts.find_account(connection, "kim").id, "a browser")
            asked = KeyedWrite("kim", "one", "POST /api/v1/acts/share-match", made.secret.encode())
            idempotency.claim(connection, asked)
            idempotency.keep(connection, asked, Answered(200, None))
            kept = {
                table: connection.execute(SQL("SELECT * FROM {}").format(Identifier(table))).fetchall()
                for table in KEPT
            }
        assert all(kept.values()), "each table has a row that could hold one"
        dump = str(kept)
        for secret in (made.secret, code.secret, grant.device_code, share.path.removeprefix("/r/"), session):
            assert secret not in dump
            assert secret.removeprefix(secrets.TOKEN_PREFIX)[:16] not in dump

    def test_a_refused_one_says_why(self, pool: Pool) -> None:
        for wanted, kind, words in (
            (WantedToken("a b", SUBMITS), UsageFault, "a token's name is 1 to 39"),
            (WantedToken("a\0", SUBMITS), UsageFault, "a token's name is 1 to 39"),
            (WantedToken("ci", SUBMITS, days=366), UsageFault, "1 to 365 days, not 366"),
            (WantedToken("ci", SUBMITS, days=0), UsageFault, "1 to 365 days, not 0"),
            (WantedToken("ci", frozenset()), UsageFault, "name at least one scope"),
            (WantedToken("ci", SUBMITS, bot="../x"), UsageFault, "cannot be the name of a bot"),
            (WantedToken("ci", frozenset({Scope.OPERATE})), NotAllowed, "the scope operate is for operators"),
        ):
            with pytest.raises(kind, match=words):
                create(KIM, pool, wanted)
        made = create(KIM, pool, WantedToken("ci", SUBMITS, days=5, bot="eel"))
        with transaction(pool) as connection:
            found = present(tokens.presented(connection, made.secret))
            assert (found.refusal, found.account, found.bot, found.is_stale) == (None, "kim", "eel", True)
            assert tokens.presented(connection, made.secret[:-1] + "x") is None
            tokens.write_down_use(connection, found.id, "10.0.0.1")
            assert not present(tokens.presented(connection, made.secret)).is_stale
            connection.execute("UPDATE tokens SET expires_at = '2020-02-03'")
            expired = present(tokens.presented(connection, made.secret))
            assert expired.refusal == "this token expired on 2020-02-03"

    def test_a_name_is_free_again_without_its_token_which_its_player_or_an_operator_revokes(self, pool: Pool) -> None:
        made = create(KIM, pool, WantedToken("ci", SUBMITS)).token
        assert (made.expires_at - made.created_at).days == 90
        with pytest.raises(Refused, match="this player has a token of that name already"):
            create(KIM, pool, WantedToken("CI", SUBMITS))
        with pytest.raises(NotAllowed, match="the tokens of kim are that player's to revoke"):
            revoke(MIA, pool, "kim", "ci")
        with pytest.raises(UnknownName, match="unknown token 'cd'; known: ci"):
            revoke(KIM, pool, "kim", "cd")
        revoke(KIM, pool, "kim", "ci")
        create(KIM, pool, WantedToken("ci", SUBMITS))
        change(pool, "UPDATE tokens SET expires_at = now() WHERE revoked_at IS NULL")
        create(KIM, pool, WantedToken("ci", SUBMITS))
        assert revoke(OLGA, pool, "kim", "ci").name == "ci"

    def test_a_token_without_the_scope_or_for_another_bot_does_nothing(self, pool: Pool) -> None:
        for bot in ("kraken", "orca"):
            on_the_board(pool, bot, bot)
        before = lines(pool)
        by_token = partial(Actor, "kim", via=Via.TOKEN)
        with pytest.raises(NotAllowed, match="it lacks the scope submit"):
            submit_as(by_token(scopes=frozenset({Scope.PLAY})), pool)
        with pytest.raises(NotAllowed, match="this token is for the bot eel only"):
            submit_as(by_token(scopes=SUBMITS, bot="eel"), pool)
        with pytest.raises(NotAllowed, match="this token is for the bot eel only"):
            actions.bots.activate(by_token(bot="eel"), pool, "kraken", 1, GAME)
        with pytest.raises(NotAllowed, match="this token is for the bot eel only"):
            actions.gauntlets.begin(
                by_token(bot="eel"), pool, RememberingQueue(), GauntletRequest("kraken@v1", "", ("orca",))
            )
        assert lines(pool) == before
        submit_as(by_token(scopes=SUBMITS, bot="KRAKEN", token_id=7, address="10.0.0.1"), pool)
        line = within(pool, audit.latest, 1)[0]
        assert (line.via, line.address, line.target) == ("token", "10.0.0.1", f"kraken@v2 ({GAME})")


KEPT = ("tokens", "sessions", "device_grants", "invitations", "shares", "idempotency", "audit", "players")


def submit_as(actor: Actor, pool: Pool) -> None:
    actions.bots.submit(actor, pool, RememberingQueue(), a_submission(source="another"))


@pytest.fixture
def real_passwords(monkeypatch: pytest.MonkeyPatch, light_passwords: None) -> None:
    monkeypatch.setattr(passwords, "HASHER", REAL)


@pytest.mark.usefixtures("real_passwords")
def test_a_password_fits_its_hash_alone() -> None:
    kept = passwords.hashed("correct horse battery")
    assert passwords.fits("correct horse battery", kept)
    assert not passwords.fits("correct horse batterx", kept)
    assert not passwords.fits("", None)
    assert not passwords.fits("x" * 1_000_000, kept)
    assert not passwords.is_outdated(kept)
    assert passwords.is_outdated(kept.replace("t=3", "t=2"))
    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$"), "what RFC 9106 advises where memory is short"


@pytest.mark.usefixtures("real_passwords")
def test_a_login_makes_the_hash_anew_when_the_settings_have_changed(pool: Pool) -> None:
    an_account(pool, "mia")
    before = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("correct horse battery")

    def kept() -> str | None:
        return within(pool, accounts.find_account, "mia").password_hash

    with transaction(pool) as connection:
        accounts.set_password_hash(connection, accounts.find_account(connection, "mia").id, before)
    browser = actions.logins.Browser("a browser", None)
    with pytest.raises(NotAllowed):
        actions.logins.log_in(pool, "mia", "another password", browser)
    assert kept() == before, "a refused login changes nothing"
    actions.logins.log_in(pool, "mia", "correct horse battery", browser)
    anew = present(kept())
    assert not passwords.is_outdated(anew)
    actions.logins.log_in(pool, "mia", "correct horse battery", browser)
    assert kept() == anew, "one that is up to date stays"


def test_a_password_has_12_to_200_characters() -> None:
    for password in ("", "x" * 11, "x" * 201):
        with pytest.raises(UsageFault, match="12 to 200 characters"):
            passwords.require_usable(password)


def test_codes_for_people_are_read_however_they_are_typed() -> None:
    code = secrets.new_user_code()
    assert secrets.typed_code(f" {code.lower().replace('-', ' ')} ") == code
    assert len({secrets.new_user_code() for _ in range(50)}) == 50


REQUEST = GauntletRequest("kraken@v2", "nobody", ("kraken@v1",))
FEW = LeagueFile(GAME, {"wood-2": {"battles": 7}})
FOR_OPERATORS: dict[str, Callable[[Actor, Pool], object]] = {
    "match void": lambda actor, pool: matches.void(actor, pool, MatchId(1), "why"),
    "gauntlet purge": lambda actor, pool: gauntlets.purge(actor, pool, RememberingQueue(), GauntletId(1), "lab", "why"),
    "gauntlet auto --league": lambda actor, pool: gauntlets.automate(
        actor, pool, None, "wood-2", GAME, GauntletTerms(LineupWords(("boss",)), 5, None, gates=False, asked_by="")
    ),
    "season close": lambda actor, pool: seasons.close(actor, pool, GAME),
    "league apply": lambda actor, pool: games.apply(actor, pool, FEW),
    "rating recompute": games.recompute,
    "db migrate": lambda actor, pool: installation.bring_in_games(actor, pool, GAMES),
    "battles": lambda actor, pool: installation.set_battles(actor, pool, GAME, 7),
}


def written(pool: Pool) -> list[tuple[str, str]]:
    return [(deed.done_by, deed.deed) for deed in within(pool, audit.concerning_others, 100)]


def automatic_and_battles(pool: Pool) -> Sequence[object]:
    return rows_of(
        pool, "SELECT battles, (SELECT count(*) FROM automatic_gauntlets), (SELECT count(*) FROM seasons) FROM leagues"
    )


def test_what_is_for_operators_is_refused_to_players_and_written_down_if_it_concerns_others(pool: Pool) -> None:
    before = automatic_and_battles(pool)
    for act in FOR_OPERATORS.values():
        with pytest.raises(NotAllowed, match=r"^only an operator may "):
            act(KIM, pool)
        assert (automatic_and_battles(pool), written(pool)) == (before, [])
    done = games.apply(OLGA, pool, FEW, dry_run=True)
    assert ([change.setting for change in done.changes], done.applied) == (["battles"], False)
    assert (automatic_and_battles(pool), written(pool)) == (before, []), "a trial says what it would change alone"
    games.apply(OLGA, pool, FEW)
    games.recompute(OLGA, pool, GAME)
    assert written(pool) == [("olga", "rating recompute"), ("olga", "league apply")]


def test_its_player_stops_and_resumes_a_gauntlet_without_a_deed_and_an_operator_with_one(pool: Pool) -> None:
    """It is begun in the actor's name whatever the wish says; the scheduler is asked then, and need not answer."""
    for source in "ab":
        on_the_board(pool, "kraken", source)
    queue = RememberingQueue()
    begun = gauntlets.begin(KIM, pool, queue, REQUEST).gauntlet
    assert queue.schedules == 1
    with pytest.raises(NotAllowed, match=f"gauntlet {begun} belongs to kim, and only its player can do that"):
        gauntlets.stop(MIA, pool, begun)
    with pytest.raises(Refused, match="runs; there is nothing to resume"):
        gauntlets.resume(OLGA, pool, begun)
    assert gauntlets.stop(KIM, pool, begun) == gauntlets.ChangedGauntlet(begun, "stopped")
    assert gauntlets.resume(Actor("KIM"), pool, begun) == gauntlets.ChangedGauntlet(begun, "running")
    assert written(pool) == []
    gauntlets.stop(OLGA, pool, begun)
    assert written(pool) == [("olga", "gauntlet stop")]
    assert gauntlets.begin(KIM, pool, BrokenQueue(), REQUEST).gauntlet > begun


def test_a_player_automates_only_an_own_bot(pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    terms = GauntletTerms(LineupWords(("boss",)), 5, None, gates=False, asked_by="somebody else")
    with pytest.raises(NotYourBot, match="the bot kraken belongs to kim, and only its player can do that"):
        gauntlets.automate(MIA, pool, "kraken", None, GAME, terms)
    assert present(gauntlets.automate(KIM, pool, "kraken", None, GAME, terms).gauntlet).asked_by == "kim"
    assert gauntlets.end_automatic(KIM, pool, "kraken", None, GAME) == gauntlets.NoLongerAutomatic("kraken", GAME)
