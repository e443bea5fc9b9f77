"""Referees that break, each in its own way: python3 bad.py WAY. They know nothing of any game."""

import os
import socket
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path


def say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def heard() -> list[str]:
    """Hear what is sent up to the next GET_GAME_INFO."""
    lines: list[str] = []
    while not lines or "GET_GAME_INFO" not in lines[-1]:
        lines.append(input())
    return lines


def ask(seat: object = 0, count: object = 1, limit: object = 1000, input_lines: Iterable[str] = ("go",)) -> None:
    given = list(input_lines)
    say(f"[[NEXT_PLAYER_INPUT] {len(given)}]", *given, "[[NEXT_PLAYER_INFO] 3]", str(seat), str(count), str(limit))


def asked_and_answered(times: int = 1) -> None:
    for turn in range(times):
        ask(turn % 2)
        heard()


def forever() -> None:
    while True:
        time.sleep(60)


def scores(*lines: str) -> None:
    say(f"[[SCORES] {len(lines)}]", *lines)


def end_at_question_5() -> None:
    asked_and_answered(4)
    sys.exit("out of ideas")


def fail() -> None:
    asked_and_answered()
    say("[[FAIL] 2]", "IllegalStateException: no more berries", "    at Referee.java:7")


def hang_in_mid_match() -> None:
    asked_and_answered()
    forever()


def spin() -> None:
    asked_and_answered()
    while True:
        pass


def flood() -> None:
    while True:
        sys.stdout.write("so much to say " * 5000)


def flood_a_summary() -> None:
    say("[[SUMMARY] 99999]")
    while True:
        sys.stdout.write("a word\n" * 9999)


def flood_stderr() -> None:
    while True:
        sys.stderr.write("so much to complain about " * 5000)


def never_read() -> None:
    ask()
    forever()


def ask_without_end() -> None:
    while True:
        asked_and_answered()


def too_short_a_question() -> None:
    say("[[NEXT_PLAYER_INPUT] 0]", "[[NEXT_PLAYER_INFO] 3]", "0", "1")
    forever()


def scores_of_one_line_too_few() -> None:
    say("[[SCORES] 2]", "0 1")


def too_large_a_count() -> None:
    say("[[NEXT_PLAYER_INPUT] 1000000000]", "go")
    forever()


def half_a_line() -> None:
    asked_and_answered()
    sys.stdout.write("[[NEXT_PLAYER_INPUT] 0]\n[[NEXT_PLAYER_INFO] 3]\n0\n1\n10")
    sys.stdout.flush()
    forever()


def nul() -> None:
    ask(input_lines=["a\0b"])


def no_utf_8() -> None:
    sys.stdout.buffer.write(b"[[NEXT_PLAYER_INPUT] 1]\nM\xfcnze\n[[NEXT_PLAYER_INFO] 3]\n0\n1\n100\n")
    sys.stdout.flush()
    forever()


def hoard() -> None:
    asked_and_answered()
    kept: list[bytearray] = []
    while len(kept) < 2048:
        kept.append(bytearray(2**20))
    forever()


def fork() -> None:
    os.fork()
    scores("0 1", "1 0")


def open_a_socket() -> None:
    socket.create_connection(("127.0.0.1", 80), timeout=5)
    scores("0 1", "1 0")


def write_files() -> None:
    Path("here").write_text("was I")
    scores("0 1", "1 0")


def go_on_after_the_end() -> None:
    asked_and_answered()
    scores("0 1", "1 0")
    ask()
    forever()


def say_the_scores_twice() -> None:
    scores("0 1", "1 0")
    scores("0 0", "1 1")


def ask_nobody() -> None:
    say("[[SUMMARY] 1]", "Failure: invalid input")
    scores("0 0", "1 0")


def ask_for_no_answer() -> None:
    for seat in (0, 1):
        ask(seat, 0)
        heard()
    sys.stderr.write("Failure: invalid input\n")
    scores("0 1", "1 0")


WAYS: dict[str, Callable[[], object]] = {
    "ends at once": lambda: None,
    "ends at question 5": end_at_question_5,
    "fails": fail,
    "hangs at start": forever,
    "hangs in mid-match": hang_in_mid_match,
    "computes for ever": spin,
    "floods stdout": flood,
    "floods a summary": flood_a_summary,
    "floods stderr": flood_stderr,
    "never reads": never_read,
    "asks without end": ask_without_end,
    "too short a question": too_short_a_question,
    "scores of one line too few": scores_of_one_line_too_few,
    "too large a count": too_large_a_count,
    "half a line": half_a_line,
    "NUL": nul,
    "no UTF-8": no_utf_8,
    "asks seat 7": lambda: ask(7),
    "asks for 10^9 lines": lambda: ask(0, 10**9),
    "limit 0": lambda: ask(0, 1, 0),
    "limit -1": lambda: ask(0, 1, -1),
    "scores twice": say_the_scores_twice,
    "scores of one seat": lambda: scores("0 1"),
    "text for a score": lambda: scores("0 1", "1 many"),
    "takes 2 GB": hoard,
    "forks": fork,
    "opens a socket": open_a_socket,
    "writes files": write_files,
    "goes on after the end": go_on_after_the_end,
    "asks nobody": ask_nobody,
    "asks for no answer": ask_for_no_answer,
}

if __name__ == "__main__":
    heard()  # INIT and GET_GAME_INFO
    WAYS[sys.argv[1]]()
