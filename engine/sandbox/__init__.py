"""Ways to run untrusted programs, the strongest first.

The tiers `bubblewrap+cgroup`, `bubblewrap` and `nested` contain whatever a bot does; which of them a machine offers is
found out by trying: a box is made, and attacked from within (see `guarantees`). `none` contains nothing and is only
ever used when somebody asks for it by name.

choice            the choice between the tiers
box               what a sandbox is asked to run, and what it gives back; the pipes between us and a box
bubblewrap        the three tiers that contain, made by bubblewrap
bare              the tier `none`
guarantees        what each tier guarantees, and who demands it; attacking ourselves to see whether that holds
attack            what is tried; runs inside the box
seccomp           the filter of system calls
cgroups           control groups: the kernel's account of a whole box
meter             time, waits and memory of a running program, with what the kernel holds for files that it watches
budget            the same of a program with all that it started; what a build is charged, and when that is too much
standstill        who has had the core of a match; seeing that a stopped program has stopped
run_to_end        running compilers and probes to their end
starter           the thread that starts boxes, for a moment under the bots' account; limits that the kernel keeps
watchdog          cleans up if we are killed while we build a box
watchdog_program  the program that does it
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from engine.sandbox import choice as choice
else:
    __getattr__ = lazily(__name__)
