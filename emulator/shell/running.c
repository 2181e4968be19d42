/* running.c: the calls that have not returned, and reports of those that take long.
 *
 * A report tells where the call's thread executes. The thread finds that out itself, in the handler
 * of a signal. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "core.h"
#include "runtime/runtime.h"
#include "signal_handler.h"
#include "text.h"

#define NANOSECONDS 1000000000u
#define PLACE_MAX 300
#define PLACE_MILLISECONDS 500
#define PLACE_SIGNAL SIGUSR1

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct running_call *calls;

void running_begin(struct running_call *call)
{
    call->thread = pthread_self();
    call->socket = channel_socket;
    call->since = clock_now();
    call->reported = false;
    pthread_mutex_lock(&lock);
    call->next = calls;
    calls = call;
    pthread_mutex_unlock(&lock);
}

void running_end(struct running_call *call)
{
    pthread_mutex_lock(&lock);
    for (struct running_call **at = &calls; *at != NULL; at = &(*at)->next) {
        if (*at == call) {
            *at = call->next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

bool running_use_channel(void (*use)(int socket, void *context), void *context)
{
    pthread_mutex_lock(&lock);
    bool is_running = calls != NULL;
    if (is_running) {
        use(calls->socket, context);
    }
    pthread_mutex_unlock(&lock);
    return is_running;
}

/* ---- where a thread executes ---- */

static struct {
    sem_t known;
    bool found;
    struct frame frame;
} place;

/* Finds the code of a module that the thread executes or has called the shell from. */
void running_note_place(int number, siginfo_t *information, void *context);
void running_note_place(int number, siginfo_t *information, void *context)
{
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
    (void)number;
    (void)information;
    place.found = frame_at(machine->pc, &place.frame) || frame_at(machine->r31, &place.frame) ||
                  frames_walk(machine->r30, &place.frame, 1) > 0;
    sem_post(&place.known);
}

void running_on_signal(int number, siginfo_t *information, void *context);
SIGNAL_HANDLER("running_on_signal", "running_note_place");

/* Writes ", code at <module>+0x<offset>", or nothing when that is unknown. */
static void find_place(pthread_t thread, char *to, size_t room)
{
    struct text text = text_start(to, room);
    struct timespec until;
    while (sem_trywait(&place.known) == 0) { /* an answer that came too late */
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PLACE_MILLISECONDS * 1000000;
    until.tv_sec += until.tv_nsec / (long)NANOSECONDS;
    until.tv_nsec %= (long)NANOSECONDS;
    if (pthread_kill(thread, PLACE_SIGNAL) == 0 && sem_timedwait(&place.known, &until) == 0 &&
        place.found) {
        text_add(&text, ", code at %s+0x%x", place.frame.module, (unsigned)place.frame.offset);
    }
}

void running_start(void)
{
    struct sigaction action;
    sem_init(&place.known, 0, 0);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = running_on_signal;
    action.sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESTART);
    sigaction(PLACE_SIGNAL, &action, NULL);
}

/* ---- reports ---- */

void running_report(unsigned seconds, const char *why)
{
    if (shell_facts()->debug) {
        return; /* a debugger stops calls, and at the signal that finds the place of one */
    }
    pthread_mutex_lock(&lock);
    for (struct running_call *call = calls; call != NULL; call = call->next) {
        const uint64_t so_far = (clock_now() - call->since) / NANOSECONDS;
        if (so_far >= seconds && !call->reported) {
            char where[PLACE_MAX];
            call->reported = true;
            find_place(call->thread, where, sizeof where);
            shell_logf(SHELL_HIGH, "%smethod %u of %s has been running for %u s%s", why,
                       (unsigned)call->method, call->skel, (unsigned)so_far, where);
        }
    }
    pthread_mutex_unlock(&lock);
}
