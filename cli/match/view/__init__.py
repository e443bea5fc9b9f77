"""`ladder match view`: a match turn by turn, in the terminal.

command  the command
opening  `open_view`: a match on the terminal, or as plain text
plain    a match in short, and one turn of it, as plain text
sides    what each seat said in a turn, and what that took, as text
"""

from cli.match.view.opening import open_view as open_view
