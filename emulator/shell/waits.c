/* waits.c: loops in which threads of skels wait for each other.
 *
 * A DSP executes its threads side by side, and one that waits in a loop with pause takes few of its
 * cycles. In qemu it is a thread of the build machine, which has fewer processors, and it takes one of
 * them whole. So a thread that waits in a loop sleeps. It looks again after each sleep: no other thread
 * has to wake it.
 *
 * It stays awake in the first rounds, for what comes at once, and because a thread that pauses once
 * between the parts of its work is not to lose time. */
#include "waits.h"

#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include "counts.h"

#define ROUNDS_AWAKE 8u
#define ROUNDS_YIELDING 16u
#define SLEEP_NANOSECONDS 20000u
#define SLEEP_MORE 5000u /* with each round */
#define SLEEP_MAX 100000u

void waits_round(uint32_t address, bool looks_first)
{
    static _Thread_local uint32_t rounds;
    rounds = counts_wait_begin(address, looks_first) ? rounds + 1 : 0;
    if (rounds >= ROUNDS_YIELDING) {
        const uint64_t asked = SLEEP_NANOSECONDS +
                               (uint64_t)(rounds - ROUNDS_YIELDING) * SLEEP_MORE;
        const struct timespec rest = {.tv_nsec = (long)(asked < SLEEP_MAX ? asked : SLEEP_MAX)};
        nanosleep(&rest, NULL);
    } else if (rounds >= ROUNDS_AWAKE) {
        sched_yield();
    }
    counts_wait_end();
}

void waits_prepare(void)
{
    prctl(PR_SET_TIMERSLACK, 1UL);
}
