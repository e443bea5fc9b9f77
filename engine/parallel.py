"""Work in several processes at once, which Ctrl-C ends without a word and without leaving any behind.

How this works. Each process has a pipe to the one that began it, gets a task through it, sends back what came of it,
and gets the next. There is no lock and no thread between them, so no process can wait for one that is gone. When all
tasks are done the pipes close, and each process tidies up and ends; at any other end they are killed as they are. The
kernel kills them too when the one that began them is killed.

Ctrl-C reaches all processes of a terminal. Ours do not hear it: the one that began them does, and kills them.
"""

import ctypes
import os
import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, count, islice
from multiprocessing import get_context
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.context import ForkProcess
from typing import Any, TypeVar

from engine.errors import ArenaError
from engine.interrupts import held_back

Task = TypeVar("Task")
Result = TypeVar("Result")

PR_SET_PDEATHSIG = 1


def in_processes(
    work: Callable[[Task], Result], tasks: Iterable[Task], jobs: int, tidy: Callable[[], None] = lambda: None
) -> Generator[Result, None, None]:
    """Do tasks in at most this many processes, or in this one if it is one; give the results in the order of the tasks.
    Tasks are taken as they are needed, so they may be without end: a caller that needs no more closes the iterator,
    which ends what still runs. `tidy`: what each process does last when all tasks are done. Raises what `work` raises,
    and ArenaError where a process was killed.
    """
    remaining = iter(tasks)
    first = list(islice(remaining, jobs))
    if len(first) < 2:
        yield from map(work, chain(first, remaining))
        return
    numbered = enumerate(chain(first, remaining))
    results: dict[int, Result] = {}
    with processes(len(first), work, tidy) as pipes:
        for pipe in pipes:
            with lost_process_explained():
                pipe.send(next(numbered))
        at_work = set(pipes)
        for number_due in count():
            while number_due not in results:
                if not at_work:
                    return
                wait(at_work)
                for pipe in [connection for connection in at_work if connection.poll()]:
                    with lost_process_explained():
                        number, result, error = pipe.recv()
                    if error is not None:
                        raise error
                    results[number] = result
                    if (following := next(numbered, None)) is None:
                        at_work.remove(pipe)
                        continue
                    with lost_process_explained():
                        pipe.send(following)
            yield results.pop(number_due)


@contextmanager
def lost_process_explained() -> Iterator[None]:
    try:
        yield
    except (EOFError, ConnectionError) as gone:
        raise ArenaError("a process that worked for this was killed, perhaps because memory was short") from gone


@contextmanager
def processes(number: int, work: Callable[[Task], Any], tidy: Callable[[], None]) -> Iterator[list[Connection]]:
    pipes: list[Connection] = []
    begun: list[ForkProcess] = []
    try:
        with held_back({signal.SIGINT}):
            for _ in range(number):
                ours, theirs = Pipe()
                pipes.append(ours)
                serving = (os.getpid(), theirs, pipes, work, tidy)
                process = get_context("fork").Process(target=serve, args=serving, daemon=True)
                process.start()
                begun.append(process)
                theirs.close()
        yield pipes
    except BaseException:
        for process in begun:
            process.kill()
        raise
    finally:
        for pipe in pipes:
            pipe.close()
        for process in begun:
            process.join()


def serve(
    parent: int, pipe: Connection, not_ours: list[Connection], work: Callable[[Task], Any], tidy: Callable[[], None]
) -> None:
    """Be one of the processes, until its pipe closes."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)  # it was gone before we could ask for its end to be ours
    signal.signal(signal.SIGINT, lambda *_: None)  # a program that we start begins with what is usual
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    for other in not_ours:
        other.close()  # else a pipe would stay open although the one that began us is gone
    with suppress(EOFError):
        while True:
            number, task = pipe.recv()
            answer: tuple[int, Any, Exception | None]
            try:
                answer = (number, work(task), None)
            except Exception as error:  # noqa: BLE001 - it is raised where the result is waited for
                answer = (number, None, error)
            pipe.send(answer)
    tidy()
