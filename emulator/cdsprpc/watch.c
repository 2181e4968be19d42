/* watch.c: receives messages from a DSP process, and reports its end. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crashes.h"
#include "log.h"
#include "notifiers.h"
#include "session.h"
#include "text.h"
#include "threads.h"
#include "uri.h"

#define TEXT_MAX 1500
#define SUPERVISOR_MILLISECONDS 10000

static upcall_handler handlers[WIRE_TOPIC_COUNT];

void watch_on_upcall(enum wire_topic topic, upcall_handler handler)
{
    handlers[topic] = handler;
}

/* Receives and handles a message on the control socket. Returns false at its end of file. */
static bool control_message(const struct session *session)
{
    struct wire_header header;
    char message[WIRE_MESSAGE_MAX];
    int fd = -1;
    if (wire_receive(session->control, &header, &fd) != 0) {
        return false;
    }
    if (header.size > sizeof message || wire_read(session->control, message, header.size) != 0) {
        return false;
    }
    if (header.kind == WIRE_UPCALL && header.value < WIRE_TOPIC_COUNT &&
        handlers[header.value] != NULL) {
        handlers[header.value](session->effective, message, header.size, fd);
    } else if (fd >= 0) {
        close(fd);
    }
    return true;
}

/* Waits for the end of the DSP process. Returns its wait status, or -1 when that is unknown. */
static int watch_sockets(const struct session *session, bool listening)
{
    struct pollfd polled[2] = {{.fd = session->supervisor, .events = POLLIN},
                               {.fd = session->control, .events = POLLIN}};
    /* Without a listening thread, this function is called when the process is gone or ending. */
    polled[1].fd = listening ? session->control : -1;
    for (;;) {
        int wait = polled[1].fd < 0 ? SUPERVISOR_MILLISECONDS : -1;
        int ready = poll(polled, 2, wait);
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        if (ready == 0) {
            kill(session->process, SIGKILL);
            return -1;
        }
        if (polled[1].fd >= 0 && polled[1].revents != 0 && !control_message(session)) {
            polled[1].fd = -1;
        } else if (polled[0].revents != 0 && (polled[1].fd < 0 || polled[1].revents == 0)) {
            struct wire_header header;
            int fd = -1;
            return wire_receive(session->supervisor, &header, &fd) == 0 ? (int)header.value : -1;
        }
    }
}

/* ---- the report ---- */

/* Joins the lines that the process wrote to its standard error into one line, without the lines
 * that qemu writes for every signal. */
static void stderr_tail(const struct session *session, char *to, size_t room)
{
    char lines[TEXT_MAX];
    char *rest = lines;
    struct text text = text_start(to, room);
    ssize_t got = pread(session->errors, lines, sizeof lines - 1, 0);
    lines[got < 0 ? 0 : got] = 0;
    for (char *line; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
        if (strstr(line, "uncaught target signal") != NULL || strcmp(line, "**") == 0 ||
            strncmp(line, "Bail out!", 9) == 0 || crash_is_for_programs(line)) {
            continue;
        }
        text_add(&text, "%s%s", text.used == 0 ? "" : "; ", line);
    }
}

/* Whether the text contains the shell's report of the fault. */
static bool reported(const char *words)
{
    return strstr(words, ", in method ") != NULL || strstr(words, ", in a thread") != NULL;
}

static void cause(int status, const char *words, char *to, size_t room)
{
    bool emulator = strstr(words, "ERROR:") != NULL || strstr(words, "ssert") != NULL ||
                    strstr(words, "not reached") != NULL || strstr(words, "llegal") != NULL;
    const char *likely =
        emulator || (!reported(words) && (status == -1 || WTERMSIG(status) != SIGKILL))
            ? "; most likely an instruction that qemu does not emulate (qemu has no "
              "instructions of the newest archs); a skel without such instructions has jumped into "
              "its own constants"
            : "";
    if (status == -1) {
        snprintf(to, room, "its exit status is unknown");
    } else if (WIFSIGNALED(status)) {
        snprintf(to, room, "signal %d%s", WTERMSIG(status), likely);
    } else {
        snprintf(to, room, "exit status %d", WEXITSTATUS(status));
    }
}

static void calls_under_way(const struct session *session, char *to, size_t room)
{
    struct text text = text_start(to, room);
    for (const struct running *running = session->running; running != NULL;
         running = running->next) {
        text_add(&text, "%s", text.used == 0 ? "" : ", ");
        if (running->opening) {
            text_add(&text, "the opening of %s", running->name);
        } else {
            text_add(&text, "method %u of %s", (unsigned)running->method, running->name);
        }
    }
}

static void report(const struct session *session, int status)
{
    char words[TEXT_MAX], why[512], calls[1024];
    stderr_tail(session, words, sizeof words);
    cause(status, words, why, sizeof why);
    crash_pass_on(session->errors, why);
    calls_under_way(session, calls, sizeof calls);
    bool located = reported(words);
    log_message(
        "the DSP process on %s (session %d) died: %s%s%s%s%s. All its handles now return 0x%x; "
        "opening again starts a new process",
        domain_name(session->effective % DOMAINS), session->effective / DOMAINS, words,
        words[0] == 0 ? "" : ": ", why, located || calls[0] == 0 ? "" : "; it was in ",
        located ? "" : calls, (unsigned)DSP_CODE(AEE_EBADSTATE));
}

/* Whether a process that was asked to end has died of a signal that this library does not send. */
static bool crashed_at_end(int status)
{
    return status != -1 && WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL;
}

void watch_until_dead(struct session *session, bool listening)
{
    int status = watch_sockets(session, listening);
    pthread_mutex_lock(&session->lock);
    remote_rpc_status_flags_t flags = session->killed   ? FASTRPC_USER_PD_FORCE_KILL
                                      : session->ending ? FASTRPC_USER_PD_EXIT
                                                        : FASTRPC_USER_PD_EXCEPTION;
    if (flags == FASTRPC_USER_PD_EXCEPTION || crashed_at_end(status)) {
        report(session, status);
    }
    session->dead = true;
    pthread_cond_broadcast(&session->changed);
    pthread_mutex_unlock(&session->lock);
    for (int topic = 0; topic < WIRE_TOPIC_COUNT; topic++) {
        if (handlers[topic] != NULL) {
            handlers[topic](session->effective, NULL, 0, -1);
        }
    }
    notifiers_call(session->effective, flags);
    pthread_mutex_lock(&session->lock);
    session->notified = true;
    pthread_cond_broadcast(&session->changed);
    pthread_mutex_unlock(&session->lock);
    sessions_remove(session);
    session_put(session);
}

static void watch(void *session)
{
    watch_until_dead(session, true);
}

int watch_start(struct session *session)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    session->watched = thread_start(watch, session);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return session->watched ? AEE_SUCCESS : AEE_ENOMEMORY;
}
