/* calls.c: opening, calling, closing. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

static uint64_t handle_of(const char *name)
{
    return (uint64_t)(uintptr_t)recall(name);
}

int do_unsigned_pd(char **words, char *more)
{
    struct remote_rpc_control_unsigned_module request = {atoi(words[1]), atoi(words[2])};
    (void)more;
    return remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &request, sizeof request);
}

/* open NAME FILE [OPTIONS]: the 64-bit interface of lib<FILE>_skel.so */
int do_open(char **words, char *more)
{
    char uri[300];
    remote_handle64 handle = 0;
    (void)more;
    snprintf(uri, sizeof uri, "file:///lib%s_skel.so?probe_skel_handle_invoke&_modver=1.0%s",
             words[2], words[3] == NULL ? "&_dom=cdsp" : words[3]);
    int code = remote_handle64_open(uri, &handle);
    remember(words[1], (void *)(uintptr_t)handle);
    return code;
}

int do_open_uri(char **words, char *more)
{
    remote_handle64 handle = 0;
    (void)more;
    int code = remote_handle64_open(words[2], &handle);
    remember(words[1], (void *)(uintptr_t)handle);
    return code;
}

int do_open32(char **words, char *more)
{
    remote_handle handle = 0;
    (void)more;
    int code = remote_handle_open(words[2], &handle);
    remember(words[1], (void *)(uintptr_t)handle);
    return code;
}

int do_close(char **words, char *more)
{
    (void)more;
    return remote_handle64_close(handle_of(words[1]));
}

int do_close32(char **words, char *more)
{
    (void)more;
    return remote_handle_close((remote_handle)handle_of(words[1]));
}

int do_opens(char **words, char *more)
{
    int code = 0;
    for (int i = 0; i < atoi(words[2]) && code == 0; i++) {
        char *open_words[] = {"open", "many", words[1], NULL};
        code = do_open(open_words, more);
        code = code == 0 ? remote_handle64_close(handle_of("many")) : code;
    }
    return code;
}

int do_call(char **words, char *more)
{
    (void)more;
    return remote_handle64_invoke(handle_of(words[1]),
                                  REMOTE_SCALARS_MAKE(atoi(words[2]), 0, 0), NULL);
}

int do_call32(char **words, char *more)
{
    (void)more;
    return remote_handle_invoke((remote_handle)handle_of(words[1]),
                                REMOTE_SCALARS_MAKE(atoi(words[2]), 0, 0), NULL);
}

/* twice NAME COUNT heap|rpcmem: method 2 on COUNT ints, checked. */
int do_twice(char **words, char *more)
{
    int count = atoi(words[2]);
    int shared = strcmp(words[3], "rpcmem") == 0;
    size_t size = (size_t)count * 4;
    int *in = shared ? rpcmem_alloc(25, 1, (int)size + 4) : malloc(size + 4);
    int *out = shared ? rpcmem_alloc(25, 1, (int)size + 4) : malloc(size + 4);
    int good = 0;
    for (int i = 0; i < count; i++) {
        in[i] = i + 7;
    }
    out[count] = 31;
    remote_arg arguments[2] = {{.buf = {in, size}}, {.buf = {out, size}}};
    int code = remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(2, 1, 1),
                                      arguments);
    for (int i = 0; code == 0 && i < count; i++) {
        good += out[i] == 2 * (i + 7);
    }
    snprintf(more, 256, "%d right%s", good, out[count] == 31 ? "" : " and the end overwritten");
    if (shared) {
        rpcmem_free(in);
        rpcmem_free(out);
    } else {
        free(in);
        free(out);
    }
    return code;
}

/* number NAME METHOD [VALUE]: one int in, eight ints out. */
int do_number(char **words, char *more)
{
    int in = words[3] == NULL ? 0 : atoi(words[3]);
    int out[8] = {0};
    remote_arg arguments[2] = {{.buf = {&in, sizeof in}}, {.buf = {out, sizeof out}}};
    int code = remote_handle64_invoke(handle_of(words[1]),
                                      REMOTE_SCALARS_MAKE(atoi(words[2]), 1, 1), arguments);
    snprintf(more, 256, "%d %d", out[0], out[1]);
    return code;
}

