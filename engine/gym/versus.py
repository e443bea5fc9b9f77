"""One seat for the learner: an environment of Gymnasium, in which a bot or a function plays the other seat.

How this works. The bot is started anew for each match, in the sandbox, as in every other match. It is asked the
referee's questions and runs only in its own turns. Its time is counted, but it gets `PATIENCE` times as much as in its
league: the learner may keep the machine busy.
"""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, ClassVar, TypeAlias

import gymnasium

from engine.bot.conditions import OFFICIAL
from engine.bot.process import RunningBot
from engine.errors import UsageFault
from engine.game import Game
from engine.gym.environment import AGENTS, Environment, Observation
from engine.series import build_file, built, opened
from engine.toolchains.languages import language_of
from engine.toolchains.params import with_params
from engine.toolchains.program import Program

Policy: TypeAlias = Callable[[Observation], int]
PATIENCE = 20
SOURCE_CHARS = 10_000_000


def program_of(game: Game, word: str) -> Program:
    """Build a boss as in `boss-wood-2`, or a source, folder, archive or program. Raises what building raises."""
    if (league := game.bosses.get(word)) is None:
        return build_file(word, SOURCE_CHARS, None)
    path = game.bots_folder / str(league.boss)
    return with_params(built(path.read_text("utf-8"), language_of(path), None, word), league.boss_params)


class Versus(gymnasium.Env[Observation, int]):
    """`opponent`: a word for a bot, see `program_of`, or a policy. `seat`: None: drawn for each match."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"]}  # type: ignore[misc]

    def __init__(self, environment: Environment, opponent: str | Policy, seat: int | None = None) -> None:
        if seat not in {None, 0, 1}:
            raise UsageFault(f"seat is {seat}; it is 0, 1, or None where it is drawn for each match")
        self.environment = environment
        self.render_mode = environment.render_mode
        self.action_space = environment.action_space(AGENTS[0])
        self.observation_space = environment.observation_space(AGENTS[0])
        self._program = program_of(environment.game, opponent) if isinstance(opponent, str) else None
        self._policy = None if isinstance(opponent, str) else opponent
        self._fixed_seat = seat
        self._running = ExitStack()
        self._bot: RunningBot | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """`seed`: the match's, and of what is drawn later. Raises SandboxFault where the bot cannot be started."""
        super().reset(seed=None if seed is None else abs(seed))
        self.close()
        self.seat = int(self.np_random.integers(2)) if self._fixed_seat is None else self._fixed_seat
        self.environment.reset(seed, options)
        if self._program is not None:
            box = self._program.box(OFFICIAL.limits)
            self._bot = self._running.enter_context(RunningBot(opened(None), box, OFFICIAL, self._program.runtime))
        self._let_opponent_play()
        return self._observe()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Let the opponent play if the order ends the turn. Raises as `Environment.step`, and SandboxFault."""
        if self.environment.outcome is not None:
            raise UsageFault("the match is over: reset the environment")
        self.environment.step(action)
        self._let_opponent_play()
        observation, info = self._observe()
        agent, is_over = AGENTS[self.seat], self.environment.outcome is not None
        return observation, float(self.environment.rewards[agent]), is_over, False, info

    def action_masks(self) -> Any:
        return self._observe()[0]["action_mask"].astype(bool)

    def render(self) -> Any:
        return self.environment.render()

    def close(self) -> None:
        self._bot = None
        self._running.close()

    def _let_opponent_play(self) -> None:
        while self.environment.outcome is None and self.environment.ask.seat != self.seat:
            if self._policy is not None:
                self.environment.step(self._policy(self.environment.observe(AGENTS[1 - self.seat])))
            elif self._bot is not None:
                ask = self.environment.ask
                reply = self._bot.ask(replace(ask, limit_ms=PATIENCE * ask.limit_ms))
                self.environment.answer(reply.line)
        if self.environment.outcome is not None:
            self.close()

    def _observe(self) -> tuple[Observation, dict[str, Any]]:
        agent = AGENTS[self.seat]
        observation = self.environment.observe(agent)
        return observation, {**self.environment.infos[agent], "action_mask": observation["action_mask"]}
