"""The sequential test and the estimate of fixed length, held to known values and to what must be true of any."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.errors import UsageFault
from ladder.statistics.elo import draw_ratio, elo_of, elo_text, estimate, pair_ratio, score_of, t_value_of
from ladder.statistics.sprt import distribution, hypothesis, log_likelihood_ratio
from ladder.statistics.sprt_settings import MODELS, SprtSettings, bounds, decision_at
from tests.unit.known_sprt_values import KNOWN, Known

TEST = SprtSettings(0, 10)
counts_of_pairs = st.lists(st.integers(0, 2000), min_size=5, max_size=5).filter(lambda counts: sum(counts) >= 5)
counts_of_matches = st.lists(st.integers(0, 2000), min_size=3, max_size=3).filter(lambda counts: sum(counts) >= 5)
any_counts = counts_of_pairs | counts_of_matches
models = st.sampled_from(MODELS)
elos = st.floats(-100, 100)
property_of = settings(deadline=None, max_examples=60)


@pytest.mark.parametrize("known", KNOWN)
def test_the_log_likelihood_ratio_agrees_with_fishtest(known: Known) -> None:
    test = SprtSettings(known.elo0, known.elo1, model=known.model)
    assert log_likelihood_ratio(known.counts, test) == pytest.approx(known.llr, abs=1e-6)


@pytest.mark.parametrize("known", [known for known in KNOWN if sum(known.counts) >= 50])
def test_from_fifty_pairs_on_the_estimate_of_fixed_length_hardly_differs_from_fishtests(known: Known) -> None:
    """Which takes the scatter of the pairs for known, and so claims too much of a few pairs."""
    found = estimate(known.counts)
    assert found.elo == pytest.approx(known.elo, abs=0.02 * known.half_width)
    assert found.half_width == pytest.approx(known.half_width, rel=0.02)
    assert found.los == pytest.approx(known.los, abs=0.002)


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "llr"),
    [
        ((93, 18711, 58877, 18739, 100), -1.75, 0.25, 2.9420974720708513),  # fishtest, issue 1737
        ((365, 16618, 36229, 16974, 390), 0, 2, 2.25),  # fastchess, pull request 426
    ],
)
def test_llr_of_long_tests_agrees_with_what_others_published(
    counts: tuple[int, ...], elo0: float, elo1: float, llr: float
) -> None:
    """As exactly as they told it: 2.25 stands for 2.245 to 2.255."""
    found = log_likelihood_ratio(counts, SprtSettings(elo0, elo1, model="normalized"))
    assert found == pytest.approx(llr, abs=0.005 if llr == 2.25 else 1e-9)


@property_of
@given(any_counts, elos, st.floats(0.5, 100), models)
def test_looking_from_the_other_side_is_the_opposite(counts: list[int], elo0: float, apart: float, model: str) -> None:
    """Counts reversed: Elo is negated, and with negated bounds the log-likelihood ratio is."""
    seen, turned = estimate(counts), estimate(counts[::-1])
    assert (turned.elo, turned.low, turned.high, turned.los) == pytest.approx(
        (-seen.elo, -seen.high, -seen.low, 1 - seen.los), abs=1e-6
    )
    there, back = SprtSettings(elo0, elo0 + apart, model=model), SprtSettings(-elo0 - apart, -elo0, model=model)
    assert log_likelihood_ratio(counts, there) == pytest.approx(
        -log_likelihood_ratio(counts[::-1], back), rel=1e-6, abs=1e-6
    )


@property_of
@given(counts_of_pairs, st.integers(0, 3), models)
def test_a_better_pair_in_place_of_a_worse_one_speaks_for_strength(counts: list[int], worse: int, model: str) -> None:
    """For counts without holes, where nothing rests on the value that stands for 0."""
    filled = [count + 20 for count in counts]
    better = list(filled)
    better[worse] -= 1
    better[worse + 1] += 1
    test = SprtSettings(0, 5, model=model)
    assert log_likelihood_ratio(better, test) > log_likelihood_ratio(filled, test)
    assert estimate(better).elo > estimate(filled).elo
    assert estimate(better).los >= estimate(filled).los


@property_of
@given(any_counts, st.integers(2, 50), models)
def test_the_same_shares_of_more_pairs_say_the_same_but_more_surely(counts: list[int], times: int, model: str) -> None:
    assume(all(counts))
    many = [count * times for count in counts]
    test = SprtSettings(-3, 8, model=model)
    assert log_likelihood_ratio(many, test) == pytest.approx(times * log_likelihood_ratio(counts, test), rel=1e-6)
    assert abs(estimate(many).elo) >= abs(estimate(counts).elo)
    assert estimate(many).half_width < estimate(counts).half_width


@property_of
@given(any_counts, elos, models)
def test_a_hypothesis_has_the_difference_that_it_stands_for(counts: list[int], elo: float, model: str) -> None:
    seen = distribution(counts)
    shares = hypothesis(seen.shares, seen.scores, elo, model)
    mean = float(shares @ seen.scores)
    deviation = float(shares @ (seen.scores - mean) ** 2) ** 0.5
    assert (shares > 0).all()
    assert shares.sum() == pytest.approx(1, abs=1e-6)
    if model == "logistic":
        assert mean == pytest.approx(score_of(elo), abs=1e-9)
    else:
        assert (mean - 0.5) / deviation == pytest.approx(t_value_of(elo, seen.matches_per_pair), abs=1e-6)


@property_of
@given(counts_of_pairs, elos, models, st.integers(0, 4), st.integers(0, 4))
def test_no_other_distribution_with_that_mean_is_likelier(
    counts: list[int], elo: float, model: str, one: int, other: int
) -> None:
    """Moved a little in any direction that keeps the sum and, for logistic Elo, the mean, the likelihood falls."""
    assume(model == "logistic")
    assume(one != other)
    third = next(outcome for outcome in range(5) if outcome not in {one, other})
    seen = distribution([count + 1 for count in counts])
    best = hypothesis(seen.shares, seen.scores, elo, model)
    for sign in (1, -1):
        moved = best.copy()
        step = sign * 1e-3 * best.min()
        moved[one] += step * (third - other)
        moved[other] += step * (one - third)
        moved[third] += step * (other - one)
        assert moved @ seen.scores == pytest.approx(best @ seen.scores)
        assert (seen.shares * (abs(moved / best) - 1)).sum() < 1e-9


@property_of
@given(elos)
def test_elo_and_score_are_each_others_inverse(elo: float) -> None:
    assert elo_of(score_of(elo)) == pytest.approx(elo, abs=1e-9)


def test_differences_are_written_with_a_sign_but_none_is_plus_or_minus_zero() -> None:
    assert [elo_text(elo) for elo in (12.4, -3.6, 0.0, -0.0, 0.4, -0.4)] == ["+12", "-4", "0", "0", "0", "0"]


def test_the_bounds_are_walds_and_leaving_them_decides() -> None:
    assert bounds(TEST) == pytest.approx((-2.9444389791664403, 2.9444389791664403))
    assert bounds(SprtSettings(0, 10, alpha=0.01, beta=0.1)) == pytest.approx((-2.2925347571405443, 4.499809670330265))
    assert decision_at(log_likelihood_ratio((2, 20, 100, 80, 30), TEST), TEST) == "passed"
    assert decision_at(log_likelihood_ratio((30, 80, 100, 20, 2), TEST), TEST) == "failed"
    assert decision_at(log_likelihood_ratio((3, 25, 60, 40, 9), TEST), TEST) == "undecided"


def test_pairs_that_always_end_even_differ_from_those_of_a_better_version() -> None:
    """Two identical bots without luck: every pair is even, in either model."""
    for model in MODELS:
        assert (
            decision_at(
                log_likelihood_ratio((0, 0, 600, 0, 0), SprtSettings(0, 20, model=model)),
                SprtSettings(0, 20, model=model),
            )
            == "failed"
        )


def test_nothing_played_says_nothing() -> None:
    assert decision_at(log_likelihood_ratio((0, 0, 0, 0, 0), TEST), TEST) == "undecided"
    nothing = estimate((0, 0, 0))
    assert nothing.elo == pytest.approx(0)
    assert nothing.los == pytest.approx(0.5)


def test_ratios_of_pairs() -> None:
    assert draw_ratio((3, 25, 60, 40, 9)) == pytest.approx(60 / 137)
    assert pair_ratio((3, 25, 60, 40, 9)) == pytest.approx(49 / 28)
    assert pair_ratio((120, 30, 160)) == pytest.approx(160 / 120)
    assert pair_ratio((0, 0, 5, 1, 0)) is None
    assert draw_ratio((0, 0, 0)) == 0


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ((1, 2), "2 counts make no result"),
        ((1, 2, 3, 4), "4 counts make no result"),
        ((1, -2, 3), "a count cannot be -2"),
        ((1, float("nan"), 3), "a count cannot be nan"),
    ],
)
def test_counts_that_cannot_be_are_refused(counts: tuple[float, ...], sentence: str) -> None:
    for function in (estimate, draw_ratio, pair_ratio, lambda counts: log_likelihood_ratio(counts, TEST)):
        with pytest.raises(UsageFault, match=sentence):
            function(counts)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"elo0": 5, "elo1": 5}, "elo0 has to be less than elo1, but they are 5 and 5"),
        ({"elo0": 0, "elo1": float("nan")}, "elo0 has to be less than elo1"),
        ({"elo0": 0, "elo1": 1e-300}, "at least 0.01 apart"),
        ({"elo0": 0, "elo1": 2000}, "within 1000 of 0"),
        ({"elo0": 0, "elo1": 5, "alpha": 0}, "alpha is an error rate between 0 and 0.5, not 0"),
        ({"elo0": 0, "elo1": 5, "alpha": 1e-320}, "alpha is at least"),
        ({"elo0": 0, "elo1": 5, "beta": 0}, "beta is an error rate"),
        ({"elo0": 0, "elo1": 5, "beta": 0.5}, "beta is an error rate"),
        ({"elo0": 0, "elo1": 5, "model": "bayes"}, "unknown model 'bayes'; known: logistic, normalized"),
    ],
)
def test_questions_that_cannot_be_are_refused(question: dict[str, float], sentence: str) -> None:
    with pytest.raises(UsageFault, match=sentence):
        SprtSettings(**question)  # type: ignore[arg-type]


def test_both_spellings_of_the_model_are_one() -> None:
    assert SprtSettings(0, 5, model="normalised") == SprtSettings(0, 5, model="normalized")
