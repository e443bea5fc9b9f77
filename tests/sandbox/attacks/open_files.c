/*
 * Has many processes whose open files the kernel holds memory for: full pipes, and epolls that all wait for the same
 * events. None of it is in any process, and what one process can have is little.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { PROCESSES = 7, FOR_EVENTS = 250, MOST_EPOLLS = 250 };

static char page[4096];

static void wait_by_many_epolls(void)
{
    int events[FOR_EVENTS];
    for (int i = 0; i < FOR_EVENTS; i++)
        events[i] = eventfd(0, 0);
    for (int epoll, n = 0; n < MOST_EPOLLS && (epoll = epoll_create1(0)) >= 0; n++)
        for (int i = 0; i < FOR_EVENTS; i++) {
            struct epoll_event event = {EPOLLIN};
            epoll_ctl(epoll, EPOLL_CTL_ADD, events[i], &event);
        }
}

static void fill_pipes(void)
{
    for (int ends[2]; pipe2(ends, O_NONBLOCK) == 0;)
        while (write(ends[1], page, sizeof page) > 0)
            ;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < PROCESSES; i++)
        if (fork() == 0) {
            argc > 1 ? fill_pipes() : wait_by_many_epolls();
            sleep(600);
        }
    sleep(600);
    return argv == 0;
}
