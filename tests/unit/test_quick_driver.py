"""The driver that commands import is the real one, without the parts that none of them uses."""

import subprocess
import sys
from pathlib import Path

IMPORTED = """
import sys
from cli.quick_driver import import_it_quickly
import_it_quickly()
import psycopg
assert not {"asyncio", "importlib.metadata", "email"} & set(sys.modules)
import asyncio, importlib.metadata
from psycopg_pool import ConnectionPool
assert psycopg.__version__ == importlib.metadata.version("psycopg")
assert asyncio.run(asyncio.sleep(0, "slept")) == "slept"
async def connected():
    await psycopg.AsyncConnection.connect("host=/nowhere connect_timeout=2")
try:
    asyncio.run(connected())
except psycopg.OperationalError as error:
    print(error)
"""


def test_asyncio_and_metadata_are_not_imported_with_the_driver_and_are_the_real_ones_afterwards() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2]
    )
    assert done.returncode == 0, done.stderr
    assert "/nowhere" in done.stdout
