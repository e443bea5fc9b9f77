"""Notices on a real database and by real HTTP: who is told what, and what happens where that does not arrive."""

import hmac
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest

from engine.errors import Refused, UnknownName, UsageFault
from ladder import actions, audit
from ladder.access import Actor, Role, Scope, Via
from ladder.actions.hooks import MOST_HOOKS, NewHook, add, remove
from ladder.choices import GauntletState, GauntletVerdict, NoticeEvent, NoticeForm
from ladder.database.connection import Pool, one, transaction
from ladder.errors import NotAllowed
from ladder.flows.submission import reject
from ladder.gauntlets import gauntlets
from ladder.gauntlets.lineup import GauntletRequest
from ladder.notices import hooks
from ladder.notices.hooks import Hook
from ladder.notices.outbox import send_all
from ladder.settings import Settings, WebSettings
from tests.conftest import Made, once
from tests.fakes import RememberingQueue
from tests.ladder import arena
from tests.ladder.arena import GAME, claimed_build, on_the_board, promoted, rows_of, submitted, within
from tests.ladder.rated import change
from tests.receiver import Receiver, receiving

KIM, MIA, OLGA = Actor("kim"), Actor("mia"), Actor("olga", Role.OPERATOR)
HERE = Settings(None, None, 1000, WebSettings(public_url="https://arena.example"), private_hooks=True)
EVERYWHERE = Settings(None, None, 1000)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


made = once(arena.kims_and_mias_bots, among_bosses=True)


