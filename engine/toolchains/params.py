"""A bot's parameters: variables of the environment in its box, as in DEPTH=6.

So one source can be played with several values and compared with itself. A name that a loader, a shell or a runtime
obeys is refused, and what a recipe sets cannot be changed: a parameter is for the bot, not for what runs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from engine.errors import UsageFault
from engine.text import shortened
from engine.toolchains.languages import languages

if TYPE_CHECKING:
    from engine.toolchains.program import Program

Params: TypeAlias = Mapping[str, str]
NO_PARAMS: Params = {}

NAME = re.compile(r"[A-Z_][A-Z0-9_]*")
MOST = 32
LONGEST_NAME = 64
LONGEST_VALUE = 200
OBEYED = frozenset(
    (
        *("PATH", "HOME", "LANG", "LANGUAGE", "PWD", "OLDPWD", "SHELL", "USER", "LOGNAME"),
        *("TERM", "TERMINFO", "TMPDIR"),
        *("TZ", "TZDIR", "LOCPATH", "NLSPATH", "HOSTALIASES", "RES_OPTIONS", "GCONV_PATH", "GETCONF_DIR", "_"),
        *("IFS", "ENV", "CDPATH", "PS4", "SHELLOPTS", "BASHOPTS", "POSIXLY_CORRECT"),
        *("CLASSPATH", "JDK_JAVA_OPTIONS", "UV_THREADPOOL_SIZE", "PERLLIB", "PERLIO", "PHPRC", "DART_VM_OPTIONS"),
        *("GHCRTS", "OCAMLRUNPARAM", "CAMLRUNPARAM", "GOGC", "GOMEMLIMIT", "GODEBUG", "GOMAXPROCS", "GOTRACEBACK"),
        *("GOROOT", "GOPATH", "GORACE", "GOCOVERDIR"),
    )
)
OBEYED_BEGINNINGS = (
    *("LD_", "LC_", "GLIBC_", "MALLOC_", "BASH_", "LADDER_"),
    *("PYTHON", "JAVA_", "_JAVA", "NODE_", "TS_NODE", "DENO_", "DOTNET_", "COMPLUS_", "CORECLR_", "MONO_"),
    *("RUST_", "CARGO_", "RUBY", "GEM_", "PERL5", "PERL_", "PERLDB", "PHP_", "LUA_", "OCAML_", "SWIFT_"),
)
"""How names begin that the dynamic loader, C's library, shells and the languages' runtimes obey."""


def read_params(words: Iterable[str]) -> dict[str, str]:
    """As they are typed, DEPTH=6. Raises UsageFault for one that cannot be, or comes twice."""
    params: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise UsageFault(f"the parameter {shortened(word)!r} has no value: write it as in DEPTH=6")
        if name in params:
            raise UsageFault(f"the parameter {name} comes twice")
        params[name] = value
    check_params(params)
    return params


def check_params(params: Params) -> None:
    """Raises UsageFault for a name or a value that cannot be, and for too many."""
    ways = [way for language in languages().values() for way in language.toolchains] if params else []
    names_of_recipes = {name for way in ways for name in (*way.environment, *way.build_environment)}
    for name, value in params.items():
        if not NAME.fullmatch(name):
            raise UsageFault(
                f"a parameter cannot be called {shortened(name)!r}: capital letters, digits and _ make a name, as in "
                "DEPTH"
            )
        if len(name) > LONGEST_NAME or len(value) > LONGEST_VALUE:
            raise UsageFault(
                f"the parameter {shortened(name)} is too long: a name may have {LONGEST_NAME} characters, a value "
                f"{LONGEST_VALUE}"
            )
        if not value.isprintable():
            raise UsageFault(f"the value of {name} has characters that cannot be printed: {shortened(value)}")
        if name in OBEYED or name.startswith(OBEYED_BEGINNINGS) or name in names_of_recipes:
            raise UsageFault(
                f"{name} cannot be a bot's parameter, because what runs bots obeys it: choose another name"
            )
    if len(params) > MOST:
        raise UsageFault(f"there are {len(params)} parameters; {MOST} is the limit")


def params_text(params: Params) -> str:
    return " ".join(f"{name}={value}" for name, value in sorted(params.items()))


def with_params(program: Program, params: Params) -> Program:
    """What its recipe sets stays as it is."""
    return replace(program, environment={**params, **program.environment}) if params else program