int do_again(char **words, char *more)
{
    int code = 0;
    for (int i = 0; i < atoi(words[2]) && code == 0; i++) {
        code = do_number((char *[]){"number", words[1], "9", NULL}, more);
    }
    return code;
}

int do_failing(char **words, char *more)
{
    return do_number((char *[]){"number", words[1], "12", NULL}, more);
}

int do_places(char **words, char *more)
{
    int out[4] = {-1, -1, -1, -1};
    char bytes[300];
    memset(bytes, 1, sizeof bytes);
    remote_arg arguments[5] = {{.buf = {bytes + 1, 3}},
                               {.buf = {bytes + 5, 131}},
                               {.buf = {bytes, 0}},
                               {.buf = {bytes + 2, 1}},
                               {.buf = {out, sizeof out}}};
    int code = remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(13, 4, 1),
                                      arguments);
    snprintf(more, 256, "%d %d %d %d", out[0], out[1], out[2], out[3]);
    return code;
}

int do_handles(char **words, char *more)
{
    remote_arg arguments[2] = {{.h64 = 0x0102030405060708u}, {.h64 = 0}};
    int code = remote_handle64_invoke(handle_of(words[1]),
                                      REMOTE_SCALARS_MAKEX(0, 14, 0, 0, 1, 1), arguments);
    snprintf(more, 256, "%llx", (unsigned long long)arguments[1].h64);
    return code;
}

/* A pointer that leads nowhere, and NULL with a length. */
int do_wild(char **words, char *more)
{
    int out[8];
    remote_arg arguments[2] = {{.buf = {(void *)0x10, 64}}, {.buf = {out, sizeof out}}};
    (void)more;
    return remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(2, 1, 1), arguments);
}

int do_null(char **words, char *more)
{
    int out[8];
    remote_arg arguments[2] = {{.buf = {NULL, 64}}, {.buf = {out, sizeof out}}};
    (void)more;
    int code = remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(2, 1, 1),
                                      arguments);
    return code == AEE_EBADPARM
               ? remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(2, 1, 1), NULL)
               : code;
}

/* ---- several threads ---- */

struct task {
    uint64_t handle;
    int method, value, rounds, code;
};

static void *work(void *argument)
{
    struct task *task = argument;
    for (int i = 0; i < task->rounds && task->code == 0; i++) {
        int in[4] = {task->value, i, 0, 0}, out[4] = {0};
        remote_arg arguments[2] = {{.buf = {in, sizeof in}}, {.buf = {out, sizeof out}}};
        task->code = remote_handle64_invoke(task->handle, REMOTE_SCALARS_MAKE(task->method, 1, 1),
                                            arguments);
        if (task->method == 2 && (out[0] != 2 * task->value || out[1] != 2 * i)) {
            task->code = -1;
        }
    }
    return NULL;
}

static int together(uint64_t handle, int method, int value, int count, int rounds)
{
    pthread_t threads[16];
    struct task tasks[16];
    int code = 0;
    for (int i = 0; i < count; i++) {
        tasks[i] = (struct task){handle, method, method == 2 ? value + i : value, rounds, 0};
        pthread_create(&threads[i], NULL, work, &tasks[i]);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        code = tasks[i].code == 0 ? code : tasks[i].code;
    }
    return code;
}

/* meet NAME COUNT: that many calls, none of which returns before all have come. */
int do_meet(char **words, char *more)
{
    (void)more;
    return together(handle_of(words[1]), 11, atoi(words[2]), atoi(words[2]), 1);
}

int do_threads(char **words, char *more)
{
    (void)more;
    return together(handle_of(words[1]), 2, 100, atoi(words[2]), 50);
}

