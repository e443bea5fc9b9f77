"""One seat for the learner: against bots in their boxes, against functions; and a bot that is learned and played."""

import io
import re
import subprocess
import sys
import warnings
from importlib.util import module_from_spec, spec_from_file_location
from itertools import takewhile
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from engine.errors import BuildRefused, NoSuchFile, UsageFault
from engine.games.ice_and_fire.board import SIZE
from engine.gym.environment import Environment, Observation
from engine.gym.ice_and_fire import CELLS, ORDERS, IceAndFire
from engine.gym.ocean_of_code import OceanOfCode
from engine.gym.versus import Versus
from engine.live import play
from engine.match import MatchSpec
from engine.records.repeat_match import record_difference
from engine.series import build_file, opened
from tests.patience import patience_s
from tests.sources import CHECKOUT

EXAMPLES = CHECKOUT / "docs" / "examples"
SPEAKS_NONSENSE = "input()\nprint('nonsense', flush=True)\n"


def at_random(versus: Versus, seed: int) -> float:
    dice, over, reward = np.random.default_rng(seed), False, 0.0
    seen, info = versus.reset(seed=seed)
    while not over:
        assert np.array_equal(info["action_mask"], seen["action_mask"])
        seen, reward, over, _, info = versus.step(int(dice.choice(np.flatnonzero(versus.action_masks()))))
    return reward


def first_of(seen: Observation) -> int:
    return int(np.flatnonzero(seen["action_mask"])[0])


class Allowed(gymnasium.ActionWrapper[Observation, int, int]):
    """Puts what can be done in the place of what cannot: Gymnasium's test knows no masks."""

    def action(self, action: int) -> int:
        possible = np.flatnonzero(self.get_wrapper_attr("action_masks")())
        return action if action in possible else int(possible[0])


@pytest.mark.parametrize("game", [OceanOfCode, IceAndFire])
def test_it_passes_the_test_of_gymnasium(game: type[Environment]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(Allowed(Versus(game(), first_of)))


@pytest.mark.parametrize(("game", "boss"), [(OceanOfCode, "boss-wood-2"), (IceAndFire, "boss-wood-3")])
def test_a_boss_plays_the_other_seat_as_the_rules_have_it(game: type[Environment], boss: str) -> None:
    versus = Versus(game(), boss)
    seats = set[int]()
    for seed in takewhile(lambda _: seats != {0, 1}, range(1, 9)):
        reward = at_random(versus, seed)
        seats.add(versus.seat)
        record = versus.environment.record()
        assert record_difference(record, versus.environment.game) is None
        assert reward == (0 if record.winner is None else 1 if record.winner == versus.seat else -1)
        assert {versus.environment.infos[agent]["verdict"] for agent in versus.environment.agents} == {"ok"}
    assert seats == {0, 1}


def test_a_bot_of_a_file_that_breaks_the_rules_loses_and_a_function_can_play_too(tmp_path: Path) -> None:
    file = tmp_path / "nonsense.py"
    file.write_text(SPEAKS_NONSENSE)
    assert at_random(Versus(OceanOfCode(), str(file), seat=0), 1) == 1
    versus = Versus(OceanOfCode("bronze"), first_of, seat=1)
    at_random(versus, 2)
    rows = versus.environment.asks[0].lines[1:]
    assert versus.environment.asks[0].answer == f"{rows[0].index('.')} 0"


def test_what_cannot_be_an_opponent_and_a_match_that_is_over_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile):
        Versus(OceanOfCode(), str(tmp_path / "gone.py"))
    broken = tmp_path / "broken.py"
    broken.write_text("def")
    with pytest.raises(BuildRefused):
        Versus(OceanOfCode(), str(broken))
    with pytest.raises(UsageFault, match="seat is 2; it is 0, 1, or None"):
        Versus(OceanOfCode(), first_of, seat=2)
    versus = Versus(OceanOfCode(), first_of)
    at_random(versus, 1)
    with pytest.raises(UsageFault, match="the match is over: reset the environment"):
        versus.step(0)


def test_the_example_learns_a_bot_that_plays(tmp_path: Path) -> None:
    """Two small batches, the last of one match; how well a bot plays that learned longer, its page says."""
    bot = tmp_path / "learned.py"
    command: list[str | Path] = [sys.executable, EXAMPLES / "learn.py", bot, "--matches", "3", "--batch", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=patience_s(120))
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"( +[23] matches: +[\d.]+ % of the points\n){2}.*WEIGHTS = \[.*\]\n", done.stdout)
    game = IceAndFire().game
    program = build_file(str(bot), 100_000, None)
    result = play(MatchSpec(game, 1, 7), [program, program], opened(None))
    assert [one.words for one in result.outcome.verdicts] == ["ok ()", "ok ()"]


def test_the_examples_bot_knows_what_it_can_do_as_the_environment_does(monkeypatch: pytest.MonkeyPatch) -> None:
    soldier = loaded_soldier()
    environment, dice, compared = IceAndFire("wood-3"), np.random.default_rng(1), 0
    environment.reset(seed=3)
    turn: Any = None
    while environment.outcome is None:
        agent = environment.agent_selection
        mask = environment.observe(agent)["action_mask"]
        if not environment.infos[agent]["orders"]:
            lines = environment.ask.lines[len(environment.asks) < 2 :]
            monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines) + "\n"))
            turn = soldier.Turn()
        known = {plane * CELLS + y * SIZE + x for plane, x, y in turn.possible()}
        assert known == set(np.flatnonzero(mask[:-1]))
        compared += 1
        ends = mask[-1] and dice.random() < 1 / 8
        action = len(ORDERS) - 1 if ends else int(dice.choice(np.flatnonzero(mask)))
        if action < len(ORDERS) - 1:
            turn.carry_out((action // CELLS, action % CELLS % SIZE, action % CELLS // SIZE))
        environment.step(action)
    assert compared > 300


def loaded_soldier() -> Any:
    spec = spec_from_file_location("soldier", EXAMPLES / "soldier.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_programs_of_the_page_print_what_it_says() -> None:
    page = (EXAMPLES.parent / "learning-bots.md").read_text("utf-8")
    programs = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, flags=re.DOTALL)
    for program, printed in programs:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=CHECKOUT)
        assert done.stdout == printed
    assert len(programs) == 2
