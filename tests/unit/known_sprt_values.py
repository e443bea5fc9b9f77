"""What fishtest's public calculator gives for some results (zero counts as 1e-3): facts to be held to.

Normalised Elo is t-value x 800 / ln 10 per match. `fixed`: the estimate of fixed length as elo, half width, LOS;
`stopped`: the median-unbiased one as elo, low, high, LOS.
"""

from dataclasses import dataclass

from ladder.statistics.sprt_settings import SprtSettings


@dataclass(frozen=True, slots=True)
class Known:
    """One line of the table; alpha and beta are 0.05."""

    counts: tuple[int, ...]
    test: SprtSettings
    llr: float
    fixed: tuple[float, float, float]
    stopped: tuple[float, float, float, float]


KNOWN = (
    Known(
        (10, 40, 100, 42, 12),
        SprtSettings(0, 2, model="logistic"),
        llr=0.0667217091581742,
        fixed=(5.109715214571535, 21.783316597042557, 0.6773919010284378),
        stopped=(5.109715214571615, -16.653490394019716, 26.91314280006576, 0.6773919010284378),
    ),
    Known(
        (3, 25, 60, 40, 9),
        SprtSettings(0, 10, model="logistic"),
        llr=1.6329366296205776,
        fixed=(34.34781693367101, 26.092392306718345, 0.9953652033103759),
        stopped=(34.347812345466146, 8.44886431998789, 60.63365119058879, 0.9953651964096802),
    ),
    Known(
        (3, 25, 60, 40, 9),
        SprtSettings(0, 10, model="normalized"),
        llr=1.1015949730974848,
        fixed=(34.34781693367101, 26.092392306718345, 0.9953652033103759),
        stopped=(34.34781693367104, 8.448870338277684, 60.63365495171434, 0.9953652033103759),
    ),
    Known(
        (0, 4, 20, 9, 1),
        SprtSettings(-5, 0, model="logistic"),
        llr=0.46554562562389584,
        fixed=(35.88118039517025, 40.11121938314904, 0.9619562775086516),
        stopped=(35.88118039517018, -3.7514350997509758, 76.47100366654708, 0.9619562775086513),
    ),
    Known(
        (120, 30, 160),
        SprtSettings(0, 5, model="logistic"),
        llr=0.6018477346489615,
        fixed=(45.08171207651535, 37.18158143765889, 0.9920847140306797),
        stopped=(45.08171207651529, 8.415422504401254, 82.7785853797191, 0.9920847140306795),
    ),
    Known(
        (200, 900, 2100, 930, 215),
        SprtSettings(0, 5, model="normalized"),
        llr=0.4627641146095752,
        fixed=(2.3989029228414354, 4.629245100129782, 0.845127592156385),
        stopped=(2.3987575030555166, -2.2301657379730226, 7.028478099710082, 0.8451087009271796),
    ),
)
