"""What every test starts from: none of our settings in the environment, so that only the test says what holds."""

from __future__ import annotations

import os

for name in [name for name in os.environ if name.startswith("LADDER_")]:
    del os.environ[name]
