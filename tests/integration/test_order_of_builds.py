"""Which version a worker builds first: the bots of players, for whom somebody waits, before those of the house."""

from ladder.bots import versions
from ladder.bots.players import HOUSE
from ladder.database.connection import Pool, one, transaction
from ladder.ids import VersionId
from tests.ladder.arena import DRIFTER, submitted, within
from tests.ladder.rated import change
from workers.app import queue_for
from workers.broker import queue_lengths
from workers.jobs import build_version
from workers.worker_process import WorkerProcess


def first_boss(pool: Pool) -> VersionId:
    """Return the first version of the house that is still to be built, one in Python."""
    query = """
        SELECT versions.id FROM versions JOIN bots ON bots.id = bot_id JOIN players ON players.id = player_id
        WHERE players.name = %(house)s AND state = 'building' AND language = 'python' ORDER BY versions.id LIMIT 1
        """
    return VersionId(within(pool, one, query, {"house": HOUSE})[0])


def states(pool: Pool, *ids: VersionId) -> list[str]:
    with transaction(pool) as connection:
        return [versions.find_version(connection, version_id).state for version_id in ids]


def test_a_boss_gives_way_to_a_player_and_its_message_goes_back(
    process: WorkerProcess, pool: Pool, broker_url: str
) -> None:
    process.queue = queue_for(broker_url)
    boss, own = first_boss(pool), submitted(pool, source=DRIFTER)
    build_version(process, boss)
    assert states(pool, boss, own) == ["building", "accepted"]
    assert queue_lengths(broker_url)["build"] == 1
    build_version(process, own)  # its own message, which came too late
    build_version(process, boss)
    assert states(pool, boss, own) == ["accepted", "accepted"]
    assert queue_lengths(broker_url)["build"] == 1


def test_a_player_gives_way_to_nobody(process: WorkerProcess, pool: Pool, broker_url: str) -> None:
    process.queue = queue_for(broker_url)
    first, second = submitted(pool, source=DRIFTER), submitted(pool, "orca", f"{DRIFTER}\n", player="olga")
    build_version(process, second)
    assert states(pool, first, second) == ["building", "accepted"]
    assert queue_lengths(broker_url)["build"] == 0


def test_a_version_that_could_not_be_built_takes_no_place(process: WorkerProcess, pool: Pool, broker_url: str) -> None:
    process.queue = queue_for(broker_url)
    boss, own = first_boss(pool), submitted(pool, source=DRIFTER)
    change(pool, "UPDATE versions SET attempt = 1, lease_until = NULL WHERE id = %s", own)
    build_version(process, boss)
    assert states(pool, boss, own) == ["accepted", "building"]
