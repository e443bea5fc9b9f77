"""Who may do what: one table, and the question put to it. Pure.

How this works. An `Actor` is somebody who does something: a player, in the role of a player or of an operator. For each
`Deed` the table `RULES` says whom it is open to, and `SCOPES` what a token has to be made for. The owner is the player
to whom a deed's object belongs: a bot, a request, a gauntlet. A person who reaches the database from a terminal may be
an operator, and act in any player's name; what is done is written down by that name (`ladder.audit`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, StrEnum

from ladder.errors import NotAllowed


class Role(StrEnum):
    """In which role somebody acts."""

    PLAYER = "player"
    OPERATOR = "operator"


class Via(StrEnum):
    """By which way somebody came, as the audit has it."""

    DATABASE = "database"
    SESSION = "session"
    TOKEN = "token"  # noqa: S105 - a word
    SCHEDULER = "scheduler"


class Scope(StrEnum):
    """What a token may be used for."""

    READ = "read"
    """Private things of one's own."""
    SUBMIT = "submit"
    PLAY = "play"
    """Battles, gauntlets, which version is on the board."""
    OPERATE = "operate"
    """What only operators may do, and theirs alone to have."""


class Deed(StrEnum):
    """One thing that a person can do, named as in a sentence after "may not"."""

    SUBMIT = "submit a version"
    CHOOSE_LEAGUE = "choose the league in which a bot begins"
    ACTIVATE = "put another version on the board"
    REWIND = "send a bot back a league"
    RETIRE = "retire a bot"
    RENAME = "rename a bot"
    SHOW_SOURCES = "choose who sees a bot's sources"
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
    PRUNE = "let go of what is old"
    SHARE_MATCH = "share a match"
    REVOKE_SHARE = "revoke a share"
    CLOSE_SEASON = "close a season"
    APPLY_LEAGUES = "change leagues"
    CHANGE_GAMES = "add, change or remove a game"
    RECOMPUTE = "rate a league again"
    IMPORT = "import a ladder"
    IMPORT_LEAGUE = "import another program's league"
    INSTALL = "set up the database"
    DRAIN = "let workers end"
    INVITE = "let people in"
    CHANGE_PLAYERS = "change what others may do"
    OPEN_CONTEST = "open a contest"
    LOCK_GAME = "lock a game, or unlock it"
    FREEZE_BOARDS = "freeze a game's boards, or thaw them"
    READ_AUDIT = "read what others did"
    CHANGE_ACCOUNT = "change an account"
    READ_ACCOUNT = "look into an account"
    LIST_TOKENS = "list tokens"
    REVOKE_TOKEN = "revoke a token"  # noqa: S105 - a sentence
    CREATE_TOKEN = "create a token"  # noqa: S105 - a sentence


class Rule(Enum):
    """Whom a deed is open to."""

    ANYBODY = "anybody"
    OWNER = "its player"
    OWNER_OR_OPERATOR = "its player or an operator"
    OPERATOR = "an operator"


RULES: Mapping[Deed, Rule] = {
    Deed.SUBMIT: Rule.OWNER,
    Deed.CHOOSE_LEAGUE: Rule.OPERATOR,
    Deed.ACTIVATE: Rule.OWNER,
    Deed.REWIND: Rule.OWNER,
    Deed.RETIRE: Rule.OWNER,
    Deed.RENAME: Rule.OWNER,
    Deed.SHOW_SOURCES: Rule.OWNER,
    Deed.DISQUALIFY: Rule.OPERATOR,
    Deed.REQUEST_BATTLES: Rule.ANYBODY,
    Deed.CANCEL_REQUEST: Rule.OWNER,
    Deed.BEGIN_GAUNTLET: Rule.ANYBODY,
    Deed.STOP_GAUNTLET: Rule.OWNER_OR_OPERATOR,
    Deed.RESUME_GAUNTLET: Rule.OWNER_OR_OPERATOR,
    Deed.PURGE_GAUNTLET: Rule.OPERATOR,
    Deed.AUTOMATE_BOT: Rule.OWNER,
    Deed.AUTOMATE_LEAGUE: Rule.OPERATOR,
    Deed.PRUNE: Rule.OPERATOR,
    Deed.VOID_MATCH: Rule.OPERATOR,
    Deed.SHARE_MATCH: Rule.OWNER,
    Deed.REVOKE_SHARE: Rule.OWNER_OR_OPERATOR,
    Deed.CLOSE_SEASON: Rule.OPERATOR,
    Deed.APPLY_LEAGUES: Rule.OPERATOR,
    Deed.CHANGE_GAMES: Rule.OPERATOR,
    Deed.RECOMPUTE: Rule.OPERATOR,
    Deed.IMPORT: Rule.OPERATOR,
    Deed.IMPORT_LEAGUE: Rule.OPERATOR,
    Deed.INSTALL: Rule.OPERATOR,
    Deed.DRAIN: Rule.OPERATOR,
    Deed.INVITE: Rule.OPERATOR,
    Deed.CHANGE_PLAYERS: Rule.OPERATOR,
    Deed.OPEN_CONTEST: Rule.OPERATOR,
    Deed.LOCK_GAME: Rule.OPERATOR,
    Deed.FREEZE_BOARDS: Rule.OPERATOR,
    Deed.READ_AUDIT: Rule.OPERATOR,
    Deed.CHANGE_ACCOUNT: Rule.OWNER,
    Deed.READ_ACCOUNT: Rule.OWNER_OR_OPERATOR,
    Deed.LIST_TOKENS: Rule.OWNER_OR_OPERATOR,
    Deed.REVOKE_TOKEN: Rule.OWNER_OR_OPERATOR,
    Deed.CREATE_TOKEN: Rule.OWNER,
}

