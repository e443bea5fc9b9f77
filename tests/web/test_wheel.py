"""The wheel, in an environment that has nothing else of ours, holds all that pages are made of, and serves them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.conftest import cloned
from tests.patience import patience_s
from tests.web.serving import page_routes

if TYPE_CHECKING:
    from tests.web.a_ladder import BusyLadder
    from workers.embedded.state_file import Running

CHECKOUT = Path(__file__).parents[2]
BUILD = "import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])"
PIP = ("install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-compile")
NAMED = re.compile(r"/(games|bots|v|leagues|rules|seasons|guide|matches|seats|gauntlets|players)/[^/?]+")
ALIKE = 2
"""This many pages of one kind are looked at."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of an environment in which the wheel is installed. What it depends on is lent from ours."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "project"  # building leaves files behind
    for name in ("cli", "workers", "ladder", "engine", "docs"):
        shutil.copytree(CHECKOUT / name, copy / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(CHECKOUT / name, copy)
    subprocess.run([sys.executable, "-c", BUILD, folder], cwd=copy, capture_output=True, check=True)
    shutil.rmtree(copy)
    own = folder / "own"
    venv.create(own)
    python = own / "bin" / "python"
    subprocess.run([sys.executable, "-m", "pip", "--python", python, *PIP, *folder.glob("*.whl")], check=True)
    (site,) = own.glob("lib/python*/site-packages")
    (site / "lent.pth").write_text(sysconfig.get_path("purelib"))  # its own *.pth, which lead here, are not read
    return own / "bin" / "ladder"


@pytest.mark.thorough
def test_what_is_installed_from_the_wheel_serves_every_page(
    program: Path, services: Running, with_busy_ladder: tuple[str, BusyLadder], tmp_path: Path
) -> None:
    with cloned(services, with_busy_ladder[0]) as name:
        database_url = services.database_url.replace("/ladder?", f"/{name}?")
        close_a_season(database_url)
        wrong, kinds, complaints = served_by(program, database_url, tmp_path)
    assert wrong == {}
    assert complaints == ""
    assert kinds >= {route.replace("{}", "_") for route in page_routes()}


def close_a_season(database_url: str) -> None:
    """Close the season of a game, open a contest of the next and freeze its boards, which so get pages."""
    from ladder.access import Actor, Role
    from ladder.actions import games, seasons
    from ladder.database.connection import open_pool

    pool = open_pool(database_url)
    kim = Actor("kim", Role.OPERATOR)
    seasons.close(kim, pool, "ice-and-fire")
    seasons.open_contest(kim, pool, "ice-and-fire", datetime.now(UTC) + timedelta(days=1))
    games.freeze_boards(kim, pool, "ice-and-fire", datetime.now(UTC))
    pool.close()


def served_by(program: Path, database_url: str, folder: Path) -> tuple[dict[str, int], set[str], str]:
    """Let a program serve, and walk through its pages; return what `walk` does, and what the program wrote."""
    path = folder / "web.socket"
    own = {"LADDER_HOME": str(folder / "home"), "LADDER_DATABASE_URL": database_url, "LADDER_LOG_LEVEL": "warning"}
    environment, pipe = {**os.environ, **own}, subprocess.PIPE
    process = subprocess.Popen([program, "web", "--uds", path], cwd=folder, stderr=pipe, text=True, env=environment)
    assert process.stderr is not None
    try:
        assert str(path) in process.stderr.readline()
        with httpx.Client(
            transport=httpx.HTTPTransport(uds=str(path)), base_url="http://localhost", timeout=patience_s()
        ) as browser:
            wrong, kinds = walk(browser)
    finally:
        process.terminate()
        _, complaints = process.communicate(timeout=patience_s())
    return wrong, kinds, complaints


def walk(browser: httpx.Client) -> tuple[dict[str, int], set[str]]:
    """Look at all pages, ALIKE of each kind; return those that are not well with their status, and the kinds."""
    seen: dict[str, list[str]] = {}
    waiting, wrong = (
        ["/", "/search?q=a", "/games/ocean-of-code/similar"],
        {},
    )  # which nothing leads to, or the desk alone
    while waiting:
        path = waiting.pop(0)
        of_kind = seen.setdefault(NAMED.sub(r"/\1/_", path.partition("?")[0]), [])
        if path in of_kind or len(of_kind) == ALIKE:
            continue
        of_kind.append(path)
        answer = browser.get(path, timeout=patience_s())
        if answer.status_code != 200:
            wrong[path] = answer.status_code
        if answer.headers["content-type"].startswith("text/html"):
            waiting += [unescape(link) for link in re.findall(r'(?:href|src)="(/[^"#]*)', answer.text)]
    return wrong, set(seen)
