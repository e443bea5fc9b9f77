"""Foragers: a small game for 2 to 4 seats with everything that a referee can do, each switched by a parameter.

    python3 foragers.py          speaks the `sdk` protocol on stdin and stdout

The rules. Bushes bear berries. In each round each seat that is in picks once or several times; who picks takes half of
what the bush bears, rounded up. After the round bushes bear more. An answer that is no `PICK n` or `WAIT`, and one that
does not come, put a seat out with a score of -1. The same rules are written in Java and in C beside this; all of
them say the same lines for one seed.

Parameters, with what they are where they are not given: `bushes` 6, `rounds` 6, `first_ms` 1000, `turn_ms` 50; 0:
`lines` (picks in a turn, 1 where it is 0), `news` (1: after each round a question without an answer says what was
picked), `thorns` (1: one bush of a round costs two points), `starve` (after this round the one with the fewest points
is out), `monitoring` (1: answers say how long they took), `bank_ms` (time for all turns), `strikes` (how many slow
turns are forgiven); `int_seed` (1: it breaks at a seed of more than 32 bits), `no_seed` (1: the seed changes nothing),
`draw` (1: draws its `secret` and gives it back), `counter` (1: a match depends on how many were before it in the
process), `hash_order` (1: on an order of hashes), `chaos` (1: on nothing that anybody knows). In Java there is
`linger` (1: a thread lives on after the end), and `level` (19; below 2 nothing grows again) is a system property.
"""

import json
import sys
import time
from collections.abc import Generator
from dataclasses import dataclass, field

DEFAULTS = {"bushes": 6, "rounds": 6, "first_ms": 1000, "turn_ms": 50, "level": 19, "lines": 1}
GRACE_MS = 50
FAILED = -1
matches = 0
"""How many matches this process has begun."""


@dataclass(frozen=True)
class Question:
    """Lines for a seat, how many lines it answers with, and in what time."""

    seat: int
    lines: list[str]
    answer_lines: int
    limit_ms: int


@dataclass(frozen=True)
class Answer:
    """What a seat said, None for nothing, and how long it took where answers say so."""

    lines: list[str] | None
    took_ms: int = 0


