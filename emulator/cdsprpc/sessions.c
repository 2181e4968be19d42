/* sessions.c: the table of living sessions, and what fork and exit do to it. */
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *sessions;

static void session_free(struct session *session)
{
    while (session->channels != NULL) {
        struct channel *channel = session->channels;
        session->channels = channel->next;
        close(channel->socket);
        free(channel);
    }
    buffers_session_gone(session);
    if (session->control >= 0) {
        close(session->control);
        close(session->supervisor);
        close(session->errors);
    }
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

/* With the table's lock held. */
static struct session *find(int effective)
{
    for (struct session *session = sessions; session != NULL; session = session->next) {
        if (session->effective == effective && !session->dead && !session->ending &&
            !session->closed) {
            return session;
        }
    }
    return NULL;
}

/* With the table's lock held. The first reference is the process's: it goes when that does. */
static int start(int effective, struct session **out)
{
    const struct config *config = config_get();
    if (config == NULL) {
        return AEE_ECONNREFUSED;
    }
    if (!config->domains[effective % DOMAINS]) {
        say("the device %s has no %s", config->soc, domain_name(effective % DOMAINS));
        return AEE_ECONNREFUSED;
    }
    if (settings_of(effective).unsigned_module && !config->unsigned_pd) {
        say("the device %s runs no unsigned modules on %s: sign the skel, and do not ask for an "
            "unsigned process",
            config->soc, domain_name(effective % DOMAINS));
        return AEE_EUNSUPPORTED;
    }
    struct session *session = session_new(effective);
    int code = session == NULL ? AEE_ENOMEMORY : start_process(session, config);
    if (code == AEE_SUCCESS && settings_notified(effective)) {
        code = watch_start(session);
    }
    if (code != AEE_SUCCESS) {
        if (session != NULL) {
            session_free(session);
        }
        return code;
    }
    session->next = sessions;
    sessions = session;
    *out = session;
    return AEE_SUCCESS;
}

/* A session whose process died between two calls is found out here, so that an open gets
 * a new one. Takes a reference. */
static struct session *find_alive(int effective)
{
    pthread_mutex_lock(&lock);
    struct session *session = find(effective);
    if (session != NULL) {
        session->references++;
    }
    pthread_mutex_unlock(&lock);
    if (session != NULL) {
        struct pollfd polled = {.fd = session->supervisor, .events = POLLIN};
        if (poll(&polled, 1, 0) > 0) {
            session_lost(session);
            session_put(session);
            session = NULL;
        }
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
    bool started = false;
    int code = AEE_SUCCESS;
    struct session *session = find_alive(effective);
    if (session == NULL) {
        pthread_mutex_lock(&lock);
        session = find(effective); /* another thread may have started it meanwhile */
        if (session == NULL) {
            code = may_start ? start(effective, &session) : AEE_ENOSUCH;
            started = code == AEE_SUCCESS;
        }
        if (session != NULL) {
            session->references++;
        }
        pthread_mutex_unlock(&lock);
    }
    *out = session;
    if (started) {
        settings_tell(effective, FASTRPC_USER_PD_UP);
    }
    return code;
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
    struct session *all[EFFECTIVE_DOMAINS];
    int count = 0;
    pthread_mutex_lock(&lock);
    for (struct session *session = sessions; session != NULL && count < EFFECTIVE_DOMAINS;
         session = session->next) {
        session->references++;
        all[count++] = session;
    }
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < count; i++) {
        act(all[i], context);
        session_put(all[i]);
    }
}

/* ---- fork and exit ---- */

/* A forked child has no part in its parent's sessions: its copies of the sockets would
 * keep the DSP process from seeing the parent's end. It may open its own. */
static void in_child(void)
{
    if (starting) {
        return;
    }
    pthread_mutex_init(&lock, NULL);
    for (struct session *session = sessions; session != NULL; session = session->next) {
        close(session->control);
        close(session->supervisor);
        close(session->errors);
        for (struct channel *channel = session->channels; channel != NULL;
             channel = channel->next) {
            close(channel->socket);
        }
    }
    sessions = NULL;
    handles_forget();
    buffers_forget();
}

static void end_one(struct session *session, void *context)
{
    (void)context;
    session_end_told(session);
}

__attribute__((constructor)) static void at_load(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

/* The program's end is the DSP process's end: waiting for it here means that nothing of
 * a program is left when it has returned. */
__attribute__((destructor)) static void at_exit(void)
{
    sessions_each(end_one, NULL);
}
