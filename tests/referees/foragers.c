/* Foragers by the protocol of cg-brutaltester; foragers/foragers.py explains the rules and the parameters.
 *
 *     ./foragers rounds=3 lines=2
 *
 * Parameters come as arguments. With unseeded=1 it knows no seeds: it draws one itself, and takes a line with one for
 * an error. With wait=1 it waits for a next match after the end, as some real ones do, and ends with status 1.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SEATS = 4, MOST_BUSHES = 100, LINE = 4096, FAILED = -1 };

static int seats, bushes, rounds, thorn, picks;
static int scores[MOST_SEATS], is_in[MOST_SEATS], berries[MOST_BUSHES];
static struct { int seat, bush, taken; } picked[MOST_SEATS * 100];
static uint64_t state;
static int argument_count;
static char **arguments;

static long long number(const char *name, long long otherwise) {
    size_t length = strlen(name);
    for (int place = 1; place < argument_count; place++)
        if (!strncmp(arguments[place], name, length) && arguments[place][length] == '=')
            return atoll(arguments[place] + length + 1);
    return otherwise;
}

static int draw(int bound) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)bound);
}

static void fail(int seat, const char *why) {
    is_in[seat] = 0;
    scores[seat] = FAILED;
    printf("###Error %d %s\n", seat, why);
}

static void pick(int seat, const char *line) {
    char wanted[32];
    if (!strcmp(line, "WAIT")) return;
    for (int bush = 0; bush < bushes; bush++) {
        sprintf(wanted, "PICK %d", bush);
        if (strcmp(line, wanted)) continue;
        int taken = bush == thorn ? -2 : (berries[bush] + 1) / 2;
        if (taken > 0) berries[bush] -= taken;
        scores[seat] += taken;
        picked[picks].seat = seat, picked[picks].bush = bush, picked[picks++].taken = taken;
        return;
    }
    fail(seat, "said no PICK and no WAIT");
}

static void ask(int seat, int round, int count) {
    char line[LINE];
    printf("###Input %d\n", seat);
    if (round == 1) printf("%d %d\n%d %d %d\n", seat, seats, bushes, count, rounds);
    printf("%d\n", round);
    for (int other = 0; other < seats; other++) printf("%d %d\n", scores[other], is_in[other]);
    for (int bush = 0; bush < bushes; bush++) printf("%d%c", berries[bush], bush + 1 < bushes ? ' ' : '\n');
    printf("###Output %d %d\n", seat, count);
    fflush(stdout);
    for (int number_of_line = 0; number_of_line < count; number_of_line++) {
        if (!fgets(line, sizeof line, stdin)) exit(3);
        line[strcspn(line, "\n")] = 0;
        if (is_in[seat]) pick(seat, line);
    }
}

static int staying(int *lowest, int *how_often) {
    int count = 0;
    for (int seat = 0; seat < seats; seat++) {
        if (!is_in[seat]) continue;
        if (!count++ || scores[seat] < *lowest) *lowest = scores[seat], *how_often = 0;
        *how_often += scores[seat] == *lowest;
    }
    return count;
}

static void end_round(int round) {
    int lowest = 0, how_often = 0;
    for (int seat = 0; number("news", 0) && seat < seats; seat++) {
        if (!is_in[seat]) continue;
        printf("###Input %d\nNEWS %d\n", seat, picks);
        for (int place = 0; place < picks; place++)
            printf("%d %d %d\n", picked[place].seat, picked[place].bush, picked[place].taken);
    }
    if (round == number("starve", 0) && staying(&lowest, &how_often) > 2 && how_often == 1)
        for (int seat = 0; seat < seats; seat++) is_in[seat] &= scores[seat] != lowest;
    for (int bush = 0; number("level", 19) >= 2 && bush < bushes; bush++) berries[bush] += draw(3);
}

static void play(void) {
    int unused, count = (int)number("lines", 1);
    for (int bush = 0; bush < bushes; bush++) berries[bush] = 2 + draw(9);
    for (int round = 1; round <= rounds; round++) {
        thorn = number("thorns", 0) ? draw(bushes) : -1;
        picks = 0;
        for (int seat = 0; seat < seats; seat++) {
            if (is_in[seat]) ask(seat, round, count > 0 ? count : 1);
            if (staying(&unused, &unused) < 2) return;
        }
        end_round(round);
    }
}

static void print_places(void) {
    int is_placed[MOST_SEATS] = {0};
    printf("###End");
    for (int left = seats; left > 0;) {
        int best = -1;
        for (int seat = 0; seat < seats; seat++)
            if (!is_placed[seat] && (best < 0 || scores[seat] > scores[best])) best = seat;
        printf(" ");
        for (int seat = 0; seat < seats; seat++) {
            if (is_placed[seat] || scores[seat] != scores[best]) continue;
            printf("%d", seat);
            is_placed[seat] = 1;
            left--;
        }
    }
    printf("\n");
    fflush(stdout);
}

int main(int count, char **words) {
    char line[LINE];
    struct timespec now;
    argument_count = count;
    arguments = words;
    clock_gettime(CLOCK_MONOTONIC, &now);
    state = (uint64_t)now.tv_nsec;
    while (fgets(line, sizeof line, stdin) && strncmp(line, "###Start ", 9)) {
        if (number("unseeded", 0) || sscanf(line, "###Seed %" SCNu64, &state) != 1) {
            printf("###Error this is no start: %s", line);
            return 2;
        }
    }
    seats = atoi(line + 9);
    if (seats < 2 || seats > MOST_SEATS) return 2;
    bushes = (int)number("bushes", 6);
    rounds = (int)number("rounds", 6);
    for (int seat = 0; seat < seats; seat++) is_in[seat] = 1;
    play();
    print_places();
    return number("wait", 0) && (!fgets(line, sizeof line, stdin) || strncmp(line, "###Start", 8));
}