SCOPES: Mapping[Deed, Scope] = {
    Deed.SUBMIT: Scope.SUBMIT,
    Deed.ACTIVATE: Scope.PLAY,
    Deed.REWIND: Scope.PLAY,
    Deed.RETIRE: Scope.PLAY,
    Deed.RENAME: Scope.PLAY,
    Deed.SHOW_SOURCES: Scope.PLAY,
    Deed.REQUEST_BATTLES: Scope.PLAY,
    Deed.CANCEL_REQUEST: Scope.PLAY,
    Deed.BEGIN_GAUNTLET: Scope.PLAY,
    Deed.STOP_GAUNTLET: Scope.PLAY,
    Deed.RESUME_GAUNTLET: Scope.PLAY,
    Deed.AUTOMATE_BOT: Scope.PLAY,
    Deed.SHARE_MATCH: Scope.READ,
    Deed.REVOKE_SHARE: Scope.READ,
    Deed.READ_ACCOUNT: Scope.READ,
    Deed.LIST_TOKENS: Scope.READ,
    Deed.REVOKE_TOKEN: Scope.READ,
}
"""Which scope a token has to have for a player's own deeds. What operators do to others takes `operate`."""

NEVER_BY_TOKEN = frozenset({Deed.CREATE_TOKEN, Deed.CHANGE_ACCOUNT})
"""What only a person does who has logged in: a token makes no tokens, so one that is lost lasts no longer than it."""
ALL_SCOPES = frozenset(Scope)


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody who does something. `player`: by which name; `via`: how the request came; `address`: from where.

    `scopes`: what it may be for; `token_id`: of the token that was shown. `game` and `bot`: what alone that token is
    for, None: everything of its player.
    """

    player: str
    role: Role = Role.PLAYER
    via: Via = Via.DATABASE
    scopes: frozenset[Scope] = ALL_SCOPES
    token_id: int | None = None
    game: str | None = None
    bot: str | None = None
    address: str | None = None

    def is_(self, owner: str) -> bool:
        return self.player.lower() == owner.lower()

    @property
    def operates(self) -> bool:
        """Say whether this is an operator who may act as one: a token of theirs has to be made for that."""
        return self.role is Role.OPERATOR and Scope.OPERATE in self.scopes


def may(actor: Actor, deed: Deed, owner: str | None = None) -> bool:
    """Say whether somebody may do that. `owner`: the player to whom its object belongs; None where it has none."""
    if actor.via is Via.TOKEN and deed in NEVER_BY_TOKEN:
        return False
    rule = RULES[deed]
    in_scope = SCOPES.get(deed) in {None, *actor.scopes}
    owns = owner is not None and actor.is_(owner) and in_scope
    return {
        Rule.ANYBODY: in_scope,
        Rule.OWNER: owns,
        Rule.OWNER_OR_OPERATOR: owns or actor.operates,
        Rule.OPERATOR: actor.operates,
    }[rule]


def require(
    actor: Actor, deed: Deed, sentence: str = "", owner: str | None = None, kind: type[NotAllowed] = NotAllowed
) -> None:
    """Raise NotAllowed, or that kind of it, unless somebody may do that.

    `sentence`: what the refusal says; by default whom the deed is open to. `owner`: see `may`. A token that is not for
    such deeds is refused with the scope that it lacks, once its player is the right one.
    """
    if may(actor, deed, owner):
        return
    everything = replace(actor, via=Via.DATABASE, scopes=ALL_SCOPES)
    if may(everything, deed, owner):
        refusal = NotAllowed(lacking(deed))
    else:
        refusal = kind(sentence or f"only {RULES[deed].value} may {deed.value}")
    refusal.deed = deed
    raise refusal


def is_for_operators(deed: str) -> bool:
    return RULES.get(Deed(deed)) is Rule.OPERATOR if deed else False


def lacking(deed: Deed) -> str:
    if deed in NEVER_BY_TOKEN:
        return f"a token may not {deed.value}: log in and do it there"
    scope = SCOPES.get(deed, Scope.OPERATE)
    return f"this token may not {deed.value}: it lacks the scope {scope}"


def require_bot(actor: Actor, game: str, *bots: str) -> None:
    """Raise NotAllowed for a token that is for a bot alone that is none of these, or for another game."""
    if actor.bot is not None and actor.bot.lower() not in {bot.lower() for bot in bots}:
        raise NotAllowed(f"this token is for the bot {actor.bot} only")
    if actor.game is not None and actor.game != game:
        raise NotAllowed(f"this token is for the game {actor.game} only")
