"""Reading a source that is to be submitted, and following it where the database goes away meanwhile."""

import os
import socket
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from cli import submit
from cli.context import Context
from cli.demo import doing_text
from engine.errors import Refused, Unavailable, UsageFault
from engine.toolchains import source
from engine.toolchains.source import LIMIT_CHARS
from ladder.bots.versions import Version, find_version
from ladder.database.connection import Pool, transaction
from ladder.flows.submission import reject
from ladder.settings import settings_from
from ladder.views.progress import VersionProgress, builds, progress, version_progress
from tests.ladder.arena import claimed_build, on_the_board, submitted, within


class TestReading:
    def test_a_large_source_is_never_called_anything_else(self, tmp_path: Path) -> None:
        path = tmp_path / "large.py"
        for character, times in product(("x", "\u20ac", "\U0001f40d"), (5, 12)):
            path.write_text("#" + character * times * LIMIT_CHARS, "utf-8")
            with pytest.raises(Refused, match="more than 100,000 characters; that is the limit"):
                source.read_source(path, LIMIT_CHARS)

    def test_a_source_at_the_limit_is_read_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "long.py"
        path.write_text("\U0001f40d" * LIMIT_CHARS, "utf-8")
        assert source.read_source(path, LIMIT_CHARS) == "\U0001f40d" * LIMIT_CHARS

    def test_pipes_and_devices_are_refused_without_waiting_for_them(self, tmp_path: Path) -> None:
        pipe, listener = tmp_path / "pipe.py", tmp_path / "socket.py"
        os.mkfifo(pipe)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(listener))
            for path in (pipe, listener, Path("/dev/zero")):
                with pytest.raises(UsageFault, match=f"cannot read {path}: it is a pipe, a socket or a device"):
                    source.read_source(path, LIMIT_CHARS)

    def test_a_link_to_a_file_is_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "bot.py").write_text("print()")
        (tmp_path / "link.py").symlink_to("bot.py")
        assert source.read_source(tmp_path / "link.py", LIMIT_CHARS) == "print()"


def context_without_database(folder: Path) -> Context:
    return Context(replace(settings_from({}), database_url=f"postgresql://ladder@/ladder?host={folder}"))


class TestLooking:
    def test_it_goes_on_when_the_database_is_back(self, pool: Pool, database_url: str, tmp_path: Path) -> None:
        version, context, remarks = stored(pool), context_without_database(tmp_path), list[str]()

        def come_back(remark: str) -> None:
            remarks.append(remark)
            context.database_url = database_url

        assert submit.look(context, version, come_back).version == version
        assert remarks == ["the database does not answer; trying again ..."]

    def test_one_that_stays_away_ends_it_with_what_becomes_of_the_version(
        self, pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(submit, "PATIENCE_S", 0)
        with pytest.raises(Unavailable) as fault:
            submit.look(context_without_database(tmp_path), stored(pool), lambda _: None)
        assert str(fault.value).startswith(
            "kraken@v1 was accepted and will be played when the ladder runs again: type `ladder up`, then "
            "`ladder bot show kraken`; it cannot be watched now, for the database does not answer"
        )


def stored(pool: Pool) -> Version:
    return within(pool, find_version, submitted(pool))


def test_matches_that_a_version_still_has_as_an_opponent_are_shown(pool: Pool) -> None:
    now = within(pool, version_progress, on_the_board(pool, "kraken"))
    for waiting, words in (
        (0, ""),
        (1, "; it has had its battles, and 1 more match of it waits, which may still move it"),
        (10, "; it has had its battles, and 10 more matches of it wait, which may still move it"),
    ):
        assert submit.remaining_text(with_waiting(now, waiting)) == words


def with_waiting(now: VersionProgress, waiting: int) -> VersionProgress:
    own = now.version.id
    return replace(now, board=[replace(row, waiting=waiting if row.version_id == own else 3) for row in now.board])


def test_a_version_that_waits_for_its_build_is_shown_with_how_many_others_do(pool: Pool, bosses: None) -> None:
    waits, other = submitted(pool, "kraken"), submitted(pool, "orca")

    def words() -> object:
        return submit.picture(within(pool, version_progress, waits))

    assert words() == (
        "kraken@v1 waits for its build beside 1 other version: at most half of a worker's processes build ..."
    )
    within(pool, reject, claimed_build(pool, other), "it does not compile")
    assert words() == "kraken@v1 waits for its build: at most half of a worker's processes build ..."
    claimed_build(pool, waits)
    assert words() == "kraken@v1 is being built and tried ..."


def test_the_demo_names_the_versions_that_are_built(pool: Pool, bosses: None) -> None:
    first = submitted(pool, "kraken")
    submitted(pool, "orca")
    with transaction(pool) as connection:
        both = progress(connection)
        assert (builds(connection), doing_text(both, [])) == ([], "2 to be built")
    claimed_build(pool, first)
    assert doing_text(both, within(pool, builds)) == "building kraken@v1, then 1 more"
    assert doing_text(both, ["kraken@v1", "orca@v1"]) == "building kraken@v1 and orca@v1"
    assert doing_text(replace(both, building=0), []) == "playing"
