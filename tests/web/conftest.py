"""A small ladder with matches of both games, and a site that shows it; both once for each file of tests."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from tests.conftest import cloned, opened

if TYPE_CHECKING:
    from ladder.database.connection import Pool
    from ladder.ids import MatchId
    from tests.web.a_ladder import BusyLadder, SmallLadder
    from tests.web.commands import Typist
    from tests.web.everybody import Everybody
    from tests.web.serving import Served
    from workers.embedded.state_file import Running


@pytest.fixture
def one_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that a test does falls into one moment for what counts requests, which goes by minutes of the clock."""
    monkeypatch.setattr("limits.storage.memory.time", SimpleNamespace(time=lambda: 6e8))


@pytest.fixture(scope="session")
def with_small_ladder(services: Running) -> Iterator[tuple[str, SmallLadder]]:
    """The name of a database with the small ladder, made once for all tests, and what it holds."""
    from tests.web.a_ladder import a_small_ladder

    with cloned(services, "ladder") as name:
        with opened(services, name) as pool:
            made = a_small_ladder(pool)
        yield name, made


@pytest.fixture
def small_ladder(with_small_ladder: tuple[str, SmallLadder]) -> SmallLadder:
    return with_small_ladder[1]


@pytest.fixture(scope="module")
def small_ladder_pool(services: Running, with_small_ladder: tuple[str, SmallLadder]) -> Iterator[Pool]:
    with cloned(services, with_small_ladder[0]) as name, opened(services, name, most=8) as pool:
        yield pool


@pytest.fixture(scope="module")
def site(small_ladder_pool: Pool) -> Iterator[Served]:
    from tests.web.serving import serving

    with serving(small_ladder_pool) as served:
        yield served


@pytest.fixture(scope="session")
def with_busy_ladder(services: Running, with_small_ladder: tuple[str, SmallLadder]) -> Iterator[tuple[str, BusyLadder]]:
    """The name of a database with the busy ladder, made once for all tests, and what it holds."""
    from tests.web.a_ladder import a_busy_ladder

    with cloned(services, with_small_ladder[0]) as name:
        with opened(services, name) as pool:
            made = a_busy_ladder(pool, with_small_ladder[1])
        yield name, made


@pytest.fixture
def busy_ladder(with_busy_ladder: tuple[str, BusyLadder]) -> BusyLadder:
    return with_busy_ladder[1]


@pytest.fixture(scope="module")
def busy_ladder_pool(services: Running, with_busy_ladder: tuple[str, BusyLadder]) -> Iterator[Pool]:
    with cloned(services, with_busy_ladder[0]) as name, opened(services, name, most=8) as pool:
        yield pool


@pytest.fixture(scope="module")
def busy_site(busy_ladder_pool: Pool) -> Iterator[Served]:
    from tests.web.serving import serving

    with serving(busy_ladder_pool) as served:
        yield served


@pytest.fixture(scope="module")
def everybody(busy_ladder_pool: Pool, with_busy_ladder: tuple[str, BusyLadder]) -> Iterator[Everybody]:
    from tests.web.everybody import everybody_at

    with everybody_at(busy_ladder_pool, with_busy_ladder[1]) as made:
        yield made


@pytest.fixture(scope="session")
def with_foragers(services: Running) -> Iterator[tuple[str, dict[int, MatchId]]]:
    """The name of a database with matches of two, three and four players, and one of each."""
    from tests.ladder.foragers import picked_out

    with cloned(services, "ladder") as name:
        with opened(services, name) as pool:
            found = picked_out(pool)
        yield name, found


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typist:
    from tests.web.commands import Typist

    return Typist(monkeypatch, capsys)
