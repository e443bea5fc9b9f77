"""What the environment names and sets: services of one's own, homes and limits that make no sense, in one sentence."""

import os
import shlex
import sys
from itertools import permutations
from pathlib import Path

import pytest

from cli.terminal.words import own_command
from tests.acceptance.conftest import LADDER, Desk, Shell
from tests.processes import finished
from workers.embedded.state_file import Running

NOBODYS_DATABASE = "postgresql://x@127.0.0.1:1/x"
NOBODYS_BROKER = "redis://127.0.0.1:1/0"


def test_an_address_that_is_none_of_a_database_is_named_and_not_repeated(desk: Desk, database_url: str) -> None:
    for words in (("status",), ("board",), ("worker",), ("db", "migrate")):
        sentence = desk.refused(2, *words, LADDER_DATABASE_URL="postgres//me:secret@host/db")
        assert "LADDER_DATABASE_URL cannot be read" in sentence
        assert "secret" not in sentence
        assert sentence.count("\n") == 1


def test_an_address_that_is_no_brokers_is_named(desk: Desk, database_url: str) -> None:
    for address in ("nonsense", "redis://host:port/0", "redis://127.0.0.1:1/x", "amqp://host"):
        for command in ("status", "worker"):
            sentence = desk.refused(2, command, LADDER_BROKER_URL=address)
            assert "LADDER_BROKER_URL cannot be read" in sentence
            assert sentence.count("\n") == 1


def test_addresses_and_passwords_can_stand_in_files(desk: Desk, tmp_path: Path) -> None:
    """The database's file leads there, as the address itself does; the broker's is refused for what stands in it."""
    database, broker = tmp_path / "database", tmp_path / "broker"
    database.write_text(f"{NOBODYS_DATABASE}\n", "utf-8")
    broker.write_text("amqp://host\n", "utf-8")
    named = {"LADDER_DATABASE_URL_FILE": str(database), "LADDER_BROKER_URL": NOBODYS_BROKER}
    assert "the database does not answer" in desk.refused(4, "board", **named)
    named = {"LADDER_DATABASE_URL": NOBODYS_DATABASE, "LADDER_BROKER_URL_FILE": str(broker)}
    assert "LADDER_BROKER_URL cannot be read" in desk.refused(2, "worker", **named)


def test_a_file_without_value_or_beside_one_is_named_in_a_sentence(desk: Desk, tmp_path: Path) -> None:
    file, no_line = tmp_path / "password", "must hold one line, the value of PGPASSWORD"
    for contents, why in (
        (None, "cannot be read: No such file or directory"),
        *((bad, no_line) for bad in (b"", b"\n", b"secret\nsecret\n", b"secret\xff\n", b"secret\0\n")),
    ):
        if contents is not None:
            file.write_bytes(contents)
        sentence = desk.refused(2, "status", PGPASSWORD_FILE=str(file))
        assert sentence.startswith("ladder: PGPASSWORD_FILE names ")
        assert why in sentence
        assert str(file) in sentence
        assert "secret" not in sentence
        assert sentence.count("\n") == 1
    named = {"LADDER_BROKER_URL": NOBODYS_BROKER, "LADDER_BROKER_URL_FILE": str(tmp_path)}
    sentence = desk.refused(2, "status", **named)
    assert sentence == "ladder: LADDER_BROKER_URL and LADDER_BROKER_URL_FILE are both set; keep one of them\n"


def test_a_submission_to_a_database_that_is_away_is_one_sentence(shell: Shell, bot: Path) -> None:
    """The pool of connections has a lot to say about that by itself."""
    named = {"LADDER_DATABASE_URL": NOBODYS_DATABASE, "LADDER_BROKER_URL": NOBODYS_BROKER}
    sentence = shell.refused(4, "submit", bot, "--game", "ocean-of-code", **named)
    assert "the database does not answer" in sentence
    assert sentence.count("\n") == 1


def test_a_form_of_the_log_that_is_none_is_named_and_nothing_is_started(desk: Desk) -> None:
    for command in ("up", "worker", "scheduler", "web"):
        sentence = desk.refused(2, command, LADDER_LOG="xml")
        assert sentence == "ladder: LADDER_LOG is 'xml'; it must be one of: text, json\n"


def test_up_starts_nothing_beside_services_that_are_named(desk: Desk) -> None:
    """All other commands would go to those."""
    named = {"LADDER_DATABASE_URL": NOBODYS_DATABASE, "LADDER_BROKER_URL": NOBODYS_BROKER}
    for words in (("up",), ("up", "--foreground")):
        assert "`ladder scheduler` and `ladder worker`" in desk.refused(2, *words, **named)
    assert not desk.home.exists()


def test_services_of_ones_own_are_never_mixed_with_embedded_ones(arena: Desk, bot: Path) -> None:
    """Not even where the embedded ones run: one ladder's queue would name rows of the other's database."""
    desk = Desk(arena.home)
    addresses = {"LADDER_DATABASE_URL": NOBODYS_DATABASE, "LADDER_BROKER_URL": NOBODYS_BROKER}
    for variable, other in permutations(addresses):
        for words in (("up",), ("submit", bot, "--game", "ocean-of-code"), ("worker",), ("scheduler",)):
            assert f"{variable} is set and {other} is not" in desk.refused(2, *words, **{variable: addresses[variable]})


def test_a_database_alone_is_enough_to_read_and_to_migrate(desk: Desk, database_url: str) -> None:
    desk.ok("db", "migrate", LADDER_DATABASE_URL=database_url)
    assert "boss-wood-2" in desk.ok("league", "show", "ocean-of-code", LADDER_DATABASE_URL=database_url)


def test_status_shows_the_supervisor_if_it_is_meant(arena: Desk, services: Running, database_url: str) -> None:
    named = {"LADDER_DATABASE_URL": database_url, "LADDER_BROKER_URL": services.broker_url}
    assert "services named by the environment" in arena.ok("status", **named)
    assert "supervisor" in arena.ok("status")


def test_a_home_that_can_never_be_a_folder_is_a_mistake(desk: Desk) -> None:
    for home, why in (("/dev/full/x", "is a file"), ("~nobody-is-called-that", "home directory")):
        for command in ("up", "status", "board"):
            sentence = desk.refused(2, command, LADDER_HOME=home)
            assert f"LADDER_HOME cannot be {home}" in sentence
            assert why in sentence


def test_the_message_about_a_limit_too_low_for_any_box_names_the_limit(shell: Shell, bot: Path) -> None:
    play = shlex.join(map(str, (LADDER, "play", "ocean-of-code", bot, bot)))
    done = finished(["/bin/sh", "-c", f"ulimit -f 100; exec {play}"], env=shell.full_environment())
    assert done.returncode == 1
    assert "the limit on the size of files is too low" in done.stderr
    assert "namespaces" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_commands_to_type_next_work_from_every_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`make -C CLONE demo` runs us in the clone and not where the person is; and another `ladder` is not ours."""
    monkeypatch.chdir(LADDER.parent.parent)
    monkeypatch.setattr(sys, "argv", [os.path.join("bin", "ladder")])  # noqa: PTH118 - as the shell passes it
    monkeypatch.setenv("PATH", str(LADDER.parent))
    assert own_command() == "ladder"
    (tmp_path / "ladder").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert own_command() == shlex.quote(str(LADDER))
