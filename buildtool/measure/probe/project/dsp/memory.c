/* memory.c: VTCM, HMX, the heap, and buffers of the ARM64 side. */
#include <stdint.h>
#include <string.h>

#include "AEEStdErr.h"
#include "HAP_compute_res.h"
#include "HAP_mem.h"
#include "HAP_power.h"
#include "device_probe.h"
#include "matrix.h"
#include "pattern.h"
#include "qurt.h"

#define WAIT_US 1000000u
#define LEAST_VTCM 4096u

/* Fills `words` with a pattern; returns how many of them have another value then. */
static uint32_t fill(volatile uint32_t *memory, uint32_t words, uint32_t seed)
{
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < words; i++)
        memory[i] = pattern_word(seed, i);
    for (uint32_t i = 0; i < words; i++)
        wrong += memory[i] != pattern_word(seed, i);
    return wrong;
}

AEEResult device_probe_vtcm(remote_handle64 handle, uint32_t *total, uint32_t *acquired,
                            uint32_t *nonzero, uint32_t *wrong)
{
    compute_res_attr_t attributes;
    unsigned int size = 0, given = 0, context;
    void *address = NULL;
    int code = HAP_compute_res_query_VTCM(0, &size, NULL, NULL, NULL);

    (void)handle;
    *acquired = *nonzero = *wrong = 0;
    if (code != 0)
        return code;
    *total = size;
    HAP_compute_res_attr_init(&attributes);
    code = HAP_compute_res_attr_set_vtcm_param_v2(&attributes, size, 0, LEAST_VTCM);
    if (code != 0)
        return code;
    context = HAP_compute_res_acquire(&attributes, WAIT_US);
    if (context == 0)
        return AEE_SUCCESS; /* somebody else has it */
    code = HAP_compute_res_attr_get_vtcm_ptr_v2(&attributes, &address, &given);
    if (code == 0 && address != NULL) {
        const uint32_t words = given / sizeof(uint32_t);
        const volatile uint32_t *memory = address;
        uint32_t found = 0;

        for (uint32_t i = 0; i < words; i++)
            found += memory[i] != 0;
        *acquired = given;
        *nonzero = found * (uint32_t)sizeof(uint32_t);
        *wrong = (fill(address, words, 1) + fill(address, words, 2)) * (uint32_t)sizeof(uint32_t);
    }
    HAP_compute_res_release(context);
    return code;
}

AEEResult device_probe_hmx(remote_handle64 handle, int32_t *power, int32_t *acquire, int32_t *lock,
                           int32_t *half, int32_t *byte_)
{
    HAP_power_request_t request;
    compute_res_attr_t attributes;
    unsigned int context = 0;
    void *vtcm;

    *half = *byte_ = 0;
    memset(&request, 0, sizeof request);
    request.type = HAP_power_set_HMX;
    request.hmx.power_up = TRUE;
    *power = HAP_power_set((void *)(uintptr_t)handle, &request);
    HAP_compute_res_attr_init(&attributes);
    *lock = AEE_EBADSTATE;
    *acquire = HAP_compute_res_attr_set_hmx_param(&attributes, 1);
    if (*acquire == 0) {
        HAP_compute_res_attr_set_vtcm_param(&attributes, MATRIX_BYTES, 1);
        context = HAP_compute_res_acquire(&attributes, WAIT_US);
        *acquire = context != 0 ? AEE_SUCCESS : AEE_EEXPIRED;
    }
    if (context != 0) {
        *lock = HAP_compute_res_hmx_lock(context);
        vtcm = HAP_compute_res_attr_get_vtcm_ptr(&attributes);
        /* Without power, an instruction of HMX can hang the DSP. */
        if (*lock == 0 && *power == 0 && vtcm != NULL) {
            *half = matrix_of_halves(vtcm);
            *byte_ = matrix_of_bytes(vtcm);
        }
        if (*lock == 0)
            HAP_compute_res_hmx_unlock(context);
        HAP_compute_res_release(context);
    }
    request.hmx.power_up = FALSE;
    HAP_power_set((void *)(uintptr_t)handle, &request);
    return AEE_SUCCESS;
}

AEEResult device_probe_check_buffer(remote_handle64 handle, int32_t fd, uint32_t words,
                                    uint32_t seed, int32_t *found, uint32_t *wrong)
{
    void *address = NULL;
    volatile uint32_t *memory;

    (void)handle;
    *wrong = 0;
    *found = HAP_mmap_get(fd, &address, NULL);
    if (*found != 0)
        return AEE_SUCCESS;
    memory = address;
    /* Who maps with FASTRPC_MAP_FD keeps the caches of both sides in step. */
    if (words > 0)
        qurt_mem_cache_clean((qurt_addr_t)(uintptr_t)address, words * sizeof *memory,
                             QURT_MEM_CACHE_INVALIDATE, QURT_MEM_DCACHE);
    for (uint32_t i = 0; i < words; i++) {
        *wrong += memory[i] != pattern_word(seed, i);
        memory[i] = ~pattern_word(seed, i);
    }
    if (words > 0)
        qurt_mem_cache_clean((qurt_addr_t)(uintptr_t)address, words * sizeof *memory,
                             QURT_MEM_CACHE_FLUSH, QURT_MEM_DCACHE);
    HAP_mmap_put(fd);
    return AEE_SUCCESS;
}

AEEResult device_probe_heap(remote_handle64 handle, uint64_t *used)
{
    struct HAP_mem_stats stats;
    const int code = HAP_mem_get_stats(&stats);

    (void)handle;
    *used = stats.bytes_used;
    return code;
}
