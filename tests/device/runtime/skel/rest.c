/* rest.c: functions of real shells that few skels use. */
#include "HAP_pls.h"
#include "cases.h"
#include "qurt.h"
#include "qurt_hvx.h"
#include "qurt_mailbox.h"
#include "qurt_timer.h"

/* ---- declarations that the open headers do not have ---- */

struct attributes {
    int mapping;
    unsigned char permissions;
    unsigned short owner;
    unsigned page_attributes, physical_page, address, type, size;
};
struct signal {
    unsigned waiting, flags, queue, reserved;
};
struct process {
    char name[56];
    int32_t address_space, client;
};
struct buffer {
    struct buffer *next;
    int number;
};
typedef struct region *region;

extern unsigned qurt_mem_default_pool;
int qurt_mem_pool_attach(const char *name, unsigned *pool);
void qurt_mem_region_attr_init(struct attributes *attributes);
void qurt_mem_region_attr_set_perms(struct attributes *attributes, unsigned permissions);
int qurt_mem_region_create(region *created, unsigned size, unsigned pool,
                           struct attributes *wanted);
int qurt_mem_region_attr_get(region of, struct attributes *attributes);
int qurt_mem_region_delete(region which);
unsigned qurt_lookup_physaddr(unsigned address);
int qurt_mapping_create(unsigned address, unsigned physical, unsigned size, int cache, int rights);
void qurt_allsignal_init(struct signal *signal);
void qurt_allsignal_wait(struct signal *signal, unsigned mask);
void qurt_allsignal_set(struct signal *signal, unsigned mask);
void *qurt_lifo_pop(void *list);
void qurt_lifo_push(void *list, void *buffer);
void qurt_lifo_remove(void *list, void *buffer);
int qurt_thread_context_get_tname(unsigned id, char *name, unsigned char size);
int qurt_thread_context_get_prio(unsigned id, unsigned char *priority);
unsigned qurt_process_get_id(void);
void qurt_yield(void);
int qurt_hmx_lock(void);
uint64_t HAP_perf_get_time_us(void), HAP_perf_get_pcycles(void), HAP_perf_get_qtimer_count(void);
int HAP_get_process_list(uint32_t *count, struct process **list);
int HAP_cx_malloc(void *context, uint32_t size, void **block);
int HAP_cx_free(void *context, void *block);
int HAP_power_get_max_speed(int *clock, int *bus);
int __HAP_register_pmu_event(unsigned short event);
int npa_query_by_name(const char *name, void *result);
int remote_handle_open(const char *name, uint32_t *handle);

static char stack[16384] __attribute__((aligned(16)));

static qurt_thread_t start(void (*entry)(void *), void *argument)
{
    qurt_thread_t id = 0;
    qurt_thread_attr_t attributes;
    qurt_thread_attr_init(&attributes);
    qurt_thread_attr_set_name(&attributes, "second");
    qurt_thread_attr_set_stack_addr(&attributes, stack);
    qurt_thread_attr_set_stack_size(&attributes, sizeof stack);
    qurt_thread_attr_set_priority(&attributes, 99);
    qurt_thread_create(&id, &attributes, entry, argument);
    return id;
}

/* ---- mailboxes ---- */

static void send_later(void *argument)
{
    qurt_sleep(3000);
    qurt_mailbox_send(*(unsigned long long *)argument, QURT_MAILBOX_SEND_NON_OVERWRITE,
                      0x1122334455667788ull);
}

static void halt_later(void *argument)
{
    qurt_sleep(3000);
    qurt_mailbox_receive_halt(*(unsigned long long *)argument);
}

