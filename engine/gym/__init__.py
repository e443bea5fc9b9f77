"""The games as environments of PettingZoo and Gymnasium, for bots that learn; the extra `gym` installs what it takes.

environment    a match that is led order by order: the part that both games share
ocean_of_code  Ocean of Code: its orders as numbers, its lines as arrays
ice_and_fire   A Code of Ice and Fire, likewise
versus         one seat for the learner, a bot in its box or a function in the other

Nothing else of the project imports this, so that no command waits for these packages.
"""

from importlib.util import find_spec
from pathlib import Path
from shlex import quote

from engine.errors import MissingTool

if find_spec("pettingzoo") is None or find_spec("gymnasium") is None:
    setup = Path(__file__).parents[2] / "deploy" / "setup.sh"
    how = f"sh {quote(str(setup))} gym" if setup.exists() else "pip install 'ladder-arena[gym]'"
    raise MissingTool(f"environments for bots that learn need PettingZoo and Gymnasium, which are not installed: {how}")
