"""Matches of the official site, in files as players save them, led again by the referees that are here.

How this works. The site's answer for a match says the seed and who answered what, in order; neither the questions nor
the league. So a referee is given these answers by the rules of each league in turn, until it asks the same seats and
comes to the same scores. What it asks then is what the bots were sent. The first difference ends an attempt; the one
that came furthest says why a match cannot be led again.

A file holds one match or a list of them, each bare or wrapped in what the site says around it, or one in each line.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from engine.bot.conditions import OFFICIAL
from engine.bot.output import Reply
from engine.conversation import MOST_PLAYERS, NO_ANSWER, Ask, Outcome, Verdict, places_of
from engine.errors import ArenaError, UsageFault
from engine.game import Game
from engine.games.golden import quoted
from engine.immutable import immutable
from engine.live import program_referee
from engine.match import MatchResult, MatchSpec, Turn, converse
from engine.records.case_file import first_fault
from engine.records.repeat_match import Parted
from engine.sandbox.box import Sandbox
from engine.text import shortened

LEVEL = re.compile(r"\blevel (\d{1,3})\b", re.IGNORECASE)
WRAPPERS, TITLES = ("gameResult", "success"), ("questionTitle", "puzzleTitle")
BEGINNING = -1


class SiteObject(BaseModel):
    """What the site says of something; what is not named here is passed over."""

    model_config = ConfigDict(alias_generator=to_camel)


class Person(SiteObject):
    pseudo: str | None = None
    nickname: str | None = None


class Agent(SiteObject):
    index: int
    codingamer: Person | None = None
    arenaboss: Person | None = None

    @property
    def name(self) -> str:
        name = (self.codingamer and self.codingamer.pseudo) or (self.arenaboss and self.arenaboss.nickname)
        return name or f"player{self.index}"


class Frame(SiteObject):
    agent_id: int
    stdout: str | None = None
    stderr: str | None = None

    @property
    def answer(self) -> str | None:
        text = (self.stdout or "").encode("utf-8", "replace").decode()  # JSON can hold half a character
        return text.replace("\r\n", "\n").removesuffix("\n") if text else None


class Saved(SiteObject):
    game_id: int | None = None
    frames: list[Frame]
    referee_input: str | None = None
    seed: int | str | None = None
    scores: list[float]
    ranks: list[int] | None = None
    agents: list[Agent] | None = None


@immutable
class OfficialMatch:
    """`id`: on the site, None where the file does not say it; `title` likewise, "". `answers`: of each a seat, what it
    said (None: nothing) and its stderr. `parameters`: the referee's.
    """

    id: int | None
    title: str
    seed: int
    players: tuple[str, ...]
    answers: tuple[tuple[int, str | None, str], ...]
    scores: tuple[int, ...]
    places: tuple[int, ...]
    parameters: tuple[tuple[str, str], ...]

    @property
    def level(self) -> int | None:
        level = LEVEL.search(self.title)
        return None if level is None else int(level[1])


def saved_matches(data: bytes) -> list[Any]:
    """Return what a file holds, one JSON value for each match. Raises UsageFault for what is not JSON."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageFault(f"it is not UTF-8: byte {error.start + 1} cannot stand there") from error
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise UsageFault("it is nested too deep") from error
    except json.JSONDecodeError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        with suppress(json.JSONDecodeError, RecursionError):
            if lines:
                return [json.loads(line) for line in lines]
        raise UsageFault(
            f"it is not JSON: {error.msg}, line {error.lineno}, column {error.colno}; was the file cut off?"
        ) from error
    return value if isinstance(value, list) else [value]


def official_match(value: Any) -> OfficialMatch:
    """Read a match. Raises UsageFault for anything else."""
    title = ""
    while isinstance(value, dict):
        words = next((value[key] for key in TITLES if value.get(key)), title)
        title = str(words[0] if isinstance(words, list) else words)
        inner = next((value[key] for key in WRAPPERS if isinstance(value.get(key), dict)), None)
        if inner is None:
            break
        value = inner
    else:
        raise UsageFault("it is not a match of the site, which is a JSON object")
    try:
        return match_of(Saved.model_validate(value), title)
    except ValidationError as error:
        raise UsageFault(f"it is not a match of the site: {first_fault(error)}") from error


def match_of(saved: Saved, title: str) -> OfficialMatch:
    seats = len(saved.scores)
    if not 2 <= seats <= MOST_PLAYERS:
        raise UsageFault(f"it has scores of {seats} players; matches have 2 to {MOST_PLAYERS}")
    if not all(score.is_integer() for score in saved.scores):
        raise UsageFault("its scores are not whole numbers")
    for number, frame in enumerate(saved.frames):
        if not BEGINNING <= frame.agent_id < seats:
            raise UsageFault(f"frame {number} is of seat {frame.agent_id}, and there are {seats} scores")
    scores = tuple(map(int, saved.scores))
    lines = (saved.referee_input or "").splitlines()
    parameters = tuple((key.strip(), value) for key, mark, value in (line.partition("=") for line in lines) if mark)
    seed = seed_of(dict(parameters).get("seed", saved.seed))
    agents = {agent.index: agent for agent in saved.agents or ()}
    names = tuple(agents.get(seat, Agent(index=seat)).name for seat in range(seats))
    frames = (frame for frame in saved.frames if frame.agent_id != BEGINNING)
    answers = tuple((frame.agent_id, frame.answer, frame.stderr or "") for frame in frames)
    places = places_of(scores) if saved.ranks is None else tuple(rank + 1 for rank in saved.ranks)
    return OfficialMatch(saved.game_id, title, seed, names, answers, scores, places, parameters)


