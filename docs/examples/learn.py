"""Learns a bot that beats the boss of Wood 3 of A Code of Ice and Fire: a small policy, by plain policy gradients.

    python docs/examples/learn.py learned.py --matches 200
    ladder play ice-and-fire learned.py boss-wood-3 --matches 400

The policy is linear. Each order that can be given has features (`soldier.py` computes them), their weighted sum says
how likely it is, and one is drawn from all. After each batch of matches the weights go where orders of won matches
become likelier and those of lost ones less likely: REINFORCE, with the mean of the batch as its baseline. What is
written is `soldier.py` with the weights that were found; with 0 matches it draws from all orders alike.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import soldier

from engine.games.ice_and_fire.board import SIZE
from engine.gym.environment import Array, Observation
from engine.gym.ice_and_fire import CELLS, ORDERS, IceAndFire
from engine.gym.versus import Versus

END = len(ORDERS) - 1
HEADQUARTERS = 1


@dataclass
class Policy:
    dice: np.random.Generator
    weights: Array = field(default_factory=lambda: np.zeros(len(soldier.WEIGHTS)))
    far: dict[Any, int] = field(default_factory=dict)

    def draw(self, seen: Observation) -> tuple[int, Array]:
        """Return an action, and how the logarithm of its chance changes with the weights."""
        actions = np.flatnonzero(seen["action_mask"])
        rows = self.features(seen["observation"], actions)
        chances = np.exp(rows @ self.weights - (rows @ self.weights).max())
        chances /= chances.sum()
        drawn = self.dice.choice(len(actions), p=chances)
        return int(actions[drawn]), rows[drawn] - chances @ rows

    def features(self, observation: dict[str, Array], actions: Array) -> Array:
        marks = observation["map"].tolist()
        if observation["turn"] == 1:
            y, x = np.argwhere(observation["buildings"][1] == HEADQUARTERS)[0].tolist()
            self.far = soldier.distances((x, y), marks)
        enemies = {(x, y) for y, x in np.argwhere(observation["units"][1]).tolist()}
        places = [None if action == END else place_of(int(action)) for action in actions]
        return np.array([soldier.features(marks, enemies, self.far, place) for place in places], float)


def place_of(action: int) -> tuple[int, int, int]:
    """Plane, x and y."""
    return action // CELLS, action % CELLS % SIZE, action % CELLS // SIZE


def play(environment: Versus, policy: Policy, seed: int) -> tuple[float, Array]:
    """Return the result, from -1 to 1, and how the logarithm of the chance of all its orders changes, by their root."""
    seen, _ = environment.reset(seed=seed)
    changes, is_over, reward = [], False, 0.0
    while not is_over:
        action, change = policy.draw(seen)
        changes.append(change)
        seen, reward, is_over, _, _ = environment.step(action)
    return reward, np.sum(changes, axis=0) / np.sqrt(len(changes))


def learn(policy: Policy, matches: int, batch: int, rate: float) -> None:
    environment = Versus(IceAndFire("wood-3"), "boss-wood-3")
    for first in range(1, matches + 1, batch):
        seeds = range(first, min(first + batch, matches + 1))
        rewards, changes = zip(*(play(environment, policy, seed) for seed in seeds), strict=True)
        way = (np.array(rewards) - np.mean(rewards)) @ np.array(changes)
        policy.weights += rate * way / (np.linalg.norm(way) or 1)
        print(f"{seeds[-1]:4} matches: {50 * (1 + np.mean(rewards)):5.1f} % of the points", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Learn a bot for Wood 3 of A Code of Ice and Fire.")
    parser.add_argument("file", type=Path, help="where the bot is written")
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--rate", type=float, default=1.0, help="how far the weights go after each batch")
    parser.add_argument("--seed", type=int, default=1, help="of the policy's dice; the matches' seeds are 1, 2, 3, ...")
    given = parser.parse_args()
    policy = Policy(np.random.default_rng(given.seed))
    learn(policy, given.matches, given.batch, given.rate)
    weights = f"WEIGHTS = {policy.weights.round(3).tolist()}"
    given.file.write_text(re.sub(r"WEIGHTS = .*", weights, Path(soldier.__file__).read_text("utf-8"), count=1), "utf-8")
    print(f"{given.file}: {weights}")


if __name__ == "__main__":
    main()
