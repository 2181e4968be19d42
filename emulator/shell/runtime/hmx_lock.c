/* hmx_lock.c: which thread may use HMX: one at a time, of all programs of the device. */
#include "hmx_lock.h"

#include <pthread.h>

#include "../counts.h"
#include "exclusive.h"
#include "runtime.h"

#define POLL_US 200u

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t owner;
static int locks; /* of the owner */
static uint32_t turns;
static struct exclusive file = {.file = "hmx"};

static bool try_lock(void)
{
    pthread_mutex_lock(&mutex);
    const bool again = locks > 0 && pthread_equal(owner, pthread_self());
    const bool locked = again || (locks == 0 && exclusive_try_lock(&file));
    if (locked) {
        owner = pthread_self();
        locks++;
        turns += !again;
    }
    pthread_mutex_unlock(&mutex);
    return locked;
}

bool hmx_lock(bool waits)
{
    bool locked = try_lock();
    if (!locked && waits) {
        counts_flush();
        counts_pause();
        for (; !locked; locked = try_lock()) {
            clock_sleep_us(POLL_US);
        }
        counts_resume();
    }
    return locked;
}

void hmx_unlock(int count)
{
    pthread_mutex_lock(&mutex);
    const int left = locks > count ? locks - count : 0;
    if (locks > 0 && left == 0) {
        exclusive_unlock(&file);
    }
    locks = left;
    pthread_mutex_unlock(&mutex);
}

bool hmx_is_locked(uint32_t *turn)
{
    pthread_mutex_lock(&mutex);
    const bool ours = locks > 0 && pthread_equal(owner, pthread_self());
    *turn = turns;
    pthread_mutex_unlock(&mutex);
    return ours;
}

void hmx_thread_ends(void)
{
    static const char why[] = "a thread ends that has locked HMX: no other thread can lock it";
    uint32_t turn;
    if (!hmx_is_locked(&turn)) {
        return;
    }
    shell_logf(SHELL_ERROR, "%s", why);
    if (shell_facts()->strict != STRICT_OFF) {
        shell_stop("hmx", 0, why);
    }
}