@pytest.fixture(autouse=True)
def _private_hooks(made: Made[None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LADDER_HOOKS_PRIVATE", "1")


def hooked(
    pool: Pool, url: str, *events: NoticeEvent, actor: Actor = KIM, form: NoticeForm = NoticeForm.JSON
) -> NewHook:
    return add(actor, pool, url, events, form, of_ladder=actor is OLGA)


def the_hook(pool: Pool, made: NewHook) -> Hook:
    return within(pool, hooks.find, made.hook.id)


def rejected(pool: Pool, bot: str = "kraken", source: str = "c", words: str = "it printed @everyone") -> None:
    assert within(pool, reject, claimed_build(pool, submitted(pool, bot, source)), words)


def send(pool: Pool, settings: Settings = HERE) -> int:
    return send_all(pool, settings)


def try_again_now(pool: Pool, passed: str = "0 s") -> None:
    """Let so much time have passed since the hook began to fail, and its pause be over."""
    change(pool, "UPDATE hooks SET next_at = now(), failing_since = failing_since - %s::interval", passed)


def test_players_are_told_of_their_own_versions_alone(pool: Pool, receiver: Receiver) -> None:
    made = hooked(pool, receiver.url, NoticeEvent.ACCEPTED, NoticeEvent.REJECTED)
    rejected(pool)
    on_the_board(pool, "orca", "d", player="mia")
    on_the_board(pool, "kraken", "e")
    assert send(pool) == 2
    assert [one.json["sentence"] for one in receiver.received] == [
        f"kraken@v2 of kim is rejected for {GAME}: it printed @everyone",
        f"kraken@v3 of kim is accepted for {GAME}",
    ]
    said = receiver.received[0].json
    assert said["ladder"] == "https://arena.example"
    assert (said["event"], said["game"], said["version"], said["bot"]) == ("rejected", GAME, "kraken@v2", "kraken")
    assert isinstance(said["version_id"], int)
    assert the_hook(pool, made).result == "it answered 204"
    assert send(pool) == 0


def test_nothing_is_told_of_what_was_rolled_back_nor_to_a_disabled_account(pool: Pool, receiver: Receiver) -> None:
    hooked(pool, receiver.url, NoticeEvent.REJECTED)
    claim = claimed_build(pool, submitted(pool, "kraken", "c"))
    with pytest.raises(ZeroDivisionError), transaction(pool) as connection:
        reject(connection, claim, "no")
        raise ZeroDivisionError
    assert send(pool) == 0
    assert within(pool, reject, claim, "no")
    change(pool, "UPDATE players SET disabled_at = now(), disabled_why = 'x' WHERE name = 'kim'")
    assert send(pool) == 0


def test_a_receiver_can_check_who_sent_a_notice_and_when(pool: Pool, receiver: Receiver) -> None:
    made = hooked(pool, receiver.url, NoticeEvent.REJECTED)
    rejected(pool)
    send(pool)
    (got,) = receiver.received
    signed = got.headers["x-ladder-timestamp"].encode() + b"." + got.body
    expected = hmac.new(made.secret.encode(), signed, sha256).hexdigest()
    assert got.headers["x-ladder-signature"] == f"sha256={expected}"
    assert abs(int(got.headers["x-ladder-timestamp"]) - datetime.now(UTC).timestamp()) < 60


def test_what_does_not_arrive_is_sent_again_after_pauses_that_grow(pool: Pool, receiver: Receiver) -> None:
    made = hooked(pool, receiver.url, NoticeEvent.REJECTED)
    receiver.statuses = [500, 500]
    rejected(pool)
    assert send(pool) == 0
    assert send(pool) == 0, "it waits"
    assert len(receiver.received) == 1
    failing = the_hook(pool, made)
    assert (failing.result, failing.waiting) == ("it answered 500", 1)
    pauses: list[float] = []
    for _ in range(2):
        pauses.append(float(rows_of(pool, "SELECT extract(epoch FROM next_at - tried_at) FROM hooks")[0][0]))
        try_again_now(pool)
        send(pool)
    assert pauses == [10, 40]
    assert [one.json["id"] for one in receiver.received] == [receiver.received[0].json["id"]] * 3
    arrived = the_hook(pool, made)
    assert (arrived.result, arrived.waiting, arrived.failing_since) == ("it answered 204", 0, None)


def test_a_hook_that_fails_for_a_day_is_disabled_and_says_why(pool: Pool, receiver: Receiver) -> None:
    made = hooked(pool, receiver.url, NoticeEvent.REJECTED)
    receiver.statuses = [500] * 9
    rejected(pool)
    send(pool)
    try_again_now(pool, "23 hours")
    send(pool)
    assert the_hook(pool, made).disabled_at is None
    try_again_now(pool, "2 hours")
    send(pool)
    assert the_hook(pool, made).result == "disabled: it answered 500"
    rejected(pool, source="f")
    try_again_now(pool)
    send(pool)
    assert (len(receiver.received), the_hook(pool, made).waiting) == (3, 0)
    receiver.statuses = []
    actions.hooks.test(KIM, pool, made.hook.id)
    assert send(pool) == 1
    assert receiver.events[-1] == "test"
    assert the_hook(pool, made).disabled_at is None


def test_a_redirection_is_not_followed(pool: Pool, receiver: Receiver) -> None:
    made = hooked(pool, receiver.url, NoticeEvent.REJECTED)
    receiver.statuses = [307]
    rejected(pool)
    send(pool)
    assert len(receiver.received) == 1
    expected = "it answered 307, which leads elsewhere: add the address to which it leads"
    assert the_hook(pool, made).result == expected


def test_no_hook_is_added_in_a_private_network_unless_that_is_set(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LADDER_HOOKS_PRIVATE")
    addresses = ("127.0.0.1:80", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]", "2130706433")
    for host in (*addresses, "localhost", "a.localhost."):
        with pytest.raises(
            Refused, match=r"leads into a private network: notices go there only if .* LADDER_HOOKS_PRIVATE=1"
        ):
            hooked(pool, f"http://{host}/hook", NoticeEvent.REJECTED)
    assert within(pool, hooks.of_player, "kim") == []
    assert hooked(pool, "http://93.184.215.14/hook", NoticeEvent.REJECTED).hook.player == "kim"


def test_no_notice_goes_to_a_private_address_and_a_name_is_looked_up_once(pool: Pool, receiver: Receiver) -> None:
    made = hooked(pool, receiver.url.replace("127.0.0.1", "arena.test"), NoticeEvent.REJECTED)
    rejected(pool)
    asked: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    assert send_all(pool, EVERYWHERE, resolve) == 0
    assert the_hook(pool, made).result == "arena.test leads to no address of the internet, and so no notice goes there"
    assert not receiver.received
    try_again_now(pool)
    asked.clear()
    assert send_all(pool, HERE, resolve) == 1
    assert asked == ["arena.test"]
    assert receiver.received[0].headers["host"].startswith("arena.test:"), "the connection goes where it led"


def test_nobody_is_told_of_moves_while_boards_are_frozen_and_then_all_are(pool: Pool, receiver: Receiver) -> None:
    hooked(pool, receiver.url, NoticeEvent.PROMOTED, actor=OLGA)
    hooked(pool, receiver.url, NoticeEvent.PROMOTED, actor=MIA)
    with transaction(pool) as connection:
        query = "SELECT id FROM versions WHERE version_name(id) = %(name)s"
        kraken, orca = (one(connection, query, {"name": name})[0] for name in ("kraken@v1", "orca@v1"))
    within(pool, promoted, kraken)
    assert send(pool) == 1, "the ladder alone: it is not mia's"
    sentence = f"kraken@v1 of kim is promoted from Wood 2 to Wood 1 in {GAME}"
    assert receiver.received[0].json["sentence"] == sentence
    freeze(pool)
    within(pool, promoted, orca)
    assert send(pool) == 0
    actions.games.thaw_boards(OLGA, pool, GAME)
    assert send(pool) == 2
    assert [one.json["player"] for one in receiver.received[1:]] == ["mia", "mia"]


def freeze(pool: Pool) -> None:
    actions.games.freeze_boards(OLGA, pool, GAME, datetime.now(UTC) + timedelta(days=1))
    change(pool, "UPDATE board_freezes SET frozen_from = now() - interval '1 minute'")


def test_a_gauntlet_that_has_ended_is_told_of_with_its_verdict(pool: Pool, receiver: Receiver) -> None:
    hooked(pool, receiver.url, NoticeEvent.VERDICT)
    of_ladder = hooked(pool, receiver.url, NoticeEvent.VERDICT, actor=OLGA)
    freeze(pool)
    begun = actions.gauntlets.begin(KIM, pool, RememberingQueue(), GauntletRequest("kraken@v1", "", ("orca",), pairs=5))
    within(pool, gauntlets.end, begun.gauntlet, GauntletState.FINISHED, GauntletVerdict.UNDECIDED)
    assert send(pool) == 1
    said = receiver.received[0].json
    assert (said["gauntlet_id"], said["verdict"]) == (begun.gauntlet, "undecided")
    assert said["sentence"].startswith(f"gauntlet {begun.gauntlet} of {GAME} is over: undecided")
    assert the_hook(pool, of_ladder).waiting == 1, "until the boards are thawed"


def test_a_deadline_is_told_of_a_day_and_an_hour_before_once_each(pool: Pool, receiver: Receiver) -> None:
    hooked(pool, receiver.url, NoticeEvent.DEADLINE)
    actions.seasons.plan(OLGA, pool, GAME, datetime.now(UTC) + timedelta(hours=30), None)
    assert send(pool) == 0
    change(pool, "UPDATE season_plans SET submit_until = now() + interval '23 hours'")
    assert (send(pool), send(pool)) == (1, 0)
    assert receiver.received[0].json["sentence"].endswith("UTC, in less than 24 hours")
    change(pool, "UPDATE season_plans SET submit_until = submit_until - interval '22.5 hours'")
    assert (send(pool), send(pool)) == (1, 0)
    assert receiver.received[1].json["sentence"].endswith("UTC, in less than an hour")


def test_a_missing_boss_is_told_to_operators_each_time_it_is_missing(pool: Pool, receiver: Receiver) -> None:
    hooked(pool, receiver.url, NoticeEvent.BOSSLESS, actor=OLGA)
    assert send(pool) == 0
    bot_id, league_id = rows_of(pool, "SELECT id, boss_of FROM bots WHERE boss_of IS NOT NULL ORDER BY id")[0]
    for _ in range(2):
        change(pool, "UPDATE bots SET boss_of = NULL WHERE id = %s", bot_id)
        assert (send(pool), send(pool)) == (1, 0)
        change(pool, "UPDATE bots SET boss_of = %s WHERE id = %s", league_id, bot_id)
        assert send(pool) == 0
    assert receiver.events == ["bossless", "bossless"]
    with pytest.raises(UsageFault, match="a player's hook gets accepted"):
        hooked(pool, receiver.url, NoticeEvent.BOSSLESS)
    with pytest.raises(UsageFault, match="the ladder's hook gets accepted"):
        hooked(pool, receiver.url, NoticeEvent.REJECTED, actor=OLGA)


def test_words_of_bots_call_nobody_and_draw_nothing_where_people_chat(pool: Pool, receiver: Receiver) -> None:
    for form in (NoticeForm.DISCORD, NoticeForm.SLACK):
        hooked(pool, receiver.url, NoticeEvent.REJECTED, form=form)
    rejected(pool, words="@everyone <!channel> **bold** [a](http://evil.test)")
    assert send(pool) == 2
    for got in receiver.received:
        assert "x-ladder-signature" not in got.headers
        assert "@everyone" not in str(got.json)
        assert "<!channel>" not in str(got.json)
    (discord,) = [one.json for one in receiver.received if "content" in one.json]
    assert discord["allowed_mentions"] == {"parse": []}
    assert r"\*\*bold\*\*" in discord["content"]
    assert "](" not in discord["content"]
    (slack,) = [one.json for one in receiver.received if "text" in one.json]
    assert slack["mrkdwn"] is False
    assert "&lt;!channel&gt;" in slack["text"]


def test_no_more_than_a_thousand_notices_wait_for_a_hook(pool: Pool, receiver: Receiver) -> None:
    made = hooked(pool, receiver.url, NoticeEvent.REJECTED)
    change(
        pool,
        """
        INSERT INTO notices (hook_id, event, game, about)
        SELECT %s, 'rejected', 'x', jsonb_build_object('version_id', -number) FROM generate_series(1, 1000) AS number
        """,
        made.hook.id,
    )
    rejected(pool)
    assert the_hook(pool, made).waiting == 1000


def test_hooks_are_their_players_to_change_and_those_of_the_ladder_an_operators(pool: Pool) -> None:
    without_a_host = ("https://", "example.org", "https://a b/")
    for wrong in (*without_a_host, "ftp://example.org", "https://kim:pw@example.org/", "http://a:99999/"):
        with pytest.raises(UsageFault, match="not an address for notices"):
            hooked(pool, wrong, NoticeEvent.ACCEPTED)
    url = "https://example.org/hook/abcdefgh"
    made = hooked(pool, url, NoticeEvent.ACCEPTED)
    assert (made.hook.address, made.hook.player) == ("https://example.org/…efgh", "kim")
    with pytest.raises(NotAllowed):
        remove(MIA, pool, made.hook.id)
    with pytest.raises(NotAllowed):
        add(KIM, pool, url, [NoticeEvent.ACCEPTED], of_ladder=True)
    with pytest.raises(NotAllowed, match="one bot or game alone"):
        hooked(
            pool, url, NoticeEvent.ACCEPTED, actor=Actor("kim", via=Via.TOKEN, scopes=frozenset(Scope), bot="kraken")
        )
    remove(KIM, pool, made.hook.id)
    with pytest.raises(UnknownName, match="there is no hook"):
        remove(KIM, pool, made.hook.id)
    for _ in range(MOST_HOOKS):
        hooked(pool, url, NoticeEvent.ACCEPTED)
    with pytest.raises(Refused, match="remove"):
        hooked(pool, url, NoticeEvent.ACCEPTED)
    lines = within(pool, audit.latest, 20, "kim")
    assert {"hooks add", "hooks remove"} <= {line.action for line in lines}
    assert not [line for line in lines if "abcdefgh" in line.target]
