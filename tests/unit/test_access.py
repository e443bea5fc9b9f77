"""Who may do what, as a table written out; and when more of it is possible again."""

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest

from ladder.access import Actor, Deed, Role, Scope, Via, is_for_operators, may, require, require_bot
from ladder.errors import NotAllowed
from ladder.quotas.rules import DAY, HOUR, Quota, Quotas, Use, moment, possible_from, refusal, when_possible

OWNER, OPERATOR, STRANGER = Actor("ann"), Actor("olga", Role.OPERATOR), Actor("sam")
TABLE = {
    # who may do it:           owner, operator, stranger
    Deed.SUBMIT: (True, False, False),
    Deed.ACTIVATE: (True, False, False),
    Deed.CHOOSE_LEAGUE: (False, True, False),
    Deed.REWIND: (True, False, False),
    Deed.RETIRE: (True, False, False),
    Deed.RENAME: (True, False, False),
    Deed.SHOW_SOURCES: (True, False, False),
    Deed.COMPARE_SOURCES: (False, True, False),
    Deed.DISQUALIFY: (False, True, False),
    Deed.REQUEST_BATTLES: (True, True, True),
    Deed.CANCEL_REQUEST: (True, False, False),
    Deed.BEGIN_GAUNTLET: (True, True, True),
    Deed.STOP_GAUNTLET: (True, True, False),
    Deed.RESUME_GAUNTLET: (True, True, False),
    Deed.PURGE_GAUNTLET: (False, True, False),
    Deed.AUTOMATE_BOT: (True, False, False),
    Deed.AUTOMATE_LEAGUE: (False, True, False),
    Deed.VOID_MATCH: (False, True, False),
    Deed.PRUNE: (False, True, False),
    Deed.SHARE_MATCH: (True, False, False),
    Deed.REVOKE_SHARE: (True, True, False),
    Deed.CLOSE_SEASON: (False, True, False),
    Deed.APPLY_LEAGUES: (False, True, False),
    Deed.CHANGE_GAMES: (False, True, False),
    Deed.RECOMPUTE: (False, True, False),
    Deed.IMPORT: (False, True, False),
    Deed.IMPORT_LEAGUE: (False, True, False),
    Deed.INSTALL: (False, True, False),
    Deed.DRAIN: (False, True, False),
    Deed.INVITE: (False, True, False),
    Deed.CHANGE_PLAYERS: (False, True, False),
    Deed.OPEN_CONTEST: (False, True, False),
    Deed.READ_GRADES: (False, True, False),
    Deed.LOCK_GAME: (False, True, False),
    Deed.FREEZE_BOARDS: (False, True, False),
    Deed.ANNOUNCE: (False, True, False),
    Deed.ASK: (True, True, True),
    Deed.ANSWER: (False, True, False),
    Deed.WITHDRAW: (True, True, False),
    Deed.READ_AUDIT: (False, True, False),
    Deed.CHANGE_ACCOUNT: (True, False, False),
    Deed.READ_ACCOUNT: (True, True, False),
    Deed.LIST_TOKENS: (True, True, False),
    Deed.REVOKE_TOKEN: (True, True, False),
    Deed.CREATE_TOKEN: (True, False, False),
    Deed.CHANGE_HOOKS: (True, True, False),
    Deed.CHANGE_LADDER_HOOKS: (False, True, False),
}
BY_SCOPE = {
    Scope.READ: {Deed.READ_ACCOUNT, Deed.LIST_TOKENS, Deed.REVOKE_TOKEN, Deed.SHARE_MATCH, Deed.REVOKE_SHARE},
    Scope.SUBMIT: {Deed.SUBMIT, Deed.CHANGE_HOOKS},
    Scope.PLAY: {
        *(Deed.ACTIVATE, Deed.REWIND, Deed.RETIRE, Deed.RENAME, Deed.SHOW_SOURCES, Deed.ASK, Deed.WITHDRAW),
        *(Deed.BEGIN_GAUNTLET, Deed.STOP_GAUNTLET, Deed.RESUME_GAUNTLET, Deed.AUTOMATE_BOT),
        *(Deed.REQUEST_BATTLES, Deed.CANCEL_REQUEST),
    },
    Scope.OPERATE: {
        deed for deed in Deed if TABLE[deed][1] and deed not in {Deed.REQUEST_BATTLES, Deed.BEGIN_GAUNTLET, Deed.ASK}
    },
}
"""What a token with one scope lets its player do with what is that player's own; the last: an operator with others'."""


