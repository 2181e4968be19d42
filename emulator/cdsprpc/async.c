/* async.c: asynchronous calls. Each job is a thread that makes a synchronous call.
 *
 * A call returns when its job has sent the arguments, because stubs have records on their stack, which
 * a device's driver copies. A job has a copy of the argument array, but not of shared and out buffers.
 * As on a device, the client keeps them valid until the job is done. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "handles.h"
#include "invoke.h"
#include "threads.h"

struct job {
    struct job *next;
    fastrpc_async_jobid id;
    enum fastrpc_async_notify_type type;
    fastrpc_async_callback_t callback;
    struct opened *handle;
    uint32_t scalars;
    remote_arg *arguments;
    bool *sent; /* the submitter's, until it is set */
    bool done;
    int result;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct job *jobs;
static fastrpc_async_jobid last_id;

static struct job **find(fastrpc_async_jobid id)
{
    struct job **at = &jobs;
    while (*at != NULL && (*at)->id != id) {
        at = &(*at)->next;
    }
    return at;
}

static void job_free(struct job *job)
{
    free(job->arguments);
    free(job);
}

/* Lets the submitter of the job return. */
static void arguments_sent(void *argument)
{
    struct job *job = argument;
    pthread_mutex_lock(&lock);
    if (job->sent != NULL) {
        *job->sent = true;
        job->sent = NULL;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
}

static void run(void *argument)
{
    struct job *job = argument;
    const fastrpc_async_callback_t callback = job->callback;
    const fastrpc_async_jobid id = job->id;
    const enum fastrpc_async_notify_type type = job->type;
    int result = invoke(job->handle, job->scalars, job->arguments, arguments_sent, job);
    arguments_sent(job);
    handle_release(job->handle);
    pthread_mutex_lock(&lock);
    job->result = result;
    job->done = true;
    if (type == FASTRPC_ASYNC_NO_SYNC) {
        struct job **at = find(id);
        *at = job->next;
        job_free(job);
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    if (type == FASTRPC_ASYNC_CALLBACK) {
        callback.fn(id, callback.context, result);
    }
}

static int submit(uint64_t id, bool is_64, int unknown, fastrpc_async_descriptor_t *descriptor,
                  uint32_t scalars, const remote_arg *arguments)
{
    uint32_t count = REMOTE_SCALARS_LENGTH(scalars);
    if (descriptor == NULL || (arguments == NULL && count > 0) ||
        descriptor->type > FASTRPC_ASYNC_POLL ||
        (descriptor->type == FASTRPC_ASYNC_CALLBACK && descriptor->cb.fn == NULL)) {
        return AEE_EBADPARM;
    }
    struct opened *handle = handle_acquire(id, is_64);
    if (handle == NULL) {
        return unknown;
    }
    struct job *job = calloc(1, sizeof *job);
    remote_arg *copy = calloc(count + 1, sizeof *copy);
    if (job == NULL || copy == NULL) {
        free(job);
        free(copy);
        handle_release(handle);
        return AEE_ENOMEMORY;
    }
    if (count > 0) {
        memcpy(copy, arguments, count * sizeof *copy);
    }
    job->type = descriptor->type;
    job->callback = descriptor->cb;
    job->handle = handle;
    job->scalars = scalars;
    job->arguments = copy;
    bool sent = false;
    job->sent = &sent;
    pthread_mutex_lock(&lock);
    job->id = ++last_id;
    job->next = jobs;
    jobs = job;
    descriptor->jobid = job->id;
    bool started = thread_start(run, job);
    if (!started) {
        jobs = job->next;
        job_free(job);
        handle_release(handle);
        descriptor->jobid = UINT64_MAX;
    }
    while (started && !sent) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    return started ? AEE_SUCCESS : AEE_ENOMEMORY;
}

EXPORT int remote_handle64_invoke_async(remote_handle64 h, fastrpc_async_descriptor_t *desc,
                                        uint32_t scalars, remote_arg *pra)
{
    return submit(h, true, AEE_EINVHANDLE, desc, scalars, pra);
}

EXPORT int remote_handle_invoke_async(remote_handle h, fastrpc_async_descriptor_t *desc,
                                      uint32_t scalars, remote_arg *pra)
{
    return submit(h, false, DSP_CODE(AEE_ENOSUCHMOD), desc, scalars, pra);
}

EXPORT int fastrpc_async_get_status(fastrpc_async_jobid jobid, int timeout_us, int *result)
{
    struct timespec until;
    int problem = timeout_us == 0 ? ETIMEDOUT : 0;
    if (result == NULL) {
        return AEE_EBADPARM;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += timeout_us / 1000000;
    until.tv_nsec += (long)(timeout_us % 1000000) * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&lock);
    struct job *job = *find(jobid);
    while (job != NULL && !job->done && problem == 0) {
        problem = timeout_us < 0 ? pthread_cond_wait(&changed, &lock)
                                 : pthread_cond_timedwait(&changed, &lock, &until);
        job = *find(jobid);
    }
    int code = job == NULL ? AEE_EBADPARM : job->done ? AEE_SUCCESS : AEE_EBUSY;
    if (code == AEE_SUCCESS) {
        *result = job->result;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

EXPORT int fastrpc_release_async_job(fastrpc_async_jobid jobid)
{
    pthread_mutex_lock(&lock);
    struct job **at = find(jobid);
    struct job *job = *at;
    int code = job == NULL ? AEE_EBADPARM : job->done ? AEE_SUCCESS : AEE_EBUSY;
    if (code == AEE_SUCCESS) {
        *at = job->next;
        job_free(job);
    }
    pthread_mutex_unlock(&lock);
    return code;
}
