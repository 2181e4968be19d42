/* signals.c: signals, which only the process itself raises, and alarm. */
#include <errno.h>
#include <pthread.h>

#include "runtime.h"

#define SIGNALS 65
#define SIGNAL_ALARM 14

typedef void (*handler)(int);

static handler handlers[SIGNALS];
static const handler ignore = (handler)1;  /* SIG_IGN */
static const handler failed = (handler)-1; /* SIG_ERR */

static handler set_handler(int number, handler wanted)
{
    if (number <= 0 || number >= SIGNALS || wanted == failed) {
        errno = EINVAL;
        return failed;
    }
    return __atomic_exchange_n(&handlers[number], wanted, __ATOMIC_ACQ_REL);
}

/* As in the standard: the handler is removed before its call. */
static int raise_signal(int number)
{
    if (number <= 0 || number >= SIGNALS) {
        errno = EINVAL;
        return -1;
    }
    handler set = __atomic_load_n(&handlers[number], __ATOMIC_ACQUIRE);
    if (set == ignore) {
        return 0;
    }
    if (set == NULL) {
        die("the skel raised signal %d, for which it has no handler", number);
    }
    __atomic_store_n(&handlers[number], NULL, __ATOMIC_RELEASE);
    set(number);
    return 0;
}

static struct {
    pthread_mutex_t lock;
    uint64_t at;       /* time of the alarm, 0 for none */
    uint32_t revision; /* counts calls of alarm */
} alarm_clock = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *wait_for_alarm(void *revision)
{
    pthread_mutex_lock(&alarm_clock.lock);
    uint64_t at = alarm_clock.at;
    pthread_mutex_unlock(&alarm_clock.lock);
    uint64_t now = clock_now();
    clock_sleep_us(at > now ? (at - now) / 1000u : 0);
    pthread_mutex_lock(&alarm_clock.lock);
    bool due = alarm_clock.revision == (uint32_t)(uintptr_t)revision;
    if (due) {
        alarm_clock.at = 0;
    }
    pthread_mutex_unlock(&alarm_clock.lock);
    if (due) {
        raise_signal(SIGNAL_ALARM);
    }
    return NULL;
}

static unsigned int set_alarm(unsigned int seconds)
{
    pthread_t thread;
    uint64_t now = clock_now();
    pthread_mutex_lock(&alarm_clock.lock);
    uint64_t before = alarm_clock.at;
    alarm_clock.at = seconds == 0 ? 0 : now + seconds * UINT64_C(1000000000);
    uint32_t revision = ++alarm_clock.revision;
    pthread_mutex_unlock(&alarm_clock.lock);
    if (seconds != 0 &&
        pthread_create(&thread, NULL, wait_for_alarm, (void *)(uintptr_t)revision) == 0) {
        pthread_detach(thread);
    }
    return before <= now ? 0 : (unsigned int)((before - now + 999999999u) / 1000000000u);
}

const struct shell_symbol signals_symbols[] = {
    EXPORT_AS("signal", set_handler),
    EXPORT_AS("raise", raise_signal),
    EXPORT_AS("alarm", set_alarm),
    EXPORT_END,
};
