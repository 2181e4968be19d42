/* probe.c: a skel whose methods each exercise one rule of FastRPC.
 *
 * It is written without IDL, so that these tests need only the emulated device.
 * Macros select variants: ENTRY, NEEDS_UNKNOWN, WEAK_UNKNOWN, NEEDS_HELPER, ANSWER, INIT, TLS. */
#include <stddef.h>
#include <stdint.h>

#define FARF_HIGH 1
#include "AEEStdErr.h"
#include "HAP_farf.h"
#include "HAP_mem.h"
#include "remote.h"

#ifndef ENTRY
#define ENTRY probe_skel_handle_invoke
#endif
#define EXPORT __attribute__((visibility("default")))

static int opened, constructed;
static volatile int waiting;

#ifdef NEEDS_UNKNOWN
int no_such_interface(int);
int no_such_interface_either(int);
void *malloc(size_t size); /* only libraries may call it by this name */
#endif
#ifdef WEAK_UNKNOWN
__attribute__((weak)) int no_such_interface(int);
#endif
#ifdef NEEDS_HELPER
int helper_answer(void);
#endif
#ifdef TLS
_Thread_local int per_thread;
#endif

__attribute__((constructor)) static void construct(void)
{
    constructed += 1;
}

#ifdef INIT /* lld sets DT_INIT and DT_FINI to functions with these names */
EXPORT void _init(void)
{
    constructed += 10;
}

EXPORT void _fini(void)
{
    FARF(HIGH, "fini");
}
#endif

static int sum(const uint8_t *bytes, uint32_t size)
{
    int total = 0;
    for (uint32_t i = 0; i < size; i++) {
        total += bytes[i];
    }
    return total;
}

__attribute__((noinline)) static int deep(volatile char *above, int depth)
{
    volatile char here[4096];
    here[0] = above[0];
    return depth == 0 ? here[0] : deep(here, depth - 1) + here[1];
}

/* Each call waits until all have arrived, which is possible only if each has a thread. */
static int meet(int wanted)
{
    __atomic_add_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
    for (long spin = 0; spin < 400000000; spin++) {
        if (waiting >= wanted) {
            return 0;
        }
    }
    return AEE_EEXPIRED;
}

static int by_fd(int fd, int32_t *out, int mapped_by_client, uint32_t offset)
{
    void *address = NULL;
    uint64_t physical;
    if (mapped_by_client) {
        int code = HAP_mmap_get(fd, &address, &physical);
        if (code != 0) {
            return code;
        }
        *out = sum(address, 16);
        return HAP_mmap_put(fd);
    }
    address = HAP_mmap(NULL, 4096, 3, 0, fd, (long)offset);
    if (address == (void *)-1 || address == NULL) {
        return AEE_EFAILED;
    }
    *out = sum(address, 16);
    return HAP_munmap(address, 4096);
}

static int method(uint32_t number, uint32_t sc, remote_arg *pra)
{
    const int32_t *in = pra == NULL ? NULL : pra[0].buf.pv;
    int32_t *out = pra == NULL ? NULL : pra[REMOTE_SCALARS_INBUFS(sc)].buf.pv;
    switch (number) {
    case 2: /* doubles */
        for (size_t i = 0; i < pra[1].buf.nLen / 4; i++) {
            out[i] = 2 * in[i];
        }
        return 0;
    case 3:
        FARF(HIGH, "the answer is %d", 42);
        return 0;
    case 4:
        *(volatile int *)16 = 1;
        return 0;
    case 5:
        for (;;) {
        }
    case 6:
        __builtin_trap();
    case 7: /* in: fd, whether mapped by the client, offset */
        return by_fd(in[0], out, in[1], (uint32_t)in[2]);
    case 8: { /* a dma handle */
        remote_arg *handle = &pra[REMOTE_SCALARS_OUTBUFS(sc)];
        return by_fd(handle->dma.fd, pra[0].buf.pv, 0, handle->dma.offset);
    }
    case 9:
        out[0] = opened;
        out[1] = constructed;
        return 0;
    case 10: {
        volatile char top[1] = {0};
        return deep(top, in[0]);
    }
    case 11:
        return meet(in[0]);
    case 12: /* writes its result and fails */
        out[0] = 1234;
        return 77;
    case 13: /* the addresses of arguments */
        for (uint32_t i = 0; i < REMOTE_SCALARS_INBUFS(sc); i++) {
            out[i] = (int32_t)((uintptr_t)pra[i].buf.pv & 127) +
                     (pra[i].buf.pv == NULL && pra[i].buf.nLen == 0 ? 1000 : 0);
        }
        return 0;
    case 14: /* handles: out is in + 1 */
        pra[1].h64 = pra[0].h64 + 1;
        return 0;
    case 15: /* changes its input in place: seen by the client if it is shared */
        *(int32_t *)(uintptr_t)in = 99;
        return 0;
    case 17: /* out i is in i + 1, for as many as there are */
        for (uint32_t i = 0; i < REMOTE_SCALARS_OUTBUFS(sc); i++) {
            *(int32_t *)pra[REMOTE_SCALARS_INBUFS(sc) + i].buf.pv = *(int32_t *)pra[i].buf.pv + 1;
        }
        for (uint32_t i = 0; i < REMOTE_SCALARS_OUTHANDLES(sc); i++) {
            uint32_t at = REMOTE_SCALARS_INBUFS(sc) + REMOTE_SCALARS_OUTBUFS(sc) + i;
            pra[at + REMOTE_SCALARS_INHANDLES(sc)].h64 = pra[at].h64 + 1;
        }
        return 0;
    case 16:
        /* no instruction */
        __asm__ volatile(".word 0x6fffffff");
        return 0;
#ifdef NEEDS_UNKNOWN
    case 20:
        pra[0].buf.pv = malloc(3);
        return no_such_interface(1) + no_such_interface_either(2);
#endif
#ifdef WEAK_UNKNOWN
    case 21:
        return no_such_interface == NULL ? 55 : no_such_interface(1);
#endif
#ifdef NEEDS_HELPER
    case 22:
        return helper_answer();
#endif
#ifdef ANSWER
    case 22:
        return ANSWER;
#endif
#ifdef TLS
    case 23:
        return per_thread++;
#endif
    default:
        return AEE_EUNSUPPORTED;
    }
}

EXPORT int ENTRY(remote_handle64 h, uint32_t sc, remote_arg *pra)
{
    uint32_t number = REMOTE_SCALARS_METHOD(sc);
    if (number == 0) {
        const char *uri = pra[1].buf.pv;
        if (sc != REMOTE_SCALARS_MAKEX(0, 0, 2, 0, 0, 1) || uri[0] != 'f' ||
            *(uint32_t *)pra[0].buf.pv != pra[1].buf.nLen) {
            return AEE_EBADPARM;
        }
        opened++;
        pra[2].h64 = 0x1122334455667788u;
        return 0;
    }
    if (h != 0x1122334455667788u && number != 1) {
        return AEE_EBADPARM;
    }
    if (number == 1) {
        opened--;
        return sc == REMOTE_SCALARS_MAKEX(0, 1, 0, 0, 1, 0) && pra[0].h64 == 0x1122334455667788u
                   ? 0
                   : AEE_EBADPARM;
    }
    return method(number, sc, pra);
}

/* The same as a plain interface: methods start at 0, without open and close. */
EXPORT int probe_skel_invoke(uint32_t sc, remote_arg *pra)
{
    return method(REMOTE_SCALARS_METHOD(sc), sc, pra);
}
