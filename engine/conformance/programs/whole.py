"""The check of a command that plays whole matches: there are no questions to compare, so matches are played again.

Each seed is played some times with the same bots. Where they end alike each time, and bots draw no lots, its seed
repeats a match. What the bots report of themselves may differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from engine.conformance.programs.finding import ProgramCheck, Proof
from engine.conformance.programs.matches import Checked
from engine.errors import RefereeFault
from engine.match import MatchResult
from engine.referees.whole.words import takes_seed

TIMES = 4
"""Each seed is played so often."""


def check_whole_matches(found: ProgramCheck, checked: Checked, seeds: int) -> None:
    """Find out about a command: whether it plays matches, what repeats one, which numbers of players work.

    Raises Refused where no sandbox here can hold such matches, HostBusy, MissingTool.
    """
    if not checked.bots:
        found.found("matches", "a command plays whole matches: what it does takes bots to see", Proof.UNPROVEN)
        return
    tried = [(bits, tried_seeds(checked.by(seed_bits=bits), bits, seeds)) for bits in widths(checked)]
    plays = [(bits, results) for bits, results in tried if not isinstance(results, str)]
    if not plays:
        found.found("matches", f"no match can be played: {tried[0][1]}", Proof.WRONG)
        return
    bits, results = next((one for one in plays if is_same_again(one[1])), plays[0])
    note_repeated(found, bits, results)
    note_seed_matters(found, bits, results)
    check_numbers(found, checked.by(seed_bits=bits))
    found.found("checked", "what was found is kept in game.toml", checked=True)


def widths(checked: Checked) -> Sequence[int]:
    """Return which widths of seeds are tried; 0: the command is given none."""
    return (64, 31) if takes_seed(checked.program.command) else (0,)


def seeds_of(bits: int, number: int) -> list[int]:
    """Return that many seeds of a width; they are the same in every check."""
    chance = Random("the seeds of a check")  # noqa: S311 - it is no secret
    wide = [chance.getrandbits(64) for _ in range(number)]
    return [one - 2**63 if bits == 64 else one >> 33 for one in wide]


def tried_seeds(checked: Checked, bits: int, number: int) -> list[list[MatchResult]] | str:
    """Play each seed some times, with the fewest players that work; return why where none can be played."""
    why = ""
    for players in checked.game.players:
        try:
            return [[checked.played(seed, players) for _ in range(TIMES)] for seed in seeds_of(bits, number)]
        except RefereeFault as fault:
            why = why or str(fault)
    return why


def is_same_again(results: Sequence[Sequence[MatchResult]]) -> bool:
    return all(one.outcome == of_seed[0].outcome for of_seed in results for one in of_seed[1:])


def note_repeated(found: ProgramCheck, bits: int, results: Sequence[Sequence[MatchResult]]) -> None:
    """Note whether the seed repeats a match."""
    if not is_same_again(results):
        words = "the same seed and the same bots end another way: no pairs on one seed, no gauntlets with --baseline"
        found.found("repeated", words, seed_bits=bits, repeatable=False)
        return
    by = f"the same seed; seeds have {bits} bits" if bits else "nothing but the bots, as it is given no seed"
    words = f"each of {len(results)} matches ended alike {TIMES} times by {by}"
    found.found("repeated", words, seed_bits=bits, repeatable=True, repeated_by="seed")
    if any(one.notes != of_seed[0].notes for of_seed in results for one in of_seed[1:]):
        found.found("metrics", "what it reports besides differs from time to time", Proof.UNPROVEN)


def note_seed_matters(found: ProgramCheck, bits: int, results: Sequence[Sequence[MatchResult]]) -> None:
    """Note whether other seeds end other ways."""
    if not bits:
        return
    endings = {(of_seed[0].outcome, str(of_seed[0].notes)) for of_seed in results}
    if len(endings) > 1:
        found.found("seed", "other seeds end or report otherwise")
    else:
        found.found("seed", f"{len(results)} seeds ended and reported alike: it may matter or not", Proof.UNPROVEN)


def check_numbers(found: ProgramCheck, checked: Checked) -> None:
    """Find out with which numbers of players a match can be played."""
    works = []
    for players in checked.game.players:
        try:
            checked.played(seeds_of(checked.program.seed_bits, 1)[0], players)
            works.append(players)
        except RefereeFault as fault:
            found.found("players", f"{players} players do not work: {fault}", Proof.WRONG)
    found.found("players", f"it plays matches of {' and '.join(map(str, works))} players", players=works)
