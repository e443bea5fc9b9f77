"""Moving in from another league manager: its bots, sources and matches become those of a league here.

foreign        what such a program keeps in its folder, the same for all; what its names mean here
psyleague      reads a folder of psyleague
cgarena        reads a folder of cgarena
agreement      how far our ratings are from those that the other program had
league_import  all of it in one transaction
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.imports import league_import as league_import
else:
    __getattr__ = lazily(__name__)
