/* session.c: a session: a DSP process and the channels to it. */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "notifiers.h"

#define SECONDS_TO_END 5
#define SECONDS_TO_NOTIFY 1
#define SECONDS_TO_REPORT 10

struct session *session_new(int effective)
{
    struct session *session = calloc(1, sizeof *session);
    pthread_condattr_t attributes;
    if (session == NULL) {
        return NULL;
    }
    session->references = 1;
    session->effective = effective;
    session->control = session->supervisor = session->errors = -1;
    pthread_mutex_init(&session->lock, NULL);
    pthread_mutex_init(&session->sharing, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&session->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return session;
}

/* Waits until a flag of the session is set. The caller holds the session's lock. */
static bool wait_flag(struct session *session, bool (*flag)(const struct session *), int seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += seconds;
    int problem = 0;
    while (!flag(session) && problem == 0) {
        problem = pthread_cond_timedwait(&session->changed, &session->lock, &until);
    }
    return flag(session);
}

static bool is_dead(const struct session *session)
{
    return session->dead;
}

static bool has_started(const struct session *session)
{
    return session->started || session->dead;
}

static bool is_notified(const struct session *session)
{
    return session->notified;
}

/* Waits until the session is dead. The caller holds the session's lock. */
static bool wait_dead(struct session *session, int seconds)
{
    if (!session->dead && !session->watched && !session->awaited) {
        session->awaited = true;
        pthread_mutex_unlock(&session->lock);
        watch_until_dead(session, false);
        pthread_mutex_lock(&session->lock);
    }
    return wait_flag(session, is_dead, seconds);
}

bool session_usable(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    bool usable = !session->dead && !session->ending && !session->closed;
    pthread_mutex_unlock(&session->lock);
    return usable;
}

int session_await_start(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    while (!has_started(session)) {
        pthread_cond_wait(&session->changed, &session->lock);
    }
    int code = session->start_code;
    pthread_mutex_unlock(&session->lock);
    return code;
}

void session_end(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    if (!has_started(session)) { /* the shutdown makes the start fail */
        session->ending = true;
        shutdown(session->control, SHUT_RDWR);
    }
    pthread_mutex_unlock(&session->lock);
    if (session_await_start(session) != AEE_SUCCESS) {
        return;
    }
    /* A process that has died already is reported as a crash. */
    struct pollfd polled = {.fd = session->supervisor, .events = POLLIN};
    bool gone = poll(&polled, 1, 0) > 0;
    pthread_mutex_lock(&session->lock);
    session->ending = session->ending || !gone;
    if (!session->dead) {
        shutdown(session->control, SHUT_RDWR);
    }
    if (!wait_dead(session, SECONDS_TO_END)) {
        kill(session->process, SIGKILL);
        wait_dead(session, SECONDS_TO_END);
    }
    pthread_mutex_unlock(&session->lock);
}

void session_await_notified(struct session *session)
{
    if (notifiers_calling()) {
        return;
    }
    pthread_mutex_lock(&session->lock);
    wait_flag(session, is_notified, SECONDS_TO_NOTIFY);
    pthread_mutex_unlock(&session->lock);
}

void session_running(struct session *session, struct running *running)
{
    pthread_mutex_lock(&session->lock);
    running->next = session->running;
    session->running = running;
    pthread_mutex_unlock(&session->lock);
}

void session_returned(struct session *session, struct running *running)
{
    pthread_mutex_lock(&session->lock);
    for (struct running **at = &session->running; *at != NULL; at = &(*at)->next) {
        if (*at == running) {
            *at = running->next;
            break;
        }
    }
    pthread_mutex_unlock(&session->lock);
}

int session_lost(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    if (!wait_dead(session, SECONDS_TO_REPORT)) {
        kill(session->process, SIGKILL);
    }
    pthread_mutex_unlock(&session->lock);
    return DSP_CODE(AEE_EBADSTATE);
}

static int above_standard(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO) {
        return fd;
    }
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return moved;
}

bool socket_pair(int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        ends[0] = ends[1] = -1;
        return false;
    }
    ends[0] = above_standard(ends[0]);
    ends[1] = above_standard(ends[1]);
    if (ends[0] >= 0 && ends[1] >= 0) {
        return true;
    }
    close(ends[0]);
    close(ends[1]);
    ends[0] = ends[1] = -1;
    return false;
}

/* The caller holds the session's lock. */
static struct channel *channel_open(struct session *session)
{
    int ends[2];
    struct channel *channel = calloc(1, sizeof *channel);
    if (channel == NULL || !socket_pair(ends)) {
        free(channel);
        return NULL;
    }
    struct wire_header header = {.kind = WIRE_CHANNEL};
    int problem = wire_send(session->control, &header, NULL, 0, ends[1]);
    close(ends[1]);
    if (problem != 0) {
        close(ends[0]);
        free(channel);
        return NULL;
    }
    channel->socket = ends[0];
    channel->next = session->channels;
    session->channels = channel;
    return channel;
}

int session_channel(struct session *session, struct channel **out)
{
    int code = AEE_ECONNRESET;
    struct channel *channel = NULL;
    pthread_mutex_lock(&session->lock);
    if (!session->dead && !session->ending) {
        for (channel = session->channels; channel != NULL && channel->busy;) {
            channel = channel->next;
        }
        channel = channel != NULL ? channel : channel_open(session);
    }
    if (channel != NULL) {
        channel->busy = true;
        code = AEE_SUCCESS;
    }
    pthread_mutex_unlock(&session->lock);
    *out = channel;
    return code;
}

void session_channel_back(struct session *session, struct channel *channel, bool usable)
{
    pthread_mutex_lock(&session->lock);
    channel->busy = false;
    if (!usable) {
        for (struct channel **at = &session->channels; *at != NULL; at = &(*at)->next) {
            if (*at == channel) {
                *at = channel->next;
                break;
            }
        }
        close(channel->socket);
        free(channel);
    }
    pthread_mutex_unlock(&session->lock);
}

static int take_answer(int socket, const struct wire_header *header, void *answer,
                       size_t *answer_size)
{
    size_t room = answer == NULL ? 0 : *answer_size;
    size_t taken = header->size < room ? header->size : room;
    int problem = wire_read(socket, answer, taken);
    problem = problem != 0 ? problem : wire_skip(socket, header->size - taken);
    if (answer_size != NULL) {
        *answer_size = taken;
    }
    return problem;
}

int session_request(struct session *session, struct wire_header *header, const void *payload,
                    size_t size, int fd, void *answer, size_t *answer_size)
{
    struct channel *channel;
    if (session_channel(session, &channel) != AEE_SUCCESS) {
        return session_lost(session);
    }
    int problem = wire_send(channel->socket, header, payload, size, fd);
    problem = problem != 0 ? problem : session_await_reply(session, channel->socket, header);
    problem = problem != 0 ? problem : take_answer(channel->socket, header, answer, answer_size);
    session_channel_back(session, channel, problem == 0);
    return problem == 0 ? header->result : session_lost(session);
}
