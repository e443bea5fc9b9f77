"""Who may do what: one table, and the question put to it. Pure.

How this works. An `Actor` is somebody who does something: a player, in the role of a player or of an operator. Each
`Deed` says whom it is open to, and what a token has to be made for. The owner is the player to whom a deed's object
belongs: a bot, a request, a gauntlet. A person who reaches the database from a terminal may be
an operator, and act in any player's name; what is done is written down by that name (`ladder.audit`).
"""

from dataclasses import replace
from enum import Enum, StrEnum
from typing import Self

from engine.immutable import immutable
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


class Rule(Enum):
    """Whom a deed is open to."""

    ANYBODY = "anybody"
    OWNER = "its player"
    OWNER_OR_OPERATOR = "its player or an operator"
    OPERATOR = "an operator"


class Deed(StrEnum):
    """A deed, named as after "may not", and whom it is open to. `scope`: a token's; for others' things `operate`."""

    rule: Rule
    scope: Scope | None

    def __new__(cls, words: str, rule: Rule, scope: Scope | None = None) -> Self:
        deed = str.__new__(cls, words)
        deed._value_ = words
        deed.rule = rule
        deed.scope = scope
        return deed

    SUBMIT = "submit a version", Rule.OWNER, Scope.SUBMIT
    CHOOSE_LEAGUE = "choose the league in which a bot begins", Rule.OPERATOR
    ACTIVATE = "put another version on the board", Rule.OWNER, Scope.PLAY
    REWIND = "send a bot back a league", Rule.OWNER, Scope.PLAY
    RETIRE = "retire a bot", Rule.OWNER, Scope.PLAY
    RENAME = "rename a bot", Rule.OWNER, Scope.PLAY
    SHOW_SOURCES = "choose who sees a bot's sources", Rule.OWNER, Scope.PLAY
    COMPARE_SOURCES = "compare the sources of others", Rule.OPERATOR
    DISQUALIFY = "disqualify a bot, or take that back", Rule.OPERATOR
    REQUEST_BATTLES = "ask for battles", Rule.ANYBODY, Scope.PLAY
    CANCEL_REQUEST = "cancel a request", Rule.OWNER, Scope.PLAY
    BEGIN_GAUNTLET = "begin a gauntlet", Rule.ANYBODY, Scope.PLAY
    STOP_GAUNTLET = "stop a gauntlet", Rule.OWNER_OR_OPERATOR, Scope.PLAY
    RESUME_GAUNTLET = "resume a gauntlet", Rule.OWNER_OR_OPERATOR, Scope.PLAY
    PURGE_GAUNTLET = "purge a gauntlet", Rule.OPERATOR
    AUTOMATE_BOT = "automate a bot's gauntlets", Rule.OWNER, Scope.PLAY
    AUTOMATE_LEAGUE = "automate a league's gauntlets", Rule.OPERATOR
    VOID_MATCH = "void a match", Rule.OPERATOR
    PRUNE = "let go of what is old", Rule.OPERATOR
    SHARE_MATCH = "share a match", Rule.OWNER, Scope.READ
    REVOKE_SHARE = "revoke a share", Rule.OWNER_OR_OPERATOR, Scope.READ
    CLOSE_SEASON = "close a season", Rule.OPERATOR
    APPLY_LEAGUES = "change leagues", Rule.OPERATOR
    CHANGE_GAMES = "add, change or remove a game", Rule.OPERATOR
    RECOMPUTE = "rate a league again", Rule.OPERATOR
    IMPORT = "import a ladder", Rule.OPERATOR
    IMPORT_LEAGUE = "import another program's league", Rule.OPERATOR
    INSTALL = "set up the database", Rule.OPERATOR
    DRAIN = "let workers end", Rule.OPERATOR
    INVITE = "let people in", Rule.OPERATOR
    CHANGE_PLAYERS = "change what others may do", Rule.OPERATOR
    OPEN_CONTEST = "open a contest", Rule.OPERATOR
    READ_GRADES = "read the results of a contest with its grades", Rule.OPERATOR
    LOCK_GAME = "lock a game, or unlock it", Rule.OPERATOR
    FREEZE_BOARDS = "freeze a game's boards, or thaw them", Rule.OPERATOR
    ANNOUNCE = "tell all something", Rule.OPERATOR
    ASK = "ask a question", Rule.ANYBODY, Scope.PLAY
    ANSWER = "answer a question", Rule.OPERATOR
    WITHDRAW = "withdraw a question, its answer or an announcement", Rule.OWNER_OR_OPERATOR, Scope.PLAY
    READ_AUDIT = "read what others did", Rule.OPERATOR
    CHANGE_ACCOUNT = "change an account", Rule.OWNER
    READ_ACCOUNT = "look into an account", Rule.OWNER_OR_OPERATOR, Scope.READ
    LIST_TOKENS = "list tokens", Rule.OWNER_OR_OPERATOR, Scope.READ
    REVOKE_TOKEN = "revoke a token", Rule.OWNER_OR_OPERATOR, Scope.READ
    CREATE_TOKEN = "create a token", Rule.OWNER
    CHANGE_HOOKS = "change hooks", Rule.OWNER_OR_OPERATOR, Scope.SUBMIT
    CHANGE_LADDER_HOOKS = "change hooks of the ladder", Rule.OPERATOR


