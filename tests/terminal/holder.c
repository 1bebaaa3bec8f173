/* A terminal for one program, as a terminal window is one: passes bytes on, both ways, and nothing else.
 *
 * holder STATUS PROGRAM...: leaves the processes that started it, runs PROGRAM on a terminal of its own,
 * and writes the exit code of it to descriptor STATUS. */
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static ssize_t pass(int from, int to) {
    char bytes[65536];
    ssize_t got = read(from, bytes, sizeof bytes);
    for (ssize_t done = 0; done < got;) {
        ssize_t put = write(to, bytes + done, got - done);
        if (put < 0) return -1;
        done += put;
    }
    return got;
}

int main(int count, char **words) {
    if (count < 3) return 2;
    if (fork() > 0) return 0;
    setsid();
    if (fork() > 0) _exit(0);
    struct winsize size = {24, 200, 0, 0};
    int terminal, status = 0;
    pid_t child = forkpty(&terminal, NULL, NULL, &size);
    if (child == 0) {
        execvp(words[2], words + 2);
        _exit(127);
    }
    struct pollfd ends[] = {{0, POLLIN, 0}, {terminal, POLLIN, 0}};
    for (;;) {
        if (poll(ends, 2, -1) < 0) break;
        if (ends[1].revents && pass(terminal, 1) <= 0) break;
        if (ends[0].revents && pass(0, terminal) <= 0) ends[0].fd = -1;
    }
    waitpid(child, &status, 0);
    dprintf(atoi(words[1]), "%d", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    return 0;
}
