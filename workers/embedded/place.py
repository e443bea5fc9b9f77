"""Where the servers' data and sockets stand.

How this works. For an ordinary user all data stand in LADDER_HOME. For root the servers run under another account,
which often cannot walk there (a home below /root, a folder of mode 700); then they stand in /var/lib/ladder/ID. What
was decided at the first start is written to LADDER_HOME/instance.json and kept, so that a later change of a folder's
mode never makes a ladder look empty. ID is random: a home that was deleted and made again never meets old data.

Sockets stand apart from the data, because the path of a Unix socket is limited to 107 bytes and a home may be anywhere:
in a folder of mode 700 with a short name that only this home leads to.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from engine.errors import Refused, Unavailable
from workers.embedded.account import Account, reaches, service_account
from workers.embedded.home import LadderHome

SYSTEM_DATA = Path("/var/lib/ladder")
LONGEST_SOCKET = 107
LONGEST_SOCKET_NAME = len("/.s.PGSQL.5432")


@dataclass(frozen=True, slots=True)
class Place:
    """The folders of one ladder's servers, and the account that owns them."""

    folder: Path
    sockets: Path
    account: Account

    @property
    def postgres(self) -> Path:
        """PostgreSQL's data folder."""
        return self.folder / "postgres"

    @property
    def redis(self) -> Path:
        """Redis' data folder."""
        return self.folder / "redis"


@dataclass(frozen=True, slots=True)
class Instance:
    """What instance.json holds: a random name, and the data's folder where it is not the home itself."""

    id: str
    elsewhere: str | None

    @classmethod
    def of(cls, home: LadderHome) -> Instance | None:
        """Read what the home says, or None before its first start."""
        try:
            found = json.loads(home.instance.read_text())
            return cls(str(found["id"]), found["elsewhere"])
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError) as error:
            raise Refused(f"cannot read {home.instance}: it was changed by hand or damaged") from error


def find(home: LadderHome) -> Place | None:
    """Return where the servers of this home stand, or None where it never had any. Changes nothing."""
    instance = Instance.of(home)
    if instance is None:
        return None
    folder = Path(instance.elsewhere) if instance.elsewhere else home.folder
    postgres = folder / "postgres"
    account = Account.owner_of(postgres) if postgres.exists() else service_account()
    return Place(folder, sockets_folder(home, instance, account), account)


def settle(home: LadderHome) -> Place:
    """Return where the servers of this home stand, deciding and making what is missing.

    Needs the home's lock. Raises Refused where data that were there are gone, and Unavailable where folders cannot be
    made, or are not ours.
    """
    if not home.instance.exists():
        write_instance(home, decide(home, service_account()))
    place = find(home)
    if place is None or not place.folder.is_dir():
        raise Refused(
            f"the data of this ladder are gone ({place.folder if place else home.folder}): bring them back, "
            f"or delete {home.instance} to start empty"
        )
    if not place.account.is_ours and not reaches(place.account, place.folder):
        raise Unavailable(
            f"the servers run as uid {place.account.uid}, which cannot reach {place.folder} any more: open it with chmod o+rx"
        )
    for folder in (place.redis, place.sockets):
        private_folder(folder, place.account)
    return place


def decide(home: LadderHome, account: Account) -> Instance:
    """Choose where a new ladder's data stand, and make that folder."""
    name = secrets.token_hex(6)
    if account.is_ours or reaches(account, home.folder):
        return Instance(name, None)
    folder = SYSTEM_DATA / name
    try:
        for step in (SYSTEM_DATA, folder):
            step.mkdir(mode=0o755, exist_ok=True)
        (folder / "home").write_text(f"{home.folder}\n")  # For people who wonder what this folder belongs to.
    except OSError as error:
        raise Unavailable(f"the servers cannot reach {home.folder}, and their own folder cannot be made: {error}") from error
    return Instance(name, str(folder))


def write_instance(home: LadderHome, instance: Instance) -> None:
    """Write the decision down, whole or not at all."""
    draft = home.instance.with_suffix(".new")
    draft.write_text(json.dumps({"id": instance.id, "elsewhere": instance.elsewhere}))
    draft.replace(home.instance)


def sockets_folder(home: LadderHome, instance: Instance, account: Account) -> Path:
    """Return the folder for sockets: short, and different for a copied home and a home made again."""
    key = hashlib.sha256(f"{instance.id} {home.folder}".encode()).hexdigest()[:12]
    runtime = Path("/run") if os.geteuid() == 0 else Path(os.environ.get("XDG_RUNTIME_DIR") or "/nonexistent")
    folder = runtime / f"ladder-{key}"
    fits = len(os.fsencode(folder)) + LONGEST_SOCKET_NAME <= LONGEST_SOCKET
    if fits and runtime.is_absolute() and os.access(runtime, os.W_OK | os.X_OK) and reaches(account, runtime):
        return folder
    return Path("/tmp") / folder.name  # noqa: S108 - private_folder() checks that it is ours


def private_folder(folder: Path, account: Account) -> None:
    """Make a folder that only `account` can enter, or make sure that it is one.

    Raises Unavailable for one that somebody else made, or opened to others: anyone may write to /tmp.
    """
    try:
        folder.mkdir(mode=0o700)
        if not account.is_ours:
            os.chown(folder, account.uid, account.gid)
    except FileExistsError:
        check_private(folder, account)
    except OSError as error:
        raise Unavailable(f"cannot make {folder}: {error}") from error


def check_private(folder: Path, account: Account) -> None:
    """Raise Unavailable unless it is a real folder of the account's and closed to others."""
    info = folder.lstat()
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != account.uid or info.st_mode & 0o077:
        raise Unavailable(
            f"{folder} is not a folder of uid {account.uid} with mode 700, as the servers need it: remove it if it is yours"
        )
