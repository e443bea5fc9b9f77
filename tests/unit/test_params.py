"""Parameters of a bot: what can be one, and that the box's own environment stays as it is."""

from pathlib import Path

import pytest

from engine.errors import UsageFault
from engine.toolchains.params import LONGEST_NAME, LONGEST_VALUE, MOST, params_text, read_params, with_params
from engine.toolchains.program import Program


def complaint(*words: str) -> str:
    with pytest.raises(UsageFault) as fault:
        read_params(words)
    assert fault.value.exit_status == 2
    assert "\n" not in str(fault.value)
    return str(fault.value)


def test_parameters_are_read_and_written_as_they_are_typed() -> None:
    words = ("DEPTH=6", "_X2=", "FORMULA=a=b c", "NODES=1000", "PERLIN=0.5", "ENVIRONMENT=ocean")
    assert read_params(words) == {
        "DEPTH": "6", "_X2": "", "FORMULA": "a=b c", "NODES": "1000", "PERLIN": "0.5", "ENVIRONMENT": "ocean"
    }  # fmt: skip
    assert params_text(read_params(words)) == " ".join(sorted(words)), "in the order of their names"


def test_what_cannot_be_a_parameter_is_said() -> None:
    assert "'DEPTH' has no value: write it as in DEPTH=6" in complaint("DEPTH")
    for name in ("depth", "2X", "A-B", "", "É", "A B", "DEPTH\n"):
        assert "capital letters, digits and _" in complaint(f"{name}=1")
    assert "DEPTH comes twice" in complaint("DEPTH=1", "WIDTH=2", "DEPTH=3")
    assert "cannot be printed" in complaint("DEPTH=\x1b[2J")
    assert "cannot be printed" in complaint("DEPTH=\udcff")
    assert "too long" in complaint(f"DEPTH={'9' * (LONGEST_VALUE + 1)}")
    assert "too long" in complaint(f"{'A' * (LONGEST_NAME + 1)}=1")
    assert f"{MOST} is the limit" in complaint(*(f"A{number}=1" for number in range(MOST + 1)))


OBEYED = """
    LD_PRELOAD LD_LIBRARY_PATH PATH HOME LANG LC_ALL PYTHONPATH PYTHONHASHSEED JAVA_TOOL_OPTIONS _JAVA_OPTIONS
    NODE_OPTIONS GOMEMLIMIT GOCACHE DOTNET_GCSTRESS RUBYOPT PERL5LIB MALLOC_ARENA_MAX GLIBC_TUNABLES BASH_ENV ENV
    CLASSPATH RUST_BACKTRACE LADDER_HOME
"""


@pytest.mark.parametrize("name", OBEYED.split())
def test_a_name_that_loaders_and_runtimes_obey_is_refused(name: str) -> None:
    assert f"{name} cannot be a bot's parameter" in complaint(f"{name}=1")


def test_what_a_recipe_sets_stays_as_it_is() -> None:
    program = Program("", "go", Path("/usr"), ("true",), {"PATH": "/usr/bin", "LIMIT": "640"})
    found = with_params(program, {"DEPTH": "6", "LIMIT": "9"}).environment
    assert found == {"PATH": "/usr/bin", "LIMIT": "640", "DEPTH": "6"}
    assert with_params(program, {}) is program
