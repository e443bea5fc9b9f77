"""A host for the test referees that knows no sandbox and no clock: what they ask, and how a match ends.

It is written apart from the engine's own, so that either shows where the other is wrong.
"""

import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from engine.conversation import places_of
from engine.game import Game

Bots = Callable[[int, int, int], list[str] | None]
"""What the seat says in its turn of that number (from 0) with that many lines; None for nothing."""


@dataclass(frozen=True)
class Asked:
    """A question: all lines since the seat's last answer. `limit_ms` is None where the protocol knows none."""

    seat: int
    lines: tuple[str, ...]
    answer_lines: int
    limit_ms: int | None


@dataclass
class Heard:
    """What a host hears in a match."""

    asked: list[Asked] = field(default_factory=list)
    places: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()
    parameters: dict[str, str] = field(default_factory=dict)
    blocks: list[tuple[str, list[str]]] = field(default_factory=list)

    @property
    def questions(self) -> list[tuple[int, tuple[str, ...], int]]:
        return [(asked.seat, asked.lines, asked.answer_lines) for asked in self.asked]

    def all_of(self, name: str) -> list[str]:
        return [line for found, lines in self.blocks if found == name for line in lines]


class Turns:
    """Counts the turns of each seat and lets the bots answer."""

    def __init__(self, bots: Bots) -> None:
        self.bots = bots
        self.taken: dict[int, int] = defaultdict(int)

    def answer(self, seat: int, lines: int) -> list[str] | None:
        self.taken[seat] += 1
        return self.bots(seat, self.taken[seat] - 1, lines)


@contextmanager
def running(command: Sequence[str | Path], folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a program, and end it with the block."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        try:
            yield process
        finally:
            process.kill()


def block(name: str, lines: Sequence[str] = ()) -> str:
    return "".join(f"{line}\n" for line in (f"[[{name}] {len(lines)}]", *lines))


def blocks(stream: IO[str]) -> Iterator[tuple[str, list[str]]]:
    for header in stream:
        name, count = header.strip()[2:-1].split("]")
        yield name, [next(stream).rstrip("\n") for _ in range(int(count))]


def sdk_match(
    command: Sequence[str | Path],
    folder: Path,
    players: int,
    parameters: Mapping[str, object],
    bots: Bots,
    took_ms: int = 0,
) -> Heard:
    """Play a match by the `sdk` protocol. `took_ms`: what is reported of each answer after MONITORING."""
    heard, turns, waiting = Heard(), Turns(bots), defaultdict[int, list[str]](list)
    with running(command, folder) as referee:
        assert referee.stdin
        assert referee.stdout
        given = [str(players), *(f"{name}={value}" for name, value in parameters.items())]
        referee.stdin.write(block("INIT", given) + block("GET_GAME_INFO"))
        referee.stdin.flush()
        lines: list[str] = []
        for name, said in blocks(referee.stdout):
            heard.blocks.append((name, said))
            if name == "NEXT_PLAYER_INPUT":
                lines = said
            elif name == "NEXT_PLAYER_INFO":
                seat, answer_lines, limit_ms = map(int, said)
                waiting[seat] += lines
                answer: list[str] | None = []
                if answer_lines:
                    heard.asked.append(Asked(seat, tuple(waiting.pop(seat)), answer_lines, limit_ms))
                    answer = turns.answer(seat, answer_lines)
                times = [str(took_ms if answer_lines else 0)] if any(n == "MONITORING" for n, _ in heard.blocks) else []
                word = block("SET_PLAYER_TIMEOUT") if answer is None else block("SET_PLAYER_OUTPUT", [*times, *answer])
                referee.stdin.write(word + block("GET_GAME_INFO"))
                referee.stdin.flush()
    heard.scores = tuple(int(line.split()[1]) for line in heard.all_of("SCORES"))
    heard.places = places_of(heard.scores)
    for name, _, value in (line.partition("=") for line in heard.all_of("UINPUT")):
        heard.parameters[name] = value
    return heard


def hash_match(
    command: Sequence[str | Path], folder: Path, players: int, seed: int | None, bots: Bots, fault_line: str = "OUT"
) -> Heard:
    """Play a match by the protocol of cg-brutaltester; `fault_line` is said for a seat that says nothing."""
    heard, turns, waiting = Heard(), Turns(bots), defaultdict[int, list[str]](list)
    with running(command, folder) as referee:
        assert referee.stdin
        assert referee.stdout
        referee.stdin.write((f"###Seed {seed}\n" if seed is not None else "") + f"###Start {players}\n")
        referee.stdin.flush()
        seat = 0
        for line in map(str.rstrip, referee.stdout):
            word, *words = line.split(" ")
            if word == "###Input":
                seat = int(words[0])
            elif word == "###Output":
                seat, answer_lines = map(int, words)
                heard.asked.append(Asked(seat, tuple(waiting.pop(seat)), answer_lines, None))
                answer = turns.answer(seat, answer_lines) or [fault_line] * answer_lines
                referee.stdin.write("".join(f"{said}\n" for said in answer))
                referee.stdin.flush()
            elif word == "###End":
                places = {int(s): place for place, group in zip(_firsts(words), words, strict=True) for s in group}
                heard.places = tuple(places[seat] for seat in range(players))
                break
            elif word == "###Error":
                heard.blocks.append(("###Error", [line]))
            else:
                waiting[seat].append(line)
    return heard


def _firsts(groups: Sequence[str]) -> list[int]:
    return [1 + sum(map(len, groups[:before])) for before in range(len(groups))]


def game_match(game: Game, players: int, seed: int, bots: Bots) -> Heard:
    heard, turns = Heard(), Turns(bots)
    referee = game.lead(seed, game.leagues[0].rules_level, game.limits, players)
    ask = next(referee)
    while True:
        heard.asked.append(Asked(ask.seat, ask.lines, ask.answer_lines, ask.limit_ms))
        answer = turns.answer(ask.seat, ask.answer_lines)
        try:
            ask = referee.send(None if answer is None else "\n".join(answer))
        except StopIteration as end:
            heard.places, heard.scores = end.value.places, end.value.scores
            return heard
