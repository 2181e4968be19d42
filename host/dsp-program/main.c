/* run-dsp-program LIBRARY [ARGUMENT...]: runs a DSP program with the streams of this one.
 *
 * LIBRARY is a name that the DSP searches in ADSP_LIBRARY_PATH, or a path.  The exit status is that
 * of the program: 128+n for signal n. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dsp_program.h"
#include "program.h"
#include "serve.h"

#define CDSP_URI dsp_program_URI CDSP_DOMAIN
#define STACK_SIZE (1024 * 1024) /* of the thread of main; that of a call has 16 KiB by default */
#define BUFFER_SIZE 65536

enum { STATUS_NOT_RUN = 125, STATUS_CRASHED = 128 + SIGSEGV };

extern char **environ;

static remote_handle64 handle;

static int fail(const char *what, int code)
{
    fprintf(stderr, "run-dsp-program: %s: error 0x%x\n", what, (unsigned)code);
    return STATUS_NOT_RUN;
}

static void write_all(int stream, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(stream, bytes, size);
        if (written < 0 && errno != EINTR)
            return; /* nobody reads it; the program goes on, as one without SIGPIPE */
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
}

/* Gives the program what it has asked for.  It is read only then, as a program for this side reads it:
 * what is left belongs to others. */
static void *give_input(void *unused)
{
    static uint8_t bytes[BUFFER_SIZE];
    ssize_t got;

    (void)unused;
    do
        got = read(STDIN_FILENO, bytes, sizeof bytes);
    while (got < 0 && errno == EINTR);
    dsp_program_input(handle, bytes, got > 0 ? (int)got : 0);
    return NULL;
}

/* Does what the program asks for until it has ended. */
static void *follow(void *unused)
{
    static uint8_t bytes[BUFFER_SIZE];
    int32_t event = EVENT_NONE, status = 0;
    uint32_t used = 0;

    (void)unused;
    while (event != EVENT_END &&
           dsp_program_next(handle, &event, &status, bytes, sizeof bytes, &used) == 0) {
        if (event == EVENT_OUTPUT || event == EVENT_ERROR)
            write_all(event == EVENT_ERROR ? STDERR_FILENO : STDOUT_FILENO, bytes, used);
        if (event == EVENT_LEFT)
            _exit(status & 0xff); /* its call of main never returns */
        if (event == EVENT_INPUT) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, give_input, NULL) == 0)
                pthread_detach(thread);
        }
    }
    return NULL;
}

/* Lets the DSP search first where LIBRARY is; returns its name. */
static const char *searched(const char *library)
{
    const char *slash = strrchr(library, '/');
    const char *known = getenv("ADSP_LIBRARY_PATH");
    char *path = NULL;

    if (slash == NULL)
        return library;
    if (asprintf(&path, "%.*s;%s", (int)(slash - library), library, known == NULL ? "" : known) < 0)
        return library;
    setenv("ADSP_LIBRARY_PATH", path, 1);
    free(path);
    return slash + 1;
}

/* The texts, each with its NUL; *size is their length. */
static uint8_t *joined(char **texts, size_t *size)
{
    uint8_t *bytes = NULL;

    *size = 0;
    for (; *texts != NULL; texts++) {
        const size_t length = strlen(*texts) + 1;
        uint8_t *more = realloc(bytes, *size + length);
        if (more == NULL)
            abort();
        bytes = more;
        memcpy(bytes + *size, *texts, length);
        *size += length;
    }
    return bytes;
}

static int open_process(void)
{
    struct remote_rpc_control_unsigned_module request = {.domain = CDSP_DOMAIN_ID, .enable = 1};
    struct remote_rpc_thread_params threads = {CDSP_DOMAIN_ID, -1, STACK_SIZE};
    int code = remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &request, sizeof request);

    if (code != 0)
        return code;
    remote_session_control(FASTRPC_THREAD_PARAMS, &threads, sizeof threads); /* else it has less */
    return dsp_program_open(CDSP_URI, &handle);
}

static int load(const char *library)
{
    static uint8_t problem[1024];
    uint32_t used = 0;
    int code = dsp_program_load(handle, library, problem, sizeof problem, &used);

    if (code != 0)
        return fail("loading the program on the DSP", code);
    if (used == 0)
        return 0;
    fprintf(stderr, "run-dsp-program: the DSP does not load %s: %.*s\n", library, (int)used,
            (const char *)problem);
    return STATUS_NOT_RUN;
}

/* Runs the program; returns its exit status. */
static int run(const char *library, char **words)
{
    size_t arguments_size = 0, environment_size = 0;
    uint8_t *arguments = joined(words, &arguments_size);
    uint8_t *environment = joined(environ, &environment_size);
    int32_t status = 0;
    pthread_t follower;
    int code = pthread_create(&follower, NULL, follow, NULL);

    if (code != 0) {
        status = fail("creating a thread", code);
    } else {
        code = dsp_program_run(handle, arguments, (int)arguments_size, environment,
                               (int)environment_size, &status);
        pthread_join(follower, NULL); /* also after a crash: then its call has failed, too */
        if (code != 0) {
            fprintf(stderr, "run-dsp-program: %s has ended its DSP process: 0x%x\n", library,
                    (unsigned)code);
            status = STATUS_CRASHED;
        }
    }
    free(arguments);
    free(environment);
    return status & 0xff;
}

static int run_one(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: run-dsp-program LIBRARY [ARGUMENT...]\n");
        return STATUS_NOT_RUN;
    }
    signal(SIGPIPE, SIG_DFL);
    const char *library = searched(argv[1]);
    int status = open_process();
    if (status != 0)
        return fail("opening a process on the DSP", status);
    status = load(library);
    if (status != 0)
        return status;
    status = run(library, argv + 1);
    if (status != STATUS_CRASHED)
        dsp_program_close(handle);
    return status;
}

/* Opens a process on the DSP and ends it: then the code that does so for each program is translated. */
static void rehearse(void)
{
    struct remote_rpc_session_close session = {CDSP_DOMAIN_ID};

    if (open_process() == 0)
        dsp_program_close(handle);
    remote_session_control(FASTRPC_SESSION_CLOSE, &session, sizeof session);
}

int main(int argc, char **argv)
{
    if (argc != 2 || strcmp(argv[1], "--serve") != 0)
        return run_one(argc, argv);
    rehearse();
    unsetenv("BUILDTOOL_SIM_WARM"); /* programs have the variables that they have otherwise */
    return serve(run_one);
}
