"""Bots that try to cheat the clock, for `ladder doctor --all`: on this machine, and what is made of how they fare."""

from collections.abc import Callable

import pytest

from cli.doctor import clock
from cli.doctor.clock import ATTACKS, TRIALS, try_attack
from engine.errors import HostBusy
from engine.sandbox.box import Sandbox
from engine.sandbox.choice import open_sandbox
from tests.sandbox.conftest import tiers

HERE = tiers()


@pytest.fixture
def sandbox() -> Sandbox:
    return open_sandbox(HERE[0])


@pytest.mark.parametrize("tier", HERE)
@pytest.mark.parametrize("name", ATTACKS)
def test_no_bot_gets_away_with_it(name: str, tier: str) -> None:
    """On a busy host nothing may be known."""
    assert try_attack(name, ATTACKS[name], open_sandbox(tier)).ok in {True, None}


def test_a_bot_that_answers_in_time_is_not_charged(sandbox: Sandbox) -> None:
    """So it is not the trial itself that makes bots late."""
    assert not clock.is_charged("pass", sandbox)


def test_a_clock_that_lets_a_bot_get_away_with_it_each_time_does_not_hold(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials: list[str] = []

    def get_away(attack: str, _: Sandbox) -> bool:
        trials.append(attack)
        return False

    monkeypatch.setattr(clock, "is_charged", get_away)
    assert try_attack("sleep", "attack", sandbox).ok is False
    assert trials == ["attack"] * TRIALS


def test_of_a_host_that_was_too_busy_nothing_is_said(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "is_charged", raising(HostBusy("too much to do")))
    finding = try_attack("sleep", "attack", sandbox)
    assert finding.ok is None
    assert "too much to do" in finding.detail


def raising(error: Exception) -> Callable[[str, Sandbox], bool]:
    def fail(_: str, __: Sandbox) -> bool:
        raise error

    return fail
