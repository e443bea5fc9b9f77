"""A bot plays whole matches of Ocean of Code, and the turns that it was too late for are counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cli.match.turn_texts import times_text
from engine.conversation import Verdict
from engine.match import MatchResult, MatchSpec, play
from engine.sandbox.box import Sandbox
from engine.toolchains.build import Program, build
from engine.toolchains.languages import language_of
from tests.catalogue import GAMES

GAME = GAMES.find("ocean-of-code")
RULES_LEVEL = 3
OPPONENT = GAME.bots_folder / "gunner.py"
BOTS = Path(__file__).with_name("bots")


@dataclass(frozen=True, slots=True)
class Tally:
    """What some matches of a bot came to.

    `faults`: what the bot was found guilty of, in words, with the times of its last turn. `slowest_ms`: the most that a
    turn after the first was charged. `allowance_ms`: the most that a match took of the runtime's allowance.
    """

    matches: int
    turns: int
    timeouts: int
    faults: tuple[str, ...]
    slowest_ms: float
    allowance_ms: float


def searchers() -> dict[str, Path]:
    """Return the sources of the bots that search for 35 of their 50 ms, by their languages' names."""
    return {language_of(file).name: file for file in sorted(BOTS.iterdir())}


def built(file: Path, sandbox: Sandbox) -> Program:
    """Build a source. Raises MissingTool where its language is not installed."""
    return build(file.read_text(encoding="utf-8"), language_of(file), sandbox)


def matches(program: Program, count: int, sandbox: Sandbox, first: int = 1) -> Iterator[MatchResult]:
    """Let a program play, in seat 0, on the seeds from `first` on."""
    opponent = built(OPPONENT, sandbox)
    for seed in range(first, first + count):
        yield play(MatchSpec(GAME, RULES_LEVEL, seed), (program, opponent), sandbox)


def tally(results: list[MatchResult]) -> Tally:
    """Sum up matches from the side of seat 0."""
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
    )
