/* A bot that does nothing wrong: it thinks for a while at first, computes a little in each turn, and surfaces. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_LINES = 16, TURN_LINES = 3, WORK_MS = 5, THOUGHT_US = 100000 };

int main(void)
{
    char line[256];
    usleep(THOUGHT_US);
    for (int lines = FIRST_LINES, first = 1;; lines = TURN_LINES, first = 0) {
        for (; lines > 0; lines--)
            if (!fgets(line, sizeof line, stdin))
                return 0;
        for (clock_t end = clock() + WORK_MS * CLOCKS_PER_SEC / 1000; clock() < end;)
            ;
        puts(first ? "4 0" : "SURFACE");
        fflush(stdout);
    }
}
