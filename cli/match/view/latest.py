"""Which match is meant where none is named: the latest of a bot, of those that are looked for.

Imports inside functions: a match that is named is shown without looking for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from cli.context import Context
from cli.options.matches import MatchName
from engine.errors import UsageFault


@dataclass(frozen=True, slots=True)
class Latest:
    """What was asked of the latest match. `bot`: whose, or None; the others as in `ladder match list`."""

    bot: str | None
    lost: bool
    against: str | None
    where: str | None
    game: str | None

    def find(self, context: Context) -> MatchName:
        """Return that match.

        Raises UsageFault where no bot is named; UnknownName, FilterFault, Unavailable; Refused where no match fits.
        """
        from ladder.views import matches

        if self.bot is None:
            raise UsageFault("name a match, or a bot whose latest match is meant, as in --last kraken --lost")
        options = [
            ("--lost", "result", "=", "lost" if self.lost else None),
            ("--against", "opponent", "=", self.against),
        ]
        asked = [(name, field, sign, text) for name, field, sign, text in options if text is not None]
        wanted = matches.wanted_by(asked, self.where)
        return MatchName(context.read(matches.latest_of_bot, self.bot, self.game, wanted))

    def refuse_beside_a_match(self) -> None:
        """Raise UsageFault where a match is named and something is asked of the latest one too."""
        if self.bot is not None:
            raise UsageFault("a match and --last cannot be used together: --last says which match is meant")
        if self.lost or self.against or self.where:
            raise UsageFault("--lost, --against and --where need --last: they say which of a bot's matches is meant")
