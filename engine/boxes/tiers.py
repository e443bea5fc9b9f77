"""The names of the ways to run untrusted programs, the strongest first; `engine.sandbox` says what each is."""

from __future__ import annotations

CGROUP = "bubblewrap+cgroup"
BUBBLEWRAP = "bubblewrap"
NESTED = "nested"
NONE = "none"
ALL_TIERS = (CGROUP, BUBBLEWRAP, NESTED, NONE)
AUTO = "auto"
"""The strongest that works here."""
