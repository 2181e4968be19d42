/* running.c: the calls that have not returned, and reports of those that take long.
 *
 * A report tells where the call's thread executes. The thread finds that out itself, in the handler
 * of a signal. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "core.h"
#include "runtime/runtime.h"
#include "signal_handler.h"
#include "text.h"

#define NANOSECONDS 1000000000u
#define ANSWERS_WAITED 50 /* times this many nanoseconds: */
#define ANSWER_NANOSECONDS 10000000
#define PLACE_SIGNAL SIGUSR1

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct running_call *calls;
static _Thread_local struct running_call *own; /* the call of this thread */

void running_begin(struct running_call *call)
{
    call->thread = pthread_self();
    call->socket = channel_socket;
    call->since = clock_now();
    call->state = CALL_SHORT;
    call->place[0] = 0;
    own = call;
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
    own = NULL;
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

/* Finds the code of a module that the thread executes or has called the shell from. An answer that
 * comes too late is kept nowhere. */
void running_note_place(int number, siginfo_t *information, void *context);
void running_note_place(int number, siginfo_t *information, void *context)
{
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
    struct running_call *call = own;
    (void)number;
    (void)information;
    if (call != NULL && __atomic_load_n(&call->state, __ATOMIC_ACQUIRE) == CALL_ASKED) {
        struct text text = text_start(call->place, sizeof call->place);
        struct frame frame;
        if (frame_at(interrupted_pc(machine), &frame) || frame_at(machine->r31, &frame) ||
            frames_walk(machine->r30, &frame, 1) > 0) {
            text_add(&text, ", code at %s+0x%x", frame.module, (unsigned)frame.offset);
        }
        int asked = CALL_ASKED;
        __atomic_compare_exchange_n(&call->state, &asked, CALL_ANSWERED, false, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED);
    }
}

void running_on_signal(int number, siginfo_t *information, void *context);
SIGNAL_HANDLER("running_on_signal", "running_note_place");

void running_start(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = running_on_signal;
    action.sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESTART);
    sigaction(PLACE_SIGNAL, &action, NULL);
}

/* Asks the threads of the calls that have been running for so long where they execute. */
static void ask(unsigned seconds)
{
    pthread_mutex_lock(&lock);
    for (struct running_call *call = calls; call != NULL; call = call->next) {
        if (call->state == CALL_SHORT &&
            clock_now() - call->since >= (uint64_t)seconds * NANOSECONDS) {
            __atomic_store_n(&call->state, CALL_ASKED, __ATOMIC_RELEASE);
            pthread_kill(call->thread, PLACE_SIGNAL);
        }
    }
    pthread_mutex_unlock(&lock);
}

static bool is_answer_missing(void)
{
    bool missing = false;
    pthread_mutex_lock(&lock);
    for (const struct running_call *call = calls; call != NULL; call = call->next) {
        missing |= __atomic_load_n(&call->state, __ATOMIC_ACQUIRE) == CALL_ASKED;
    }
    pthread_mutex_unlock(&lock);
    return missing;
}

/* ---- reports ---- */

static void report(struct running_call *call, const char *why)
{
    const int state = __atomic_exchange_n(&call->state, CALL_REPORTED, __ATOMIC_ACQ_REL);
    shell_logf(SHELL_HIGH, "%smethod %u of %s has been running for %u s%s", why,
               (unsigned)call->method, call->skel,
               (unsigned)((clock_now() - call->since) / NANOSECONDS),
               state == CALL_ANSWERED ? call->place : "");
}

void running_report(unsigned seconds, const char *why)
{
    if (shell_facts()->debug) {
        return; /* a debugger stops calls, and at the signal that finds the place of one */
    }
    ask(seconds);
    const struct timespec pause = {.tv_nsec = ANSWER_NANOSECONDS};
    for (int i = 0; i < ANSWERS_WAITED && is_answer_missing(); i++) {
        nanosleep(&pause, NULL); /* without the lock, so that calls begin and end meanwhile */
    }
    pthread_mutex_lock(&lock);
    for (struct running_call *call = calls; call != NULL; call = call->next) {
        const int state = __atomic_load_n(&call->state, __ATOMIC_ACQUIRE);
        if (state == CALL_ASKED || state == CALL_ANSWERED) {
            report(call, why);
        }
    }
    pthread_mutex_unlock(&lock);
}
