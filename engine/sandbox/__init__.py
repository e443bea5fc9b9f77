"""Ways to run untrusted programs, the strongest first.

The tiers `bubblewrap+cgroup`, `bubblewrap` and `nested` contain whatever a bot does; which of them a machine offers is
found out by trying: a box is made, and attacked from within (see `selftest`). `none` contains nothing and is only
ever used when somebody asks for it by name.

choice            the choice between the tiers
box               what a sandbox is asked to run, and what it gives back; the pipes between us and a box
bubblewrap        the three tiers that contain, made by bubblewrap
bare              the tier `none`
guarantees        what each tier guarantees, and who demands it
selftest          attacking ourselves to see whether a guarantee holds
seccomp           the filter of system calls
rlimits           the limits that the kernel keeps for each program
cgroups           control groups: the kernel's account of a whole box
usage             what a program uses: time, waits, memory, cores
run_to_end        running compilers and probes to their end
starter           the thread that starts boxes, and a moment in which one thread has the bots' account
watchdog          cleans up if we are killed while we build a box
watchdog_program  the program that does it
"""
