"""Work in several processes at once, which Ctrl-C ends without a word and without leaving any behind.

How this works. Each process has a pipe to the one that began it, gets the number of a task through it, sends back what
came of it, and gets the next. Between them is no lock and no thread, so no process can wait for one that is gone, and
in the end, be it good or bad, they are all killed as they are. The tasks themselves they have from their beginning.

Ctrl-C reaches all processes of a terminal. Ours do not hear it: they begin with that signal blocked. The one that
began them hears it; should that one be killed, its ends of the pipes close, and they end with the task they are at.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, Pipe, wait
from typing import TYPE_CHECKING, Any, TypeVar

from engine.errors import ArenaError
from engine.interrupts import interrupts_blocked

if TYPE_CHECKING:
    from multiprocessing.context import ForkProcess

Task = TypeVar("Task")
Result = TypeVar("Result")


def in_processes(work: Callable[[Task], Result], tasks: Sequence[Task], jobs: int) -> Generator[Result, None, None]:
    """Do tasks in this many processes, or in this one if it is one; give the results in the order of the tasks.

    A caller that needs no more closes the iterator, which ends what still runs. Raises what `work` raises, and
    ArenaError where a process was killed.
    """
    if jobs == 1 or len(tasks) < 2:
        yield from map(work, tasks)
        return
    numbers = iter(range(len(tasks)))
    done: dict[int, Result] = {}
    with processes(min(jobs, len(tasks)), work, tasks) as pipes:
        for pipe in pipes:
            pipe.send(next(numbers))
        for wanted in range(len(tasks)):
            while wanted not in done:
                wait(pipes)
                for pipe in filter(Connection.poll, pipes):
                    number, result = answer_from(pipe)
                    done[number] = result
                    if (following := next(numbers, None)) is not None:
                        pipe.send(following)
            yield done.pop(wanted)


def answer_from(pipe: Connection) -> tuple[int, Any]:
    """Raises what the work raised, ArenaError where its process is gone."""
    try:
        number, result, error = pipe.recv()
    except (EOFError, ConnectionError) as gone:
        raise ArenaError("a process that worked for this was killed, perhaps because memory was short") from gone
    if error is not None:
        raise error
    return number, result


@contextmanager
def processes(count: int, work: Callable[[Task], Any], tasks: Sequence[Task]) -> Iterator[list[Connection]]:
    pipes: list[Connection] = []
    begun: list[ForkProcess] = []
    try:
        with interrupts_blocked():
            for _ in range(count):
                ours, theirs = Pipe()
                pipes.append(ours)
                process = get_context("fork").Process(target=serve, args=(theirs, pipes, work, tasks), daemon=True)
                process.start()
                begun.append(process)
                theirs.close()
        yield pipes
    finally:
        for process in begun:
            process.kill()
        for process in begun:
            process.join()
        for pipe in pipes:
            pipe.close()


def serve(pipe: Connection, not_ours: list[Connection], work: Callable[[Task], Any], tasks: Sequence[Task]) -> None:
    for other in not_ours:
        other.close()  # else a pipe would stay open although the one that began us is gone
    with suppress(EOFError, ConnectionError):
        while True:
            number = pipe.recv()
            answer: tuple[int, Any, Exception | None]
            try:
                answer = (number, work(tasks[number]), None)
            except Exception as error:  # noqa: BLE001 - it is raised where the result is waited for
                answer = (number, None, error)
            pipe.send(answer)
