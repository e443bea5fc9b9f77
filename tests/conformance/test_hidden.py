"""No player is told what it must not see, in every game there is.

How this works. Each game lists in its `hidden.toml` what is hidden: ways to play a seat that the other player must not
be able to tell apart. The kit (`test_games.py`) plays every way against the same opponent, who has to be asked exactly
the same each time.
"""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from engine.bot.conditions import Conditions
from engine.bot.output import Reply
from engine.bot.process import RunningBot
from engine.conformance.kit import overhear, plays_of, secrets_of
from engine.conversation import OK, Ask, Outcome, Referee, TimeLimits, Verdict
from engine.game import Game
from engine.games.golden import RecordedAsk
from engine.match import MatchSpec, converse
from engine.sandbox.choice import open_sandbox
from engine.toolchains.build import build
from engine.toolchains.languages import find_language
from engine.toolchains.program import Program
from tests.conformance.games import GAMES_TO_CHECK, having, sample

games = pytest.mark.parametrize("game", GAMES_TO_CHECK, ids=lambda game: game.name)
with_secrets = pytest.mark.parametrize("game", having("secrets"), ids=lambda game: game.name)


@with_secrets
def test_a_secret_is_played_to_its_last_line_and_then_the_match_goes_on(game: Game) -> None:
    """Otherwise the kit's comparison would compare less than it seems to. It ends by the silence that follows."""
    for secret in secrets_of(game):
        for level in secret.levels:
            for seat in (0, 1):
                for _, outcome in plays_of(game, secret, level, seat):
                    assert outcome.verdicts[seat].verdict is Verdict.TIMEOUT, f"{secret.what}: {outcome}"
                    assert outcome.verdicts[1 - seat] == OK, f"{secret.what}: {outcome}"


@with_secrets
def test_every_level_of_a_game_has_secrets_and_their_ways_differ(game: Game) -> None:
    secrets = secrets_of(game)
    levels = {league.rules_level for league in game.leagues}
    assert {level for secret in secrets for level in secret.levels} == levels
    for secret in secrets:
        assert len(set(secret.ways)) == len(secret.ways) > 1, secret.what


def test_a_referee_that_reveals_too_much_is_found_out() -> None:
    """It tells the second player what the first one said."""

    def parrot() -> Referee:
        answer: str | None = ""
        while answer is not None:
            answer = yield Ask(0, (), 50)
            yield Ask(1, (str(answer),), 50)
        return Outcome((-1, 1), "silence", (OK, OK))

    spec = MatchSpec(Game("parrot", "Parrot", Path(), (), 0.1, 10, TimeLimits(50, 50), lambda *_: parrot()), 1, 1)
    one, two, one_again = (overhear(spec, 0, (way,), ("",))[0] for way in ("one", "two", "one"))
    assert one == one_again != two


TURNS = 6


class Patient:
    """A live bot that may take as long as the machine does."""

    def __init__(self, bot: RunningBot) -> None:
        self._bot = bot

    def ask(self, ask: Ask) -> Reply:
        return self._bot.ask(replace(ask, limit_ms=60_000))


def talkative_bot(asks: list[RecordedAsk], watchword: str) -> Program:
    """A bot that gives the recorded answers, and tells stderr its watchword and all it hears."""
    script = [(len(ask.lines), ask.answer) for ask in asks]
    source = f"""
import sys
for lines, answer in {script!r}:
    for _ in range(lines):
        print({watchword!r}, input(), file=sys.stderr)
    print(answer, flush=True)
"""
    return build(source, find_language("python"), open_sandbox())


@games
def test_live_bots_hear_the_lines_of_their_seat_and_nothing_else(game: Game) -> None:
    """Neither the other's lines nor what it writes to stderr. What a bot writes there in its last turn may be lost."""
    record = max(sample(game), key=lambda record: len(record.asks))
    of_seat = tuple([ask for ask in record.asks if ask.seat == seat][:TURNS] for seat in (0, 1))
    with ExitStack() as running:
        bots = [
            running.enter_context(
                RunningBot(open_sandbox(), talkative_bot(asks, f"seat {seat} heard").box(), Conditions())
            )
            for seat, asks in enumerate(of_seat)
        ]
        converse(MatchSpec(game, record.rules_level, record.seed), [Patient(bot) for bot in bots])
    for seat, (bot, asks) in enumerate(zip(bots, of_seat, strict=True)):
        said = bot.stderr.splitlines()
        told = [f"seat {seat} heard {line}" for ask in asks for line in ask.lines]
        assert len(said) >= len(told) - len(asks[-1].lines)
        assert said == told[: len(said)]
