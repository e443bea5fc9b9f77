/* An opponent that computes in each turn for so long by its own CPU clock, and says how many rounds that were: what
   disturbs it makes rounds dearer, on a slow machine as on a fast one. It surfaces in each turn. */
#include <stdio.h>
#include <time.h>

enum { FIRST_LINES = 16, TURN_LINES = 3, WORK_MS = 25, STEPS = 20000 };

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}
int main(void)
{
    char line[256];
    for (int lines = FIRST_LINES, first = 1;; lines = TURN_LINES, first = 0) {
        for (; lines > 0; lines--)
            if (!fgets(line, sizeof line, stdin))
                return 0;
        long rounds = 0;
        for (double end = cpu_ms() + WORK_MS; cpu_ms() < end; rounds++)
            for (volatile int i = 0; i < STEPS; i++)
                ;
        fprintf(stderr, "%ld\n", rounds);
        puts(first ? "4 0" : "SURFACE");
        fflush(stdout);
    }
}
