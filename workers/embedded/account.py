"""Who runs the servers. PostgreSQL refuses to run as root, so root hands both servers to an account without rights."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

from engine.errors import Unavailable

SERVICE_ACCOUNT = "ladder"
FALLBACK_ACCOUNT = "nobody"


@dataclass(frozen=True, slots=True)
class Account:
    """A user of this machine by numbers; the groups beside the first one are given up."""

    uid: int
    gid: int

    @property
    def is_ours(self) -> bool:
        return self.uid == os.geteuid()

    @classmethod
    def current(cls) -> Account:
        """Return the account that this process runs as."""
        return cls(os.geteuid(), os.getegid())

    @classmethod
    def owner_of(cls, path: Path) -> Account:
        """Return the owner of a file or folder."""
        info = path.stat()
        return cls(info.st_uid, info.st_gid)


def service_account() -> Account:
    """Return the account to run servers as: ourselves, or where we are root the account `ladder`, made if missing.

    Where no account can be made it is `nobody`. Raises Unavailable where there is not even that.
    """
    if os.geteuid() != 0:
        return Account.current()
    found = named(SERVICE_ACCOUNT) or made(SERVICE_ACCOUNT) or named(FALLBACK_ACCOUNT)
    if found is None or found.uid == 0:
        raise Unavailable(
            f"the servers do not run as root, and there is no account {SERVICE_ACCOUNT!r}: add one with useradd"
        )
    return found


def named(name: str) -> Account | None:
    """Return the account of that name, if there is one."""
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(entry.pw_uid, entry.pw_gid)


def made(name: str) -> Account | None:
    """Make a system account without a login, and return it, or None where that does not work here."""
    useradd = shutil.which("useradd", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin")
    if useradd is None:
        return None
    command = [useradd, "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", name]
    # Two first starts at once: the second useradd fails, and the account is there all the same.
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return named(name)


def reaches(account: Account, path: Path) -> bool:
    """Say by owner and mode whether the account can walk to `path` and read it (a folder: also look through it).

    Access lists are not considered: an account that only they let in counts as shut out.
    """
    path = path.resolve()
    if not all(allows(account, parent, stat.S_IXOTH) for parent in path.parents):
        return False
    return allows(account, path, stat.S_IROTH | stat.S_IXOTH if path.is_dir() else stat.S_IROTH)


def allows(account: Account, path: Path, wanted: int) -> bool:
    """Say whether the mode of one file grants `wanted`, given as the bits for others (S_IROTH, S_IXOTH)."""
    try:
        info = path.stat()
    except OSError:
        return False
    if info.st_uid == account.uid:
        wanted <<= 6
    elif info.st_gid == account.gid:
        wanted <<= 3
    return info.st_mode & wanted == wanted