static int mailboxes(const int32_t in[4], int32_t out[8])
{
    (void)in;
    (void)out;
    int status;
    unsigned long long data = 0;
    unsigned long long box = qurt_mailbox_create("letters", QURT_MAILBOX_AT_USERPD);
    CHECK(box != QURT_MAILBOX_ID_NULL && qurt_mailbox_get_id("letters") == box);
    CHECK(qurt_mailbox_create("letters", QURT_MAILBOX_AT_USERPD) == QURT_MAILBOX_ID_NULL);
    CHECK(qurt_mailbox_get_id("others") == QURT_MAILBOX_ID_NULL);
    EQUAL(qurt_mailbox_receive(box, QURT_MAILBOX_RECV_NON_WAITING, &data),
          QURT_MAILBOX_NON_VALID_DATA);
    qurt_thread_t id = start(send_later, &box);
    EQUAL(qurt_mailbox_receive(box, QURT_MAILBOX_RECV_WAITING, &data), QURT_EOK);
    EQUAL(data, 0x1122334455667788ll);
    qurt_thread_join(id, &status);
    EQUAL(qurt_mailbox_send(box, QURT_MAILBOX_SEND_NON_OVERWRITE, 1), QURT_EOK);
    EQUAL(qurt_mailbox_send(box, QURT_MAILBOX_SEND_NON_OVERWRITE, 2), QURT_MAILBOX_FULL);
    EQUAL(qurt_mailbox_send(box, QURT_MAILBOX_SEND_OVERWRITE, 3), QURT_EOK);
    EQUAL(qurt_mailbox_receive(box, QURT_MAILBOX_RECV_PEEK_NON_WAITING, &data), QURT_EOK);
    EQUAL(qurt_mailbox_receive(box, QURT_MAILBOX_RECV_NON_WAITING, &data), QURT_EOK);
    EQUAL(data, 3);
    id = start(halt_later, &box);
    EQUAL(qurt_mailbox_receive(box, QURT_MAILBOX_RECV_WAITING, &data), QURT_MAILBOX_RECEIVE_HALTED);
    qurt_thread_join(id, &status);
    EQUAL(qurt_mailbox_delete(box), QURT_EOK);
    EQUAL(qurt_mailbox_send(box, QURT_MAILBOX_SEND_OVERWRITE, 1), QURT_MAILBOX_ID_ERROR);
    return 0;
}

/* ---- memory ---- */

static int regions(const int32_t in[4], int32_t out[8])
{
    unsigned pool = 0;
    struct attributes attributes;
    region made = NULL;
    EQUAL(qurt_mem_pool_attach("DEFAULT_PHYSPOOL", &pool), QURT_EOK);
    EQUAL(pool, qurt_mem_default_pool);
    CHECK(qurt_mem_pool_attach("NOWHERE_POOL", &pool) != QURT_EOK);
    qurt_mem_region_attr_init(&attributes);
    qurt_mem_region_attr_set_perms(&attributes, 3);
    EQUAL(qurt_mem_region_create(&made, (unsigned)in[0], pool, &attributes), QURT_EOK);
    EQUAL(qurt_mem_region_attr_get(made, &attributes), QURT_EOK);
    EQUAL(attributes.permissions, 3);
    EQUAL(attributes.address % 4096, 0);
    memset((void *)(uintptr_t)attributes.address, 0x5a, attributes.size);
    out[0] = (int32_t)attributes.size;
    EQUAL(qurt_lookup_physaddr(attributes.address) / 4096, attributes.physical_page);
    EQUAL(qurt_mem_region_delete(made), QURT_EOK);
    EQUAL(qurt_lookup_physaddr(attributes.address), 0);
    CHECK(qurt_mem_region_delete(made) != QURT_EOK);

    attributes.mapping = 1; /* of a physical address */
    attributes.physical_page = 0x1000;
    EQUAL(qurt_mem_region_create(&made, 4096, pool, &attributes), QURT_EMEM);
    EQUAL(qurt_mapping_create(0x100000, 0x100000, 4096, 7, 3), QURT_EMEM);

    void *block = NULL;
    EQUAL(HAP_cx_malloc(NULL, 100, &block), 0);
    memset(block, 1, 100);
    EQUAL(HAP_cx_free(NULL, block), 0);
    return 0;
}

static int built;

static int build(void *context, void *data)
{
    *(int *)data += 1 + *(int *)context;
    built++;
    return 0;
}

static int fail(void *context, void *data)
{
    (void)context;
    (void)data;
    return 77;
}

