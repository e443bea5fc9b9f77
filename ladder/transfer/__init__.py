"""A whole ladder as files: written by an export, and made again of them by an import.

manifest   what an export holds, the one list of tables and columns; and what it says of itself
exporting  writing all of it, as it is at one moment, into a folder or tar file
importing  making a ladder of it, or nothing
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.transfer import exporting as exporting
else:
    __getattr__ = lazily(__name__)
