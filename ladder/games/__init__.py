"""Games of the ladder: those whose referee is a program, as folders in the database.

games           which there are, and their present editions
seeds           which seeds their referees take
catalogue       how processes that have a `Games` learn of them
lazy_catalogue  the same for commands, which ask late
referee_faults  after whose answers referees broke
"""
