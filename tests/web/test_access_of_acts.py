"""Every action and every view that our own commands ask for from afar, asked by everybody that there can be.

An action or a view that is added without a line here fails the first test.
"""

import json
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from ladder.contract import READS, WRITES, function_of
from tests.web.a_ladder import BusyLadder
from tests.web.everybody import GAME, Everybody
from tests.web.test_access_of_routes import (
    ASKS,
    ENDS,
    IN_TURN,
    KNOWN,
    NOWHERE,
    OPERATES,
    OWNS,
    READS_OWN,
    SEES,
    SHARES,
    SUBMITS,
    UNKNOWN,
    Entry,
    in_turn,
    require_rights,
)
from tests.web.test_sight import given_words, needed_words

OWN = frozenset({"read", "owner", "session", "bound", "operator"})
"""Who looks into kim's account, and revokes its tokens."""
LATER = "2999-01-01T18:00:00+00:00"
TERMS = {"words": {"against": ["boss"], "context": []}, "pairs": 3, "test": None, "gates": False, "asked_by": ""}
SUBMISSION = {"game": GAME, "bot": "kraken", "source": {"text": "# from afar"}, "language": "python"}
TUNE = {"candidate": "kraken", "ranges": ["DEPTH=1..9"], "pairs": 20}
TUNED = 4
"""The tune of the busy ladder."""
GAUNTLET = {"candidate": "kraken", "asked_by": "", "against": ["wahoo"], "pairs": 1}


ACTS: Mapping[str, Entry] = {
    "submit": Entry(SUBMITS, {"submission": SUBMISSION}),
    "activate": Entry(OWNS, {"bot": "kraken", "number": 1}),
    "rewind": Entry(OWNS, {"bot": "kraken"}),
    "retire": Entry(OWNS, {"bot": "settler"}),
    "rename": Entry(OWNS, {"bot": "nomad", "name": "gnome"}),
    "disqualify": Entry(OPERATES, {"bot": "wahoo", "why": "a test"}),
    "reinstate": Entry(OPERATES, {"bot": "wahoo"}),
    "request": Entry(ASKS, {"sides": [{"bot": "kraken"}, {"bot": "wahoo"}], "battles": 1}),
    "cancel": Entry(OWNS, {"request_id": 1}),
    "begin-gauntlet": Entry(ASKS, {"request": GAUNTLET}),
    "stop-gauntlet": Entry(ENDS, {"gauntlet_id": 3}),
    "resume-gauntlet": Entry(ENDS, {"gauntlet_id": 3}),
    "purge-gauntlet": Entry(OPERATES, {"gauntlet_id": NOWHERE, "host": "x", "why": "a test"}),
    "begin-tune": Entry(ASKS, {"request": TUNE}),
    "stop-tune": Entry(ENDS, {"gauntlet_id": TUNED}),
    "resume-tune": Entry(ENDS, {"gauntlet_id": TUNED}),
    "automate": Entry(OWNS, {"bot": "kraken", "league": None, "game": GAME, "terms": TERMS}),
    "end-automatic": Entry(OWNS, {"bot": "kraken", "league": None, "game": GAME}),
    "void-match": Entry(OPERATES, {"match_id": NOWHERE, "why": "a test"}),
    "share-match": Entry(SHARES, {"match_id": 1}),
    "revoke-share": Entry(KNOWN, {"share_id": NOWHERE}),
    "lock-game": Entry(OPERATES, {"game": "nothing", "why": "a test"}),
    "unlock-game": Entry(OPERATES, {"game": "nothing"}),
    "freeze-boards": Entry(OPERATES, {"game": "nothing", "frozen_from": LATER}),
    "thaw-boards": Entry(OPERATES, {"game": "nothing"}),
    "open-contest": Entry(OPERATES, {"game": "nothing", "until": LATER}),
    "close-season": Entry(OPERATES, {"game": GAME, "number": NOWHERE}),
    "plan-season": Entry(OPERATES, {"game": "nothing", "submit_until": LATER, "series": None}),
    "drop-plan": Entry(OPERATES, {"game": GAME}),
    "apply-leagues": Entry(OPERATES, {"file": {"game": GAME, "leagues": {}}, "dry_run": True}),
    "recompute": Entry(OPERATES, {"game": GAME}),
    "create-token": Entry(frozenset({"session"}), {"wanted": {"name": "new", "scopes": ["play"]}}),
    "revoke-token": Entry(OWN, {"player": "kim", "name": "nothing"}),
    "add-hook": Entry(KNOWN - {"bound", "read", "play"}, {"url": "https://example.org/", "events": ["accepted"]}),
    "test-hook": Entry(KNOWN, {"hook_id": NOWHERE}),
    "remove-hook": Entry(KNOWN, {"hook_id": NOWHERE}),
    "announce": Entry(OPERATES, {"text": "Welcome."}),
    "ask": Entry(ASKS, {"text": "Why?"}),
    "answer": Entry(OPERATES, {"clarification_id": NOWHERE, "text": "So."}),
    "withdraw-clarification": Entry(KNOWN, {"clarification_id": NOWHERE}),
    "invite": Entry(OPERATES, {"name": "newcomer"}),
    "reset": Entry(OPERATES, {"name": "nobody-there"}),
    "join-code": Entry(OPERATES, {"uses": 3}),
    "disable": Entry(OPERATES, {"name": "nobody-there", "why": "a test"}),
    "enable": Entry(OPERATES, {"name": "nobody-there"}),
    "set-role": Entry(OPERATES, {"name": "nobody-there", "role": "operator"}),
    "change-quotas": Entry(OPERATES, {"player": "nobody-there", "changes": {"tokens": 3}}),
    "reset-quotas": Entry(OPERATES, {"player": "nobody-there"}),
}
VIEWS: Mapping[str, Entry] = {
    "source": Entry(SEES, {"named": {"bot": "kraken", "number": 1}}),
    "source-compared": Entry(SEES, {"first": {"bot": "kraken", "number": 1}, "second": {"bot": "kraken", "number": 2}}),
    "automatic-gauntlet-of-league": Entry(KNOWN, {"name": "wood-2", "game": GAME}),
    "tune": Entry(KNOWN, {"gauntlet_id": TUNED}),
    "match-to-play-again": Entry(SEES, {"match_id": 1}),
    "similar-sources": Entry(OPERATES, {"game": GAME}),
    "contest-results": Entry(OPERATES, {"game": GAME}),
    "contest-grades": Entry(OPERATES, {"game": GAME}),
    "players": Entry(OPERATES, {}),
    "questions": Entry(OWN, {"player": "kim"}),
    "members": Entry(OWN, {"player": "kim"}),
    "tokens": Entry(OWN, {"player": "kim"}),
    "sessions": Entry(OWN, {"player": "kim"}),
    "shares": Entry(OWN, {"player": "kim"}),
    "hooks": Entry(OWN, {"player": "kim"}),
    "ladder-hooks": Entry(OPERATES, {}),
    "quotas": Entry(OWN, {"name": "kim"}),
    "audit": Entry(READS_OWN, {"limit": 10}),
    "deeds": Entry(OPERATES, {"limit": 10}),
}
"""Those that not everybody reads who is let in, or that are asked with more than they need; of the others some show
each reader another part."""