@pytest.mark.parametrize("scope", Scope)
def test_a_token_with_one_scope_is_for_exactly_these_deeds(scope: Scope) -> None:
    role, owner = (Role.OPERATOR, "ann") if scope is Scope.OPERATE else (Role.PLAYER, "olga")
    actor = Actor("olga", role, Via.TOKEN, frozenset({scope}))
    assert {deed for deed in Deed if may(actor, deed, owner)} == BY_SCOPE[scope]


def test_a_token_makes_no_tokens_whatever_its_scopes() -> None:
    everything = Actor("ann", Role.OPERATOR, Via.TOKEN)
    with pytest.raises(NotAllowed, match="a token may not create a token: log in and do it there"):
        require(everything, Deed.CREATE_TOKEN, owner="ann")


def test_a_refusal_names_the_scope_that_lacks_but_not_to_a_stranger() -> None:
    reads = frozenset({Scope.READ})
    with pytest.raises(NotAllowed, match="it lacks the scope submit"):
        require(Actor("ann", via=Via.TOKEN, scopes=reads), Deed.SUBMIT, "it belongs to ann", "ann")
    with pytest.raises(NotAllowed, match="it belongs to ann"):
        require(Actor("sam", via=Via.TOKEN, scopes=reads), Deed.SUBMIT, "it belongs to ann", "ann")
    with pytest.raises(NotAllowed, match="it lacks the scope operate"):
        require(Actor("olga", Role.OPERATOR, Via.TOKEN, reads), Deed.VOID_MATCH)


def test_a_member_is_its_team_and_itself_in_any_case() -> None:
    ann = Actor("Red", member="Ann")
    assert [ann.is_(name) for name in ("red", "RED", "ann", "ANN", "bob")] == [True, True, True, True, False]


def test_a_token_for_one_bot_of_a_game_is_for_no_other() -> None:
    bound = Actor("ann", via=Via.TOKEN, bot="Kraken", game="tron")
    require_bot(bound, "tron", "eel", "kraken")
    with pytest.raises(NotAllowed, match="for the bot Kraken only"):
        require_bot(bound, "tron", "eel")
    with pytest.raises(NotAllowed, match="for the game tron only"):
        require_bot(bound, "chess", "kraken")


def test_a_token_is_for_every_game_where_it_names_none() -> None:
    require_bot(Actor("ann", via=Via.TOKEN, bot="kraken"), "chess", "kraken")
    require_bot(Actor("ann", via=Via.TOKEN), "chess", "eel")


def test_a_token_for_a_game_is_for_every_bot_in_it_alone() -> None:
    require_bot(Actor("ann", via=Via.TOKEN, game="tron"), "tron", "eel")
    with pytest.raises(NotAllowed, match="for the game tron only"):
        require_bot(Actor("ann", via=Via.TOKEN, game="tron"), "chess", "eel")


@pytest.mark.parametrize("deed", Deed)
def test_each_deed_is_open_to_exactly_these(deed: Deed) -> None:
    assert tuple(may(actor, deed, "Ann") for actor in (OWNER, OPERATOR, STRANGER)) == TABLE[deed]


def test_a_refusal_is_the_callers_sentence() -> None:
    with pytest.raises(NotAllowed, match="request 3 belongs to ann"):
        require(STRANGER, Deed.CANCEL_REQUEST, "request 3 belongs to ann", "ann")


def test_by_default_a_refusal_says_whom_the_deed_is_open_to_and_carries_the_deed() -> None:
    with pytest.raises(NotAllowed) as refused:
        require(STRANGER, Deed.STOP_GAUNTLET, owner="ann")
    assert str(refused.value) == "only its player or an operator may stop a gauntlet"
    assert refused.value.deed is Deed.STOP_GAUNTLET


def test_the_owner_is_refused_nothing_of_its_own() -> None:
    for deed, (by_owner, _, _) in TABLE.items():
        if by_owner:
            require(OWNER, deed, owner="ann")