def seed_of(word: int | str | None) -> int:
    if word is None or not re.fullmatch(r"-?\d{1,19}", str(word).strip()):
        wrong = "it has no seed" if word is None else f"{shortened(str(word))} is not a seed"
        raise UsageFault(f"{wrong}, so it cannot be led again")
    seed = int(word)
    if not -(2**63) <= seed < 2**63:
        raise UsageFault(f"seed {seed} does not fit 64 bits")
    return seed


class Seats:
    """All seats of such a match: they give its answers, and raise Parted where they are asked something else."""

    def __init__(self, match: OfficialMatch) -> None:
        self._match, self.ask_count = match, 0

    def ask(self, ask: Ask) -> Reply:
        answers = self._match.answers
        self.ask_count += 1
        if self.ask_count > len(answers):
            raise Parted("question", "the end of the match", f"one to seat {ask.seat}", self.ask_count, ask.seat)
        seat, line, _ = answers[self.ask_count - 1]
        if seat != ask.seat:
            raise Parted("question", f"one to seat {seat}", f"one to seat {ask.seat}", self.ask_count, ask.seat)
        return Reply(line, fault=NO_ANSWER if line is None else None)

    def require_same_end(self, outcome: Outcome) -> None:
        match = self._match
        if self.ask_count < len(match.answers):
            seat, line, _ = match.answers[self.ask_count - 1]
            refused = [verdict.message for verdict in outcome.verdicts if verdict.verdict is Verdict.ILLEGAL]
            ended = f"the end of the match ({outcome.reason}{f': {refused[0]}' if refused else ''})"
            raise Parted(f"after {quoted(line)}", "a question", ended, self.ask_count, seat)
        for what in ("scores", "places"):
            if (expected := getattr(match, what)) != (came := getattr(outcome, what)):
                raise Parted(what, str(expected), str(came))


def lead_again(match: OfficialMatch, game: Game, rules_level: int, sandbox: Callable[[], Sandbox]) -> MatchResult:
    """Give a referee the answers of a match; return it as played here, without times. `sandbox`: opens that of a
    program. Raises Parted where it goes another way, RefereeFault, Refused where its command starts the bots itself.
    """
    game.require_lines("leading a match again")
    repeating = game.program.repeating(match.parameters) if game.program else ()
    spec = MatchSpec(game, rules_level, match.seed, players=len(match.players), parameters=repeating)
    seats = Seats(match)
    notes = None
    if game.program is None:
        outcome, _ = converse(spec, [seats] * spec.players)
    else:
        with program_referee(spec, sandbox(), OFFICIAL) as referee:
            referee.ready()
            outcome, _ = converse(spec, [seats] * spec.players, referee.conversation())
            notes = referee.notes()
    seats.require_same_end(outcome)
    turns = tuple(Turn(seat, line, stderr_chars=len(stderr)) for seat, line, stderr in match.answers)
    stderr = [[text for of, _, text in match.answers if of == seat] for seat in range(spec.players)]
    return MatchResult(
        spec,
        outcome,
        turns,
        stderr=tuple(map("".join, stderr)),
        early_lines=(0,) * spec.players,
        stderr_dropped_bytes=(0,) * spec.players,
        rules_version=game.rules_version,
        notes=notes,
    )


@immutable
class Attempt:
    """Leading a match by the rules of one level. `result`: None where it went another way: `why`, at `turn`."""

    game: Game
    rules_level: int
    result: MatchResult | None
    why: str = ""
    turn: int = 0


def attempts(
    match: OfficialMatch, games: Sequence[Game], levels: Mapping[str, int | None], sandbox: Callable[[], Sandbox]
) -> list[Attempt]:
    """Lead a match by the rules of each game and level, the titled one first, then from the lowest; the last fits, or
    else came furthest. `levels`: for each game the only one to be tried, or None.
    """
    tried: list[Attempt] = []
    for game, level in likely(match, games, levels):
        try:
            return [*tried, Attempt(game, level, lead_again(match, game, level, sandbox))]
        except Parted as parted:
            turn = parted.difference.ask or len(match.answers) + 1
            tried.append(Attempt(game, level, None, str(parted.difference), turn))
        except ArenaError as error:
            tried.append(Attempt(game, level, None, str(error)))
    return sorted(tried, key=lambda attempt: attempt.turn)


def named_in(title: str, game: Game) -> bool:
    return game.title.lower() in title.lower()


def likely(match: OfficialMatch, games: Sequence[Game], levels: Mapping[str, int | None]) -> Iterator[tuple[Game, int]]:
    named = [game for game in games if named_in(match.title, game)]
    for game in named or games:
        if len(match.players) not in game.players:
            continue
        only = levels[game.name]
        order = sorted(game.rules_levels, key=lambda level: (level != match.level, level)) if only is None else [only]
        yield from ((game, level) for level in order)
