"""Games of the ladder: those whose referee is a program, as folders in the database.

games           which there are, their editions, and the files of these
seeds           which seeds their referees take
catalogue       how processes and commands that have a `Games` learn of them
referee_faults  after whose answers referees broke
"""