def test_deeds_of_operators_alone_are_those_that_no_player_does_with_what_is_theirs() -> None:
    alone = {deed for deed, (by_owner, by_operator, _) in TABLE.items() if by_operator and not by_owner}
    assert {deed for deed in Deed if is_for_operators(deed.value)} == alone
    assert not is_for_operators("")


NOON = datetime(2026, 12, 18, 12, 0, tzinfo=UTC)


def at(minutes: int, much: float = 1) -> Use:
    return Use(NOON + timedelta(minutes=minutes), much)


@pytest.mark.parametrize(
    ("uses", "limit", "wanted", "minutes"),
    [
        ([at(0), at(10), at(20)], 3, 1, 60),
        ([at(0), at(10), at(20)], 3, 2, 70),
        ([at(0), at(10), at(20)], 3, 3, 80),
        ([at(0), at(10), at(20)], 1, 1, 80),
        ([at(0, 5), at(10, 1)], 6, 5, 60),
        ([at(0), at(10), at(20)], 3, 4, None),
        ([], 0, 1, None),
    ],
)
def test_more_is_possible_once_enough_is_over(uses: list[Use], limit: int, wanted: int, minutes: int | None) -> None:
    expected = None if minutes is None else NOON + timedelta(minutes=minutes)
    assert possible_from(uses, limit, wanted, HOUR) == expected


def test_a_refusal_says_what_how_much_and_when_again() -> None:
    again = NOON + timedelta(minutes=12)
    assert refusal(Quota.VERSIONS_PER_HOUR, "kim", 20, 20, 1, again, NOON) == (
        "kim may submit 20 versions an hour; 20 are used, and it is possible again in 12 min, at 2026-12-18 12:12 UTC"
    )
    assert refusal(Quota.BATTLES_PER_DAY, "kim", 500, 480, 30, NOON + DAY, NOON) == (
        "kim may ask for 500 battles a day; 480 are used and 30 more are asked for, and it is possible again in "
        "24.0 h, at 2026-12-19 12:00 UTC"
    )
    assert "so 600 at once are never possible" in refusal(Quota.BATTLES_PER_DAY, "kim", 500, 0, 600, None, NOON)
    assert refusal(Quota.GAUNTLETS_RUNNING, "kim", 3, 3, 1, None, NOON).endswith(
        "3 are used, and it is possible again when one of them has ended"
    )


def test_a_refusal_says_how_many_more_are_asked_for_where_it_is_not_one() -> None:
    assert "; 19 are used and 2 more are asked for, and" in refusal(Quota.TOKENS, "kim", 20, 19, 2, None, NOON)
    assert "; 20 are used, and" in refusal(Quota.TOKENS, "kim", 20, 20, 1, None, NOON)


def test_what_reaches_a_limit_is_possible_later_but_what_is_beyond_it_never() -> None:
    assert "10 more are asked for, and it is possible again" in refusal(Quota.TOKENS, "kim", 10, 1, 10, None, NOON)
    assert refusal(Quota.TOKENS, "kim", 10, 0, 11, None, NOON) == (
        "kim may have 10 tokens, so 11 at once are never possible"
    )


@pytest.mark.parametrize(("seconds", "words"), [(-5, "in 1 s"), (0, "in 1 s"), (1, "in 1 s"), (2, "in 2 s")])
def test_more_is_possible_again_in_a_second_at_the_earliest(seconds: int, words: str) -> None:
    assert when_possible(Quota.TOKENS, NOON + timedelta(seconds=seconds), NOON).startswith(words)


def test_moments_are_written_in_utc_wherever_the_ladder_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        written = moment(NOON)
    time.tzset()
    assert written == "2026-12-18 12:00 UTC"
    assert moment(NOON.astimezone(timezone(timedelta(hours=9)))) == written


def test_each_quota_has_a_default_and_words() -> None:
    assert {quota: Quotas().limit(quota) for quota in Quota} == {
        Quota.VERSIONS_PER_HOUR: 20,
        Quota.VERSIONS_PER_DAY: 100,
        Quota.BATTLES_PER_DAY: 500,
        Quota.GAUNTLETS_RUNNING: 3,
        Quota.CPU_S_PER_DAY: 20_000,
        Quota.TOKENS: 20,
        Quota.QUESTIONS_PER_HOUR: 5,
    }
    assert all("{}" in quota.permission and quota.words and quota.until for quota in Quota)
