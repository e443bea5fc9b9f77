"""Whatever is typed: a result, or one sentence and a documented exit status.

How this works. Most parameters get a word that fits them, so that lines come past the first check, the others one that
fits nothing. All are typed at one ladder, whose bots are retired, seasons closed and accounts shut by the way.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.main import get_command

from cli.answer import ExitStatus
from cli.program.assembly import program
from ladder.database.connection import Pool
from tests.acceptance.conftest import SURFACER, Desk
from tests.ladder.arena import GAME, insert_battle, league_named, on_the_board, within
from tests.throwaway import written
from tests.web.a_ladder import record_as, records_of

LASTING = frozenset(
    {"up", "down", "demo", "dev", "doctor", "health", "login", "metrics", "play", "scheduler", "simulate", "web"}
    | {"backup", "restore", "game check", "game record", "game simcheck", "game verify", "gauntlet run", "hooks test"}
    | {"match rematch", "tune run", "worker drain", "worker run"}
)
"""Commands that start programs, wait for something, or look around on this machine."""
USUAL = {
    "bot first second opponent against": ["kraken", "orca", "kraken@v1", "boss-wood-2"],
    "candidate version": ["kraken@v1", "orca@v1"],
    "game": [GAME],
    "match matches number hook share tune gauntlet request season": ["1", "2", "play:1"],
    "name player": ["kim", "house"],
    "league to_league": ["wood-2", "bronze"],
    "since until begins frozen_from submit_until": ["2d", "2026-11-28", "2126-12-18T18:00"],
    "where": ["bot = kraken", "winner = kraken and turns > 20"],
    "source file files": ["bot.py", "."],
    "text why note title": ["because"],
    "limit turn series top seat": ["2", "3"],
    "sprt": ["-20,20"],
    "counts": ["10"],
}
ODD = [*("", " ", "-1", "0", "2", "1e400", "nan", "9" * 20, str(2**63), "\udcff", "x" * 300, "\N{PILE OF POO}", "\n")]
ODD += [*("--", "/", "none", "x@v1", "5..1", "A=1..3", "2026-02-30", "play:0", "((", "%s", "http://[", "1,2", "*")]


def commands() -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in vars(get_command(program()))["commands"].items():
        for part, one in getattr(command, "commands", {"": command}).items():
            if f"{name} {part}".rstrip() not in LASTING:
                yield (name, part) if part else (name,), one


COMMANDS = [*commands()]


def value(draw: st.DrawFn, parameter: Any) -> str:
    usual = [word for names, words in USUAL.items() if parameter.name in names.split() for word in words]
    return draw(st.sampled_from([*usual, *usual, *usual, *ODD] if draw(st.integers(0, 3)) == 0 or not usual else usual))


@st.composite
def lines(draw: st.DrawFn) -> tuple[str, ...]:
    """Draw a command with its arguments and a few of its options, without those that wait."""
    name, command = draw(st.sampled_from(COMMANDS))
    words = [*name]
    for parameter in command.params:
        is_argument = parameter.param_type_name == "argument"
        if parameter.name == "watch" or not (parameter.required or draw(st.integers(0, 3)) >= 3 - 2 * is_argument):
            continue
        if not is_argument:
            words.append(draw(st.sampled_from(parameter.opts)))
        if is_argument or not getattr(parameter, "is_flag", False):
            words.append(value(draw, parameter))
    return tuple(words)


@pytest.fixture
def busy(served: Desk, pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A ladder on which two bots have played a battle, with the file of a third in the folder where one types."""
    both = on_the_board(pool, "kraken"), on_the_board(pool, "orca")
    league = league_named(pool, "wood-2")
    record = records_of(GAME, league.rules_level, 1)[0]
    for match_id in within(pool, insert_battle, league.id, both, seed=record.seed):
        record_as(pool, match_id, record, is_hostile=False)
    written(tmp_path / "bot.py", SURFACER)
    monkeypatch.chdir(tmp_path)
    return served


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(words=lines())
def test_every_line_ends_with_a_result_or_one_sentence(busy: Desk, words: tuple[str, ...]) -> None:
    done = busy.run(*words)
    assert done.returncode in {*ExitStatus}
    assert "unexpected error" not in done.stderr
    assert done.returncode == 0 or done.stderr or done.stdout
    rest = done.stdout if "--json" in words and done.returncode == 0 else ""
    while rest.strip():
        _, end = json.JSONDecoder().raw_decode(rest.lstrip())
        rest = rest.lstrip()[end:]
