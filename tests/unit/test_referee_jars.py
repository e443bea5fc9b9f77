"""How a referee's jar is started."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from engine.errors import UsageFault
from engine.referees.program import CLASS_FILE, jar_of, jar_start


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, file in {"good.jar": CLASS_FILE, "other.jar": "Main.class"}.items():
        with ZipFile(tmp_path / name, "w") as jar:
            jar.writestr(file, b"")
    (tmp_path / "text.jar").write_text("hello")
    return tmp_path


def test_the_class_that_speaks_the_protocol_is_started_by_the_users_options_and_ours(folder: Path) -> None:
    """Theirs come last, so that they win; level and mode are the game's."""
    start = jar_start(
        ("java", "-Xmx100m", "-Dx=y", "-jar", "good.jar", "-p1", "a"), folder, memory_mb=600, rules_level=3
    )
    assert start
    words = start.command
    assert words[0] == "java"
    assert words[-7:] == (
        "-Xmx100m",
        "-Dx=y",
        "-Dgame.mode=multi",
        "-Dleague.level=3",
        "-cp",
        "good.jar",
        "com.codingame.gameengine.core.RefereeMain",
    )
    assert {"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xmx400m"} <= set(words)


def test_there_is_one_collector(folder: Path) -> None:
    """A JVM refuses two."""
    start = jar_start(("/opt/bin/java", "-XX:+UseParallelGC", "-jar", "good.jar"), folder, memory_mb=512)
    assert start
    assert [option for option in start.options if option.endswith("GC")] == ["-XX:+UseParallelGC"]


@pytest.mark.parametrize("command", ["java -jar other.jar", "java -cp good.jar Main", "./good.jar", "python3 a -jar b"])
def test_any_other_command_is_run_as_it_is(folder: Path, command: str) -> None:
    assert jar_start(command.split(), folder, memory_mb=512) is None


@pytest.mark.parametrize("name", ["text.jar", "missing.jar"])
def test_what_is_no_jar_is_named(folder: Path, name: str) -> None:
    with pytest.raises(UsageFault, match=f"{name} cannot be read"):
        jar_start(("java", "-jar", name), folder, memory_mb=512)


def test_a_command_that_ends_too_early_has_no_jar() -> None:
    assert jar_of(("java", "-jar")) is None
