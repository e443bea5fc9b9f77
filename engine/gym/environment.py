"""A match that is led order by order: an AEC environment of PettingZoo, whose rules are those of the game's referee.

How this works. The referee is led as in every match: it asks a seat and is sent a line. A step is one order of that
line. It is carried out on a copy of the seat's side, by the functions of the rules, so that the next mask and the next
observation know of it. The step that ends the turn sends the whole line to the referee. So the environment has no rules
of its own, and what each seat is sent is what a bot would be sent.

A line can also be given whole (`answer`): by a bot that plays the other seat, or from a record.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from engine.conversation import Ask, Outcome, Referee
from engine.errors import UsageFault
from engine.game import Game
from engine.games.catalogue import shipped_games
from engine.games.golden import MatchRecord, RecordedAsk

Array: TypeAlias = NDArray[Any]
Observation: TypeAlias = dict[str, Any]
"""`observation`: arrays by the statement's names; `action_mask`: 1 for each order that can be given now."""

AGENTS = ("seat_0", "seat_1")
SEED_BITS = 63


class SeatSide(ABC):
    """What one seat was asked last, and the orders that it has given since."""

    @property
    @abstractmethod
    def is_complete(self) -> bool:
        """Whether nothing can follow the orders that were given."""

    @abstractmethod
    def hear(self, lines: Sequence[str]) -> None:
        """Begin a turn."""

    @abstractmethod
    def mask(self) -> Array:
        """All 0 before the first question."""

    @abstractmethod
    def give(self, action: int) -> str:
        """Carry out an order on the copy, and return it as a bot would write it."""

    @abstractmethod
    def observe(self) -> dict[str, Array]:
        """What a bot knows by now: what it was sent, and what its own orders of this turn have done."""


class Environment(AECEnv[str, Observation, int]):
    """What both games share. `league`: one of the game, "" for its lowest. Raises UnknownName."""

    game_name: ClassVar[str]
    separator: ClassVar[str]
    idle: ClassVar[str] = ""
    orders: ClassVar[Sequence[str]]
    """What each action says. The last one ends the turn."""
    arrays: ClassVar[Mapping[str, spaces.Box]]

    def __init__(self, league: str = "", render_mode: str | None = None) -> None:
        self.game: Game = shipped_games().find(self.game_name)
        self.league = self.game.league(league) if league else self.game.leagues[0]
        self.render_mode = render_mode
        self.metadata = {"name": self.game_name, "render_modes": ["ansi"], "is_parallelizable": False}
        self.possible_agents = list(AGENTS)
        self._actions = {agent: spaces.Discrete(len(self.orders)) for agent in AGENTS}
        mask = spaces.Box(0, 1, (len(self.orders),), np.int8)
        self._observations = {
            agent: spaces.Dict({"observation": spaces.Dict(dict(self.arrays)), "action_mask": mask}) for agent in AGENTS
        }
        self._dice = Random()  # noqa: S311 - of seeds that nobody gave
        self.agents: list[str] = []

    @abstractmethod
    def begin(self, seed: int) -> tuple[Referee, tuple[SeatSide, SeatSide]]:
        """Start the referee's conversation, on sides that are looked at."""

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._observations[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """`seed`: the match's, as in `ladder play --seed`. None draws one; a seed also decides which are drawn next."""
        del options
        if seed is not None:
            self._dice.seed(seed)
        self.seed = self._dice.getrandbits(SEED_BITS) if seed is None else int(seed)
        self.outcome: Outcome | None = None
        self.asks: list[RecordedAsk] = []
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {
            agent: {"seed": self.seed, "lines": (), "orders": ""} for agent in AGENTS
        }
        self._seen: dict[str, Observation] = {}
        self._referee, self._sides = self.begin(self.seed)
        self._hear(next(self._referee))

    def observe(self, agent: str) -> Observation:
        """Of a seat that is not asked now, and at the end, what it saw last."""
        if agent not in self._seen:
            side = self._sides[AGENTS.index(agent)]
            self._seen[agent] = {"observation": side.observe(), "action_mask": side.mask()}
        return self._seen[agent]

    def step(self, action: Any) -> None:
        """Give one order of the line, or end it; None once the match is over. Raises UsageFault where it is masked."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None or not self.observe(agent)["action_mask"][action]:
            order = "None" if action is None else f"{action} ({self.orders[int(action)]})"
            raise UsageFault(f"action {order} cannot be given now; the action_mask says which can")
        self._begin_step(agent)
        ends = int(action) == len(self.orders) - 1
        if not ends:
            order = self._side.give(int(action))
            self.infos[agent]["orders"] = self.separator.join(filter(None, (self.infos[agent]["orders"], order)))
            del self._seen[agent]
        if ends or self._side.is_complete:
            self._send(self.infos[agent]["orders"] or self.idle)

    def answer(self, line: str | None) -> None:
        """End the turn of the seat that is asked with a whole line in place of its orders; None: it gave none."""
        if self.outcome is not None:
            raise UsageFault("the match is over")
        self._begin_step(self.agent_selection)
        self._send(line)

    def record(self) -> MatchRecord:
        """The match as a golden record, which `ladder game` commands read. Raises UsageFault before its end."""
        if self.outcome is None:
            raise UsageFault("the match is not over")
        level, end = self.league.rules_level, self.outcome
        name = f"{self.game_name}-{self.seed}"
        return MatchRecord(self.game_name, name, level, self.seed, tuple(self.asks), end.scores, end.winner, end.reason)

    def render(self) -> str:
        return "\n".join(self.ask.lines)

    def close(self) -> None:
        """Nothing is open."""

    @property
    def _side(self) -> SeatSide:
        return self._sides[self.ask.seat]

    def _begin_step(self, agent: str) -> None:
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()

    def _hear(self, ask: Ask) -> None:
        self.ask, agent = ask, AGENTS[ask.seat]
        self._side.hear(ask.lines)
        self._seen.pop(agent, None)
        self.infos[agent].update(lines=ask.lines, orders="")
        self.agent_selection = agent

    def _send(self, line: str | None) -> None:
        self.asks.append(RecordedAsk(self.ask.seat, self.ask.lines, line))
        try:
            self._hear(self._referee.send(line))
        except StopIteration as end:
            self._end(end.value)
        self._accumulate_rewards()

    def _end(self, outcome: Outcome) -> None:
        self.outcome = outcome
        for seat, agent in enumerate(AGENTS):
            self.rewards[agent] = 2 * outcome.points[seat] - 1
            self.terminations[agent] = True
            verdict = outcome.verdicts[seat]
            self.infos[agent].update(score=outcome.scores[seat], reason=outcome.reason, verdict=verdict.verdict.value)
        self.agent_selection = AGENTS[0]
