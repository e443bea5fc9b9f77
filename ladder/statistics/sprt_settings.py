"""The question of a sequential test, and when it is answered. What the test computes is in `sprt`."""

from dataclasses import replace
from math import exp, log

from engine.errors import UnknownName, UsageFault
from engine.immutable import immutable
from ladder.choices import GauntletVerdict
from ladder.statistics.elo import MOST_ELO, score_of, t_value_of

ERROR_RATE = 0.05
"""Where nothing is said: alpha, and beta."""
LOGISTIC = "logistic"
NORMALISED = "normalized"
MODELS = (LOGISTIC, NORMALISED)
ELO_MODEL = LOGISTIC
"""Where nothing is said."""
LEAST_ELO = 0.01
"""Between elo0 and elo1: a test of nearer bounds would take too many matches."""
LEAST_RATE = 0.000001
COARSEST_ELO = 100
"""Of symmetric bounds that are chosen by the time there is."""
SPELLINGS = {"normalised": NORMALISED}


@immutable
class SprtSettings:
    """The question and how sure the answer is to be.

    `elo0`, `elo1`: in Elo of the `model`, logistic or normalized (or normalised). `alpha`: the chance to pass what is
    only elo0 better; `beta`: to fail what is elo1 better. Raises UsageFault for what cannot be.
    """

    elo0: float
    elo1: float
    alpha: float = ERROR_RATE
    beta: float = ERROR_RATE
    model: str = ELO_MODEL

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", SPELLINGS.get(self.model, self.model))
        if self.model not in MODELS:
            raise UnknownName.of("model", self.model, MODELS)
        if not self.elo0 < self.elo1:
            raise UsageFault(f"elo0 has to be less than elo1, but they are {self.elo0:g} and {self.elo1:g}")
        if self.elo0 < -MOST_ELO or self.elo1 > MOST_ELO:
            raise UsageFault(f"elo0 and elo1 are within {MOST_ELO:g} of 0, not {self.elo0:g} and {self.elo1:g}")
        if self.elo1 - self.elo0 < LEAST_ELO:
            raise UsageFault(f"elo0 and elo1 are at least {LEAST_ELO} apart, not {self.elo0:g} and {self.elo1:g}")
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise UsageFault(f"{name} is an error rate between 0 and 0.5, not {rate:g}")
            if rate < LEAST_RATE:
                raise UsageFault(f"{name} is at least {LEAST_RATE:f}, not {rate:g}")


def bounds(settings: SprtSettings) -> tuple[float, float]:
    """Return Wald's bounds: at or below the first the test has failed, at or above the second it has passed."""
    return log(settings.beta / (1 - settings.alpha)), log((1 - settings.beta) / settings.alpha)


def decision_at(llr: float, settings: SprtSettings) -> GauntletVerdict:
    lower, upper = bounds(settings)
    if llr >= upper:
        return GauntletVerdict.PASSED
    return GauntletVerdict.FAILED if llr <= lower else GauntletVerdict.UNDECIDED


def pairs_of_equals(settings: SprtSettings, players: int = 2) -> float:
    """Return how many pairs the test mostly takes where both are equally good and no match is drawn.

    By Wald's approximation for many small steps. `players`: of a match; equals' points scatter evenly.
    """
    variance = (players + 1) / (12 * (players - 1)) / players
    if settings.model == LOGISTIC:
        low, high = score_of(settings.elo0), score_of(settings.elo1)
    else:
        low, high = (0.5 + t_value_of(elo, players) * variance**0.5 for elo in (settings.elo0, settings.elo1))
    drift, scatter = (high - low) / variance * (0.5 - (low + high) / 2), (high - low) ** 2 / variance
    lower, upper = bounds(settings)
    bend = 2 * drift / scatter
    if abs(bend) * (upper - lower) < 1e-6:
        return -lower * upper / scatter
    passes = (1 - exp(-bend * lower)) / (exp(-bend * upper) - exp(-bend * lower))
    return (passes * upper + (1 - passes) * lower) / drift


def narrowest(test: SprtSettings, pairs: float, players: int = 2) -> SprtSettings | None:
    """Return the test with the narrowest whole bounds that equals mostly end in so many pairs; None for none."""
    tests = (replace(test, elo0=-bound, elo1=bound) for bound in map(float, range(1, COARSEST_ELO + 1)))
    return next((bounded for bounded in tests if pairs_of_equals(bounded, players) <= pairs), None)
