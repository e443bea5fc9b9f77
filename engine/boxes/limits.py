"""The limits that the kernel keeps for a program in a box."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may use."""

    memory_mb: int = 768
    threads: int = 64
    open_files: int = 256
    file_size_mb: int = 16
