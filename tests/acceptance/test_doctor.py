"""`ladder doctor`: what it finds on this machine, and what it says where something is missing."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cli.doctor.clock import ATTACKS
from engine.boxes import NESTED
from engine.sandbox.choice import CONTAINING
from engine.sandbox.guarantees import TABLE
from engine.toolchains.languages import languages as known_languages
from tests.acceptance.conftest import Desk, Shell
from tests.throwaway import language_table, written

Found = dict[str, dict[str, Any]]
GROUPS = ["machine", "sandbox", "guarantees", "clock", "services", "languages"]


BROKEN = '[perl.toolchains.perl]\nrun = ["sh", "-c", "echo no; echo I am broken >&2; exit 3"]\n'


def diagnosis(shell: Shell, status: int = 0, **environment: str) -> Found:
    done = shell.run("doctor", "--json", **environment)
    assert done.returncode == status, done.stdout + done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    assert list(dict.fromkeys(finding["group"] for finding in found)) == [
        group for group in GROUPS if any(finding["group"] == group for finding in found)
    ]
    return {finding["name"]: finding for finding in found}


@pytest.fixture(scope="module")
def without_bubblewrap(open_folder: Path) -> Found:
    return diagnosis(Shell(open_folder / "never-started"), status=5, PATH="/nowhere")


@pytest.fixture(scope="module")
def found(open_folder: Path) -> Found:
    """As it is here, but that Perl's bots do not answer, and that there is one more language."""
    table = written(open_folder / "broken-and-new.toml", BROKEN + language_table("own", run=["sh"], tools=["sh"]))
    return diagnosis(Shell(open_folder / "never-started"), LADDER_LANGUAGES=str(table))


@pytest.mark.smoke
def test_it_shows_everything_that_bears_on_matches(found: Found) -> None:
    assert {finding["group"] for finding in found.values()} == set(GROUPS)
    machine = {"cores", "clock rate", "CPU quota", "disk", "fair clock", "shared hardware", "stolen time"}
    assert machine | {"services"} <= set(found)
    assert {f"tier {tier}" for tier in CONTAINING} <= set(found)
    assert found["sandbox"]["ok"]
    assert found["language Python"]["ok"]


def test_it_says_of_each_guarantee_by_what_it_holds(found: Found) -> None:
    for guarantee in TABLE:
        finding = found[guarantee.name]
        assert guarantee.sentence in finding["detail"]
        assert finding["ok"], "a machine without this guarantee is not one to run the tests on"
        assert "enforced by" in finding["detail"]
        assert finding["needed"] == bool(guarantee.demanded_by)


def test_it_builds_and_runs_a_bot_in_each_language_or_says_what_to_install(found: Found) -> None:
    languages = {name: finding for name, finding in found.items() if name.startswith("language ")}
    assert "a bot was built and answered" in languages["language Python"]["detail"]
    for title in languages.keys() - {"language Own", "language Perl"}:
        finding = languages[title]
        assert "a bot was built and answered" in finding["detail"] if finding["ok"] else finding["remedy"]


def test_it_says_of_a_language_without_a_recipe_why_there_is_none_and_how_to_write_one(found: Found) -> None:
    for title in ("Dart", "F#", "Swift", "VB.NET"):
        finding = found[f"language {title}"]
        assert finding["ok"] is False
        assert f"there is no recipe for {title}: Debian 12 has no package of its compiler" in finding["detail"]
        assert "docs/writing-a-bot.md" in finding["remedy"]
    numpy = found["numpy of Python bots"]
    assert "of /usr/" in numpy["detail"] if numpy["ok"] else numpy["remedy"] == "sudo apt install python3-numpy"


def test_a_language_whose_bots_do_not_answer_is_not_ok(found: Found) -> None:
    """Having its tools is not enough."""
    finding = found["language Perl"]
    assert not finding["ok"]
    assert "ended with 3 instead of answering; it said: no; its last words on stderr: I am broken" in finding["detail"]


