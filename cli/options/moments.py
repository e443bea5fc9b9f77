"""How moments are typed: by this machine's clock."""

from __future__ import annotations

MOMENTS = ["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"]