static void *open_and_close(void *argument)
{
    struct task *task = argument;
    for (int i = 0; i < task->rounds && task->code == 0; i++) {
        struct task call = {0, 2, task->value, 1, 0};
        task->code = remote_handle64_open(
            "file:///libprobe_skel.so?probe_skel_handle_invoke&_modver=1.0&_dom=cdsp",
            &call.handle);
        if (task->code == 0) {
            work(&call);
            task->code = call.code;
            call.code = remote_handle64_close(call.handle);
            task->code = task->code == 0 ? call.code : task->code;
        }
    }
    return NULL;
}

/* churn THREADS ROUNDS: each opens, calls and closes; sessions end and begin meanwhile. */
int do_churn(char **words, char *more)
{
    pthread_t running[16];
    struct task tasks[16];
    int code = 0;
    (void)more;
    for (int i = 0; i < atoi(words[1]); i++) {
        tasks[i] = (struct task){0, 0, i, atoi(words[2]), 0};
        pthread_create(&running[i], NULL, open_and_close, &tasks[i]);
    }
    for (int i = 0; i < atoi(words[1]); i++) {
        pthread_join(running[i], NULL);
        code = tasks[i].code == 0 ? code : tasks[i].code;
    }
    return code;
}

/* ---- asynchronous ---- */

static volatile int called_back = -1;

static void done(fastrpc_async_jobid job, void *context, int result)
{
    (void)job;
    *(volatile int *)context = result;
}

int do_async(char **words, char *more)
{
    fastrpc_async_descriptor_t poll = {.type = FASTRPC_ASYNC_POLL};
    fastrpc_async_descriptor_t back = {.type = FASTRPC_ASYNC_CALLBACK,
                                       .cb = {done, (void *)&called_back}};
    int in = 21, out = 0, result = -1, other = 0;
    remote_arg arguments[2] = {{.buf = {&in, 4}}, {.buf = {&out, 4}}};
    uint64_t handle = handle_of(words[1]);
    int code = remote_handle64_invoke_async(handle, &poll, REMOTE_SCALARS_MAKE(2, 1, 1),
                                            arguments);
    code = code == 0 ? fastrpc_async_get_status(poll.jobid, -1, &result) : code;
    code = code == 0 ? fastrpc_release_async_job(poll.jobid) : code;
    other = fastrpc_async_get_status(poll.jobid, 0, &other);
    code = code == 0 ? remote_handle64_invoke_async(handle, &back, REMOTE_SCALARS_MAKE(9, 0, 0),
                                                    NULL)
                     : code;
    for (int i = 0; i < 3000 && called_back == -1; i++) {
        usleep(1000);
    }
    snprintf(more, 256, "%d %d, released %x, callback %x", result, out, (unsigned)other,
             (unsigned)called_back);
    return code;
}

/* ---- processes ---- */

/* A forked child has no handles of its parent, and may open its own. */
int do_forked(char **words, char *more)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        remote_arg arguments[1];
        remote_handle64 handle = 0;
        int stale = remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(3, 0, 0),
                                           arguments);
        int code = remote_handle64_open(
            "file:///libprobe_skel.so?probe_skel_handle_invoke&_modver=1.0&_dom=cdsp", &handle);
        code = code == 0 ? remote_handle64_invoke(handle, REMOTE_SCALARS_MAKE(3, 0, 0), arguments)
                         : code;
        exit(stale == AEE_EINVHANDLE && code == 0 ? 7 : 8);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    snprintf(more, 256, "%d", WEXITSTATUS(status));
    return remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(3, 0, 0), NULL);
}

/* What wait() sees of the DSP process: nothing. */
int do_children(char **words, char *more)
{
    int status;
    (void)words;
    snprintf(more, 256, "%d", (int)waitpid(-1, &status, WNOHANG));
    return 0;
}

int do_pause_here(char **words, char *more)
{
    (void)words;
    (void)more;
    printf("paused\n");
    for (;;) {
        pause();
    }
}
