"""Control groups: the kernel's own account of a box as a whole, however many processes it has.

A group limits memory and processes, freezes and measures all that is in a box together. Linux has two kinds: version 2,
one tree, which systemd hands to ordinary users (`Delegate=yes`); and version 1, one tree per kind of resource, which
only root can use. `find_cgroups` returns whichever this process may use. See the kernel's admin-guide/cgroup-v2.rst and
admin-guide/cgroup-v1/.

find    which kind this process may use
common  what a group does for a box, in both versions
v1      groups of version 1
v2      groups of version 2
"""
