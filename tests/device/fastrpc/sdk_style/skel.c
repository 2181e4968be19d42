/* skel.c: a skel with traits of skels that the SDK builds.
 *
 * Each method writes one int32 per check to its out buffer. The test compares them. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define FARF_HIGH 1
#include "AEEStdErr.h"
#include "HAP_farf.h"
#include "HAP_mem.h"
#include "HAP_perf.h"
#include "HAP_power.h"
#include "remote.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- DT_INIT, then the functions of DT_INIT_ARRAY in order; DT_FINI_ARRAY, then DT_FINI ---- */

static volatile int order;

EXPORT void _init(void)
{
    order = order * 10 + 1;
}

__attribute__((constructor(101))) static void first(void)
{
    order = order * 10 + 2;
}

__attribute__((constructor(102))) static void second(void)
{
    order = order * 10 + 3;
}

__attribute__((destructor(102))) static void third(void)
{
    order = order * 10 + 4;
}

__attribute__((destructor(101))) static void fourth(void)
{
    order = order * 10 + 5;
}

EXPORT void _fini(void)
{
    FARF(HIGH, "order %d", order);
}

/* ---- relocations of the code, and memory from the heap of the shell ---- */

static int pointed_at = 7;
extern int *const in_text;
__asm__(".section .text.pointer, \"ax\", @progbits\n"
        "        .p2align 2\n"
        "        .type in_text, @object\n"
        "in_text: .word pointed_at\n"
        "        .size in_text, 4\n"
        ".previous");

static int text_and_heap(void)
{
    int *copy = malloc(sizeof *copy);
    *copy = in_text == &pointed_at ? *in_text : 0;
    int found = *copy;
    free(copy);
    return found;
}

/* ---- the counters, read as the SDK's headers do ---- */

static void counters(int32_t *out)
{
    const uint64_t start = HAP_perf_get_qtimer_count();
    const uint64_t cycles = HAP_perf_get_pcycles();
    while (HAP_perf_get_qtimer_count() - start < 19200) { /* 1 ms */
    }
    uint32_t low, high;
    __asm__ volatile("%0 = c30" : "=r"(low));
    __asm__ volatile("%0 = c31" : "=r"(high));
    const uint64_t now = (uint64_t)high << 32 | low;
    out[0] = HAP_perf_get_pcycles() > cycles;
    out[1] = now - start >= 19200 && now <= HAP_perf_get_qtimer_count();
}

/* ---- a mapping that the DSP makes ---- */

static void mappings(int fd, int32_t *out)
{
    void *found = NULL, *again = NULL;
    out[0] = HAP_mmap_get(fd, &found, NULL);
    int32_t *mapped = HAP_mmap(NULL, 4096, HAP_PROT_READ | HAP_PROT_WRITE, 0, fd, 0);
    out[1] = mapped == (void *)-1;
    out[2] = HAP_mmap_get(fd, &found, NULL);
    out[3] = found == mapped;
    out[4] = mapped[0];
    out[5] = HAP_munmap(mapped, 4096);
    out[6] = HAP_munmap(mapped, 4096); /* the last reference is that of HAP_mmap_get */
    ((int32_t *)found)[1] = 31;
    out[7] = HAP_mmap_put(fd);
    out[8] = HAP_mmap_put(fd);
    out[9] = HAP_mmap_get(fd, &again, NULL);
}

/* ---- the stack ---- */

static __attribute__((noinline)) int deeper(int bytes)
{
    volatile char taken[8000];
    __asm__ volatile("" : : "r"(taken) : "memory");
    taken[bytes] = 0;
    return (int)HAP_mem_available_stack() + taken[bytes];
}

static int power_up_hmx(void)
{
    static int client;
    HAP_power_request_t request = {.type = HAP_power_set_HMX};
    request.hmx.power_up = TRUE;
    return HAP_power_set(&client, &request);
}

/* Returns only if a predicate register changes, for example in the handler of a signal. */
static void wait_for_changed_predicates(void)
{
    __asm__ volatile("{ r4 = ##0x00ff0ff0 }\n"
                     "{ c4 = r4 }\n"
                     "1: { r5 = c4 }\n"
                     "{ r6 = r5 ; if (cmp.eq(r6.new, r4)) jump:t 1b }\n"
                     :
                     :
                     : "r4", "r5", "r6", "p0", "p1", "p2", "p3");
}

EXPORT int sdkstyle_skel_handle_invoke(remote_handle64 h, uint32_t sc, remote_arg *pra);

int sdkstyle_skel_handle_invoke(remote_handle64 h, uint32_t sc, remote_arg *pra)
{
    int32_t *out = REMOTE_SCALARS_OUTBUFS(sc) == 1 ? pra[REMOTE_SCALARS_INBUFS(sc)].buf.pv : NULL;
    (void)h;
    switch (REMOTE_SCALARS_METHOD(sc)) {
    case 0:
        pra[2].h64 = 1;
        return 0;
    case 1:
        return 0;
    case 2:
        out[0] = order;
        out[1] = text_and_heap();
        return 0;
    case 3:
        counters(out);
        return 0;
    case 4:
        mappings(*(int32_t *)pra[0].buf.pv, out);
        return 0;
    case 5:
        out[0] = (int32_t)HAP_mem_available_stack();
        out[1] = deeper(1);
        return 0;
    case 6:
        out[0] = power_up_hmx();
        return 0;
    case 7:
        wait_for_changed_predicates();
        return 0;
    case 8: /* does not return, and is in the shell most of the time */
        for (;;) {
            HAP_perf_get_qtimer_count();
        }
    default:
        return AEE_EUNSUPPORTED;
    }
}
