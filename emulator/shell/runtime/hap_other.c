/* hap_other.c: functions of HAP, sysmon and FastRPC that old or rare code uses.
 *
 * What the emulated device does not have answers with the documented error. */
#include <string.h>

#include "AEEStdErr.h"
#include "HAP_mem.h"
#include "heap.h"
#include "unsupported.h"
#include "../trace.h"

#define CLOCK_MHZ 1000 /* the rate of clock_cycles */
#define BUS_MHZ 1000
#define PMU_NOT_SUPPORTED 0x80000fffu /* HAP_USER_PMU_READ_NOT_SUPPORTED */
#define UNKNOWN_RESOURCE 2            /* NPA_QUERY_UNKNOWN_RESOURCE */
#define PROCESS_NAME_BYTES 56

static int success(void)
{
    return AEE_SUCCESS;
}

static void nothing(void)
{
}

/* ---- the device and the process ---- */

/* The number of the chip's family is not public; 0 stands for an unknown one. */
static uint32_t chip_family(void)
{
    return 0;
}

static uint32_t domain(void)
{
    return (uint32_t)shell_facts()->domain;
}

static int has_test_root(void)
{
    return 0; /* no certificate for tests: skels are unsigned, or signed by nobody */
}

/* The only request, 0, asks to be traced, which run --debug does without it. */
static long trace(int request, unsigned int process, void *address, void *data)
{
    (void)request, (void)process, (void)address, (void)data;
    return -1;
}

/* ERR_FATAL of the DSP's firmware. Versions of it differ in the layout of the message. */
static void fatal(const void *message)
{
    (void)message;
    die("the skel called ERR_FATAL");
}

/* ---- counters ---- */

static uint64_t time_us(void)
{
    return clock_ticks_to_us(clock_ticks());
}

/* ---- memory ---- */

static int context_malloc(void *context, uint32_t size, void **block)
{
    (void)context;
    if (block == NULL) {
        return AEE_EBADPARM;
    }
    *block = heap_malloc(size);
    return *block == NULL ? AEE_ENOMEMORY : AEE_SUCCESS;
}

static int context_free(void *context, void *block)
{
    (void)context;
    heap_free(block);
    return AEE_SUCCESS;
}

enum { USAGE_STATISTICS = 1 };

struct heap_information { /* HAP_mem_heap_info_t */
    int request;
    struct HAP_mem_stats statistics;
};

static int heap_information(struct heap_information *information)
{
    if (information == NULL) {
        return AEE_EBADPARM;
    }
    if (information->request != USAGE_STATISTICS) {
        return AEE_EUNSUPPORTED; /* the highest use of the heap is not recorded */
    }
    return HAP_mem_get_stats(&information->statistics);
}

/* ---- processes ---- */

struct process { /* HAP_process */
    char name[PROCESS_NAME_BYTES];
    int32_t address_space, client;
};

/* The list has the calling process only. It is not freed by its users. */
static int process_list(uint32_t *count, struct process **list)
{
    static struct process only;
    if (count == NULL || list == NULL) {
        return AEE_EBADPARM;
    }
    strncpy(only.name, process_name(), sizeof only.name - 1);
    only.client = (int32_t)shell_facts()->client_pid;
    *count = 1;
    *list = &only;
    return AEE_SUCCESS;
}

/* ---- clocks ---- */

static int highest_speed(int *clock, int *bus)
{
    if (clock == NULL || bus == NULL) {
        return AEE_EBADPARM;
    }
    *clock = CLOCK_MHZ;
    *bus = BUS_MHZ;
    return AEE_SUCCESS;
}

/* Prepares a vote for HAP_power_set; votes do not change the speed of the emulated DSP. */
static int prepare_vote(const void *request)
{
    return request == NULL ? AEE_EBADPARM : AEE_SUCCESS;
}

