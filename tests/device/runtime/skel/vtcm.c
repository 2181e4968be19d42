/* vtcm.c: VTCM with and without contexts, and HMX. */
#include "HAP_compute_res.h"
#include "HAP_vtcm_mgr.h"
#include "slots.h"

static unsigned int plain;   /* a context of acquire */
static unsigned int context; /* of cached_create */
static unsigned char *memory;
static unsigned int size;
static volatile int asked;

static int release_callback(unsigned int id, void *argument)
{
    (void)argument;
    asked = (int)id;
    return 0;
}

/* size, least, timeout in us */
static int acquire(const int32_t *in, int32_t *out)
{
    compute_res_attr_t attributes;
    void *address = NULL;
    unsigned int given = 0;
    struct {
        compute_res_attr_t attributes;
        char rest[96];
    } newer; /* as in newer SDKs */
    memset(&newer, 1, sizeof newer);
    EQUAL(compute_resource_attr_init_v2(&newer.attributes, sizeof newer, 0x300), 0);
    EQUAL(newer.rest[95], 0);
    EQUAL(HAP_compute_res_attr_set_serialize(&newer.attributes, 1), 0);
    CHECK(compute_resource_attr_init_v2(&newer.attributes, 8, 0x300) != 0);
    EQUAL(HAP_compute_res_attr_init(&attributes), 0);
    EQUAL(HAP_compute_res_attr_set_serialize(&attributes, 0), 0);
    EQUAL(HAP_compute_res_attr_set_vtcm_param_v2(&attributes, (unsigned)in[0], 0, (unsigned)in[1]),
          0);
    plain = HAP_compute_res_acquire(&attributes, (unsigned)in[2]);
    EQUAL(HAP_compute_res_attr_get_vtcm_ptr_v2(&attributes, &address, &given), 0);
    unsigned char *bytes = address;
    out[0] = plain != 0;
    out[1] = (int)given;
    if (plain == 0) {
        CHECK(bytes == NULL);
        return 0;
    }
    CHECK(HAP_compute_res_attr_get_vtcm_ptr(&attributes) == bytes);
    EQUAL((uintptr_t)bytes % 4096, 0);
    for (unsigned int i = 0; i < given; i += 1024) {
        EQUAL(bytes[i], 0); /* no data of an earlier holder */
    }
    memset(bytes, 0x5a, given);
    return 0;
}

static int release(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    int code = HAP_compute_res_release(plain);
    CHECK(HAP_compute_res_release(plain) != 0);
    return code;
}

static int query(const int32_t *in, int32_t *out)
{
    compute_res_vtcm_page_t layout, gap;
    unsigned int total = 0, available = 0;
    (void)in;
    EQUAL(HAP_compute_res_query_VTCM(0, &total, &layout, &available, &gap), 0);
    unsigned int sum = 0;
    for (unsigned int i = 0; i < layout.page_list_len; i++) {
        sum += layout.page_list[i].page_size * layout.page_list[i].num_pages;
    }
    EQUAL(sum, total);
    EQUAL(layout.block_size, total);
    out[0] = (int)total;
    out[1] = (int)available;
    out[2] = (int)layout.page_list[0].page_size;
    EQUAL(HAP_compute_res_query_VTCM(0, &total, NULL, NULL, NULL), 0);
    return 0;
}

/* Two contexts of one process hold parts that do not overlap. */
static int share_between_threads(const int32_t *in, int32_t *out)
{
    compute_res_attr_t attributes[3];
    unsigned int ids[3];
    unsigned char *address[3];
    unsigned int total = 0;
    (void)in;
    (void)out;
    EQUAL(HAP_compute_res_query_VTCM(0, &total, NULL, NULL, NULL), 0);
    for (int i = 0; i < 3; i++) {
        EQUAL(HAP_compute_res_attr_init(&attributes[i]), 0);
        EQUAL(HAP_compute_res_attr_set_vtcm_param(&attributes[i], total / 2, 0), 0);
        ids[i] = HAP_compute_res_acquire(&attributes[i], 0);
        address[i] = HAP_compute_res_attr_get_vtcm_ptr(&attributes[i]);
    }
    CHECK(ids[0] != 0 && ids[1] != 0 && ids[0] != ids[1]);
    EQUAL(ids[2], 0);
    CHECK(address[0] + total / 2 <= address[1] || address[1] + total / 2 <= address[0]);
    EQUAL(HAP_compute_res_release(ids[0]), 0);
    EQUAL(HAP_compute_res_release(ids[1]), 0);
    void *alone = HAP_request_VTCM(total, 1);
    CHECK(alone != NULL);
    CHECK(HAP_request_async_VTCM(4096, 0, 5000) == NULL);
    EQUAL(HAP_release_VTCM(alone), 0);
    CHECK(HAP_release_VTCM(alone) != 0);
    unsigned int page = 0, count = 0;
    EQUAL(HAP_query_total_VTCM(&page, &count), 0);
    EQUAL(page * count, total);
    return 0;
}

