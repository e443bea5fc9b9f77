"""The bot of `tests.fair`, which knows what a turn costs it: in C, and in Python where C cannot be compiled.

A turn is a line of numbers, `Work` in `tests.fair`, after the number of the turn, which is the answer. A bot that has
computed for longer than it was told writes that number to stderr, too.
"""

STALL_MS = 3
"""A bot that computed for so much longer than it was told did not do so itself."""
MANY = 8
"""Threads that compute at once, and wait for the core at once."""

C_BOT = r"""
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static double wanted_ms = 0;

static double cpu_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static void burn(double ms) {
    double end = cpu_ms() + ms;
    while (ms > 0 && cpu_ms() < end) { }
}

static void rest(double ms) {
    struct timespec left = {(long)(ms / 1e3), (long)(ms * 1e6) % 1000000000L};
    while (ms > 0 && nanosleep(&left, &left) && errno == EINTR) { }
}

static void *burn_once(void *ms) {
    burn(*(double *)ms);
    return NULL;
}

static void *burn_often(void *unused) {
    pthread_mutex_lock(&lock);
    for (;;) {
        while (wanted_ms == 0) pthread_cond_wait(&changed, &lock);
        burn(wanted_ms);
        wanted_ms = 0;
        pthread_cond_broadcast(&changed);
    }
    return unused;
}

static void burn_in_new_thread(double ms) {
    pthread_t helper;
    if (ms > 0 && pthread_create(&helper, NULL, burn_once, &ms) == 0) pthread_join(helper, NULL);
}

static void burn_in_old_thread(double ms) {
    static int begun = 0;
    pthread_t helper;
    if (ms == 0) return;
    if (!begun) begun = pthread_create(&helper, NULL, burn_often, NULL) == 0;
    pthread_mutex_lock(&lock);
    wanted_ms = ms;
    pthread_cond_broadcast(&changed);
    while (wanted_ms > 0) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void *burn_a_share(void *until_ms) {
    while (cpu_ms() < *(double *)until_ms) { }
    return NULL;
}

static void burn_in_many_threads(double ms) {
    pthread_t helpers[MANY];
    double until_ms = cpu_ms() + ms;
    int begun = 0;
    while (ms > 0 && begun < MANY && pthread_create(&helpers[begun], NULL, burn_a_share, &until_ms) == 0) begun++;
    while (begun > 0) pthread_join(helpers[--begun], NULL);
}

int main(void) {
    int number;
    double computed, slept, in_new_thread, in_old_thread, in_many_threads, afterwards, told = 0, before = cpu_ms();
    while (scanf("%d %lf %lf", &number, &computed, &slept) == 3 &&
           scanf("%lf %lf", &in_new_thread, &in_old_thread) == 2 &&
           scanf("%lf %lf", &in_many_threads, &afterwards) == 2) {
        burn(computed);
        rest(slept);
        burn_in_new_thread(in_new_thread);
        burn_in_old_thread(in_old_thread);
        burn_in_many_threads(in_many_threads);
        told += computed + in_new_thread + in_old_thread + in_many_threads;
        if (cpu_ms() - before > told + STALL_MS) fprintf(stderr, "%d\n", number);
        before = cpu_ms();
        printf("%d\n", number);
        fflush(stdout);
        burn(afterwards);
        told = afterwards;
    }
    return 0;
}
""".replace("STALL_MS", str(STALL_MS)).replace("MANY", str(MANY))
PYTHON_BOT = """
import queue, sys, threading, time

def burn(ms):
    end = time.process_time() + ms / 1000
    while time.process_time() < end: pass

def burn_until(end):
    while time.process_time() < end: pass

def burn_often():
    while True:
        burn(wanted.get())
        done.put(None)

wanted, done, begun = queue.SimpleQueue(), queue.SimpleQueue(), False
told, before = 0, time.process_time()
for line in sys.stdin:
    number, computed, slept, in_new_thread, in_old_thread, in_many_threads, afterwards = map(float, line.split())
    burn(computed)
    if slept: time.sleep(slept / 1000)
    if in_new_thread:
        helper = threading.Thread(target=burn, args=(in_new_thread,))
        helper.start()
        helper.join()
    if in_old_thread:
        if not begun: threading.Thread(target=burn_often, daemon=True).start()
        begun = True
        wanted.put(in_old_thread)
        done.get()
    if in_many_threads:
        end = time.process_time() + in_many_threads / 1000
        helpers = [threading.Thread(target=burn_until, args=(end,)) for _ in range(MANY)]
        for helper in helpers: helper.start()
        for helper in helpers: helper.join()
    told += computed + in_new_thread + in_old_thread + in_many_threads
    if 1000 * (time.process_time() - before) > told + STALL_MS: print(int(number), file=sys.stderr)
    before = time.process_time()
    print(int(number), flush=True)
    burn(afterwards)
    told = afterwards
""".replace("STALL_MS", str(STALL_MS)).replace("MANY", str(MANY))
