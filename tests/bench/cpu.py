"""CPU time, which a busy machine changes little."""

import resource


def cpu_s_of_children() -> float:
    return used_s(resource.RUSAGE_CHILDREN)


def cpu_s() -> float:
    return used_s(resource.RUSAGE_SELF) + cpu_s_of_children()


def used_s(whose: int) -> float:
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime
