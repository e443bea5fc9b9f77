/* An opponent whose turns are always the same work, however long that takes; it surfaces in each. */
#include <stdio.h>

enum { FIRST_LINES = 16, TURN_LINES = 3, ROUNDS = 60000000 };

int main(void)
{
    char line[256];
    for (int lines = FIRST_LINES, first = 1;; lines = TURN_LINES, first = 0) {
        for (; lines > 0; lines--)
            if (!fgets(line, sizeof line, stdin))
                return 0;
        for (volatile int i = 0; i < ROUNDS; i++)
            ;
        puts(first ? "4 0" : "SURFACE");
        fflush(stdout);
    }
}
