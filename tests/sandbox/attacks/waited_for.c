/*
 * A thread starts another one as `vfork` starts a process, and sleeps until that ends: no signal stops it, so its bot
 * never stands still. Beside that it plays on, by surfacing.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

enum { FIRST_LINES = 16, TURN_LINES = 3, STACK_BYTES = 65536, TO_BEGIN_US = 20000 };

static char stack[STACK_BYTES];

static int sleep_on(void *nothing)
{
    for (;;)
        pause();
}

static void *wait_for_another(void *nothing)
{
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_VFORK;
    if (clone(sleep_on, stack + STACK_BYTES, flags, NULL) < 0)
        perror("could not start a thread and wait for it");
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
    pthread_create(&thread, NULL, wait_for_another, NULL);
    usleep(TO_BEGIN_US);
    for (puts("4 0"), fflush(stdout); hear(TURN_LINES); fflush(stdout))
        puts("SURFACE");
    return 0;
}
