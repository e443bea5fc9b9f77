/* Holds 64 MB while its threads begin one another, each ending at once; the first of them is over too. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *volatile held;
static pthread_attr_t detached;

static void *next(void *none)
{
    pthread_t thread;
    while (pthread_create(&thread, &detached, next, none))
        ;
    return none;
}

int main(void)
{
    held = malloc(64 << 20);
    memset(held, 1, 64 << 20);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    write(1, "\n", 1);
    next(NULL);
    pthread_exit(NULL);
}
