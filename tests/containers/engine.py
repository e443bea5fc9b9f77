"""A container engine to try the deployment with: the machine's own, or one of Debian's packages without any registry.

How this works. Where an engine with Compose answers, it is used, with the official images. Else root makes a folder
with Debian's Docker Engine by debootstrap, once, and starts `dockerd` in it in namespaces of its own by `pivot_root`: a
chroot would forbid user namespaces to all containers. To build it uses the machine's network, for packages; to run it
has one of its own, without an outside. PostgreSQL, Redis and the base are made of Debian's packages under the names
that the files of the deployment have. All that it changes lies in one folder, which goes with it; when `dockerd` ends,
the kernel ends all that ran in its namespaces.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.sources import CHECKOUT

KEPT = Path("/var/cache/ladder-containers")
"""The folders that debootstrap makes; to make them takes some minutes."""
MIRROR = "http://deb.debian.org/debian"
ROOTS = {
    "engine": ("trixie", "docker.io,docker-cli,docker-buildx,docker-compose,ca-certificates,iproute2"),
    "debian": ("bookworm", "ca-certificates,python3,python3-venv"),
}
"""For each root folder: the release of Debian, and the packages."""
NOT_IN_IMAGES = (
    "./var/cache/apt/archives/*.deb",
    "./var/lib/apt/lists/*",
    "./usr/share/doc/*",
    "./usr/share/man/*",
    "./usr/share/locale/*",
)
"""Official images leave it out, too."""
STAND_INS = {"base": "python:3.11-slim-bookworm", "postgres": "postgres:18-bookworm", "redis": "redis:8-bookworm"}
"""For each folder of `images`: the name that the deployment's files have."""
TOOLS = {
    "debootstrap": "debootstrap",
    "unshare": "util-linux",
    "nsenter": "util-linux",
    "setpriv": "util-linux",
    "pivot_root": "util-linux",
}
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
SOURCES = "/src"
INSIDE = "PATH=/usr/sbin:/usr/bin:/sbin:/bin"
START = """
set -e
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/root"
cd "$2/root"
mount -t proc proc proc
mount --rbind /sys sys
mount --rbind /dev dev
mount -t tmpfs tmpfs run
mkdir -p src var/lib/docker old
mount --bind "$2/src" src
mount --bind "$2/data" var/lib/docker
cat /etc/resolv.conf >etc/resolv.conf
cat /etc/hosts >etc/hosts
pivot_root . old
umount -l /old
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
if [ "$3" = own ]; then ip link set lo up; else set -- "$@" --iptables=false --ip6tables=false --bridge=none; fi
shift 3
exec dockerd --host unix:///run/docker.sock --pidfile /run/docker.pid "$@"
"""
ENDS_WITH_US = ("setpriv", "--pdeathsig", "KILL")
STARTING_S, ENDING_S = 120.0, 60.0


class CannotRun(Exception):
    """This machine cannot run containers; one sentence says what is missing."""


class Engine:
    """What runs containers.

    prefix   what stands before each `docker`
    sources  where it sees a copy of the checkout
    network  what each build is to name, for packages
    base     the stand-in for the Dockerfile's base, which has no digest; "": the base itself
    """

    def __init__(
        self, sources: str, prefix: tuple[str, ...] = (), network: tuple[str, ...] = (), base: str = ""
    ) -> None:
        self.sources, self.base = sources, base
        self._prefix, self._network = prefix, network

    def build(self, folder: str, tag: str, *words: str) -> None:
        """Build an image. `folder`: in the copy of the checkout."""
        self.docker("buildx", "build", *self._network, f"--tag={tag}", *words, f"{self.sources}/{folder}")

    def docker(self, *words: str) -> str:
        """Run a command and return what it prints. Raises AssertionError with its words where it fails."""
        return printed(f"docker {' '.join(words)}", self.tried(*words))

    def tried(self, *words: str, variables: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, whatever that is."""
        command = [*self._prefix, "docker", *words]
        environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/root"), **(variables or {})}
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def printed(command: str, done: subprocess.CompletedProcess[str]) -> str:
    if done.returncode:
        raise AssertionError(f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


Say = Callable[[str], None]


class Host:
    """The machine's own engine, which has a network for building and running alike.

    checkout  the copy of this checkout that it sees
    """

    def __init__(self, folder: Path) -> None:
        self.checkout = folder / "src"
        self._engine = Engine(str(self.checkout))

    @contextmanager
    def building(self) -> Iterator[Engine]:
        yield self._engine

    running = building


class Debians:
    """An engine of Debian's packages in a folder, which goes when all is over. `checkout`: as of `Host`."""

    def __init__(self, folder: Path, say: Say) -> None:
        self.checkout = folder / "src"
        self._folder, self._say = folder, say
        self._is_ready = False

    @contextmanager
    def building(self) -> Iterator[Engine]:
        """Give an engine that reaches what the machine reaches, in which each build names the network `host`."""
        with dockerd(self._folder, own_network=False) as engine:
            if not self._is_ready:
                self._say("building images of Debian's Python, PostgreSQL and Redis")
                make_stand_ins(engine, self._folder)
                self._is_ready = True
            yield engine

    @contextmanager
    def running(self) -> Iterator[Engine]:
        """Give an engine with a network of its own."""
        with dockerd(self._folder, own_network=True) as engine:
            yield engine


@contextmanager
def engines(say: Say) -> Iterator[Host | Debians]:
    """Give what can build and run containers here. Raises CannotRun."""
    is_there = has_engine()
    if not is_there:
        require_tools()
        KEPT.mkdir(parents=True, exist_ok=True)
        for name in ROOTS:
            make_root(name, say)
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=None if is_there else KEPT))
    try:
        for part in ("upper", "work", "root", "data", "src"):
            (folder / part).mkdir()
        copy_checkout(folder / "src")
        yield Host(folder) if is_there else Debians(folder, say)
    finally:
        shutil.rmtree(folder)


