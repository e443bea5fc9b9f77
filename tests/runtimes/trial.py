"""A bot plays whole matches of Ocean of Code, and the turns that it was too late for are counted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cli.texts.matches import times_text
from engine.bot.conditions import OFFICIAL
from engine.conversation import Verdict
from engine.match import MatchResult, MatchSpec
from engine.sandbox.box import Sandbox
from engine.series import PlaySettings, Task, UnplayedTask, in_order, opened
from engine.toolchains.build import build
from engine.toolchains.languages import language_of
from engine.toolchains.program import Program
from tests.catalogue import GAMES

GAME = GAMES.find("ocean-of-code")
RULES_LEVEL = 3
OPPONENT = GAME.bots_folder / "gunner.py"
BOTS = Path(__file__).with_name("bots")


@dataclass(frozen=True, slots=True)
class Tally:
    """What the matches of a bot came to that were played.

    `faults`: what the bot was found guilty of, in words, with the times of its last turn. `slowest_ms`: the most that a
    turn after the first was charged. `allowance_ms`: the most that a match took of the runtime's allowance.
    `unplayed`: of each further match why the host could not play it.
    """

    matches: int
    turns: int
    timeouts: int
    faults: tuple[str, ...]
    slowest_ms: float
    allowance_ms: float
    unplayed: tuple[str, ...]


def searchers() -> dict[str, Path]:
    """Return the sources of the bots that search for 35 of their 50 ms, by their languages' names."""
    return {language_of(file).name: file for file in sorted(BOTS.iterdir())}


def built(file: Path, sandbox: Sandbox) -> Program:
    """Build a source. Raises MissingTool where its language is not installed."""
    return build(file.read_text(encoding="utf-8"), language_of(file), sandbox)


def matches(
    program: Program, count: int, first: int = 1, opponent: Program | None = None, jobs: int = 1
) -> Iterator[MatchResult | UnplayedTask]:
    both = program, opponent or built(OPPONENT, opened(None))
    tasks = [Task(MatchSpec(GAME, RULES_LEVEL, seed), both) for seed in range(first, first + count)]
    return (played.result for played in in_order(tasks, PlaySettings(OFFICIAL, min(jobs, count))))


def tally(came: Sequence[MatchResult | UnplayedTask]) -> Tally:
    """Sum up matches from the side of seat 0."""
    results = [one for one in came if isinstance(one, MatchResult)]
    verdicts = [result.outcome.verdicts[0] for result in results]
    turns = [[turn.spent for turn in result.turns if turn.seat == 0] for result in results]
    return Tally(
        matches=len(results),
        turns=sum(map(len, turns)),
        timeouts=sum(verdict.verdict is Verdict.TIMEOUT for verdict in verdicts),
        faults=tuple(
            f"{verdict.words}: {times_text(match[-1])}"
            for verdict, match in zip(verdicts, turns, strict=True)
            if verdict.verdict is not Verdict.OK
        ),
        slowest_ms=max((spent.charged_us for match in turns for spent in match[1:]), default=0) / 1000,
        allowance_ms=max((sum(spent.runtime_us for spent in match) for match in turns), default=0) / 1000,
        unplayed=tuple(one.why for one in came if isinstance(one, UnplayedTask)),
    )