@dataclass
class Match:
    """One match: what its rules know, and what they have said to people since the last question."""

    players: int
    parameters: dict[str, str]
    summary: list[str] = field(default_factory=list)
    tooltips: list[tuple[str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        global matches  # noqa: PLW0603 - as real referees do
        matches += 1
        self.scores = [0] * self.players
        self.is_in = [True] * self.players
        self.strikes = [0] * self.players
        self.bank_ms = [self.number("bank_ms")] * self.players
        self.state = self.first_state()
        if self.number("counter"):
            self.state += matches
        self.berries = [0] * self.number("bushes")
        for bush in self.bushes_in_order():
            self.berries[bush] = 2 + self.draw(9)

    def number(self, name: str) -> int:
        return int(self.parameters.get(name, DEFAULTS.get(name, 0)))

    def first_state(self) -> int:
        """Return what all draws follow from; what was not given is drawn, and given back."""
        if self.number("chaos"):
            return time.perf_counter_ns()
        now = time.perf_counter_ns() % 1_000_000_007
        seed = int(self.parameters.setdefault("seed", str(now)))
        if self.number("int_seed") and not -(2**31) <= seed < 2**31:
            raise ValueError(f"the seed {seed} has more than 32 bits")
        secret = int(self.parameters.setdefault("secret", str(now))) if self.number("draw") else 0
        return (0 if self.number("no_seed") else seed) ^ secret

    def bushes_in_order(self) -> list[int]:
        bushes = list(range(self.number("bushes")))
        return sorted(bushes, key=lambda bush: hash(f"bush {bush}")) if self.number("hash_order") else bushes

    def draw(self, bound: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % bound

    def play(self) -> Generator[Question, Answer, None]:
        """Play all rounds; ask, and be sent answers."""
        for number in range(1, self.number("rounds") + 1):
            thorn = self.draw(len(self.berries)) if self.number("thorns") else -1
            picked: list[str] = []
            for seat in range(self.players):
                if self.is_in[seat]:
                    answer = yield self.question(seat, number)
                    self.take(seat, answer, number, thorn, picked)
                if sum(self.is_in) < 2:
                    return
            for seat in range(self.players) if self.number("news") else ():
                if self.is_in[seat]:
                    yield Question(seat, [f"NEWS {len(picked)}", *picked], 0, self.number("turn_ms"))
            self.end_round(number)

    def question(self, seat: int, number: int) -> Question:
        """Return what a seat is asked in a round."""
        count = max(1, self.number("lines"))
        lines = (
            [f"{seat} {self.players}", f"{len(self.berries)} {count} {self.number('rounds')}"] if number == 1 else []
        )
        lines.append(str(number))
        lines += [f"{score} {int(is_in)}" for score, is_in in zip(self.scores, self.is_in, strict=True)]
        lines.append(" ".join(map(str, self.berries)))
        grace_ms = GRACE_MS if self.number("monitoring") else 0
        limit_ms = self.bank_ms[seat] if self.number("bank_ms") else self.limit_ms(number) + grace_ms
        return Question(seat, lines, count, limit_ms)

    def limit_ms(self, number: int) -> int:
        return self.number("first_ms" if number == 1 else "turn_ms")

    def take(self, seat: int, answer: Answer, number: int, thorn: int, picked: list[str]) -> None:
        self.bank_ms[seat] -= answer.took_ms
        if answer.lines is None:
            self.fail(seat, "no answer in time")
        elif self.number("bank_ms") and self.bank_ms[seat] <= 0:
            self.fail(seat, "its bank of time is empty")
        elif not self.number("bank_ms") and answer.took_ms > self.limit_ms(number) and self.is_struck(seat):
            self.fail(seat, "was too slow too often")
        else:
            for line in answer.lines:
                if self.is_in[seat]:
                    self.pick(seat, line, thorn, picked)

    def is_struck(self, seat: int) -> bool:
        self.strikes[seat] += 1
        return self.strikes[seat] > self.number("strikes")

    def pick(self, seat: int, line: str, thorn: int, picked: list[str]) -> None:
        """Do what one line of an answer says."""
        bush = next((bush for bush in range(len(self.berries)) if line == f"PICK {bush}"), None)
        if bush is None:
            if line != "WAIT":
                self.fail(seat, "said no PICK and no WAIT")
            return
        taken = -2 if bush == thorn else (self.berries[bush] + 1) // 2
        self.berries[bush] -= max(0, taken)
        self.scores[seat] += taken
        picked.append(f"{seat} {bush} {taken}")
        self.summary.append(f"${seat} picked {taken} from bush {bush}")

    def fail(self, seat: int, why: str) -> None:
        self.is_in[seat] = False
        self.scores[seat] = FAILED
        self.tooltips.append((f"${seat} {why}", seat))

    def end_round(self, number: int) -> None:
        """Let the weakest go where that is asked for, and bushes bear more."""
        staying = sorted(self.scores[seat] for seat in range(self.players) if self.is_in[seat])
        if number == self.number("starve") and len(staying) > 2 and staying[0] < staying[1]:
            weakest = next(s for s in range(self.players) if self.is_in[s] and self.scores[s] == staying[0])
            self.is_in[weakest] = False
            self.summary.append(f"${weakest} goes home hungry")
        for bush in range(len(self.berries)) if self.number("level") >= 2 else ():
            self.berries[bush] += self.draw(3)


class Host:
    """Whoever starts the bots, at the other end of stdin and stdout."""

    def __init__(self) -> None:
        self.frame = 0
        self.has_asked_for_times = False

    def read(self) -> tuple[str, list[str]]:
        """Return the next block; ("", []) at the end."""
        header = sys.stdin.readline().strip()
        if not header:
            return "", []
        name, count = header[2:-1].split("]")
        return name, [sys.stdin.readline().rstrip("\n") for _ in range(int(count))]

    def say(self, name: str, lines: list[str]) -> None:
        sys.stdout.write("".join(f"{line}\n" for line in (f"[[{name}] {len(lines)}]", *lines)))

    def show(self, match: Match) -> None:
        """Write what people see: a frame, and what happened since the last one."""
        self.say("VIEW", [f"KEY_FRAME {self.frame}", json.dumps({"berries": match.berries}, separators=(",", ":"))])
        self.say("INFOS", [])
        self.say("SUMMARY", match.summary)
        if match.tooltips:
            self.say("TOOLTIP", [words for message, seat in match.tooltips for words in (message, str(seat))])
        match.summary, match.tooltips = [], []
        self.frame += 1

    def ask(self, match: Match, question: Question) -> Answer:
        self.show(match)
        monitors = bool(match.number("monitoring"))
        if monitors and not self.has_asked_for_times:
            self.say("MONITORING", [])
            self.has_asked_for_times = True
        self.say("NEXT_PLAYER_INPUT", question.lines)
        self.say("NEXT_PLAYER_INFO", [str(question.seat), str(question.answer_lines), str(question.limit_ms)])
        sys.stdout.flush()
        name, lines = self.read()
        self.read()  # the next GET_GAME_INFO
        if name == "SET_PLAYER_TIMEOUT":
            return Answer(None)
        return Answer(lines[1:], int(lines[0])) if monitors else Answer(lines)


def main() -> None:
    """Play one match with a host."""
    host = Host()
    _, (players, *pairs) = host.read()
    host.read()  # GET_GAME_INFO
    try:
        match = Match(int(players), dict(pair.split("=", 1) for pair in pairs))
        playing = match.play()
        question = next(playing)
        while True:
            try:
                question = playing.send(host.ask(match, question))
            except StopIteration:
                break
    except Exception as error:  # noqa: BLE001 - the protocol has a word for it
        host.say("FAIL", [f"{type(error).__name__}: {error}"])
        return
    host.show(match)
    host.say("UINPUT", [f"{key}={value}" for key, value in match.parameters.items()])
    host.say("METADATA", [json.dumps({"berries": str(sum(match.scores))}, separators=(",", ":"))])
    host.say("SCORES", [f"{seat} {score}" for seat, score in enumerate(match.scores)])


if __name__ == "__main__":
    main()
