"""What the ladder adds to the tree in `engine.errors`.

UsageFault       2
|-- FilterFault       a filter over matches that cannot be read
`-- TooLong           a request with more bytes than it may have
Refused          3
|-- DuplicateSource   the same source again under the same bot
|-- DamagedRecord     what is stored of a match's turns cannot be read
|-- RecordPruned      what is asked for of a match was let go, as it was old
|-- LinkUsed          a link that lets somebody in has done so
|-- NotAllowed        somebody else's, or an operator's, to do
|   `-- NotYourBot    the bot belongs to another player
|-- NotLoggedIn       nobody is known to ask for it
|-- AskedTooOften     more requests of a kind than somebody may send in a while
|-- QuotaUsed         a player has used up how much it may ask for
|-- NotYet            a program that asks to be let in has no token yet, or gets none
`-- SchemaUnknown     the database is of a newer program, or from before the first release
Unavailable      4
|-- DatabaseDown      PostgreSQL does not answer
|-- Overloaded        the pages are asked for more than they can do at once
|-- DatabaseFull      PostgreSQL's disk is full
|-- StillAtIt         the same request is being carried out
|-- QueueDown         the broker does not answer
|-- SchemaBehind      the database has to be migrated first
|-- TablesInUse       a migration cannot have the tables that it changes
`-- NotStarted        a server of the embedded services ended while it was being started
"""

from datetime import datetime
from typing import ClassVar

from engine.errors import Refused, Unavailable, UsageFault


class ForOperators:
    """Marks errors that only operators can mend. `for_players`: what players read of them on a served ladder."""

    for_players: ClassVar[str] = (
        "this ladder is out of order at present: its operators can see why, and it goes on by itself when it is mended"
    )


class FilterFault(UsageFault):
    """A filter that cannot be read; the message points at the place. `place`: it, from 1; 0 where there is none."""

    def __init__(self, message: str, place: int = 0) -> None:
        super().__init__(message)
        self.place = place


class TooLong(UsageFault):
    """A request has more bytes than it may have."""


class DuplicateSource(Refused):
    """The same source was submitted before under the same bot."""


class DamagedRecord(Refused):
    """What is stored of a match's turns cannot be read."""


class RecordPruned(Refused):
    """What is asked for of a match was let go, as it was old; see ladder.flows.pruning."""


class LinkUsed(Refused):
    """A link with which somebody makes an account or a password was used as often as it can be."""


class NotAllowed(Refused):
    """Another player, or an operator, may do this; see ladder.access. `deed`: what was refused, "" for no deed."""

    deed: str = ""


class NotYourBot(NotAllowed):
    """The bot belongs to another player."""


class NotLoggedIn(Refused):
    """Nobody is known to ask for something that somebody has to ask for."""


class AskedTooOften(Refused):
    """Somebody sends more requests of a kind than are allowed in a while."""


class QuotaUsed(Refused):
    """A player has used up a quota. `again_at`: when more is possible, in `wait_s` seconds; None where not known."""

    def __init__(self, message: str, again_at: datetime | None = None, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.again_at = again_at
        self.wait_s = wait_s


class NotYet(Refused):
    """A program that asks to be let in has no token yet, or gets none. The message is the error of RFC 8628."""


class SchemaUnknown(Refused, ForOperators):
    """The database has a schema that this program does not know: a newer one, or one from before the first release."""


class DatabaseDown(Unavailable, ForOperators):
    """PostgreSQL does not answer, or stopped answering; nothing that was accepted is lost."""


class Overloaded(Unavailable, ForOperators):
    """The pages are asked for more than they can do at once; nothing is lost."""

    for_players = "more people ask at once than this ladder can answer: try again in a few seconds"


class DatabaseFull(Unavailable, ForOperators):
    """The disk of PostgreSQL is full."""


class StillAtIt(Unavailable):
    """The first request with this key is still being carried out; it will answer those that ask again."""


class QueueDown(Unavailable, ForOperators):
    """The broker does not answer. Submissions are rows in the database and are picked up when it is back."""


class TablesInUse(Unavailable, ForOperators):
    """A migration waits for tables that other sessions use."""


class SchemaBehind(Unavailable, ForOperators):
    """The database has an older schema than this program needs; `ladder db migrate` brings it up to date."""


class NotStarted(Unavailable, ForOperators):
    """A server ended while it was being started, or never answered. A full disk may be behind it."""
