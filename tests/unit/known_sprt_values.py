"""What fishtest's public calculator gives for some results (zero counts as 1e-3): facts to be held to.

Normalised Elo is t-value x 800 / ln 10 per match. `stopped`: its median-unbiased estimate as elo, low, high, LOS.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Known:
    """One line of the table; alpha and beta are 0.05."""

    counts: tuple[int, ...]
    elo0: float
    elo1: float
    model: str
    llr: float
    elo: float
    half_width: float
    los: float
    stopped: tuple[float, float, float, float]


KNOWN = (
    Known(
        counts=(10, 40, 100, 42, 12),
        elo0=0,
        elo1=2,
        model="logistic",
        llr=0.0667217091581742,
        elo=5.109715214571535,
        half_width=21.783316597042557,
        los=0.6773919010284378,
        stopped=(5.109715214571615, -16.653490394019716, 26.91314280006576, 0.6773919010284378),
    ),
    Known(
        counts=(3, 25, 60, 40, 9),
        elo0=0,
        elo1=10,
        model="logistic",
        llr=1.6329366296205776,
        elo=34.34781693367101,
        half_width=26.092392306718345,
        los=0.9953652033103759,
        stopped=(34.347812345466146, 8.44886431998789, 60.63365119058879, 0.9953651964096802),
    ),
    Known(
        counts=(3, 25, 60, 40, 9),
        elo0=0,
        elo1=10,
        model="normalized",
        llr=1.1015949730974848,
        elo=34.34781693367101,
        half_width=26.092392306718345,
        los=0.9953652033103759,
        stopped=(34.34781693367104, 8.448870338277684, 60.63365495171434, 0.9953652033103759),
    ),
    Known(
        counts=(0, 4, 20, 9, 1),
        elo0=-5,
        elo1=0,
        model="logistic",
        llr=0.46554562562389584,
        elo=35.88118039517025,
        half_width=40.11121938314904,
        los=0.9619562775086516,
        stopped=(35.88118039517018, -3.7514350997509758, 76.47100366654708, 0.9619562775086513),
    ),
    Known(
        counts=(120, 30, 160),
        elo0=0,
        elo1=5,
        model="logistic",
        llr=0.6018477346489615,
        elo=45.08171207651535,
        half_width=37.18158143765889,
        los=0.9920847140306797,
        stopped=(45.08171207651529, 8.415422504401254, 82.7785853797191, 0.9920847140306795),
    ),
    Known(
        counts=(200, 900, 2100, 930, 215),
        elo0=0,
        elo1=5,
        model="normalized",
        llr=0.4627641146095752,
        elo=2.3989029228414354,
        half_width=4.629245100129782,
        los=0.845127592156385,
        stopped=(2.3987575030555166, -2.2301657379730226, 7.028478099710082, 0.8451087009271796),
    ),
)
