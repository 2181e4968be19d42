/* threads.c: calls from several threads, and asynchronous calls. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

static uint64_t handle_of(const char *name)
{
    return (uint64_t)(uintptr_t)recall(name);
}

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

/* meet NAME COUNT: COUNT calls, none of which returns before all have arrived. */
int do_meet(char **words, char *more)
{
    (void)more;
    return together(handle_of(words[1]), 11, atoi(words[2]), atoi(words[2]), 1);
}

/* endless NAME COUNT: COUNT calls at once that do not return. */
int do_endless(char **words, char *more)
{
    (void)more;
    return together(handle_of(words[1]), 5, 0, atoi(words[2]), 1);
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

/* churn THREADS ROUNDS: each opens, calls and closes, while sessions end and begin. */
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

/* Ends the session repeatedly. */
static void *end_sessions(void *argument)
{
    struct task *task = argument;
    for (int i = 0; i < task->rounds; i++) {
        struct remote_rpc_session_close asked = {3};
        remote_session_control(FASTRPC_SESSION_CLOSE, &asked, sizeof asked);
        usleep(2000);
    }
    return NULL;
}

static void *open_and_close_ended(void *argument)
{
    struct task *task = argument;
    for (int i = 0; i < task->rounds; i++) {
        task->code = 0; /* calls fail if their session was ended */
        open_and_close(&(struct task){0, 0, task->value, 1, 0});
    }
    return NULL;
}

/* ended THREADS ROUNDS: the same, while another thread ends the sessions. */
int do_ended(char **words, char *more)
{
    pthread_t ending, running[16];
    struct task tasks[17];
    int count = atoi(words[1]);
    (void)more;
    tasks[count] = (struct task){0, 0, 0, 10 * atoi(words[2]), 0};
    pthread_create(&ending, NULL, end_sessions, &tasks[count]);
    for (int i = 0; i < count; i++) {
        tasks[i] = (struct task){0, 0, i, atoi(words[2]), 0};
        pthread_create(&running[i], NULL, open_and_close_ended, &tasks[i]);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(running[i], NULL);
    }
    pthread_join(ending, NULL);
    return 0;
}

static void *open_second(void *unused)
{
    remote_handle64 handle = 0;
    (void)unused;
    remote_handle64_open(
        "file:///libprobe_skel.so?probe_skel_handle_invoke&_modver=1.0&_dom=cdsp&_session=1",
        &handle);
    return NULL;
}

/* second: begins to open in session 1, in a thread that continues. */
int do_second(char **words, char *more)
{
    pthread_t thread;
    (void)words;
    (void)more;
    int code = pthread_create(&thread, NULL, open_second, NULL);
    usleep(200000);
    return code;
}

static void leave(void)
{
    _exit(9);
}

/* childless: the program's forked children exit at once. */
int do_childless(char **words, char *more)
{
    (void)words;
    (void)more;
    return pthread_atfork(NULL, NULL, leave);
}

/* ---- asynchronous ---- */

static _Atomic int called_back = -1;

static void done(fastrpc_async_jobid job, void *context, int result)
{
    (void)job;
    *(_Atomic int *)context = result;
}

int do_async(char **words, char *more)
{
    fastrpc_async_descriptor_t poll = {.type = FASTRPC_ASYNC_POLL};
    fastrpc_async_descriptor_t back = {.type = FASTRPC_ASYNC_CALLBACK,
                                       .cb = {done, (void *)&called_back}};
    int in = 21, out = 0, result = -1, other = 0;
    remote_arg arguments[2] = {{.buf = {&in, 4}}, {.buf = {&out, 4}}};
    uint64_t handle = handle_of(words[1]);
    int code = remote_handle64_invoke_async(handle, &poll, REMOTE_SCALARS_MAKE(2, 1, 1), arguments);
    code = code == 0 ? fastrpc_async_get_status(poll.jobid, -1, &result) : code;
    code = code == 0 ? fastrpc_release_async_job(poll.jobid) : code;
    other = fastrpc_async_get_status(poll.jobid, 0, &other);
    code = code == 0
               ? remote_handle64_invoke_async(handle, &back, REMOTE_SCALARS_MAKE(9, 0, 0), NULL)
               : code;
    for (int i = 0; i < 3000 && called_back == -1; i++) {
        usleep(1000);
    }
    snprintf(more, 256, "%d %d, released %x, callback %x", result, out, (unsigned)other,
             (unsigned)called_back);
    return code;
}
