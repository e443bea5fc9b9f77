"""What a page can listen for: `board:3`, `bot:17`, `gauntlet:5`, `match:9`, `gauntlets`, `operations`, `home`.

`matches:3` are the matches of league 3, unrated ones too, which leave its board as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from engine.errors import UsageFault
from engine.text import shortened
from ladder.ids import BotId, GauntletId, LeagueId, MatchId
from ladder.views.changes import Changes, Watched

OF_ONE = ("board", "bot", "gauntlet", "match", "matches")
OF_ALL = ("gauntlets", "operations", "home")
MOST_TOPICS = 50
"""That one listener can name."""
FORM = re.compile(rf"(?:({'|'.join(OF_ONE)}):(0|[1-9][0-9]{{0,17}})|({'|'.join(OF_ALL)}))", re.ASCII)


@dataclass(frozen=True, slots=True)
class Topic:
    """A kind of thing, and the id of the one that is meant; 0 for topics of all."""

    kind: str
    id: int = 0

    @property
    def text(self) -> str:
        """Return it as pages name it."""
        return f"{self.kind}:{self.id}" if self.kind in OF_ONE else self.kind


def topics_of(texts: Sequence[str]) -> frozenset[Topic]:
    """Read topics. Raises UsageFault for none, for more than MOST_TOPICS, and for one that makes no sense."""
    if not texts:
        raise UsageFault("name what to listen for, as in topic=board:3")
    if len(texts) > MOST_TOPICS:
        raise UsageFault(f"{len(texts)} topics are named; at most {MOST_TOPICS} can be")
    return frozenset(topic_of(text) for text in texts)


def topic_of(text: str) -> Topic:
    """Read a topic. Raises UsageFault for one that makes no sense."""
    found = FORM.fullmatch(text)
    if found is None:
        known = ", ".join([*(f"{kind}:ID" for kind in OF_ONE), *OF_ALL])
        raise UsageFault(f"there is no topic {shortened(text)}; there are {known}")
    kind, number, of_all = found.groups()
    return Topic(of_all) if of_all else Topic(kind, int(number))


def watched_by(topics: Collection[Topic]) -> Watched:
    """Return what has to be looked at for topics, in addition to the ladder as a whole."""
    return Watched(
        leagues=[LeagueId(topic.id) for topic in topics if topic.kind == "board"],
        gauntlets=[GauntletId(topic.id) for topic in topics if topic.kind == "gauntlet"],
        matches=[MatchId(topic.id) for topic in topics if topic.kind == "match"],
    )


def concerned(topics: Collection[Topic], changes: Changes, bots: Collection[BotId]) -> frozenset[Topic]:
    """Return those of some topics that changes concern. `bots`: those whose matches are among the changes."""
    concerns: dict[str, Callable[[int], bool]] = {
        "board": changes.leagues.__contains__,
        "bot": bots.__contains__,
        "gauntlet": changes.gauntlets.__contains__,
        "match": changes.matches.__contains__,
        "matches": changes.played_in.__contains__,
        "gauntlets": lambda _: bool(changes.gauntlets),
        "operations": lambda _: changes.at_work or changes.has_games,
        "home": lambda _: changes.at_work or changes.has_games,
    }
    return frozenset(topic for topic in topics if changes.is_all or concerns[topic.kind](topic.id))
