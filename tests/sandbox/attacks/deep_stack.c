/* Grows its stack beyond what it may have of memory: no limit on data counts that. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int deeper(int times)
{
    volatile char frame[1 << 20];
    memset((char *)frame, times, sizeof frame);
    return times ? deeper(times - 1) + frame[times] : 0;
}

int main(int count, char **words)
{
    struct rlimit all;
    getrlimit(RLIMIT_STACK, &all);
    if (all.rlim_cur != all.rlim_max) {
        all.rlim_cur = all.rlim_max;
        setrlimit(RLIMIT_STACK, &all);
        execv(words[0], words); /* which lays the memory out anew, with room for the stack */
    }
    fprintf(stderr, "%d\n", deeper(1000) + count);
    puts("4 0");
    fflush(stdout);
    sleep(600);
}
