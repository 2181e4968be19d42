/* start.c: starts the DSP process: qemu-hexagon with the shell.
 *
 * The process is a grandchild, so that the client's wait() and SIGCHLD handling have
 * nothing to do with it, in a session of its own, so that a Ctrl-C reaches the client
 * only; it ends when its control socket does. It gets no descriptors but its own. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"

#define HELLO_MILLISECONDS 30000
#define ARGUMENTS_MAX 24
#define TEXT_MAX 4096

_Thread_local bool starting;

struct command {
    char text[TEXT_MAX];
    size_t used;
    char *arguments[ARGUMENTS_MAX];
    int count;
};

static void add(struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct command *command, const char *format, ...)
{
    va_list arguments;
    char *at = command->text + command->used;
    size_t room = sizeof command->text - command->used;
    va_start(arguments, format);
    int wrote = vsnprintf(at, room, format, arguments);
    va_end(arguments);
    if (wrote < 0 || (size_t)wrote >= room || command->count == ARGUMENTS_MAX - 1) {
        return;
    }
    command->used += (size_t)wrote + 1;
    command->arguments[command->count++] = at;
}

static void compose(struct command *command, const struct session *session,
                    const struct config *config)
{
    const struct settings settings = settings_of(session->effective);
    memset(command, 0, sizeof *command);
    add(command, "%s", config->qemu);
    if (config->qemu_cpu[0] != 0) {
        add(command, "-cpu");
        add(command, "%s", config->qemu_cpu);
    }
    add(command, "%s", config->shell);
    add(command, "serve");
    add(command, "soc=%s", config->soc);
    add(command, "arch=0x%x", (unsigned)config->arch);
    add(command, "vtcm_bytes=%u", (unsigned)config->vtcm_bytes);
    add(command, "hvx_units=%u", (unsigned)config->hvx_units);
    add(command, "hw_threads=%u", (unsigned)config->hw_threads);
    add(command, "hmx=%d", config->hmx);
    add(command, "unsigned_pd=%d", settings.unsigned_module);
    add(command, "domain=%d", session->effective % DOMAINS);
    add(command, "session=%d", session->effective / DOMAINS);
    add(command, "client_pid=%d", (int)getpid());
    add(command, "priority=%d", settings.priority);
    add(command, "stack=%d", settings.stack_size);
    add(command, "state=%s", config->state);
}

/* ---- in the child: only calls that are safe after fork ---- */

static void close_from(int first)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0) {
        return;
    }
#endif
    DIR *directory = opendir("/proc/self/fd");
    int last = directory == NULL ? 1024 : 0;
    if (directory != NULL) {
        for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
            int fd = atoi(entry->d_name);
            last = fd > last ? fd : last;
        }
        closedir(directory);
    }
    for (int fd = first; fd <= last; fd++) {
        close(fd);
    }
}

/* Moves the descriptors above every target first, so that none overwrites another. */
static bool arrange(const struct session *session, int control, int supervisor)
{
    int null = open("/dev/null", O_RDONLY);
    /* qemu writes its assertions to standard output, everything else to standard error */
    int from[6] = {null, session->errors, session->errors, control, supervisor, STDERR_FILENO};
    int spare[6];
    for (int i = 0; i < 6; i++) {
        spare[i] = fcntl(from[i], F_DUPFD, 16);
        if (spare[i] < 0 && from[i] == STDERR_FILENO) {
            /* the client closed its standard error */
            spare[i] = fcntl(open("/dev/null", O_WRONLY), F_DUPFD, 16);
        }
        if (spare[i] < 0) {
            return false;
        }
    }
    for (int i = 0; i < 6; i++) {
        dup2(spare[i], i);
    }
    close_from(6);
    return true;
}

static void child(const struct session *session, const struct command *command, int control,
                  int supervisor) __attribute__((noreturn));

static void child(const struct session *session, const struct command *command, int control,
                  int supervisor)
{
    static char *const environment[] = {"LC_ALL=C", NULL};
    const struct rlimit no_core = {0, 0};
    sigset_t none;
    if (fork() != 0) {
        _exit(0);
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
        dprintf(STDERR_FILENO, "cannot start %s: %s", command->arguments[0], strerror(errno));
    }
    _exit(127);
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
        likely = "; qemu_cpu of the device's configuration is not one that this qemu-hexagon knows";
    } else if (access(config->shell, R_OK) != 0) {
        likely = "; the shell of the device's configuration is not there";
    }
    say("the DSP process does not start: %s %s %s: %s%s", config->qemu, config->qemu_cpu,
        config->shell, text[0] == 0 ? "no word from it" : text, likely);
}

/* Waits for the first message. A supervisor socket that ends means there is none. */
static bool hello(struct session *session)
{
    struct pollfd polled[2] = {{.fd = session->control, .events = POLLIN},
                               {.fd = session->supervisor, .events = POLLIN}};
    int ready;
    do {
        ready = poll(polled, 2, HELLO_MILLISECONDS);
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

int start_process(struct session *session, const struct config *config)
{
    int control[2], supervisor[2];
    struct command command;
    compose(&command, session, config);
    session->errors = errors_file();
    if (session->errors < 0 || !socket_pair(control)) {
        say("the DSP process does not start: %s", strerror(errno));
        return AEE_ECONNREFUSED;
    }
    if (!socket_pair(supervisor)) {
        say("the DSP process does not start: %s", strerror(errno));
        close(control[0]);
        close(control[1]);
        return AEE_ECONNREFUSED;
    }
    session->control = control[0];
    session->supervisor = supervisor[0];
    starting = true;
    pid_t pid = fork();
    if (pid == 0) {
        child(session, &command, control[1], supervisor[1]);
    }
    starting = false;
    close(control[1]);
    close(supervisor[1]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
    if (pid < 0 || !hello(session)) {
        refusal(session, config);
        return AEE_ECONNREFUSED;
    }
    return AEE_SUCCESS;
}
