/*
 * Arms all the timers it can get, so that they go off in its opponent's turns: each wakes hundreds of nested epolls, and
 * the opponent is charged for the interrupts. Each thread takes a table of files of its own, for more of them; and where it
 * may start processes, each of those has timers too. Beside that it plays on, by surfacing.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_LINES = 16, TURN_LINES = 3, MOST = 200, EPOLLS = 30, NESTED = 10, THREADS = 24, CHILDREN = 20 };
enum { FIRST_NS = 6000000, SPREAD_NS = 50000000, SECOND_NS = 1000000000, UNSHARE_FILES = 2, STACK_BYTES = 128 << 10 };

static pthread_barrier_t begun, done;
static pthread_mutex_t counted = PTHREAD_MUTEX_INITIALIZER;

static struct timespec moment(int number, int of)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    now.tv_nsec += FIRST_NS + (long)SPREAD_NS * number / of;
    now.tv_sec += now.tv_nsec / SECOND_NS;
    now.tv_nsec %= SECOND_NS;
    return now;
}

static void watch(int epoll, int file)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = file};
    epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event);
}

static int make_timers(int *timers)
{
    int inner[EPOLLS], count = 0;
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarms, NULL);
    int ringer = signalfd(-1, &alarms, SFD_NONBLOCK);
    for (int i = 0; i < EPOLLS; i++) {
        inner[i] = epoll_create1(0);
        watch(inner[i], ringer);
    }
    for (int i = 0; i < NESTED; i++)
        for (int k = 0, outer = epoll_create1(0); k < EPOLLS; k++)
            watch(outer, inner[k]);
    for (int timer; count < MOST && (timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK)) >= 0; timers[count++] = timer)
        for (int k = 0; k < EPOLLS; k++)
            watch(inner[k], timer);
    if (count > 0 || ringer >= 0)
        fprintf(stderr, "could make %d timers that wake\n", count);
    else
        fprintf(stderr, "could not make timers that wake\n");
    return count;
}

static void arm(int number, const int *timers, int count)
{
    for (int i = 0; i < count; i++) {
        struct itimerspec when = {.it_value = moment(i, count)};
        timerfd_settime(timers[i], TFD_TIMER_ABSTIME, &when, NULL);
    }
    struct itimerval own = {.it_value = {0, (FIRST_NS + SPREAD_NS / CHILDREN * (number % CHILDREN)) / 1000}};
    setitimer(ITIMER_REAL, &own, NULL);
}

static void *arm_in_each_turn(void *number)
{
    int timers[MOST];
    syscall(SYS_close_range, MOST + 50, MOST + 50, UNSHARE_FILES);
    int count = make_timers(timers);
    pthread_mutex_lock(&counted);
    pthread_mutex_unlock(&counted);
    for (;;) {
        pthread_barrier_wait(&begun);
        arm((int)(long)number, timers, count);
        pthread_barrier_wait(&done);
    }
    return NULL;
}

static void be_a_child(int number)
{
    int timers[MOST];
    for (int count = make_timers(timers);; usleep(FIRST_NS / 1000))
        arm(number, timers, count);
}

static int hear(int lines)
{
    char line[256];
    while (lines > 0 && fgets(line, sizeof line, stdin))
        lines--;
    return lines == 0;
}

static void start_threads(void)
{
    pthread_t thread;
    pthread_attr_t small;
    long started = 0;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK_BYTES);
    pthread_mutex_lock(&counted);
    while (started < THREADS && pthread_create(&thread, &small, arm_in_each_turn, (void *)started) == 0)
        started++;
    pthread_barrier_init(&begun, NULL, (unsigned)started + 1);
    pthread_barrier_init(&done, NULL, (unsigned)started + 1);
    pthread_mutex_unlock(&counted);
}

int main(void)
{
    hear(FIRST_LINES);
    for (int child = 0; child < CHILDREN; child++)
        if (fork() == 0)
            be_a_child(child);
    start_threads();
    for (const char *answer = "4 0";; answer = "SURFACE") {
        pthread_barrier_wait(&begun);
        pthread_barrier_wait(&done);
        puts(answer);
        fflush(stdout);
        if (!hear(TURN_LINES))
            return 0;
    }
}
