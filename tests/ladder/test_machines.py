"""A machine whose results differ from the others' is named, and what it played can be taken back and played again."""

from random import Random

from ladder.database.connection import Pool, transaction
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule
from ladder.gauntlets.execution import begin, purge
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import spec_of
from ladder.ids import VersionId, WorkerId
from tests.catalogue import GAMES
from tests.fakes import RememberingQueue, result_of
from tests.ladder.arena import claimed, enlisted_dead, on_the_board, within
from tests.ladder.test_gauntlets import reported

PAIRS = 60


def play_out(pool: Pool, candidate: VersionId, machines: dict[str, WorkerId], broken: str | None) -> None:
    """Let the gauntlet go on to its end, pair by pair on machines in turn; on a broken one the candidate loses all.

    Elsewhere it wins two matches of three.
    """
    chance, queue = Random(3), RememberingQueue()
    while schedule(pool, queue, chance, GAMES):
        for number, match_id in enumerate(queue.plays):
            host = sorted(machines)[number // 2 % len(machines)]
            claim = claimed(pool, match_id, machines[host])
            wins = host != broken and chance.random() < 2 / 3
            seat = claim.version_ids.index(candidate) if candidate in claim.version_ids else 0
            assert within(pool, record, claim, result_of(claim, (1, 0) if (seat == 0) == wins else (0, 1)))
        queue.plays.clear()


def test_a_broken_machine_is_reported_and_purged_and_the_verdict_is_found_anew(pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    candidate = on_the_board(pool, "kraken", "b")
    with transaction(pool) as connection:
        gauntlet = begin(
            connection, spec_of(connection, GauntletRequest("kraken@v2", "kim", ("kraken@v1",), pairs=PAIRS))
        )
    machines = {host: within(pool, enlisted_dead, host) for host in ("attic", "cellar", "lab")}
    play_out(pool, candidate, machines, broken="cellar")

    before = reported(pool, gauntlet.id)
    assert before.gauntlet.verdict == "undecided"
    assert {check.host: check.is_suspicious for check in before.hosts} == {"cellar": True, "attic": False, "lab": False}
    assert sum(sum(check.counts) for check in before.hosts) == PAIRS

    taken = within(pool, purge, gauntlet.id, "cellar", "kim", "its CPU was throttled")
    assert taken == sum(before.hosts[0].counts)
    assert reported(pool, gauntlet.id).pairs == PAIRS - taken

    del machines["cellar"]
    play_out(pool, candidate, machines, broken=None)
    after = reported(pool, gauntlet.id)
    assert after.gauntlet.verdict == "passed"
    assert after.pairs == PAIRS
    assert not any(check.is_suspicious for check in after.hosts)
    assert {check.host for check in after.hosts} == {"attic", "lab"}