def test_a_language_of_ones_own_is_not_tried(found: Found) -> None:
    assert "not tried" in found["language Own"]["detail"]


def test_without_bubblewrap_it_says_how_to_get_it_and_that_no_guarantee_holds(without_bubblewrap: Found) -> None:
    assert not without_bubblewrap["sandbox"]["ok"]
    assert "sudo apt install bubblewrap" in without_bubblewrap["sandbox"]["remedy"]
    assert without_bubblewrap["language Python"]["ok"] is None
    for guarantee in TABLE:
        finding = without_bubblewrap[guarantee.name]
        assert finding["ok"] is False
        assert finding["detail"].startswith(f"{guarantee.sentence}; nothing enforces it, for want of a sandbox")
        assert finding["remedy"] == without_bubblewrap["sandbox"]["remedy"]
        assert finding["needed"] == bool(guarantee.demanded_by)


def test_the_clock_is_looked_at_without_bubblewrap_too(without_bubblewrap: Found, found: Found) -> None:
    """It is the kernel that tells of it, and no box."""
    assert clock_of(without_bubblewrap) == clock_of(found)
    assert "of two programs on one core" in without_bubblewrap["fair clock"]["detail"]
    assert "tried without a sandbox" in without_bubblewrap["fair clock"]["detail"]


def clock_of(found: Found) -> list[str]:
    return [name for name, finding in found.items() if finding["group"] == "clock"]


def test_in_the_nested_tier_it_says_what_is_missing_and_how_to_get_it(desk: Desk) -> None:
    found = diagnosis(desk, LADDER_SANDBOX=NESTED)
    assert not found["host-name"]["ok"]
    assert found["host-name"]["remedy"].startswith("unset LADDER_SANDBOX")
    assert found["files"]["ok"]


def test_people_get_the_same_under_headings_with_the_remedies_and_the_attacks_on_the_clock(desk: Desk) -> None:
    done = desk.run("doctor", "--all", LADDER_SANDBOX="none")
    assert done.returncode == 5
    lines = done.stdout.splitlines()
    assert lines[0].startswith("not ready: the tier `none`, as LADDER_SANDBOX asks for")
    assert [line for line in lines if line in GROUPS] == GROUPS
    assert all(any(f" {attack}: " in line for line in lines) for attack in ATTACKS)
    (network,) = (at for at, line in enumerate(lines) if line.startswith("  no  network: "))
    assert lines[network + 1].startswith("        unset LADDER_SANDBOX")


def test_it_begins_with_three_lines_and_lists_what_is_in_the_way(desk: Desk, shell: Shell) -> None:
    ready, cores, languages, *rest = desk.ok("doctor").splitlines()
    assert ready.startswith("ready: bots run in the tier ")
    assert re.fullmatch(
        r"\d+ cores?: up to \d+ match(es)? at once(; load is [0-9.]+, so matches will be slow .*)?", cores
    )
    assert re.match(r"languages: Python, C,.* and \w+(; not here: .*)?", languages)
    named = languages.removeprefix("languages: ").partition(";")[0].replace(" and ", ", ").split(", ")
    assert set(named) <= {language.title for language in known_languages().values()} - {"Program"}, (
        "languages and nothing else"
    )
    assert re.search(r"; Python has numpy|; Python lacks numpy \(sudo apt install python3-numpy\)", languages)
    assert rest[-1] == "`ladder doctor --all` lists everything that was looked at"
    assert "guarantees" not in rest
    done = shell.run("doctor", PATH="/nowhere")
    assert (done.returncode, done.stdout.splitlines()[0].partition(":")[0]) == (5, "not ready")
    assert "        sudo apt install bubblewrap libseccomp2 util-linux" in done.stdout.splitlines()


def test_one_sentence_says_what_is_wrong_with_a_setting(desk: Desk) -> None:
    for words in (("doctor",), ("doctor", "--json")):
        assert "LADDER_GUARANTEES is 'lax'" in desk.refused(2, *words, LADDER_GUARANTEES="lax")
