#!/bin/sh
# Brings a fresh clone to where something runs: the sandbox's Debian packages, and a virtual environment from the lock
# files in `requirements`. The word says what is to run, and nothing else is installed:
#   program    the program; this is meant without a word too
#   openskill  leagues that rate by openskill
#   gym        bots that learn: the games as environments
#   parquet    tables of turns as Parquet
#   tests      the tests, without the Debian packages that some of them need
#   all-tests  all tests: compilers, a pooler, a browser ... from Debian
#   lint       `make lint`
#   bench      the benchmarks, with the Debian packages that they need
#   mutants    `make mutants`
# Does nothing when there is nothing to do; with the word `program` it looks for that at the environment alone. Messages go
# to stderr. Exit status 5: a tool is missing that we may not install ourselves, or packages could not be installed. The
# next run goes on from there.
set -eu
cd -P "$(dirname "$0")/.."

word=${1:-program}
case $word in
program) locks=program ;;
openskill | gym | parquet) locks="program $word" ;;
tests | all-tests | bench) locks="program openskill gym parquet tests" ;;
lint) locks="program openskill gym parquet tests lint" ;;
mutants) locks="program openskill gym parquet tests mutants" ;;
*)
    known="program, openskill, gym, parquet, tests, all-tests, lint, bench, mutants"
    echo "setup: unknown word '$word'; known: $known" >&2
    exit 2
    ;;
esac

# What stands in .venv/made-from once the packages of a lock file are there.
made_from() {
    echo "$1 $(cat "requirements/$1.lock" deploy/setup.sh deploy/packages.py | sha256sum) $PWD"
}
is_made() {
    grep -qxF "$(made_from "$1")" .venv/made-from 2>/dev/null
}
[ "$word" = program ] && is_made program && exit 0

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

# Only the programs are wanted, not the service that their package starts.
install_without_service() {
    install_package "$1" --no-install-recommends
    $as_root systemctl disable --now "$1" >/dev/null 2>&1 || true
}

# Says whether a program is there, also one that only root has in its PATH.
has_program() {
    PATH="$PATH:/usr/sbin:/sbin" command -v "$1" >/dev/null
}

# The Python itself, where .venv/bin is on the PATH, too: that one goes when the environment is made anew.
find_python() {
    for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
        "$candidate" -c 'import sys; sys.version_info < (3, 11) and sys.exit(1); print(sys._base_executable)' 2>/dev/null && return
    done
    missing "Python 3.11 or newer is missing: install it with 'apt-get install python3 python3-venv'"
}

( : >>.setup.lock ) 2>/dev/null || missing "cannot write in $PWD: look at its permissions, and at the room on its disk"
exec 9>.setup.lock
flock -n 9 || { # one set-up at a time in one clone
    echo "setup: another set-up of this clone is under way; waiting for it" >&2
    flock 9
}

command -v bwrap >/dev/null || install_package bubblewrap
[ -n "$(ls -d /lib*/libseccomp.so.2 /lib/*/libseccomp.so.2 /usr/lib*/libseccomp.so.2 /usr/lib/*/libseccomp.so.2 2>/dev/null)" ] ||
    install_package libseccomp2
if [ "$word" = all-tests ] || [ "$word" = bench ]; then # to compile the referees that games of the tests have
    has_program gcc || install_package gcc
    has_program javac || install_package default-jdk-headless --no-install-recommends
fi
if [ "$word" = bench ]; then
    [ -e /usr/share/java/guice.jar ] || install_package libguice-java --no-install-recommends
    [ -e /usr/share/java/gson.jar ] || install_package libgoogle-gson-java --no-install-recommends
fi
if [ "$word" = all-tests ]; then
    has_program ip || install_package iproute2 # networks to be cut
    has_program pgbouncer || install_without_service pgbouncer
    has_program promtool || install_without_service prometheus # to try the alerts
    has_program openssl || install_package openssl --no-install-recommends # a certificate of a test
    has_program tsc || install_package node-typescript --no-install-recommends # to compile bots in TypeScript
    has_program chromium-headless-shell || has_program chromium || # to look at pages with
        install_package chromium-headless-shell --no-install-recommends
fi

# The packages that are not there yet; all of them where a set-up was cut off, or another Python was meant.
wanted=
for lock in $locks; do
    is_made "$lock" || wanted="$wanted $lock"
done
if ! is_made program || [ -e .venv/unfinished ] || ! .venv/bin/python -c '' 2>/dev/null; then
    wanted=$locks
    echo "setup: making the virtual environment .venv (once)" >&2
fi
[ -n "$wanted" ] || exit 0
python=$(find_python)
"$python" -c 'import ensurepip, venv' 2>/dev/null || install_package python3-venv
is_made program && : >.venv/unfinished
"$python" deploy/packages.py $wanted 9>&- || exit
for lock in $wanted; do
    made_from "$lock"
done >>.venv/made-from || missing "cannot write .venv/made-from: the disk is full"
rm -f .venv/unfinished