NEVER_BY_TOKEN = frozenset({Deed.CREATE_TOKEN, Deed.CHANGE_ACCOUNT})
"""What only a person does who has logged in: a token makes no tokens, so one that is lost lasts no longer than it."""
ALL_SCOPES = frozenset(Scope)


@immutable
class Actor:
    """Somebody who does something.

    `via`, `address`: by which way, from where; `scopes`: what for; `game`, `bot`: what alone a token is for.
    `member`: who of a team, by login; None: the player.
    """

    player: str
    role: Role = Role.PLAYER
    via: Via = Via.DATABASE
    scopes: frozenset[Scope] = ALL_SCOPES
    token_id: int | None = None
    game: str | None = None
    bot: str | None = None
    address: str | None = None
    member: str | None = None

    def is_(self, owner: str) -> bool:
        return owner.lower() in {self.player.lower(), self.login.lower()}

    @property
    def login(self) -> str:
        """Return the name to which password, sessions and tokens belong."""
        return self.member or self.player

    @property
    def operates(self) -> bool:
        return self.role is Role.OPERATOR and Scope.OPERATE in self.scopes


def may(actor: Actor, deed: Deed, owner: str | None = None) -> bool:
    """Say whether somebody may do that. `owner`: the player to whom its object belongs; None where it has none."""
    if actor.via is Via.TOKEN and deed in NEVER_BY_TOKEN:
        return False
    in_scope = deed.scope in {None, *actor.scopes}
    owns = owner is not None and actor.is_(owner) and in_scope
    return {
        Rule.ANYBODY: in_scope,
        Rule.OWNER: owns,
        Rule.OWNER_OR_OPERATOR: owns or actor.operates,
        Rule.OPERATOR: actor.operates,
    }[deed.rule]


def require(
    actor: Actor, deed: Deed, sentence: str = "", owner: str | None = None, kind: type[NotAllowed] = NotAllowed
) -> None:
    """Raise NotAllowed, or that kind of it, unless somebody may. `sentence`: of the refusal; `owner`: see `may`."""
    if may(actor, deed, owner):
        return
    everything = replace(actor, via=Via.DATABASE, scopes=ALL_SCOPES)
    if may(everything, deed, owner):
        refusal = NotAllowed(lacking(deed))
    else:
        refusal = kind(sentence or f"only {deed.rule.value} may {deed}")
    refusal.deed = deed
    raise refusal


def is_for_operators(deed: str) -> bool:
    return any(member == deed and member.rule is Rule.OPERATOR for member in Deed)


def lacking(deed: Deed) -> str:
    if deed in NEVER_BY_TOKEN:
        return f"a token may not {deed}: log in and do it there"
    return f"this token may not {deed}: it lacks the scope {deed.scope or Scope.OPERATE}"


def require_bot(actor: Actor, game: str, *bots: str) -> None:
    """Raise NotAllowed for a token that is for a bot alone that is none of these, or for another game."""
    if actor.bot is not None and actor.bot.lower() not in {bot.lower() for bot in bots}:
        raise NotAllowed(f"this token is for the bot {actor.bot} only")
    if actor.game is not None and actor.game != game:
        raise NotAllowed(f"this token is for the game {actor.game} only")