#define PMU "the performance monitor"
#define LIMIT "limiting a clock"
#define QUALITY "a quality of service"
#define HOST_MEMORY "a request for memory of the ARM side from the DSP"
#define REVERSE "a call from the DSP to the ARM side"
/* clang-format off */
#define UNSUPPORTED_NAMES(X) \
    X(__HAP_register_pmu_event, PMU_NOT_SUPPORTED, PMU) \
    X(__HAP_deregister_pmu_event, PMU_NOT_SUPPORTED, PMU) \
    X(__HAP_read_pmu_event, PMU_NOT_SUPPORTED, PMU) \
    X(__HAP_register_pmu_group, PMU_NOT_SUPPORTED, PMU) \
    X(__HAP_deregister_pmu_group, PMU_NOT_SUPPORTED, PMU) \
    X(__HAP_read_pmu_group, PMU_NOT_SUPPORTED, PMU) \
    X(__HAP_core_clock_limit_set, AEE_EUNSUPPORTED, LIMIT) \
    X(__HAP_core_clock_limit_query, AEE_EUNSUPPORTED, LIMIT) \
    X(__HAP_hmx_clock_limit_set, AEE_EUNSUPPORTED, LIMIT) \
    X(__HAP_hmx_clock_limit_query, AEE_EUNSUPPORTED, LIMIT) \
    X(sysmon_rm_set_qos, AEE_EUNSUPPORTED, QUALITY) \
    X(sysmon_rm_set_qos_duration, AEE_EUNSUPPORTED, QUALITY) \
    X(sysmon_audio_query, AEE_EUNSUPPORTED, "audio on the DSP") \
    X(sysmon_audio_register, AEE_EUNSUPPORTED, "audio on the DSP") \
    X(npa_query_by_name, UNKNOWN_RESOURCE, "a resource of NPA") \
    X(HAP_apps_mem_request, AEE_EUNSUPPORTED, HOST_MEMORY) \
    X(HAP_apps_mem_release, AEE_EUNSUPPORTED, HOST_MEMORY) \
    X(apps_mem_request_map, AEE_EUNSUPPORTED, HOST_MEMORY) \
    X(apps_mem_request_map64, AEE_EUNSUPPORTED, HOST_MEMORY) \
    X(apps_mem_request_unmap, AEE_EUNSUPPORTED, HOST_MEMORY) \
    X(apps_mem_request_unmap64, AEE_EUNSUPPORTED, HOST_MEMORY) \
    X(apps_mem_share_map, AEE_EUNSUPPORTED, HOST_MEMORY) \
    X(apps_mem_share_unmap, AEE_EUNSUPPORTED, HOST_MEMORY) \
    X(fastrpc_migrate_cpz, AEE_EUNSUPPORTED, "content protection") \
    X(u2g_client_open, AEE_EUNSUPPORTED, "a channel to privileged processes") \
    X(u2g_client_close, AEE_EUNSUPPORTED, "a channel to privileged processes") \
    X(remote_handle_open, AEE_EUNSUPPORTED, REVERSE) \
    X(remote_handle_invoke, AEE_EUNSUPPORTED, REVERSE) \
    X(remote_handle_close, AEE_EUNSUPPORTED, REVERSE)
/* clang-format on */
UNSUPPORTED_NAMES(UNSUPPORTED)

const struct shell_symbol hap_other_symbols[] = {
    EXPORT_AS("HAP_perf_get_pcycles", clock_cycles),
    EXPORT_AS("HAP_perf_get_qtimer_count", clock_ticks),
    EXPORT_AS("HAP_perf_get_time_us", time_us),
    EXPORT_AS("HAP_get_chip_family_id", chip_family),
    EXPORT_AS("HAP_get_dsp_domain", domain),
    EXPORT_AS("HAP_debug_ptrace", trace),
    EXPORT_AS("SigVerify_HaveTestRoot", has_test_root),
    EXPORT_AS("err_Fatal_internal0", fatal),
    EXPORT_AS("adsp_power_boost_on", success), /* votes have no effect */
    EXPORT_AS("adsp_power_boost_off", nothing),
    EXPORT_AS("HP_profile", nothing), /* called by code that was compiled to be profiled */
    EXPORT_AS("HAP_enable_SRM_debug", success),
    EXPORT_AS("_init", nothing), /* the shell itself has nothing more to do */
    EXPORT_AS("_fini", nothing),
    EXPORT_AS("HAP_cx_malloc", context_malloc),
    EXPORT_AS("HAP_cx_free", context_free),
    EXPORT_AS("HAP_mem_get_heap_info", heap_information),
    EXPORT_AS("HAP_get_process_list", process_list),
    EXPORT_AS("HAP_thread_migrate", success), /* deprecated, and of no effect */
    EXPORT_AS("HAP_rfs_wait", success),       /* files can be read from the start */
    EXPORT_AS("HAP_power_request", success),
    EXPORT_AS("HAP_power_request_abs", success),
    EXPORT_AS("HAP_power_get_max_speed", highest_speed),
    EXPORT_AS("HAP_HVX_power_request", success),
    EXPORT_AS("HAP_HVX_power_release", success),
    EXPORT_AS("fastrpc_send_early_signal", success),
    EXPORT_AS("sysmon_set_dcvs_v3_bus_perf_mode", prepare_vote),
    EXPORT_AS("sysmon_set_dcvs_v3_core_perf_mode", prepare_vote),
    EXPORT_AS("sysmon_set_dcvs_v3_duty_cycle", prepare_vote),
    EXPORT_AS("sysmon_set_dcvs_v3_duty_cycle_params", prepare_vote),
    EXPORT_AS("sysmon_set_dcvs_v3_protected_bus_corners", prepare_vote),
    EXPORT_AS("sysmon_set_ddr_perf_mode", prepare_vote),
    EXPORT_AS("bt_trace_event", trace_event), /* of bt_trace.h; a real shell has none */
    UNSUPPORTED_NAMES(EXPORT_UNSUPPORTED) EXPORT_END,
};
