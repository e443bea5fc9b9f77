"""Who may do what, as a table written out."""

from __future__ import annotations

import pytest

from ladder.access import RULES, Actor, Deed, Role, may, require
from ladder.errors import NotAllowed

OWNER, OPERATOR, STRANGER = Actor("ann"), Actor("olga", Role.OPERATOR), Actor("sam")
TABLE = {
    # who may do it:           owner, operator, stranger
    Deed.SUBMIT: (True, False, False),
    Deed.ACTIVATE: (True, False, False),
    Deed.REWIND: (True, False, False),
    Deed.RETIRE: (True, False, False),
    Deed.RENAME: (True, False, False),
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
    Deed.CLOSE_SEASON: (False, True, False),
    Deed.APPLY_LEAGUES: (False, True, False),
    Deed.CHANGE_GAMES: (False, True, False),
    Deed.RECOMPUTE: (False, True, False),
    Deed.IMPORT: (False, True, False),
    Deed.IMPORT_LEAGUE: (False, True, False),
    Deed.INSTALL: (False, True, False),
}


@pytest.mark.parametrize("deed", Deed)
def test_each_deed_is_open_to_exactly_these(deed: Deed) -> None:
    assert tuple(may(actor, deed, "Ann") for actor in (OWNER, OPERATOR, STRANGER)) == TABLE[deed]


def test_every_deed_has_a_rule() -> None:
    assert set(RULES) == set(Deed)


def test_a_refusal_is_the_callers_sentence() -> None:
    with pytest.raises(NotAllowed, match="request 3 belongs to ann"):
        require(STRANGER, Deed.CANCEL_REQUEST, "request 3 belongs to ann", "ann")
