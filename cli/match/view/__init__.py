"""`ladder match view`: a match turn by turn, in the terminal.

command      the command; `open_view`: a match on the terminal, or in short or one turn of it as plain text; as a page
drawn_match  a match and its game's way to draw it; where somebody looks, and where each key leads
picture      the map; what both sides said, what that took, what happened; what stands where on a screen of any size
app          keys in, screens out, by Textual
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from cli.match.view import app as app
    from cli.match.view import command as command
else:
    __getattr__ = lazily(__name__)
