/* timers.c: QuRT's pipes, timers and vector units. */
#include "slots.h"

static void send_all(void *arg)
{
    for (unsigned long long i = 1; i <= 100; i++) {
        qurt_pipe_send(arg, i);
    }
}

static int pipes(const int32_t *in, int32_t *out)
{
    qurt_pipe_attr_t attributes;
    qurt_pipe_t *pipe = NULL;
    int success = 0;
    (void)in;
    qurt_pipe_attr_init(&attributes);
    qurt_pipe_attr_set_elements(&attributes, 3);
    EQUAL(qurt_pipe_create(&pipe, &attributes), QURT_EOK);
    EQUAL(qurt_pipe_is_empty(pipe), 1);
    qurt_pipe_try_receive(pipe, &success);
    EQUAL(success, -1);
    for (int i = 0; i < 3; i++) {
        EQUAL(qurt_pipe_try_send(pipe, 1ull << 40), 0);
    }
    EQUAL(qurt_pipe_try_send(pipe, 1), -1);
    for (int i = 0; i < 3; i++) {
        EQUAL(qurt_pipe_receive(pipe), 1ll << 40);
    }
    EQUAL(start(0, 100, send_all, pipe), 0);
    unsigned long long sum = 0, last = 0;
    for (int i = 0; i < 100; i++) {
        unsigned long long item = qurt_pipe_receive(pipe);
        CHECK(item == last + 1);
        last = item;
        sum += item;
    }
    EQUAL(join(0), 0);
    qurt_pipe_delete(pipe);
    out[0] = (int)sum;
    return 0;
}

static int timers(const int32_t *in, int32_t *out)
{
    static qurt_anysignal_t expired;
    qurt_timer_attr_t attributes;
    qurt_timer_t timer;
    (void)in;
    qurt_anysignal_init(&expired);
    qurt_timer_attr_init(&attributes);
    qurt_timer_attr_set_duration(&attributes, 20000);
    unsigned long long before = qurt_sysclock_get_hw_ticks();
    EQUAL(qurt_timer_create(&timer, &attributes, &expired, 0x4), QURT_EOK);
    EQUAL(qurt_anysignal_get(&expired), 0);
    EQUAL(qurt_anysignal_wait(&expired, 0x4), 0x4);
    unsigned long long took = qurt_timer_timetick_to_us(qurt_sysclock_get_hw_ticks() - before);
    CHECK(took >= 20000);
    qurt_anysignal_clear(&expired, 0x4);
    EQUAL(qurt_timer_restart(timer, 10000), QURT_EOK);
    EQUAL(qurt_timer_stop(timer), QURT_EOK);
    qurt_sleep(30000);
    EQUAL(qurt_anysignal_get(&expired), 0);
    EQUAL(qurt_timer_delete(timer), QURT_EOK);
    EQUAL(qurt_timer_delete(timer), QURT_EVAL);
    qurt_timer_attr_set_type(&attributes, QURT_TIMER_PERIODIC);
    qurt_timer_attr_set_duration(&attributes, 5000);
    EQUAL(qurt_timer_create(&timer, &attributes, &expired, 0x1), QURT_EOK);
    for (int i = 0; i < 3; i++) {
        qurt_anysignal_wait(&expired, 0x1);
        qurt_anysignal_clear(&expired, 0x1);
    }
    EQUAL(qurt_timer_delete(timer), QURT_EOK);
    EQUAL(qurt_timer_sleep(1), QURT_EINVALID);
    EQUAL(qurt_timer_sleep(1000), QURT_EOK);
    out[0] = 1;
    return 0;
}

static void take_unit(void *arg)
{
    (void)arg;
    qurt_thread_exit(qurt_hvx_try_lock(QURT_HVX_MODE_128B));
}

static int vector_units(const int32_t *in, int32_t *out)
{
    out[0] = qurt_hvx_get_units();
    EQUAL(qurt_hvx_get_mode(), QURT_HVX_MODE_128B);
    CHECK(qurt_hvx_lock(QURT_HVX_MODE_64B) != QURT_EOK);
    EQUAL(qurt_hvx_lock(QURT_HVX_MODE_128B), QURT_EOK);
    int had = 1;
    for (int i = 0; i < in[0]; i++) {
        EQUAL(start(0, 100, take_unit, NULL), 0);
        had += join(0) == QURT_EOK; /* released at the thread's end */
    }
    out[1] = had;
    EQUAL(qurt_hvx_unlock(), QURT_EOK);
    CHECK(qurt_hvx_unlock() != QURT_EOK);
    return 0;
}

const struct named_case cases[] = {
    CASE(pipes),
    CASE(timers),
    CASE(vector_units),
    {NULL, NULL},
};
