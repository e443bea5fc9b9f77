"""Somebody's own simulation of a game beside the game's referee, state by state and field by field.

How this works. A simulator is a program, the person's own tool in no sandbox, that reads a line of JSON for each
question and answers each with a line: the state after. It is started once for each match, gets all questions and then
the end of its input, so it need not flush; then it has to end. It is given up where it has computed or slept for
PATIENCE_S without taking or saying anything; where it got no core for WIDE_PATIENCE_S the host is to blame.

What is compared are the fields of the referee's state. A list of objects is compared object by object, where it is as
long; all else is one field. A field is named by its way from the top: `submarines[0].charge.mine`, and where several
are counted together `submarines[].charge.mine`.
"""

import json
import os
import re
import select
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any, NoReturn

from engine.errors import HostBusy, UsageFault
from engine.immutable import immutable
from engine.sandbox.budget import LOOK_EVERY_S, PATIENCE_S, WIDE_PATIENCE_S, Budget, BudgetUse
from engine.text import counted, shortened

CHUNK_BYTES = 65_536
MOST_LINE_BYTES = 1_000_000
"""No state is as long; a longer line is not an answer."""
LAST_MOMENT_S = 1.0
"""For so long a program that has closed its output is waited for, to say how it ended."""


def answers(command: Sequence[str], questions: Sequence[str], places: Sequence[str]) -> list[str]:
    """`questions`: lines with their ends; `places`: of what each is. Raises UsageFault, HostBusy."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0)
    except (OSError, ValueError) as error:
        raise UsageFault(f"cannot run {command[0]}: {getattr(error, 'strerror', error)}") from error
    with process:
        try:
            return Conversation(process, "".join(questions).encode(), places).lead()
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)


class Conversation:
    """All questions and answers of one match. `places`: as in `answers`."""

    def __init__(self, process: subprocess.Popen[bytes], questions: bytes, places: Sequence[str]) -> None:
        if process.stdin is None or process.stdout is None:
            raise TypeError("a simulator is spoken to by pipes")
        self._process, self._stdin, self._stdout = process, process.stdin, process.stdout
        self._unsent = memoryview(questions)
        self._places = places
        self._partial_line = b""
        self._lines: list[str] = []
        self._ended = False
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN)
        self._poll.register(self._stdin, select.POLLOUT)
        for pipe in (self._stdin, self._stdout):
            os.set_blocking(pipe.fileno(), False)

    def lead(self) -> list[str]:
        count = len(self._places)
        while len(self._lines) <= count and not self._ended:
            if not self._has_moved():
                self._await_something()
        if len(self._lines) < count:
            self._refuse(self._how_it_ended())
        if len(self._lines) > count or self._partial_line:
            raise UsageFault(f"the simulator printed more than one line for each of {counted(count, 'question')}")
        return self._lines

    def _refuse(self, what: str) -> NoReturn:
        if (answered := len(self._lines)) >= len(self._places):
            raise UsageFault(f"the simulator {what} after its last answer: end it where its input ends")
        answers_words = f"{answered} of {counted(len(self._places), 'answer')}"
        raise UsageFault(f"the simulator {what}: it gave {answers_words}, and none to {self._places[answered]}")

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(LAST_MOMENT_S)
        except subprocess.TimeoutExpired:
            return "closed its output"
        return f"ended with exit code {code}" if code >= 0 else f"was killed by {signal.Signals(-code).name}"

    def _await_something(self) -> None:
        with closing(BudgetUse(Budget(PATIENCE_S, 0), self._process.pid)) as account:
            while not self._has_moved():
                account.look()
                if account.charged_s() > PATIENCE_S:
                    self._refuse(f"neither read nor printed anything for {PATIENCE_S:.0f} s")
                if account.wall_s() > WIDE_PATIENCE_S:
                    percent = 100 * account.share()
                    raise HostBusy(f"this machine is too busy: the simulator got {percent:.0f} % of a core")

    def _has_moved(self) -> bool:
        events = self._poll.poll(1000 * LOOK_EVERY_S)
        for descriptor, _ in events:
            self._take() if descriptor == self._stdout.fileno() else self._give()
        return bool(events)

    def _give(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._stdin.fileno(), self._unsent[:CHUNK_BYTES]) :]
        except BrokenPipeError:  # it no longer reads; it may still answer
            self._unsent = self._unsent[:0]
        if not self._unsent:
            self._poll.unregister(self._stdin)
            with suppress(BrokenPipeError):
                self._stdin.close()

    def _take(self) -> None:
        chunk = os.read(self._stdout.fileno(), CHUNK_BYTES)
        self._ended = not chunk
        *lines, self._partial_line = (self._partial_line + chunk).split(b"\n")
        self._lines += [line.decode("utf-8", "replace") for line in lines]
        if len(self._partial_line) > MOST_LINE_BYTES:
            self._refuse(f"printed {MOST_LINE_BYTES:,} bytes without a line end")


def state_in(line: str, place: str) -> Mapping[str, Any] | None:
    try:
        state = json.loads(line, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        why = str(error) if str(error).startswith(NO_NUMBER) else "not JSON"
        raise UsageFault(f"the simulator's answer to {place} is {why}: {shortened(line)}") from error
    if state is not None and not isinstance(state, dict):
        raise UsageFault(f"the simulator's answer to {place} is neither a JSON object nor null: {shortened(line)}")
    return state


NO_NUMBER = "not a number of JSON"


def refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{NO_NUMBER}, but {word}")


@immutable
class Differing:
    """A field that differs. `path`: with numbers, as in `submarines[0].cell`."""

    path: str
    expected: Any
    got: Any

    @property
    def field(self) -> str:
        return field_of(self.path)


def field_of(path: str) -> str:
    return re.sub(r"\[\d+\]", "[]", path)


@dataclass(slots=True)
class StateComparison:
    """Compares states. `fields`: only these and what is below them; none: all. `compared`: which were, by name."""

    fields: Sequence[str] = ()
    compared: set[str] = field(default_factory=set[str])

    def differing(self, expected: Any, got: Any, place: str, path: str = "", name: str = "") -> Iterator[Differing]:
        """`place`: of what; `path`, `name`: of the part. Raises UsageFault for a field that was not printed."""
        of_objects = isinstance(expected, list | tuple) and expected and isinstance(expected[0], dict)
        if isinstance(expected, dict) and isinstance(got, dict):
            for key, value in expected.items():
                below, name_below = (f"{path}.{key}", f"{name}.{key}") if path else (key, key)
                if not self._concerns(name_below):
                    continue
                if key not in got:
                    raise UsageFault(
                        f"the simulator's answer to {place} has no {below}: print it, name with --fields what you "
                        "simulate, or print null to leave this one out"
                    )
                yield from self.differing(value, got[key], place, below, name_below)
        elif of_objects and isinstance(got, list) and len(got) == len(expected):
            for number, (before, after) in enumerate(zip(expected, got, strict=True)):
                yield from self.differing(before, after, place, f"{path}[{number}]", f"{name}[]")
        else:
            self.compared.add(name)
            if not is_same(expected, got):
                yield Differing(path, expected, got)

    def _concerns(self, name: str) -> bool:
        return not self.fields or any(
            is_at_or_below(*both) for chosen in self.fields for both in ((name, chosen), (chosen, name))
        )

    def require_all_found(self) -> None:
        for field_name in self.fields:
            if not any(is_at_or_below(name, field_name) for name in self.compared):
                raise UsageFault(f"--fields: no state that was compared has {field_name}")


def is_at_or_below(name: str, top: str) -> bool:
    return name == top or name.startswith((f"{top}.", f"{top}["))


def is_same(expected: Any, got: Any) -> bool:
    """Compare values as JSON has them: 1 and 1.0 are the same number, 1 and true are not the same."""
    if isinstance(expected, tuple):
        return is_same(list(expected), got)
    return isinstance(expected, bool) == isinstance(got, bool) and bool(expected == got)
