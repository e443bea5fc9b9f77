#!/bin/sh
# Brings a fresh clone to where everything runs: the sandbox's Debian packages, and a virtual environment from the lock
# file. With the word `tests` also the Debian packages that only the tests need. Does nothing when there is nothing to do.
# Exit status 5: a tool is missing that we may not install ourselves.
set -eu
cd "$(dirname "$0")/.."

missing() {
    echo "setup: $1" >&2
    exit 5
}

# Installs a Debian package if we may, else says how and stops.
install_package() {
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root=sudo
    else
        missing "$1 is missing and we are not root: install it with 'sudo apt-get install $1', then try again"
    fi
    command -v apt-get >/dev/null || missing "$1 is missing: install it with your system's package manager"
    echo "setup: installing the Debian package $1" >&2
    { $as_root apt-get update -qq && $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y -o DPkg::Lock::Timeout=120 "$1"; } \
        >.setup.log 2>&1 || { tail -n 5 .setup.log >&2; missing "could not install $1: see .setup.log"; }
}

# Only the program is wanted, not the service that its package starts.
install_pooler() {
    install_package pgbouncer
    $as_root systemctl disable --now pgbouncer >/dev/null 2>&1 || true
}

# Says whether a program is there, also one that only root has in its PATH.
has_program() {
    PATH="$PATH:/usr/sbin:/sbin" command -v "$1" >/dev/null
}

find_python() {
    for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    missing "Python 3.11 or newer is missing: install it with 'apt-get install python3 python3-venv'"
}

make_environment() {
    rm -rf .venv
    if ! "$1" -m venv .venv >.setup.log 2>&1; then
        install_package python3-venv
        rm -rf .venv
        "$1" -m venv .venv
    fi
    .venv/bin/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements.lock
    .venv/bin/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
}

exec 9>.setup.lock
flock 9 # one set-up at a time in one clone

command -v bwrap >/dev/null || install_package bubblewrap
[ -n "$(ls -d /lib*/libseccomp.so.2 /lib/*/libseccomp.so.2 /usr/lib*/libseccomp.so.2 /usr/lib/*/libseccomp.so.2 2>/dev/null)" ] ||
    install_package libseccomp2
if [ "${1:-}" = tests ]; then
    has_program ip || install_package iproute2 # networks to be cut
    has_program pgbouncer || install_pooler
fi

python=$(find_python)
wanted=$(cat requirements.lock deploy/setup.sh | sha256sum)
if [ "$(cat .venv/made-from 2>/dev/null || true)" != "$wanted $PWD" ] || ! .venv/bin/python -c '' 2>/dev/null; then
    echo "setup: making the virtual environment .venv (once)" >&2
    make_environment "$python"
    echo "$wanted $PWD" >.venv/made-from
fi