def test_every_action_has_a_line_here() -> None:
    assert ACTS.keys() == WRITES.keys()
    assert {name for name, row in READS.items() if row.deed is not None} <= VIEWS.keys() <= READS.keys()


@IN_TURN
@pytest.mark.parametrize("action", ACTS)
def test_only_those_do_it_from_afar_who_may(everybody: Everybody, action: str, most: int) -> None:
    """Each asks in the role of an operator, which nobody is by asking."""
    entry, path = ACTS[action], f"/api/v1/acts/{action}"

    def ask(who: str) -> httpx.Response:
        return everybody.ask(who, "post", path, entry.body, {"role": "operator"})

    require_rights(everybody.pool, entry.who, in_turn(UNKNOWN, [*ACTS].index(action), most // 3), ask, set())


def test_an_operator_does_nothing_for_operators_in_the_role_of_a_player(everybody: Everybody) -> None:
    actions = [name for name, entry in ACTS.items() if entry.who == OPERATES]
    assert actions
    for action in actions:
        answer = everybody.ask("operator", "post", f"/api/v1/acts/{action}", ACTS[action].body)
        assert answer.status_code == 403, (action, answer.text)


@IN_TURN
@pytest.mark.parametrize("view", sorted(READS.keys() - {"gauntlet-held"}))
def test_only_those_read_from_afar_who_may(everybody: Everybody, busy_ladder: BusyLadder, view: str, most: int) -> None:
    own, void = busy_ladder.small.matches[GAME][0], busy_ladder.void[0]
    words: Mapping[str, Any] = {
        word: one[0]
        for word, one in needed_words(function_of(READS[view]), given_words(own, void, busy_ladder)).items()
    }
    entry, number = VIEWS.get(view, Entry(KNOWN, words)), sorted(READS).index(view)
    known = in_turn(KNOWN, number, most) if entry.who == KNOWN else sorted(KNOWN)
    for who in (*in_turn(UNKNOWN, number, most // 3), *known):
        answer = everybody.ask(who, "get", f"/api/v1/views/{view}", query={"words": json.dumps(entry.body)})
        if who in UNKNOWN:
            assert answer.status_code == 401, who
        elif who in entry.who:
            assert answer.status_code in {200, 404, 409}, (who, answer.text)
        else:
            assert (answer.status_code, answer.json()["exit_status"]) == (403, 3), (who, answer.text)


def test_of_the_audit_players_read_their_own_lines_and_operators_all(everybody: Everybody) -> None:
    asked = {"words": json.dumps({"limit": 1000})}
    for who in sorted(READS_OWN):
        lines = everybody.ask(who, "get", "/api/v1/views/audit", query=asked).json()
        player = {"another player": "pat", "operator": None, "off duty": "olga"}.get(who, "kim")
        actors = {line["actor"] for line in lines}
        assert actors <= {player} if player else len(actors) > 1, who
    words = {"words": json.dumps({"limit": 10, "actor": "kim"})}
    for who in sorted(KNOWN):
        answer = everybody.ask(who, "get", "/api/v1/views/audit", query=words)
        assert answer.status_code == (200 if who in OWN else 403), (who, answer.text)
