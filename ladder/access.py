"""Who may do what: one table, and the question put to it. Pure.

How this works. An `Actor` is somebody who does something: a player, in the role of a player or of an operator. For each
`Deed` the table `RULES` says whom it is open to. The owner is the player to whom a deed's object belongs: a bot, a
request, a gauntlet. A person who reaches the database from a terminal may be an operator, and act in any player's name;
what an operator does to others is written down by that name (`ladder.deeds`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum

from ladder.errors import NotAllowed


class Role(StrEnum):
    """In which role somebody acts."""

    PLAYER = "player"
    OPERATOR = "operator"


class Deed(StrEnum):
    """One thing that a person can do, named as in a sentence after "may not"."""

    SUBMIT = "submit a version"
    ACTIVATE = "put another version on the board"
    REWIND = "send a bot back a league"
    RETIRE = "retire a bot"
    RENAME = "rename a bot"
    DISQUALIFY = "disqualify a bot, or take that back"
    REQUEST_BATTLES = "ask for battles"
    CANCEL_REQUEST = "cancel a request"
    BEGIN_GAUNTLET = "begin a gauntlet"
    STOP_GAUNTLET = "stop a gauntlet"
    RESUME_GAUNTLET = "resume a gauntlet"
    PURGE_GAUNTLET = "purge a gauntlet"
    AUTOMATE_BOT = "automate a bot's gauntlets"
    AUTOMATE_LEAGUE = "automate a league's gauntlets"
    VOID_MATCH = "void a match"
    CLOSE_SEASON = "close a season"
    APPLY_LEAGUES = "change leagues"
    CHANGE_GAMES = "add, change or remove a game"
    RECOMPUTE = "rate a league again"
    IMPORT = "import a ladder"
    IMPORT_LEAGUE = "import another program's league"
    INSTALL = "set up the database"


class Rule(Enum):
    """Whom a deed is open to."""

    ANYBODY = "anybody"
    OWNER = "its player"
    OWNER_OR_OPERATOR = "its player or an operator"
    OPERATOR = "an operator"


RULES: Mapping[Deed, Rule] = {
    Deed.SUBMIT: Rule.OWNER,
    Deed.ACTIVATE: Rule.OWNER,
    Deed.REWIND: Rule.OWNER,
    Deed.RETIRE: Rule.OWNER,
    Deed.RENAME: Rule.OWNER,
    Deed.DISQUALIFY: Rule.OPERATOR,
    Deed.REQUEST_BATTLES: Rule.ANYBODY,
    Deed.CANCEL_REQUEST: Rule.OWNER,
    Deed.BEGIN_GAUNTLET: Rule.ANYBODY,
    Deed.STOP_GAUNTLET: Rule.OWNER_OR_OPERATOR,
    Deed.RESUME_GAUNTLET: Rule.OWNER_OR_OPERATOR,
    Deed.PURGE_GAUNTLET: Rule.OPERATOR,
    Deed.AUTOMATE_BOT: Rule.OWNER,
    Deed.AUTOMATE_LEAGUE: Rule.OPERATOR,
    Deed.VOID_MATCH: Rule.OPERATOR,
    Deed.CLOSE_SEASON: Rule.OPERATOR,
    Deed.APPLY_LEAGUES: Rule.OPERATOR,
    Deed.CHANGE_GAMES: Rule.OPERATOR,
    Deed.RECOMPUTE: Rule.OPERATOR,
    Deed.IMPORT: Rule.OPERATOR,
    Deed.IMPORT_LEAGUE: Rule.OPERATOR,
    Deed.INSTALL: Rule.OPERATOR,
}


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody who does something. `player`: by which name; `via`: how the request came, such as `cli`."""

    player: str
    role: Role = Role.PLAYER
    via: str = "cli"

    def is_(self, owner: str) -> bool:
        """Say whether this is that player. Names differ by more than case."""
        return self.player.lower() == owner.lower()


def may(actor: Actor, deed: Deed, owner: str | None = None) -> bool:
    """Say whether somebody may do that. `owner`: the player to whom its object belongs; None where it has none."""
    rule = RULES[deed]
    owns = owner is not None and actor.is_(owner)
    operates = actor.role is Role.OPERATOR
    return {
        Rule.ANYBODY: True,
        Rule.OWNER: owns,
        Rule.OWNER_OR_OPERATOR: owns or operates,
        Rule.OPERATOR: operates,
    }[rule]


def require(
    actor: Actor, deed: Deed, sentence: str = "", owner: str | None = None, kind: type[NotAllowed] = NotAllowed
) -> None:
    """Raise NotAllowed, or that kind of it, unless somebody may do that.

    `sentence`: what the refusal says; by default whom the deed is open to. `owner`: see `may`.
    """
    if not may(actor, deed, owner):
        raise kind(sentence or f"only {RULES[deed].value} may {deed.value}")
