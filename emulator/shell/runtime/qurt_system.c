/* qurt_system.c: QuRT's functions for the processor, its vector units, caches and counters. */
#include <pthread.h>
#include <stdio.h>

#include "qurt_alloc.h"
#include "qurt_consts.h"
#include "qurt_cycles.h"
#include "qurt_error.h"
#include "qurt_event.h"
#include "qurt_hvx.h"
#include "qurt_memory.h"
#include "qurt_pmu.h"
#include "qurt_thread.h"
#include "../counts.h"
#include "heap.h"
#include "runtime.h"
#include "variadic.h"

/* ---- heap ---- */

void *qurt_malloc(unsigned int size)
{
    return heap_malloc(size);
}

void *qurt_calloc(unsigned int elsize, unsigned int num)
{
    return heap_calloc(num, elsize);
}

void *qurt_realloc(void *ptr, int newsize)
{
    return newsize < 0 ? NULL : heap_realloc(ptr, (size_t)newsize);
}

void qurt_free(void *ptr)
{
    heap_free(ptr);
}

/* ---- processor and process ---- */

/* The upper bits of the revision register. The low byte is the same as in FastRPC's ARCH_VER. */
#define REVISION 0x8d00u

int qurt_sysenv_get_arch_version(qurt_arch_version_t *vers)
{
    if (vers == NULL) {
        return QURT_EVAL;
    }
    vers->arch_version = REVISION | shell_facts()->arch;
    return QURT_EOK;
}

int qurt_sysenv_get_max_hw_threads(qurt_sysenv_max_hthreads_t *mhwt)
{
    if (mhwt == NULL) {
        return QURT_EVAL;
    }
    mhwt->max_hthreads = shell_facts()->hw_threads;
    return QURT_EOK;
}

int qurt_sysenv_get_max_pi_prio(qurt_sysenv_max_pi_prio_t *mpip)
{
    if (mpip == NULL) {
        return QURT_EVAL;
    }
    mpip->max_pi_prio = 1;
    return QURT_EOK;
}

int qurt_sysenv_get_process_name(qurt_sysenv_procname_t *pname)
{
    if (pname == NULL) {
        return QURT_EVAL;
    }
    pname->pid = shell_facts()->client_pid;
    snprintf(pname->name, sizeof pname->name, "%s", process_name());
    return QURT_EOK;
}

/* ---- vector units: each thread takes at most one ---- */

static pthread_mutex_t hvx_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t hvx_free = PTHREAD_COND_INITIALIZER;
static uint32_t hvx_taken;
static _Thread_local bool hvx_mine;

/* v66 and newer have only the 128-byte mode. */
int qurt_hvx_get_units(void)
{
    return (int)(shell_facts()->hvx_units << 8);
}

int qurt_hvx_get_mode(void)
{
    return shell_facts()->hvx_units > 0 ? QURT_HVX_MODE_128B : -1;
}

static int take_unit(qurt_hvx_mode_t mode, bool wait)
{
    if (mode != QURT_HVX_MODE_128B || shell_facts()->hvx_units == 0) {
        return QURT_EFAILED;
    }
    pthread_mutex_lock(&hvx_lock);
    while (!hvx_mine && hvx_taken >= shell_facts()->hvx_units && wait) {
        counts_pause();
        counts_flush();
        pthread_cond_wait(&hvx_free, &hvx_lock);
        counts_resume();
    }
    if (!hvx_mine && hvx_taken < shell_facts()->hvx_units) {
        hvx_taken++;
        hvx_mine = true;
    }
    pthread_mutex_unlock(&hvx_lock);
    return hvx_mine ? QURT_EOK : QURT_EFAILED;
}

int qurt_hvx_lock(qurt_hvx_mode_t lock_mode)
{
    return take_unit(lock_mode, true);
}

int qurt_hvx_try_lock(qurt_hvx_mode_t lock_mode)
{
    return take_unit(lock_mode, false);
}

int qurt_hvx_unlock(void)
{
    if (!hvx_mine) {
        return QURT_EFAILED;
    }
    pthread_mutex_lock(&hvx_lock);
    hvx_mine = false;
    hvx_taken--;
    pthread_cond_signal(&hvx_free);
    pthread_mutex_unlock(&hvx_lock);
    return QURT_EOK;
}

/* Reservations are counted in units of 64 bytes. The process is the only one that reserves. */
static uint32_t hvx_reserved;

