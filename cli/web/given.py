"""What the process that answers is given by the command that turned into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Given:
    """Where it listens. `descriptor`: of the socket; `path`: where that is in the file system, None for a port.

    `certificate` and `tls_key`: the files for TLS, None without it. `opens`: whether a browser is to be opened;
    `supervised`: whether `ladder up` has started it.
    """

    descriptor: int
    path: str | None
    certificate: str | None
    tls_key: str | None
    opens: bool
    supervised: bool

    @property
    def words(self) -> list[str]:
        """Return it as words of a command line."""
        marks = [name for name in ("opens", "supervised") if getattr(self, name)]
        return [str(self.descriptor), self.path or "", self.certificate or "", self.tls_key or "", *marks]

    @classmethod
    def read(cls, words: Sequence[str]) -> Given:
        """Return what was written so."""
        descriptor, path, certificate, key, *marks = words
        files = (certificate or None, key or None)
        return cls(int(descriptor), path or None, *files, opens="opens" in marks, supervised="supervised" in marks)