static int cached_create(const int32_t *in, int32_t *out)
{
    compute_res_attr_t attributes;
    void *address = NULL;
    EQUAL(HAP_compute_res_attr_init(&attributes), 0);
    EQUAL(HAP_compute_res_attr_set_cache_mode(&attributes, 1), 0);
    EQUAL(HAP_compute_res_attr_set_vtcm_param_v2(&attributes, (unsigned)in[0], (unsigned)in[0],
                                                 (unsigned)in[0]),
          0);
    EQUAL(HAP_compute_res_attr_set_release_callback(&attributes, release_callback, NULL), 0);
    context = HAP_compute_res_acquire(&attributes, 1000);
    CHECK(context != 0);
    EQUAL(HAP_compute_res_attr_get_vtcm_ptr_v2(&attributes, &address, &size), 0);
    EQUAL(size, in[0]);
    memory = address;
    out[0] = (int)context;
    return 0;
}

/* timeout in us, priority to hold it with (0: the thread's) */
static int cached_acquire(const int32_t *in, int32_t *out)
{
    asked = 0;
    int code = HAP_compute_res_acquire_cached(context, (unsigned)in[0]);
    out[0] = code;
    if (code == 0 && in[1] != 0) {
        EQUAL(HAP_compute_res_update_priority(context, (unsigned short)in[1]), 0);
    }
    if (code == 0) {
        memory[0] = 1;
        memory[size - 1] = 1;
    }
    return 0;
}

static int cached_release(const int32_t *in, int32_t *out)
{
    (void)in;
    out[0] = HAP_compute_res_release_cached(context);
    return 0;
}

/* Waits at most `in[0]` ms until the manager asks for a release, then releases. */
static int release_when_asked(const int32_t *in, int32_t *out)
{
    for (int i = 0; i < in[0] && asked == 0; i++) {
        qurt_sleep(1000);
    }
    out[0] = asked;
    out[1] = HAP_compute_res_check_release_request(context);
    EQUAL(HAP_compute_res_release_cached(context), 0);
    return 0;
}

/* ---- several threads and one context ---- */

#define RELEASERS 4
#define CONTEXTS 200
#define TIMEOUT_US 2000000
#define PRIORITY 100

static int outcomes[RELEASERS];

static void acquire_cached(void *outcome)
{
    about_to_wait();
    *(int *)outcome = HAP_compute_res_acquire_cached(context, TIMEOUT_US);
}

/* Another context holds everything while two threads wait for the cached one. in[1]: whether
 * the cached context is released while they wait. out: how many got it, how many were refused. */
static int acquire_together(const int32_t *in, int32_t *out)
{
    int32_t all[4] = {in[0], 0, 0, 0};
    EQUAL(acquire(all, out), 0);
    EQUAL(out[0], 1);
    waiting = 0;
    for (int i = 0; i < 2; i++) {
        EQUAL(start(i, PRIORITY, acquire_cached, &outcomes[i]), QURT_EOK);
    }
    UNTIL_THEY_WAIT(2);
    if (in[1]) {
        EQUAL(HAP_compute_res_release(context), 0);
    }
    EQUAL(HAP_compute_res_release(plain), 0);
    out[0] = out[1] = 0;
    for (int i = 0; i < 2; i++) {
        join(i);
        out[0] += outcomes[i] == 0;
        out[1] += outcomes[i] == (in[1] ? AEE_EBADPARM : AEE_EALREADY);
    }
    return in[1] ? 0 : HAP_compute_res_release_cached(context);
}

static unsigned int contexts[CONTEXTS];

static void release_all(void *released)
{
    for (int i = 0; i < CONTEXTS; i++) {
        *(int *)released += HAP_compute_res_release(contexts[i]) == 0;
    }
}

/* Contexts that several threads release are each released once. */
static int release_together(const int32_t *in, int32_t *out)
{
    compute_res_attr_t attributes;
    EQUAL(HAP_compute_res_attr_init(&attributes), 0);
    EQUAL(HAP_compute_res_attr_set_vtcm_param(&attributes, 4096, 0), 0);
    for (int round = 0; round < in[0]; round++) {
        for (int i = 0; i < CONTEXTS; i++) {
            contexts[i] = HAP_compute_res_acquire(&attributes, 0);
            CHECK(contexts[i] != 0);
        }
        memset(outcomes, 0, sizeof outcomes);
        for (int i = 0; i < RELEASERS; i++) {
            EQUAL(start(i, PRIORITY, release_all, &outcomes[i]), QURT_EOK);
        }
        for (int i = 0; i < RELEASERS; i++) {
            join(i);
            out[0] += outcomes[i];
        }
    }
    return 0;
}