static int local_storage(const int32_t in[4], int32_t out[8])
{
    (void)in;
    (void)out;
    int context = 41;
    int *data = NULL;
    int *again = NULL;
    uintptr_t type = (uintptr_t)&built;
    built = 0;
    CHECK(HAP_pls_lookup(type, 1, (void **)&data) != 0);
    EQUAL(HAP_pls_add_lookup(type, 1, sizeof *data, build, &context, NULL, (void **)&data), 0);
    EQUAL(*data, 42);
    EQUAL(HAP_pls_add_lookup(type, 1, sizeof *data, build, &context, NULL, (void **)&again), 0);
    CHECK(again == data && built == 1);
    EQUAL(HAP_pls_add(type, 1, sizeof *data, build, &context, NULL, (void **)&again), 0);
    CHECK(again != data && HAP_pls_lookup(type, 1, (void **)&data) == 0 && again == data);
    EQUAL(HAP_pls_add(type, 2, 4, fail, &context, NULL, (void **)&again), 77);
    CHECK(HAP_pls_lookup(type, 2, (void **)&again) != 0);
    return 0;
}

/* ---- threads ---- */

static void set_both(void *argument)
{
    qurt_allsignal_set(argument, 1);
    qurt_sleep(2000);
    qurt_allsignal_set(argument, 6);
}

static int old_objects(const int32_t in[4], int32_t out[8])
{
    (void)in;
    (void)out;
    int status;
    struct signal signal;
    struct buffer *list = NULL;
    struct buffer buffers[3] = {{NULL, 0}, {NULL, 1}, {NULL, 2}};
    qurt_allsignal_init(&signal);
    qurt_thread_t id = start(set_both, &signal);
    qurt_allsignal_wait(&signal, 3);
    EQUAL(signal.flags, 4); /* of the waited flags none is left */
    qurt_thread_join(id, &status);

    for (int i = 0; i < 3; i++) {
        qurt_lifo_push(&list, &buffers[i]);
    }
    qurt_lifo_remove(&list, &buffers[1]);
    CHECK(qurt_lifo_pop(&list) == &buffers[2] && qurt_lifo_pop(&list) == &buffers[0]);
    CHECK(qurt_lifo_pop(&list) == NULL);
    qurt_yield();
    return 0;
}

static void look(void *argument)
{
    *(volatile int *)argument = 1;
    qurt_sleep(20000);
}

static int contexts(const int32_t in[4], int32_t out[8])
{
    (void)in;
    int status;
    volatile int running = 0;
    char name[16] = "";
    unsigned char priority = 0;
    uint32_t count = 0;
    struct process *list = NULL;
    qurt_thread_t id = start(look, (void *)&running);
    while (!running) {
        qurt_yield();
    }
    EQUAL(qurt_thread_context_get_tname(id, name, sizeof name), QURT_EOK);
    CHECK(strcmp(name, "second") == 0);
    EQUAL(qurt_thread_context_get_prio(id, &priority), QURT_EOK);
    EQUAL(priority, 99);
    qurt_thread_join(id, &status);
    CHECK(qurt_thread_context_get_prio(id, &priority) != QURT_EOK);
    EQUAL(HAP_get_process_list(&count, &list), 0);
    EQUAL(count, 1);
    EQUAL(list->client, qurt_process_get_id());
    out[0] = list->client;
    return 0;
}

static int units(const int32_t in[4], int32_t out[8])
{
    (void)in;
    (void)out;
    EQUAL(qurt_hvx_reserve(100), QURT_HVX_RESERVE_NOT_SUPPORTED);
    EQUAL(qurt_hvx_reserve(QURT_HVX_RESERVE_ALL), 4);
    EQUAL(qurt_hvx_reserve(1), QURT_HVX_RESERVE_ALREADY_MADE);
    EQUAL(qurt_hvx_cancel_reserve(), 0);
    EQUAL(qurt_hvx_cancel_reserve(), QURT_HVX_RESERVE_CANCEL_ERR);
    EQUAL(qurt_hvx_get_lock_val(), 0);
    EQUAL(qurt_hvx_lock(QURT_HVX_MODE_128B), QURT_EOK);
    EQUAL(qurt_hvx_get_lock_val(), 1);
    EQUAL(qurt_hvx_unlock(), QURT_EOK);
    return 0;
}

