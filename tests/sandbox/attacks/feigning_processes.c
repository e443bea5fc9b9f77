/*
 * Feigns a busy host: forty processes that sleep, and all want to run at the same moments, so that together they "waited
 * for a CPU" far longer than time has passed, though hardly any was used. Nothing is ever answered.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 40, PERIOD_NS = 10000000, SECOND_NS = 1000000000, FIRST_LINES = 16, TURN_LINES = 3 };

static void wait_with_the_others(void)
{
    for (;;) {
        struct timespec moment;
        clock_gettime(CLOCK_MONOTONIC, &moment);
        moment.tv_nsec = (moment.tv_nsec / PERIOD_NS + 1) * PERIOD_NS;
        if (moment.tv_nsec >= SECOND_NS) {
            moment.tv_nsec -= SECOND_NS;
            moment.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL);
        for (volatile int i = 0; i < 2000; i++)
            ;
    }
}

static void hear(int lines)
{
    char line[256];
    while (lines-- > 0 && fgets(line, sizeof line, stdin))
        ;
}

int main(void)
{
    hear(FIRST_LINES);
    puts("4 0");
    fflush(stdout);
    hear(TURN_LINES);
    for (int i = 0; i < PROCESSES; i++) {
        pid_t child = fork();
        if (child == 0)
            wait_with_the_others();
        if (child < 0) {
            perror("could not start a process");
            return 1;
        }
    }
    sleep(600);
    return 0;
}
