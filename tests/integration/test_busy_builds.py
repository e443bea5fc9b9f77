"""A host that is too busy for a build, met by a real worker: the version waits and is built later, nobody's fault.

Whatever takes longer than its wide limit without having been charged for more than its own is the host's fault: so a
wide limit that is shorter than what the build computes makes any host too busy.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.errors import HostBusy
from engine.toolchains import build
from ladder.bots import versions
from ladder.bots.builds import MOST_ATTEMPTS
from ladder.database.connection import Pool, transaction
from tests.catalogue import GAMES
from tests.ladder.arena import GAME, submitted
from workers.build_job import build_version
from workers.worker_process import WorkerProcess

LANGUAGE = """
[slow]
title = "Slow"
extensions = [".slow"]
source = "bot.slow"
[slow.toolchains.python3]
run = ["python3", "-u", "{source}"]
check = ["python3", "-c", "import time\\nwhile time.process_time() < 0.4: pass"]
"""
"""Python whose sources take 0.4 s of computing to check."""
DRIFTER = (GAMES.find(GAME).bots_folder / "drifter_v1.py").read_text("utf-8")


def test_a_build_for_which_the_host_is_too_busy_costs_its_version_no_attempt(
    process: WorkerProcess, pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "languages.toml"
    table.write_text(LANGUAGE)
    monkeypatch.setenv("LADDER_LANGUAGES", str(table))
    version_id = submitted(pool, source=f"{DRIFTER}# {os.urandom(4).hex()}", language="slow")
    process.presence.worker_id_once_there()  # which tries what compilers there are
    with monkeypatch.context() as impatient:
        impatient.setattr(build, "WIDE", 0.01)
        for _ in range(MOST_ATTEMPTS + 1):
            with pytest.raises(HostBusy):
                build_version(process, version_id)
    with transaction(pool) as connection:
        assert versions.find_version(connection, version_id).state == "building"
    build_version(process, version_id)
    with transaction(pool) as connection:
        assert versions.find_version(connection, version_id).state == "accepted"