def has_engine() -> bool:
    engine = Engine("")
    return bool(shutil.which("docker")) and not any(
        engine.tried(*words).returncode for words in (("compose", "version"), ("info",))
    )


def require_tools() -> None:
    if os.geteuid() != 0:
        raise CannotRun("no container engine answers here, and to start one takes root")
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            raise CannotRun(f"no container engine answers here, and to make one takes {tool}: install {package}")


def make_root(name: str, say: Say) -> None:
    """Make a folder with a Debian in it, unless it is there. Raises CannotRun."""
    root, (release, packages) = KEPT / name, ROOTS[name]
    if root.exists():
        return
    say(f"fetching Debian's {release} with {packages.replace(',', ', ')}")
    draft = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=KEPT))
    command = ["debootstrap", "--variant=minbase", f"--include={packages}", release, str(draft), MIRROR]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(draft, ignore_errors=True)
        last = (done.stdout + done.stderr).strip().splitlines()[-1:] or ["it says nothing"]
        raise CannotRun(f"debootstrap cannot fetch Debian's {release} from {MIRROR}: {last[0]}")
    draft.chmod(0o755)
    draft.rename(root)


def copy_checkout(target: Path) -> None:
    """Copy what git knows of, as it is in this checkout, and not what else lies there."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=CHECKOUT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (CHECKOUT / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, target / name, follow_symlinks=False)


@contextmanager
def dockerd(folder: Path, *, own_network: bool) -> Iterator[Engine]:
    """Start Debian's engine in namespaces of its own, and end it with all that it runs."""
    group = f"ladder-containers-{os.getpid()}"
    spaces = [
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        "--propagation",
        "private",
        *(["--net"] if own_network else []),
    ]
    network = "own" if own_network else "machine"
    command = [*ENDS_WITH_US, "unshare", *spaces, "sh", "-c", START, "sh", str(KEPT / "engine"), str(folder), network]
    with (folder / "dockerd.log").open("a", encoding="utf-8") as log:
        process = subprocess.Popen(
            [*command, f"--cgroup-parent=/{group}"],
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    try:
        found = Engine(SOURCES, entering(process), () if own_network else ("--network=host",), STAND_INS["base"])
        wait_for(found, process, folder / "dockerd.log")
        yield found
    finally:
        end(process)
        remove_cgroups(group)


def entering(process: subprocess.Popen[bytes]) -> tuple[str, ...]:
    """Return what starts a program beside the engine. `process`: its parent, which leads into the namespaces."""
    return ("nsenter", "--target", str(first_child(process)), "--mount", "--pid", "--net", "env", "HOME=/root", INSIDE)


def first_child(process: subprocess.Popen[bytes]) -> int:
    until = time.monotonic() + STARTING_S
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while process.poll() is None and time.monotonic() < until:
        if found := children.read_text("ascii").split():
            return int(found[0])
        time.sleep(0.05)
    raise CannotRun("no namespaces can be made here, which a container engine needs")


def wait_for(engine: Engine, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + STARTING_S
    while engine.tried("info").returncode:
        if process.poll() is not None or time.monotonic() > until:
            last = (log.read_text("utf-8").strip().splitlines() or ["nothing"])[-1]
            raise CannotRun(f"Debian's container engine does not start here; it says: {last}")
        time.sleep(0.2)


def end(process: subprocess.Popen[bytes]) -> None:
    """End the engine in good order, and else by the kernel: with the first of its processes all others end."""
    with suppress(ProcessLookupError, CannotRun, FileNotFoundError):
        os.kill(first_child(process), signal.SIGTERM)
    try:
        process.wait(ENDING_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def remove_cgroups(name: str) -> None:
    """Remove the empty groups that the engine leaves."""
    for top in Path("/sys/fs/cgroup").glob(f"**/{name}"):
        for folder in sorted((path for path in [top, *top.rglob("*")] if path.is_dir()), reverse=True):
            with suppress(OSError):
                folder.rmdir()


def make_stand_ins(engine: Engine, folder: Path) -> None:
    """Make images under the names that the deployment has, out of Debian's packages."""
    archive = folder / "src" / ".debian.tar"
    excluded = [f"--exclude={pattern}" for pattern in NOT_IN_IMAGES]
    subprocess.run(["tar", "-C", str(KEPT / "debian"), *excluded, "-cf", str(archive), "."], check=True)
    engine.docker("import", f"{SOURCES}/.debian.tar", "debian:bookworm")
    archive.unlink()
    contexts = folder / "src" / "tests" / "containers" / "images"
    shutil.copy(CERTIFICATES, contexts / "base" / "certificates.crt")
    for name, tag in STAND_INS.items():
        engine.build(f"tests/containers/images/{name}", tag)
