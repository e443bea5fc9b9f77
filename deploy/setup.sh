#!/bin/sh
# Brings a fresh clone to where everything runs: the sandbox's Debian packages, and a virtual environment from the lock
# file. With the word `all-tests` also the Debian packages that only some tests need, with `bench` those of the benchmarks; with
# the word `program` it looks only whether the environment is there. Does nothing when there is nothing to do. Messages go
# to stderr.
# Exit status 5: a tool is missing that we may not install ourselves.
set -eu
cd -P "$(dirname "$0")/.."

wanted="$(cat requirements.lock deploy/setup.sh deploy/packages.py | sha256sum) $PWD"
is_made() {
    [ "$(cat .venv/made-from 2>/dev/null || true)" = "$wanted" ]
}
[ "${1:-}" = program ] && is_made && exit 0

missing() {
    echo "setup: $1" >&2
    exit 5
}

# Installs a Debian package if we may, else says how and stops. Further words are options for apt-get.
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
    go_on_saying "still installing the Debian package $1" 9>&- &
    saying=$!
    { $as_root apt-get update -qq && $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y -o DPkg::Lock::Timeout=120 "$@"; } \
        >.setup.log 2>&1 || { kill $saying; tail -n 5 .setup.log >&2; missing "could not install $1: see .setup.log"; }
    kill $saying
}

# Says something every ten seconds, for as long as this script runs.
go_on_saying() {
    while sleep 10 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
        echo "setup: $1" >&2
    done
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
    .venv/bin/python deploy/packages.py requirements.lock .setup.log
    .venv/bin/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
}

exec 9>.setup.lock
flock -n 9 || { # one set-up at a time in one clone
    echo "setup: another set-up of this clone is under way; waiting for it" >&2
    flock 9
}

command -v bwrap >/dev/null || install_package bubblewrap
[ -n "$(ls -d /lib*/libseccomp.so.2 /lib/*/libseccomp.so.2 /usr/lib*/libseccomp.so.2 /usr/lib/*/libseccomp.so.2 2>/dev/null)" ] ||
    install_package libseccomp2
if [ "${1:-}" = all-tests ] || [ "${1:-}" = bench ]; then # to compile the referees that games of the tests have
    has_program gcc || install_package gcc
    has_program javac || install_package default-jdk-headless --no-install-recommends
fi
if [ "${1:-}" = bench ]; then
    [ -e /usr/share/java/guice.jar ] || install_package libguice-java --no-install-recommends
    [ -e /usr/share/java/gson.jar ] || install_package libgoogle-gson-java --no-install-recommends
fi
if [ "${1:-}" = all-tests ]; then
    has_program ip || install_package iproute2 # networks to be cut
    has_program pgbouncer || install_pooler
    has_program openssl || install_package openssl --no-install-recommends # a certificate of a test
    has_program tsc || install_package node-typescript --no-install-recommends # to compile bots in TypeScript
    has_program chromium || install_package chromium --no-install-recommends # to look at pages with
fi

python=$(find_python)
if ! is_made || ! .venv/bin/python -c '' 2>/dev/null; then
    echo "setup: making the virtual environment .venv (once)" >&2
    make_environment "$python"
    echo "$wanted" >.venv/made-from
fi