static int counters(const int32_t in[4], int32_t out[8])
{
    (void)in;
    int clock = 0;
    int bus = 0;
    uint64_t us = HAP_perf_get_time_us();
    uint64_t cycles = HAP_perf_get_pcycles();
    uint64_t ticks = HAP_perf_get_qtimer_count();
    qurt_sleep(20000);
    out[0] = (int32_t)(HAP_perf_get_time_us() - us);
    CHECK(HAP_perf_get_pcycles() > cycles + 1000000);
    out[1] = (int32_t)(HAP_perf_get_qtimer_count() - ticks);
    EQUAL(HAP_power_get_max_speed(&clock, &bus), 0);
    CHECK(clock > 0 && bus > 0);
    return 0;
}

/* What the device does not have answers with the documented code. */
static int absent(const int32_t in[4], int32_t out[8])
{
    (void)in;
    uint32_t handle;
    out[0] = qurt_hmx_lock();
    out[1] = __HAP_register_pmu_event(3);
    out[2] = npa_query_by_name("/clk/cpu", NULL);
    out[3] = remote_handle_open("adsp_current_process", &handle);
    return 0;
}

extern int qurt_power_tcxo_prepare(void), adsp_power_boost_on(void);
extern unsigned int qurt_system_ipend_get(void);
extern uint32_t HAP_get_dsp_domain(void);

static int whole_dsp(const int32_t in[4], int32_t out[8])
{
    (void)in;
    out[0] = qurt_power_tcxo_prepare();
    out[1] = (int32_t)qurt_system_ipend_get();
    out[2] = (int32_t)HAP_get_dsp_domain();
    return adsp_power_boost_on();
}

/* ---- timers: groups, and an absolute time ---- */

static int timer_groups(const int32_t in[4], int32_t out[8])
{
    (void)in;
    qurt_anysignal_t signal;
    qurt_timer_attr_t attributes;
    qurt_timer_t timer, at_time;
    qurt_anysignal_init(&signal);
    qurt_timer_attr_init(&attributes);
    qurt_timer_attr_set_duration(&attributes, 20000);
    qurt_timer_attr_set_group(&attributes, 3);
    EQUAL(qurt_timer_create(&timer, &attributes, &signal, 1), QURT_EOK);
    EQUAL(qurt_timer_group_disable(3), QURT_EOK);
    EQUAL(qurt_timer_group_disable(3), QURT_EOK);
    qurt_sleep(60000);
    EQUAL(qurt_anysignal_get(&signal), 0);
    uint64_t start = HAP_perf_get_time_us();
    EQUAL(qurt_timer_group_enable(3), QURT_EOK);
    EQUAL(qurt_anysignal_wait(&signal, 1), 1);
    out[0] = (int32_t)(HAP_perf_get_time_us() - start);
    qurt_timer_attr_init(&attributes);
    start = HAP_perf_get_time_us();
    qurt_timer_attr_set_expiry(&attributes, start + 30000);
    EQUAL(qurt_timer_create(&at_time, &attributes, &signal, 2), QURT_EOK);
    EQUAL(qurt_anysignal_wait(&signal, 2) & 2, 2);
    out[1] = (int32_t)(HAP_perf_get_time_us() - start);
    EQUAL(qurt_timer_group_enable(99), QURT_EINVALID);
    EQUAL(qurt_timer_delete(timer) | qurt_timer_delete(at_time), QURT_EOK);
    return 0;
}

const struct named_case cases[] = {CASE(mailboxes),    CASE(regions),  CASE(local_storage),
                                   CASE(old_objects),  CASE(contexts), CASE(units),
                                   CASE(counters),     CASE(absent),   CASE(whole_dsp),
                                   CASE(timer_groups), {NULL, NULL}};
