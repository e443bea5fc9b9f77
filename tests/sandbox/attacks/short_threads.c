/*
 * Sleeps far beyond its limit, and starts a thread each time it wakes, which ends at once: what a thread has waited nobody
 * can read any more when it is gone, so that sleep looks like waiting for a busy host. Then it answers.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { FIRST_LINES = 16, TURN_LINES = 3, NAPS = 250, NAP_US = 3000 };

static void *end_at_once(void *nothing)
{
    return nothing;
}

static int hear(int lines)
{
    char line[256];
    while (lines > 0 && fgets(line, sizeof line, stdin))
        lines--;
    return lines == 0;
}

int main(void)
{
    hear(FIRST_LINES);
    for (puts("4 0"), fflush(stdout); hear(TURN_LINES); puts("SURFACE"), fflush(stdout))
        for (int nap = 0; nap < NAPS; nap++) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, end_at_once, NULL) == 0)
                pthread_join(thread, NULL);
            usleep(NAP_US);
        }
    return 0;
}
