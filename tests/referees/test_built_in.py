"""The built-in games as games whose referee is a program: in each way the same questions, answers, places, verdicts.

How this works. Of Ocean of Code there are recorded matches of its real referee; the built-in rules are asked to lead
them. Both games' rules then run as a program that speaks `sdk`, in its box, and lead matches of the same bots on the
same seeds, whose answers follow from what they read.
"""

import gzip
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

import engine
from engine.conversation import Ask, TimeLimits, Verdict
from engine.game import Game
from engine.live import play
from engine.match import MatchResult, MatchSpec
from engine.referees.edition import load_folder
from engine.rejudge import asks_of
from engine.sandbox.choice import open_sandbox
from engine.toolchains.program import Program
from tests.acceptance.conftest import Desk
from tests.catalogue import GAMES
from tests.referees.live import in_python
from tests.referees.test_records import RECORDS, asked_of_bots, framed_questions

HERE, ENGINE = Path(__file__).parent, Path(engine.__file__).parent
PROGRAM = HERE / "rules_by_sdk.py"
OF_OCEAN = [path for path in RECORDS if "ocean-of-code" in path.name]
BOTS = {"ocean-of-code": ("gunner_v1.py", "drifter_v1.py"), "ice-and-fire": ("strider.py", "settler.py")}
FAULTS = {"illegal": "say('NONSENSE', flush=True)", "crashed": "raise SystemExit(3)", "timeout": "time.sleep(9)"}
SPOILT = """
import builtins, time
say, turns = print, []
def print_until(*words, **more):
    turns.append(words)
    if len(turns) > 6:
        {fault}
    else:
        say(*words, **more)
builtins.print = print_until
exec({source!r})
"""
"""A bot whose seventh answer is none, or none that the rules know."""


@pytest.mark.parametrize("path", OF_OCEAN, ids=lambda path: path.name)
def test_the_built_in_rules_ask_what_the_real_referee_asked(path: Path) -> None:
    record = json.loads(gzip.decompress(path.read_bytes()))
    expected = asked_of_bots(list(framed_questions(record)))
    conversation = GAMES.find("ocean-of-code").lead(record["seed"], 4, TimeLimits(1000, 50))
    ask = next(conversation)
    for number, question in enumerate(expected, 1):
        asked = (ask.seat, ask.lines, ask.answer_lines, ask.limit_ms)
        assert asked == (question.seat, question.lines, question.answer_lines, question.limit_ms)
        if number < len(expected):
            ask = conversation.send(question.answer)
    with pytest.raises(StopIteration) as end:
        conversation.send(expected[-1].answer)
    assert list(end.value.value.scores) == record["scores"]


def test_there_are_records_with_and_without_a_time_out() -> None:
    assert len(OF_OCEAN) == 3


def as_program(folder: Path, game: Game, fault: str = "") -> Game:
    """Write a game into a new folder whose referee is a program with the rules of a built-in one.

    It wants to know the times of a match in which somebody is late, or nobody at fault. A headquarters that falls is
    worth -1 in A Code of Ice and Fire, too: only where somebody will be at fault, that stands for one.
    """
    package = game.name.replace("-", "_")
    folder.mkdir()
    shutil.copy(PROGRAM, folder)
    parts = ["__init__.py", "lazy.py", "immutable.py", "conversation.py", "text.py"]
    for part in [*parts, "games/__init__.py", "games/java_random.py"]:
        (folder / "engine" / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ENGINE / part, folder / "engine" / part)
    (folder / "engine" / "games" / package).mkdir()
    for module in (ENGINE / "games" / package).glob("*.py"):
        shutil.copy(module, folder / "engine" / "games" / package)
    level = game.leagues[-1].rules_level
    lines = [f'name = "{game.name}"', f'title = "{game.title}"', "players = [2]"]
    lines += [f"negative_score_is_fault = {str(bool(fault) or package == 'ocean_of_code').lower()}"]
    lines += ["[referee]", 'kind = "sdk"']
    lines += [f'command = "python3 {PROGRAM.name} {package} {level}"', f'files = ["{PROGRAM.name}", "engine"]']
    lines += ["[parameters]", 'monitoring = "1"'] if fault in {"", "timeout"} else []
    lines += ["[[leagues]]", 'name = "legend"', 'title = "Legend"', f"rules_level = {level}", "battles = 20"]
    (folder / "game.toml").write_text("\n".join(lines) + "\n")
    return load_folder(folder)


def bots_of(game: Game, fault: str = "") -> tuple[Program, ...]:
    """Return two of the game's own bots; the second one commits a fault, if one is named."""
    first, second = ((game.bots_folder / name).read_text("utf-8") for name in BOTS[game.name])
    spoilt = SPOILT.format(fault=FAULTS[fault], source=second) if fault else second
    return in_python(first), in_python(spoilt)


def match_of(game: Game, bots: tuple[Program, ...], seed: int) -> MatchResult:
    return play(MatchSpec(game, game.leagues[-1].rules_level, seed), bots, open_sandbox())


@dataclass(frozen=True)
class Led:
    """What a match was for its players."""

    asks: tuple[Ask, ...]
    answers: list[tuple[int, str | None]]
    scores: tuple[int, ...]
    places: tuple[int, ...]
    verdicts: tuple[tuple[str, str], ...]


def led(result: MatchResult) -> Led:
    """Return it. Who counts overruns is not a part of a question; times are left out."""
    asks = tuple(Ask(ask.seat, ask.lines, ask.limit_ms, ask.answer_lines) for ask in asks_of(result))
    outcome = result.outcome
    verdicts = tuple((one.verdict, one.message if one.verdict is Verdict.ILLEGAL else "") for one in outcome.verdicts)
    answers = [(turn.seat, turn.line) for turn in result.turns]
    return Led(asks, answers, outcome.scores, outcome.places, verdicts)


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("fault", ["", *FAULTS])
def test_as_a_program_the_rules_lead_the_same_match(tmp_path: Path, name: str, fault: str) -> None:
    game = GAMES.find(name)
    program = as_program(tmp_path / "game", game, fault)
    bots, seed = bots_of(game, fault), 11 + len(fault)
    built_in = led(match_of(game, bots, seed))
    assert led(match_of(program, bots, seed)) == built_in
    assert [verdict for verdict, _ in built_in.verdicts] == ["ok", fault or "ok"]
    assert {ask.limit_ms for ask in built_in.asks} == {1000, 50}


@pytest.mark.smoke
@pytest.mark.parametrize("name", BOTS)
def test_ladder_play_shows_the_same_of_both_and_bots_are_sent_the_same(desk: Desk, tmp_path: Path, name: str) -> None:
    game = GAMES.find(name)
    as_program(tmp_path / "game", game)
    bots = [game.bots_folder / file for file in BOTS[name]]
    match = ("--seed", "5", "--league", "legend", "--json", "--jobs", "1", "--log")
    (one,) = json.loads(desk.ok("play", name, *bots, *match, tmp_path / "built-in"))
    (other,) = json.loads(desk.ok("play", "--game-folder", tmp_path / "game", *bots, *match, tmp_path / "program"))
    assert other["outcome"]["scores"] == one["outcome"]["scores"]
    assert other["outcome"]["verdicts"] == one["outcome"]["verdicts"]
    for sent in sorted((tmp_path / "built-in").rglob("in.txt")):
        assert (tmp_path / "program" / sent.relative_to(tmp_path / "built-in")).read_text() == sent.read_text()