/* As many contexts of one page as there are pages: no two of them share a page. */
static int many_contexts(const int32_t *in, int32_t *out)
{
    static unsigned int held[512];
    compute_res_attr_t attributes;
    unsigned int total = 0;
    (void)in;
    EQUAL(HAP_compute_res_query_VTCM(0, &total, NULL, NULL, NULL), 0);
    EQUAL(total / 4096, 512);
    EQUAL(HAP_compute_res_attr_init(&attributes), 0);
    EQUAL(HAP_compute_res_attr_set_vtcm_param(&attributes, 4096, 0), 0);
    for (unsigned int i = 0; i < 512; i++) {
        held[i] = HAP_compute_res_acquire(&attributes, 0);
        CHECK(held[i] != 0);
        unsigned char *page = HAP_compute_res_attr_get_vtcm_ptr(&attributes);
        out[0] += page[0] == 0; /* 1: another context has it */
        page[0] = 1;
    }
    EQUAL(HAP_compute_res_acquire(&attributes, 0), 0);
    for (unsigned int i = 0; i < 512; i++) {
        EQUAL(HAP_compute_res_release(held[i]), 0);
    }
    void *pages[100];
    for (unsigned int i = 0; i < 100; i++) {
        pages[i] = HAP_request_VTCM(4096, 1);
        CHECK(pages[i] != NULL);
    }
    for (unsigned int i = 0; i < 100; i++) {
        EQUAL(HAP_release_VTCM(pages[i]), 0);
    }
    return 0;
}

static int hmx(const int32_t *in, int32_t *out)
{
    compute_res_attr_t attributes;
    (void)in;
    EQUAL(HAP_compute_res_attr_init(&attributes), 0);
    EQUAL(HAP_compute_res_attr_set_hmx_param(&attributes, 0), 0);
    unsigned int without = HAP_compute_res_acquire(&attributes, 0);
    CHECK(without != 0);
    out[0] = HAP_compute_res_attr_set_hmx_param(&attributes, 1);
    EQUAL(HAP_compute_res_attr_set_vtcm_param(&attributes, 65536, 0), 0);
    unsigned int id = HAP_compute_res_acquire(&attributes, 0);
    CHECK(id != 0);
    out[1] = HAP_compute_res_hmx_lock(id);
    out[2] = HAP_compute_res_hmx_lock2(id, HAP_COMPUTE_RES_HMX_SHARED);
    out[3] = HAP_compute_res_hmx_unlock(id);
    if (out[0] == 0) {
        EQUAL(HAP_compute_res_hmx_unlock2(id, HAP_COMPUTE_RES_HMX_SHARED), 0);
        EQUAL(HAP_compute_res_hmx_unlock(id), AEE_EBADPARM); /* no lock is left */
        EQUAL(HAP_compute_res_hmx_lock(without), AEE_EBADPARM);
        EQUAL(HAP_compute_res_hmx_lock(id + 100), AEE_EBADPARM);
    }
    EQUAL(HAP_compute_res_release(without), 0);
    EQUAL(HAP_compute_res_release(id), 0);
    return 0;
}

static int without_init(const int32_t *in, int32_t *out)
{
    compute_res_attr_t attributes;
    (void)in;
    (void)out;
    memset(&attributes, 0x77, sizeof attributes);
    CHECK(HAP_compute_res_attr_set_vtcm_param(&attributes, 4096, 0) != 0);
    EQUAL(HAP_compute_res_acquire(&attributes, 0), 0);
    CHECK(HAP_compute_res_release(77) != 0);
    CHECK(HAP_compute_res_acquire_cached(77, 0) != 0);
    CHECK(HAP_compute_res_release_cached(77) != 0);
    CHECK(HAP_compute_res_check_release_request(77) != 0);
    return 0;
}

const struct named_case cases[] = {
    CASE(acquire),
    CASE(release),
    CASE(query),
    CASE(share_between_threads),
    CASE(cached_create),
    CASE(cached_acquire),
    CASE(cached_release),
    CASE(release_when_asked),
    CASE(acquire_together),
    CASE(release_together),
    CASE(many_contexts),
    CASE(hmx),
    CASE(without_init),
    {NULL, NULL},
};
