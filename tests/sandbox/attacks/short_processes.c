/*
 * Sleeps far beyond its limit, and starts a process each time it wakes, which ends at once: nobody can read any more
 * what that one has waited, so that sleep looks like waiting for a busy host. Then it answers.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST_LINES = 16, TURN_LINES = 3, NAPS = 250, NAP_US = 3000 };

static int hear(int lines)
{
    char line[256];
    while (lines > 0 && fgets(line, sizeof line, stdin))
        lines--;
    return lines == 0;
}

static int start_and_wait(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    return child > 0 && waitpid(child, NULL, 0) == child;
}

int main(void)
{
    hear(FIRST_LINES);
    for (puts("4 0"), fflush(stdout); hear(TURN_LINES); puts("SURFACE"), fflush(stdout))
        for (int nap = 0; nap < NAPS; nap++) {
            if (!start_and_wait()) {
                perror("could not start a process");
                return 1;
            }
            usleep(NAP_US);
        }
    return 0;
}
