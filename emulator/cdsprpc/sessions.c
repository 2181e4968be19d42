/* sessions.c: the table of sessions. */
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "config.h"
#include "log.h"
#include "notifiers.h"
#include "session.h"
#include "settings.h"
#include "uri.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the table */
static struct session *sessions;

/* Held while descriptors are created that a forked child must close. Taken before the table's
 * lock. */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

static void session_free(struct session *session)
{
    while (session->channels != NULL) {
        struct channel *channel = session->channels;
        session->channels = channel->next;
        close(channel->socket);
        free(channel);
    }
    while (session->shared != NULL) {
        struct shared *shared = session->shared;
        session->shared = shared->next;
        free(shared);
    }
    close(session->control);
    close(session->supervisor);
    close(session->errors);
    free(session);
}

void session_put(struct session *session)
{
    pthread_mutex_lock(&lock);
    bool last = --session->references == 0;
    pthread_mutex_unlock(&lock);
    if (last) {
        session_free(session);
    }
}

/* Returns the usable session of a domain with a new reference, or NULL. The caller holds the
 * table's lock. */
static struct session *find(int effective)
{
    for (struct session *session = sessions; session != NULL; session = session->next) {
        if (session->effective == effective && session_usable(session)) {
            session->references++;
            return session;
        }
    }
    return NULL;
}

/* Checks whether the device can start the domain's process with the client's settings. */
static int check_startable(int effective, const struct config *config)
{
    if (config == NULL) {
        return AEE_ECONNREFUSED;
    }
    const struct dsp dsp = config_dsp(config, effective);
    if (dsp.arch == 0) {
        log_message("the device %s has no %s", config->soc, domain_name(effective % DOMAINS));
        return AEE_ECONNREFUSED;
    }
    if (settings_of(effective).unsigned_module && !dsp.unsigned_pd) {
        log_message(
            "the device %s runs no unsigned modules on %s: sign the skel, and do not request an "
            "unsigned process",
            config->soc, domain_name(effective % DOMAINS));
        return AEE_EUNSUPPORTED;
    }
    return AEE_SUCCESS;
}

/* Starts a session that is in the table. Removes it from the table on failure. */
static int start(struct session *session, const struct config *config)
{
    pthread_mutex_lock(&starting);
    int code = start_process(session, config);
    pthread_mutex_unlock(&starting);
    code = code == AEE_SUCCESS ? start_await_hello(session, config) : code;
    pthread_mutex_lock(&session->lock);
    if (code == AEE_SUCCESS && notifiers_exist(session->effective)) {
        code = watch_start(session);
    }
    session->started = code == AEE_SUCCESS;
    session->dead = session->notified = !session->started;
    session->start_code = code;
    pthread_cond_broadcast(&session->changed);
    pthread_mutex_unlock(&session->lock);
    if (code == AEE_SUCCESS) {
        notifiers_call(session->effective, FASTRPC_USER_PD_UP);
    } else {
        sessions_remove(session);
        session_put(session);
    }
    return code;
}

/* Returns the session of a domain and the code of its start in *code, or NULL when there is none.
 * Waits while it is starting. Detects a process that has died between two calls, so that an open
 * starts a new one. */
static struct session *find_started(int effective, int *code)
{
    pthread_mutex_lock(&lock);
    struct session *session = find(effective);
    pthread_mutex_unlock(&lock);
    if (session == NULL) {
        return NULL;
    }
    *code = session_await_start(session);
    struct pollfd polled = {.fd = session->supervisor, .events = POLLIN};
    if (*code == AEE_SUCCESS && poll(&polled, 1, 0) > 0) {
        session_lost(session);
        session_put(session);
        session = NULL;
    }
    return session;
}

/* Adds a session to the table, with one reference for the table, until the process ends, and one
 * for the caller. When another thread has added a session, returns that session and sets *added to
 * false. */
static struct session *find_or_add(int effective, bool *added)
{
    struct session *fresh = session_new(effective);
    pthread_mutex_lock(&lock);
    struct session *session = find(effective);
    *added = session == NULL && fresh != NULL;
    if (*added) {
        fresh->references++;
        fresh->next = sessions;
        sessions = session = fresh;
    }
    pthread_mutex_unlock(&lock);
    if (!*added && fresh != NULL) {
        session_free(fresh);
    }
    return session;
}

int session_get(int effective, bool may_start, struct session **out)
{
    *out = NULL;
    effective = effective == -1 ? OWN_DOMAIN : effective;
    if (effective < 0 || effective >= EFFECTIVE_DOMAINS) {
        return AEE_EBADPARM;
    }
    int code = AEE_SUCCESS;
    struct session *session = find_started(effective, &code);
    if (session == NULL && !may_start) {
        return AEE_ENOSUCH;
    }
    if (session == NULL) {
        const struct config *config = config_get();
        bool added = false;
        code = check_startable(effective, config);
        session = code == AEE_SUCCESS ? find_or_add(effective, &added) : NULL;
        if (session == NULL) {
            return code == AEE_SUCCESS ? AEE_ENOMEMORY : code;
        }
        code = added ? start(session, config) : session_await_start(session);
    }
    if (code != AEE_SUCCESS) {
        session_put(session);
        return code;
    }
    *out = session;
    return AEE_SUCCESS;
}

void sessions_remove(struct session *session)
{
    pthread_mutex_lock(&lock);
    for (struct session **at = &sessions; *at != NULL; at = &(*at)->next) {
        if (*at == session) {
            *at = session->next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

void sessions_each(void (*act)(struct session *session, void *context), void *context)
{
    int count = 0;
    pthread_mutex_lock(&lock);
    for (const struct session *session = sessions; session != NULL; session = session->next) {
        count++;
    }
    struct session **all = calloc((size_t)count + 1, sizeof(struct session *));
    count = 0;
    for (struct session *session = sessions; all != NULL && session != NULL;
         session = session->next) {
        session->references++;
        all[count++] = session;
    }
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < count; i++) {
        act(all[i], context);
        session_put(all[i]);
    }
    free(all);
}

void sessions_before_fork(void)
{
    pthread_mutex_lock(&starting);
    pthread_mutex_lock(&lock);
}

void sessions_in_parent(void)
{
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&starting);
}

/* Closes a forked child's copies of its parent's sockets, because with them the DSP process could
 * not detect the end of the parent. */
void sessions_in_child(void)
{
    for (const struct session *session = sessions; session != NULL; session = session->next) {
        close(session->control);
        close(session->supervisor);
        close(session->errors);
        for (const struct channel *channel = session->channels; channel != NULL;
             channel = channel->next) {
            close(channel->socket);
        }
    }
    sessions = NULL;
    sessions_in_parent();
}
