/* stack_use.c: functions that use a given number of bytes of their stack. */
#include "cases.h"
#include "workers.h"

#define ROOM 6000

static volatile int used;

/* Writes to one byte, so that `bytes` more are used than by the frames above. */
static __attribute__((noinline)) void use(int bytes)
{
    volatile char *memory = __builtin_alloca(ROOM);
    memory[ROOM - bytes] = 1;
    used = 1;
}

static int in_the_call(const int32_t *in, int32_t *out)
{
    (void)out;
    use(in[0]);
    return 0;
}

static int wanted;

static void returning(void *argument)
{
    (void)argument;
    use(wanted);
}

static void leaving(void *argument)
{
    (void)argument;
    use(wanted);
    qurt_thread_exit(0);
}

static void staying(void *argument)
{
    (void)argument;
    use(wanted);
    for (;;) {
        pause_once();
    }
}

/* in: bytes; how the thread ends: 0 returns, 1 exits, 2 does not end */
static int in_a_thread(const int32_t *in, int32_t *out)
{
    static void (*const entries[])(void *) = {returning, leaving, staying};
    (void)out;
    wanted = in[0];
    used = 0;
    EQUAL(start_worker(0, entries[in[1]]), QURT_EOK);
    if (in[1] < 2) {
        join_workers(1);
    }
    while (used == 0) {
        pause_once();
    }
    return 0;
}

const struct named_case cases[] = {CASE(in_the_call), CASE(in_a_thread), {NULL, NULL}};
