"""What a check of a referee program has found, in words and as keys of `game.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engine.referees.toml_text import Value


class Proof(StrEnum):
    """How sure something is. `wrong`: shown not to be as the game's file says."""

    SHOWN = "shown"
    UNPROVEN = "unproven"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class ProgramFinding:
    """One thing that was looked at. `about`: a word for it; `words`: what was found, a sentence."""

    about: str
    words: str
    proof: Proof = Proof.SHOWN


@dataclass(slots=True)
class ProgramCheck:
    """All that was found. `values`: keys of `game.toml` and their values, by tables; "" is the file's own."""

    findings: list[ProgramFinding] = field(default_factory=list[ProgramFinding])
    values: dict[str, dict[str, Value]] = field(default_factory=dict[str, "dict[str, Value]"])

    def found(self, about: str, words: str, proof: Proof = Proof.SHOWN, table: str = "", **values: Value) -> None:
        """Note something, and what `game.toml` is to say of it."""
        self.findings.append(ProgramFinding(about, words, proof))
        if values:
            self.values.setdefault(table, {}).update(values)

    @property
    def is_sound(self) -> bool:
        """Whether the game can be played, and nothing is other than its file says."""
        return all(finding.proof is not Proof.WRONG for finding in self.findings)

    def changes(self) -> Mapping[str, Mapping[str, Value]]:
        """Return the keys to write."""
        return self.values
