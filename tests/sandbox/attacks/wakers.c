/*
 * Threads that send their own process the signal to go on, as fast as they can: one that comes between a SIGSTOP and its
 * effect takes that back, and the bot computes on in its opponent's turn. Beside that it plays on, by surfacing.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FIRST_LINES = 16, TURN_LINES = 3 };

static void *wake(void *nothing)
{
    siginfo_t how = {.si_code = SI_QUEUE};
    pid_t self = getpid();
    for (;;) {
        kill(self, SIGCONT);
        syscall(SYS_tkill, self, SIGCONT);
        syscall(SYS_tgkill, self, self, SIGCONT);
        syscall(SYS_kill, self, SIGCONT | 1L << 32); /* of which the kernel takes the lower half */
        syscall(SYS_rt_sigqueueinfo, self, SIGCONT, &how);
        syscall(SYS_rt_tgsigqueueinfo, self, self, SIGCONT, &how);
    }
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
    pthread_t thread;
    hear(FIRST_LINES);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread, NULL, wake, NULL);
    puts("4 0");
    fflush(stdout);
    while (hear(TURN_LINES)) {
        puts("SURFACE");
        fflush(stdout);
    }
    return 0;
}
