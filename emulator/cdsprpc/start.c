/* start.c: starts the DSP process: qemu-hexagon with the shell.
 *
 * The process is a grandchild of the client, so that it does not affect the client's wait() and
 * SIGCHLD handling. It has its own session, so that Ctrl-C reaches the client only. It ends at the
 * end of file of its control socket. It inherits none of the client's descriptors except standard
 * error. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "config.h"
#include "log.h"
#include "session.h"
#include "warm.h"

#define HELLO_MILLISECONDS 30000

/* ---- in the child: only functions that are safe after a fork with several threads ---- */

/* Sets up descriptors 0 to 5. First duplicates them to numbers above these, so that none overwrites
 * another. */
static bool arrange(const struct session *session, int control, int supervisor)
{
    int null = open("/dev/null", O_RDONLY);
    /* qemu writes assertions to standard output, and everything else to standard error. */
    int from[6] = {null, session->errors, session->errors, control, supervisor, STDERR_FILENO};
    int spare[6];
    for (int i = 0; i < 6; i++) {
        spare[i] = fcntl(from[i], F_DUPFD, 16);
        if (spare[i] < 0 && from[i] == STDERR_FILENO) {
            /* The client has closed its standard error. */
            spare[i] = fcntl(open("/dev/null", O_WRONLY), F_DUPFD, 16);
        }
        if (spare[i] < 0) {
            return false;
        }
    }
    for (int i = 0; i < 6; i++) {
        dup2(spare[i], i);
    }
    closefrom(6);
    return true;
}

static void put(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) {
        _Exit(127);
    }
}

static void child(const struct session *session, const struct command *command, int control,
                  int supervisor) __attribute__((noreturn));

static void child(const struct session *session, const struct command *command, int control,
                  int supervisor)
{
    static char *const environment[] = {"LC_ALL=C", NULL};
    const struct rlimit no_core = {0, 0};
    sigset_t none;
    if (_Fork() != 0) {
        _Exit(0);
    }
    setsid();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number < 32; number++) {
        signal(number, SIG_DFL);
    }
    setrlimit(RLIMIT_CORE, &no_core);
    if (arrange(session, control, supervisor)) {
        execve(command->arguments[0], command->arguments, environment);
        put("cannot start ");
        put(command->arguments[0]);
        put(": ");
        put(strerrordesc_np(errno));
    }
    _Exit(127);
}

/* ---- in the client ---- */

static void refusal(const struct session *session, const struct config *config)
{
    char text[1024];
    ssize_t got = pread(session->errors, text, sizeof text - 1, 0);
    text[got < 0 ? 0 : got] = 0;
    text[strcspn(text, "\n")] = 0;
    const char *likely = "";
    if (strstr(text, "unable to find CPU model") != NULL) {
        likely = "; this qemu-hexagon does not support the qemu_cpu in the device's configuration";
    } else if (access(config->shell, R_OK) != 0) {
        likely = "; the shell in the device's configuration does not exist or is not readable";
    }
    log_message("the DSP process does not start: %s %s %s: %s%s", config->qemu, config->qemu_cpu,
                config->shell, text[0] == 0 ? "it wrote no message" : text, likely);
}

static int errors_file(void)
{
    int fd = (int)syscall(SYS_memfd_create, "dsp-stderr", 1u /* MFD_CLOEXEC */);
    if (fd >= 0 && fd <= STDERR_FILENO) {
        int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(fd);
        fd = moved;
    }
    if (fd >= 0) {
        fcntl(fd, F_SETFL, O_APPEND);
    }
    return fd;
}

/* Does not use fork(), because the client's fork handlers are for children that continue to execute
 * the client. */
static bool spawn(const struct session *session, const struct command *command, int control,
                  int supervisor)
{
    pid_t pid = _Fork();
    if (pid == 0) {
        child(session, command, control, supervisor);
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
    return pid > 0;
}

int start_process(struct session *session, const struct config *config)
{
    int control[2] = {-1, -1};
    int supervisor[2] = {-1, -1};
    struct command command;
    if (!command_compose(&command, session, config)) {
        return AEE_ECONNREFUSED;
    }
    int errors = errors_file();
    bool good = errors >= 0 && socket_pair(control) && socket_pair(supervisor);
    pthread_mutex_lock(&session->lock);
    session->errors = errors;
    session->control = control[0];
    session->supervisor = supervisor[0];
    pthread_mutex_unlock(&session->lock);
    if (!good || !(warm_start(session, &command, control[1], supervisor[1], spawn) ||
                   spawn(session, &command, control[1], supervisor[1]))) {
        log_message("the DSP process does not start: %s", strerror(errno));
        good = false;
    }
    close(control[1]);
    close(supervisor[1]);
    return good ? AEE_SUCCESS : AEE_ECONNREFUSED;
}

/* Receives HELLO. Fails when the supervisor's socket reports the end of the process. */
static bool receive_hello(struct session *session)
{
    struct pollfd polled[2] = {{.fd = session->control, .events = POLLIN},
                               {.fd = session->supervisor, .events = POLLIN}};
    int ready;
    do {
        /* A debugger lets the process start when its user wants. */
        ready = poll(polled, 2, getenv("BUILDTOOL_SIM_DEBUG") == NULL ? HELLO_MILLISECONDS : -1);
    } while (ready < 0 && errno == EINTR);
    struct wire_header header;
    int fd = -1;
    if (ready <= 0 || (polled[0].revents & POLLIN) == 0 ||
        wire_receive(session->control, &header, &fd) != 0 || header.kind != WIRE_HELLO) {
        return false;
    }
    session->process = (pid_t)header.value;
    return true;
}

int start_await_hello(struct session *session, const struct config *config)
{
    if (receive_hello(session)) {
        return AEE_SUCCESS;
    }
    if (session_usable(session)) {
        refusal(session, config);
    }
    return AEE_ECONNREFUSED;
}