int qurt_hvx_reserve(int num_units)
{
    uint32_t all = shell_facts()->hvx_units * 2;
    pthread_mutex_lock(&hvx_lock);
    uint32_t wanted = num_units == QURT_HVX_RESERVE_ALL_AVAILABLE ? all : (uint32_t)num_units;
    int result = (int)wanted;
    if (all == 0 || num_units <= 0 || wanted > all) {
        result = QURT_HVX_RESERVE_NOT_SUPPORTED;
    } else if (hvx_reserved != 0) {
        result = QURT_HVX_RESERVE_ALREADY_MADE;
    } else {
        hvx_reserved = wanted;
    }
    pthread_mutex_unlock(&hvx_lock);
    return result;
}

int qurt_hvx_cancel_reserve(void)
{
    pthread_mutex_lock(&hvx_lock);
    int result = hvx_reserved == 0 ? QURT_HVX_RESERVE_CANCEL_ERR : 0;
    hvx_reserved = 0;
    pthread_mutex_unlock(&hvx_lock);
    return result;
}

int qurt_hvx_get_lock_val(void)
{
    return shell_facts()->hvx_units == 0 ? -1 : hvx_mine;
}

/* ---- caches: the emulator has none between the ARM side and the DSP side ---- */

int qurt_mem_cache_clean(qurt_addr_t addr, qurt_size_t size, qurt_mem_cache_op_t opcode,
                         qurt_mem_cache_type_t type)
{
    (void)addr;
    (void)size;
    if (opcode > QURT_MEM_CACHE_FLUSH_INVALIDATE_L2 ||
        (type != QURT_MEM_ICACHE && type != QURT_MEM_DCACHE)) {
        return QURT_EVAL;
    }
    if (opcode == QURT_MEM_CACHE_FLUSH_ALL && type != QURT_MEM_DCACHE) {
        return QURT_EVAL;
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return QURT_EOK;
}

int qurt_mem_cache_clean2(qurt_addr_t addr, qurt_size_t size, qurt_mem_cache_op_t opcode,
                          qurt_mem_cache_type_t type)
{
    if (opcode > QURT_MEM_CACHE_FLUSH_INVALIDATE || type != QURT_MEM_DCACHE) {
        return QURT_EVAL;
    }
    return qurt_mem_cache_clean(addr, size, opcode, type);
}

/* ---- performance monitor: not emulated; its functions return no error code ---- */

#define PMU "the performance monitor is not emulated: its counters read as 0"

void qurt_pmu_enable(int enable)
{
    (void)enable;
    REFUSE_ONCE("qurt_pmu_enable: " PMU);
}

void qurt_pmu_set(int reg_id, unsigned int reg_value)
{
    (void)reg_id;
    (void)reg_value;
    REFUSE_ONCE("qurt_pmu_set: " PMU);
}

unsigned int qurt_pmu_get(int reg_id)
{
    (void)reg_id;
    REFUSE_ONCE("qurt_pmu_get: " PMU);
    return 0;
}

unsigned int qurt_api_version(void)
{
    return QURT_API_VERSION;
}

const struct shell_symbol qurt_system_symbols[] = {
    EXPORT(qurt_api_version),
    EXPORT(qurt_malloc),
    EXPORT(qurt_calloc),
    EXPORT(qurt_realloc),
    EXPORT(qurt_free),
    EXPORT(qurt_sysenv_get_arch_version),
    EXPORT(qurt_sysenv_get_max_hw_threads),
    EXPORT(qurt_sysenv_get_max_pi_prio),
    EXPORT(qurt_sysenv_get_process_name),
    EXPORT(qurt_hvx_get_units),
    EXPORT(qurt_hvx_get_mode),
    EXPORT(qurt_hvx_lock),
    EXPORT(qurt_hvx_try_lock),
    EXPORT(qurt_hvx_unlock),
    EXPORT(qurt_hvx_reserve),
    EXPORT(qurt_hvx_cancel_reserve),
    EXPORT(qurt_hvx_get_lock_val),
    EXPORT(qurt_mem_cache_clean),
    EXPORT(qurt_mem_cache_clean2),
    EXPORT_AS("qurt_get_core_pcycles", clock_cycles),
    EXPORT_AS("qurt_profile_get_thread_pcycles", clock_cycles),
    EXPORT(qurt_pmu_enable),
    EXPORT(qurt_pmu_set),
    EXPORT(qurt_pmu_get),
    EXPORT_AS("qurt_printf", variadic_printf),
    EXPORT_END,
};
