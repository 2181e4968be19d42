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
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bt_trace_record.h"
#include "config.h"
#include "crashes.h"
#include "log.h"
#include "memory.h"
#include "search.h"
#include "session.h"
#include "settings.h"
#include "text.h"
#include "uri.h"

#define HELLO_MILLISECONDS 30000
#define ARGUMENTS_MAX 40
#define TEXT_MAX 6144
#define FARF_MAX 512 /* libcdsprpc reads no longer file */
#define SOCKET_PATH_MAX (sizeof(((struct sockaddr_un *)0)->sun_path) - 1)

struct command {
    char text[TEXT_MAX];
    size_t used;
    char *arguments[ARGUMENTS_MAX]; /* the last one stays NULL */
    int count;
    bool is_full;
};

static void add(struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct command *command, const char *format, ...)
{
    const size_t room = sizeof command->text - command->used;
    if (room == 0 || command->count == ARGUMENTS_MAX - 1) {
        command->is_full = true;
        return;
    }
    va_list arguments;
    struct text text = text_start(command->text + command->used, room);
    va_start(arguments, format);
    text_add_list(&text, format, arguments);
    va_end(arguments);
    command->is_full |= text.used == room - 1; /* it may be truncated */
    command->used += text.used + 1;
    command->arguments[command->count++] = text.bytes;
}

/* Reads PROGRAM.farf on the library path: the levels of the RUNTIME_ messages that are logged, and
 * the source files that log them, all if there are none. Source: quic/fastrpc, src/log_config.c. */
static void read_farf(const struct session *session, char *text, size_t size)
{
    char file[256];
    int code;
    snprintf(file, sizeof file, "%s.farf", program_invocation_short_name);
    int fd = search_open(file, domain_name(session->effective % DOMAINS), true, &code);
    ssize_t got = fd < 0 ? 0 : read(fd, text, size - 1);
    text[got < 0 ? 0 : got] = 0;
    text[strcspn(text, "\r\n")] = 0;
    if (fd >= 0) {
        close(fd);
    }
}

/* Returns the path of the socket at which the next DSP process waits for a debugger (`buildtool run
 * sim --debug`), or NULL. */
static const char *debug_socket(void)
{
    const char *path = getenv("BUILDTOOL_SIM_DEBUG");
    /* The socket exists already when this is not the first DSP process of the run. */
    return path == NULL || path[0] == 0 || access(path, F_OK) == 0 ? NULL : path;
}

/* Returns false and writes a message when the command line is too long. */
static bool compose(struct command *command, const struct session *session,
                    const struct config *config)
{
    const struct settings settings = settings_of(session->effective);
    const char *counts = getenv("BUILDTOOL_SIM_COUNTS");
    const char *trace = getenv(BT_TRACE_VARIABLE);
    const char *profile = getenv("BUILDTOOL_SIM_PROFILE");
    const char *plugin = getenv("BUILDTOOL_SIM_PLUGIN");
    char farf[FARF_MAX];
    read_farf(session, farf, sizeof farf);
    memset(command, 0, sizeof *command);
    add(command, "%s", config->qemu);
    if (config->qemu_cpu[0] != 0) {
        add(command, "-cpu");
        add(command, "%s", config->qemu_cpu);
    }
    const char *debug = debug_socket();
    if (debug != NULL) {
        command->is_full |= strlen(debug) > SOCKET_PATH_MAX; /* qemu would truncate it */
        add(command, "-g");
        add(command, "%s", debug);
    }
    if (plugin != NULL && plugin[0] != 0) { /* of qemu, with its options */
        add(command, "-plugin");
        add(command, "%s", plugin);
    }
    add(command, "%s", config->shell);
    add(command, "serve");
    add(command, "soc=%s", config->soc);
    add(command, "arch=0x%x", (unsigned)config->arch);
    add(command, "vtcm_bytes=%u", (unsigned)config->vtcm_bytes);
    add(command, "heap_bytes=%u", (unsigned)config->heap_bytes);
    add(command, "strict=%s", strict_mode());
    add(command, "debug=%d", debug != NULL);
    add(command, "hvx_units=%u", (unsigned)config->hvx_units);
    add(command, "hw_threads=%u", (unsigned)config->hw_threads);
    add(command, "hmx=%u", (unsigned)config->hmx);
    add(command, "hmx_unit=%s", config->hmx_unit);
    add(command, "unsigned_pd=%d", settings.unsigned_module);
    add(command, "domain=%d", session->effective % DOMAINS);
    add(command, "session=%d", session->effective / DOMAINS);
    add(command, "client_pid=%d", (int)getpid());
    add(command, "priority=%d", settings.priority);
    add(command, "stack=%d", settings.stack_size);
    add(command, "state=%s", config->state);
    add(command, "reports=%s", crash_reports());
    add(command, "counts=%s", counts == NULL ? "" : counts);
    add(command, "trace=%s", trace == NULL ? "" : trace);
    add(command, "profile=%s", profile == NULL ? "" : profile);
    add(command, "farf=%s", farf);
    if (command->is_full) {
        log_message("the DSP process does not start: its command line has more than %d bytes, or "
                    "the path of the debugger's socket more than %d; shorten the paths in the "
                    "device's configuration, or TMPDIR",
                    TEXT_MAX, (int)SOCKET_PATH_MAX);
    }
    return !command->is_full;
}

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
    if (!compose(&command, session, config)) {
        return AEE_ECONNREFUSED;
    }
    int errors = errors_file();
    bool good = errors >= 0 && socket_pair(control) && socket_pair(supervisor);
    pthread_mutex_lock(&session->lock);
    session->errors = errors;
    session->control = control[0];
    session->supervisor = supervisor[0];
    pthread_mutex_unlock(&session->lock);
    if (!good || !spawn(session, &command, control[1], supervisor[1])) {
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
