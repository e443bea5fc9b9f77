/*
 * Trivial, for benchmarks: walks one fixed path there and back for the whole match and never shoots.
 *
 * Before its first answer it looks for a path over water that is long enough, or the longest of a few hundred. From
 * then on a turn costs next to nothing: read three lines, print the next step. At either end it surfaces, which forgets
 * the cells visited, and walks back in the same line. On nearly every map its path has more than 100 cells: it surfaces
 * at most twice in 299 turns, and the match lasts to the turn limit.
 */
#include <stdio.h>
#include <string.h>

#define SIDE 15
#define CELLS (SIDE * SIDE)
#define WALKS_PER_CELL 2
#define LONG_ENOUGH 101

static const int step_x[] = {0, 1, 0, -1};
static const int step_y[] = {-1, 0, 1, 0};
static const char step_name[] = "NESW";

static char map[SIDE][SIDE + 2]; /* each row with its line end and the closing zero */
static int path[CELLS];          /* the longest path found, as cells 15 y + x */
static int path_length;

/* A small generator of our own: the same map always gives the same path. */
static unsigned random_below(unsigned bound)
{
    static unsigned state = 12345;
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % bound;
}

static int is_free(const char *visited, int x, int y)
{
    return x >= 0 && x < SIDE && y >= 0 && y < SIDE && map[y][x] == '.' && !visited[SIDE * y + x];
}

static int count_free_neighbours(const char *visited, int x, int y)
{
    int count = 0;
    for (int way = 0; way < 4; way++)
        count += is_free(visited, x + step_x[way], y + step_y[way]);
    return count;
}

/* Walk from `start`, always to the cell with the fewest ways out, and keep the path if it is the longest. */
static void try_a_walk(int start)
{
    char visited[CELLS] = {0};
    int walk[CELLS], length = 0;
    int x = start % SIDE, y = start / SIDE;
    while (is_free(visited, x, y)) {
        visited[SIDE * y + x] = 1;
        walk[length++] = SIDE * y + x;
        int best = -1, fewest = 5, first = (int)random_below(4);
        for (int turn = 0; turn < 4; turn++) {
            int way = (first + turn) % 4, next_x = x + step_x[way], next_y = y + step_y[way];
            if (!is_free(visited, next_x, next_y))
                continue;
            int ways_out = count_free_neighbours(visited, next_x, next_y);
            if (ways_out < fewest) {
                fewest = ways_out;
                best = way;
            }
        }
        if (best >= 0) {
            x += step_x[best];
            y += step_y[best];
        }
    }
    if (length > path_length) {
        path_length = length;
        memcpy(path, walk, sizeof path);
    }
}

static char step_between(int from, int to)
{
    int way = 0;
    while (from + step_x[way] + SIDE * step_y[way] != to)
        way++;
    return step_name[way];
}

int main(void)
{
    char line[4096];
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!fgets(line, sizeof line, stdin))
        return 0;
    for (int y = 0; y < SIDE; y++)
        if (!fgets(map[y], sizeof map[y], stdin))
            return 0;
    for (int walk = 0; walk < WALKS_PER_CELL * CELLS && path_length < LONG_ENOUGH; walk++)
        try_a_walk(walk % CELLS);
    printf("%d %d\n", path[0] % SIDE, path[0] / SIDE);

    int at = 0, stride = 1;
    for (int lines = 1; fgets(line, sizeof line, stdin); lines++) {
        if (lines % 3 != 0)
            continue;
        const char *before = "";
        if (at + stride < 0 || at + stride >= path_length) {
            stride = -stride;
            before = "SURFACE|";
        }
        if (path_length == 1) {
            puts("SURFACE");
        } else {
            printf("%sMOVE %c\n", before, step_between(path[at], path[at + stride]));
            at += stride;
        }
    }
    return 0;
}
