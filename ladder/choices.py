"""The words among which a row, a setting or an option chooses: the one source of each list.

League settings, help texts and completion are made from these; a test compares the CHECKs of the schema with them. What
a word does is registered where it is done, such as `SYSTEMS` in `ladder.ratings.models`; a test finds a word for which
nothing is registered.
"""

from __future__ import annotations

from enum import StrEnum


class ExplainedChoice(StrEnum):
    """Words with a meaning for people."""

    about: str

    def __new__(cls, value: str, about: str) -> ExplainedChoice:
        member = str.__new__(cls, value)
        member._value_ = value
        member.about = about
        return member

    @classmethod
    def explain(cls) -> str:
        return "; ".join(f"{member.value}: {member.about}" for member in cls)

    @classmethod
    def meaning_of(cls, word: str) -> str:
        return next(member.about for member in cls if member.value == word)


class VersionState(StrEnum):
    """What has become of a version."""

    BUILDING = "building"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    RECORDED = "recorded"
    """Imported without a source: it stays on record and never plays."""


class MatchState(StrEnum):
    """What has become of a match. `is_waiting` in the schema says which words mean that it waits for its end."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    VOID = "void"


class GauntletState(StrEnum):
    """What has become of a gauntlet."""

    RUNNING = "running"
    STOPPED = "stopped"
    FINISHED = "finished"


class GauntletVerdict(StrEnum):
    """How a finished gauntlet's question is answered."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


class Promotion(ExplainedChoice):
    """How a league promotes."""

    RANK_ABOVE_BOSS = "rank_above_boss", "a version that ranks above the boss goes up"
    SETTLED_ABOVE_BOSS = "settled_above_boss", "a version that the settled fit has above the boss goes up"
    BOSS_WINS = "boss_wins", "a version that has won `boss_wins` matches against the boss goes up"


class RankedBy(ExplainedChoice):
    """What a board's order follows."""

    LIVE = "live", "the score, which changes with each match, as on CodinGame"
    SETTLED = (
        "settled",
        "the fit of all matches at once, in which a version has its predecessor's until its battles end",
    )


class MoveKind(StrEnum):
    """Why a version changed its league."""

    PROMOTION = "promotion"
    DEMOTION = "demotion"
    REWIND = "rewind"


class Matchmaking(ExplainedChoice):
    """How a league pairs its versions."""

    CODINGAME = "codingame", "opponents spread over the board, then near ranks"
    INFORMED = "informed", "the opponent that is expected to say most about the ranking; plays on when cores are idle"


class RatingSystem(ExplainedChoice):
    """The model by which a league rates."""

    TRUESKILL = "trueskill", "Microsoft's TrueSkill"
    OPENSKILL = "openskill", "Plackett-Luce of the package openskill"


class ScoreFormula(ExplainedChoice):
    """The number by which a board ranks."""

    CAUTIOUS = "mu - 3 sigma", "being unknown is not an advantage"
    MEAN = "mu", "the skill alone"


class NoticeEvent(StrEnum):
    """What a hook can get: see `ladder hooks add --help`."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    PROMOTED = "promoted"
    DEMOTED = "demoted"
    VERDICT = "verdict"
    DEADLINE = "deadline"
    BOSSLESS = "bossless"


class NoticeForm(StrEnum):
    """How notices are written: our own JSON, which is signed, or as Discord or Slack take a message."""

    JSON = "json"
    DISCORD = "discord"
    SLACK = "slack"
