"""What a worker's first process does for the others that it forks.

lock_holder  one session that holds the locks which say that they live
clerk        claims and records for them, with few sessions
inbox        what they have asked the clerk for, until it is done
post         messages between them and the clerk
duty         which of the clerk's threads is on duty, and when another takes over
"""
