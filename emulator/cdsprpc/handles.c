/* handles.c: the table of the client's handles. Numbers are never reused, so that a closed handle
 * is recognized. */
#include "handles.h"

#include <stdio.h>
#include <stdlib.h>

#include "session.h"

#define FIRST_ID 0x10000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t quiet = PTHREAD_COND_INITIALIZER;
static struct opened *handles;
static uint64_t last_id = FIRST_ID;

int handle_add(struct session *session, uint64_t remote, bool is_64, const char *name, uint64_t *id)
{
    struct opened *handle = calloc(1, sizeof *handle);
    if (handle == NULL) {
        return AEE_ENOMEMORY;
    }
    handle->session = session;
    handle->remote = remote;
    handle->is_64 = is_64;
    snprintf(handle->name, sizeof handle->name, "%s", name);
    pthread_mutex_lock(&lock);
    handle->id = ++last_id;
    handle->next = handles;
    handles = handle;
    *id = handle->id;
    pthread_mutex_unlock(&lock);
    return AEE_SUCCESS;
}

struct opened *handle_acquire(uint64_t id, bool is_64)
{
    pthread_mutex_lock(&lock);
    struct opened *handle = handles;
    while (handle != NULL && (handle->id != id || handle->is_64 != is_64 || handle->closing)) {
        handle = handle->next;
    }
    if (handle != NULL) {
        handle->calls++;
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

void handle_release(struct opened *handle)
{
    pthread_mutex_lock(&lock);
    handle->calls--;
    pthread_cond_broadcast(&quiet);
    pthread_mutex_unlock(&lock);
}

struct opened *handle_remove(uint64_t id, bool is_64)
{
    pthread_mutex_lock(&lock);
    struct opened **at = &handles;
    while (*at != NULL && ((*at)->id != id || (*at)->is_64 != is_64 || (*at)->closing)) {
        at = &(*at)->next;
    }
    struct opened *handle = *at;
    if (handle != NULL) {
        handle->closing = true;
        *at = handle->next;
        while (handle->calls > 0) {
            pthread_cond_wait(&quiet, &lock);
        }
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

void handles_free(void)
{
    struct opened *spent = NULL;
    pthread_mutex_lock(&lock);
    for (struct opened **at = &handles; *at != NULL;) {
        struct opened *handle = *at;
        if (handle->calls == 0) {
            *at = handle->next;
            handle->next = spent;
            spent = handle;
        } else {
            at = &handle->next;
        }
    }
    pthread_mutex_unlock(&lock);
    while (spent != NULL) {
        struct opened *handle = spent;
        spent = handle->next;
        session_put(handle->session);
        free(handle);
    }
}

void handles_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&quiet, NULL);
    handles = NULL;
}
