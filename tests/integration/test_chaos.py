"""The short form of `make chaos`: the same driver and the same checks, with a few faults of each kind."""

from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest

from ladder.database.connection import connect
from ladder.views import metrics
from tests.chaos import game_of_three, load
from tests.chaos.checks import check_all, clients_have_what_they_were_promised, nothing_is_left
from tests.chaos.clients import PLAYERS, Clients
from tests.chaos.run import KILLS, SHORT, Run, begin
from tests.chaos.victim import Victim, victim
from tests.patience import patience_s
from workers.embedded import control

BOTS = 2
"""This many come in at least, however quickly the faults are made."""
ENOUGH = 8
"""While this many matches wait nobody submits; with fewer, faults that need a match might find none."""
MOST_BOTS = 20


def disturbed(ladder: Victim) -> Run:
    run = begin(ladder, seed=7, say=print, enough=ENOUGH, most=MOST_BOTS)
    try:
        run.do(SHORT, minutes=0.1)
        run.scene.load.wait_for(BOTS)
    finally:
        run.scene.load.end()
        run.scene.readers.end()
    run.wait_until_quiet(limit_s=patience_s())
    run.log(f"quiet, with {len(run.scene.load.accepted)} bots")
    return run


@pytest.mark.long
def test_nothing_is_lost_or_counted_twice_whatever_is_killed_or_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "PAIRS", dict.fromkeys(load.PAIRS, 1))
    monkeypatch.setattr(load, "ASKED", dict.fromkeys(load.ASKED, 1))
    with victim() as ladder:
        game_of_three.add_to(ladder)
        ladder.make_small(1)
        run = disturbed(ladder)
        findings = check_all(ladder, run.scene.load, run.scene.readers, run.scene.clients)
        with connect(ladder.database_url, snapshot=True) as connection:
            measured = metrics.samples(connection, wait_s=300)
        control.down(ladder.home)
        findings.append(nothing_is_left(ladder))
    assert {finding.promise: finding.wrong for finding in findings if finding.wrong} == {}
    assert measured.values["ladder_workers_lost_total"][()] > 0, "an operator sees it"
    assert measured.values["ladder_workers_wanted"][()] == 0, "nothing is left to be played"
    assert run.missed == []
    assert run.kills == sum(fault in KILLS for fault in SHORT)
    assert len(run.scene.load.accepted) >= BOTS


def test_every_201_is_one_version_and_quotas_hold_whenever_the_web_is_killed(database_url: str, tmp_path: Path) -> None:
    """While players submit."""
    clients = Clients(quota=3, kills_each=1)
    clients.submit_while_killed(database_url, "redis://127.0.0.1:1/0", tmp_path / "home")

    def ask(query: LiteralString, *parameters: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(database_url) as connection:
            return connection.execute(query, parameters).fetchall()

    assert clients_have_what_they_were_promised(ask, clients).wrong == []
    assert (clients.kills, len(clients.kept)) == (1, PLAYERS * 3)
    assert clients.repeats >= 2, "requests were under way when it was killed"
