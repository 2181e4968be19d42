/* running.c: the calls that have not returned, and reports of those that take long.
 *
 * A report tells where the call's thread executes. The thread finds that out itself, in the handler
 * of a signal. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "core.h"
#include "module_list.h"
#include "runtime/runtime.h"
#include "signal_handler.h"
#include "text.h"

#define NANOSECONDS 1000000000u
#define ANSWERS_WAITED 50 /* times this many nanoseconds: */
#define ANSWER_NANOSECONDS 10000000
#define PLACE_SIGNAL SIGUSR1
#define PLACE_MAX 300

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int reports = -1; /* the file for programs, locked as long as this process lives */
static struct running_call *calls;
static _Thread_local struct running_call *own; /* the call of this thread */

void running_begin(struct running_call *call)
{
    call->thread = pthread_self();
    call->socket = channel_socket;
    call->since = clock_now();
    call->state = CALL_SHORT;
    call->address_count = 0;
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

/* Stores where the thread executes. What it interrupts may hold any lock, so the modules are looked
 * at later, by the thread that reports. An answer that comes too late is not read. */
void running_note_place(int number, siginfo_t *information, void *context);
void running_note_place(int number, siginfo_t *information, void *context)
{
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
    struct running_call *call = own;
    (void)number;
    (void)information;
    if (call != NULL && __atomic_load_n(&call->state, __ATOMIC_ACQUIRE) == CALL_ASKED) {
        call->addresses[0] = interrupted_pc(machine);
        call->addresses[1] = machine->r31;
        call->address_count = 2 + frames_addresses(machine->r30, call->addresses + 2,
                                                   RUNNING_ADDRESSES_MAX - 2);
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
    if (shell_facts()->reports[0] != 0) {
        reports = open(shell_facts()->reports, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
        flock(reports, LOCK_SH | LOCK_NB);
    }
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

int running_reports(void)
{
    return reports;
}

/* Describes the code of a module that a call executes or has called the shell from. */
static void describe_place(const struct running_call *call, unsigned seconds, struct text *text)
{
    struct frame frame;
    modules_list_lock();
    for (size_t i = 0; i < call->address_count; i++) {
        if (frame_at(call->addresses[i], &frame)) {
            text_add(text, ", code at %s+0x%x", frame.module, (unsigned)frame.offset);
            break;
        }
    }
    if (reports >= 0) {
        report_running(reports, call, seconds);
    }
    modules_list_unlock();
}

static void report(struct running_call *call, const char *why)
{
    char place[PLACE_MAX];
    const unsigned seconds = (unsigned)((clock_now() - call->since) / NANOSECONDS);
    struct text text = text_start(place, sizeof place);
    if (__atomic_exchange_n(&call->state, CALL_REPORTED, __ATOMIC_ACQ_REL) == CALL_ANSWERED) {
        describe_place(call, seconds, &text);
    }
    shell_logf(SHELL_HIGH, "%smethod %u of %s has been running for %u s%s", why,
               (unsigned)call->method, call->skel, seconds, place);
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
