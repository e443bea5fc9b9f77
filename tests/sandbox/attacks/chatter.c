/*
 * Never answers, and writes to stderr one byte at a time: the referee wakes up for each, and the bot waits for its core
 * while the referee works. Where it can it has made itself unimportant before, so that it waits for even longer.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { FIRST_LINES = 16, TURN_LINES = 3 };

static void hear(int lines)
{
    char line[256];
    while (lines > 0 && fgets(line, sizeof line, stdin))
        lines--;
}

int main(void)
{
    hear(FIRST_LINES);
    int file = open("/proc/self/autogroup", O_WRONLY);
    if (file >= 0 && write(file, "19", 2) == 2)
        fprintf(stderr, "could make itself unimportant\n");
    else
        perror("could not make itself unimportant");
    puts("4 0");
    fflush(stdout);
    hear(TURN_LINES);
    while (write(2, "\n", 1) > 0)
        ;
}
