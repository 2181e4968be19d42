/* The output of htp-probe: a table, or a JSON document for programs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fastrpc_error.h"
#include "probe.h"

enum { VERDICT_SIZE = 48 };

int probe_all_verified(const struct probe_summary *summary)
{
    size_t verified = 0, without_hmx = 0;

    for (size_t i = 0; i < summary->count; i++) {
        verified += summary->results[i].verdict == PROBE_VERIFIED;
        without_hmx += summary->results[i].verdict == PROBE_NO_HMX;
    }
    return verified > 0 && verified + without_hmx == summary->count;
}

static const char *verdict_name(enum probe_verdict verdict)
{
    switch (verdict) {
    case PROBE_VERIFIED:
        return "verified";
    case PROBE_MISMATCH:
        return "mismatch";
    case PROBE_OVERRUN:
        return "overrun";
    case PROBE_CALL_FAILED:
        return "call-failed";
    case PROBE_NO_QUEUE:
        return "no-queue";
    case PROBE_NO_HMX:
        return "no-hmx";
    case PROBE_NO_MEMORY:
        return "no-memory";
    case PROBE_UNPROVEN:
        break;
    }
    return "unproven";
}

static void describe_verdict(const struct probe_result *result, char text[VERDICT_SIZE])
{
    if (result->verdict == PROBE_MISMATCH)
        snprintf(text, VERDICT_SIZE, "mismatch at %zu", result->first_difference);
    else if (result->verdict == PROBE_CALL_FAILED)
        snprintf(text, VERDICT_SIZE, "call failed 0x%08x", (unsigned)result->code);
    else
        snprintf(text, VERDICT_SIZE, "%s", verdict_name(result->verdict));
}

static void print_row(const struct probe_result *result)
{
    char shape[64], verdict[VERDICT_SIZE];

    if (result->rows == 0)
        snprintf(shape, sizeof shape, "%zu", result->cols);
    else if (result->count > 0)
        snprintf(shape, sizeof shape, "%zux%zux%zu", result->rows, result->cols, result->count);
    else
        snprintf(shape, sizeof shape, "%zux%zu", result->rows, result->cols);
    describe_verdict(result, verdict);
    printf("%-20s %-9s %-22s %9.2g %7.0f %7.0f\n", result->op, shape, verdict, result->max_error,
           result->dsp_seconds * 1e6, result->cpu_seconds * 1e6);
}

/* Prints the details of a result that is not verified. */
static void print_why(const struct probe_result *result)
{
    switch (result->verdict) {
    case PROBE_VERIFIED:
        break;
    case PROBE_MISMATCH:
        printf("  element %zu is %.9g on the DSP and %.9g on the CPU\n", result->first_difference,
               result->got, result->wanted);
        break;
    case PROBE_OVERRUN:
        puts("  the call changed memory next to the output");
        break;
    case PROBE_CALL_FAILED:
        printf("  %s: %s\n", fastrpc_error(result->code)->name, fastrpc_error(result->code)->cause);
        break;
    case PROBE_NO_QUEUE:
        puts("  this libcdsprpc has no dspqueue functions");
        break;
    case PROBE_NO_HMX:
        puts("  HAP_power_set refuses HMX: this chip has none, or it is fused off");
        break;
    case PROBE_NO_MEMORY:
        puts("  rpcmem did not allocate a buffer: may this user open /dev/dma_heap/system?");
        break;
    case PROBE_UNPROVEN:
        puts("  found no inputs with a non-zero result; try another --seed");
        break;
    }
}

void probe_print_table(const struct probe_summary *summary)
{
    size_t verified = 0;

    printf("htp-probe: skel for v%d, HVX of %d bytes, seed %" PRIu64 "\n\n", summary->skel_arch,
           summary->vector_bytes, summary->seed);
    printf("%-20s %-9s %-22s %9s %7s %7s\n", "op", "shape", "result", "max error", "DSP us",
           "CPU us");
    for (size_t i = 0; i < summary->count; i++) {
        print_row(&summary->results[i]);
        print_why(&summary->results[i]);
        verified += summary->results[i].verdict == PROBE_VERIFIED;
    }
    printf("\nOn an emulated device, the times are not meaningful.\n"
           "%zu of %zu verified against the CPU\n",
           verified, summary->count);
}

static void print_number(const char *name, double value)
{
    if (isfinite(value))
        printf(", \"%s\": %.9g", name, value);
    else
        printf(", \"%s\": null", name);
}

static void print_json_result(const struct probe_result *result)
{
    printf("{\"op\": \"%s\", ", result->op);
    if (result->rows == 0)
        printf("\"shape\": [%zu]", result->cols);
    else if (result->count > 0)
        printf("\"shape\": [%zu, %zu, %zu]", result->rows, result->cols, result->count);
    else
        printf("\"shape\": [%zu, %zu]", result->rows, result->cols);
    printf(", \"result\": \"%s\"", verdict_name(result->verdict));
    if (result->verdict == PROBE_MISMATCH) {
        printf(", \"first_difference\": %zu", result->first_difference);
        print_number("got", result->got);
        print_number("wanted", result->wanted);
    }
    if (result->verdict == PROBE_CALL_FAILED)
        printf(", \"code\": \"0x%08x\", \"name\": \"%s\"", (unsigned)result->code,
               fastrpc_error(result->code)->name);
    print_number("max_error", result->max_error);
    print_number("dsp_seconds", result->dsp_seconds);
    print_number("cpu_seconds", result->cpu_seconds);
    printf("}");
}

void probe_print_json(const struct probe_summary *summary)
{
    printf("{\"ok\": %s, \"skel\": {\"arch\": \"v%d\", \"vector_bytes\": %d}, \"seed\": %" PRIu64
           ",\n \"results\": [",
           probe_all_verified(summary) ? "true" : "false", summary->skel_arch,
           summary->vector_bytes, summary->seed);
    for (size_t i = 0; i < summary->count; i++) {
        printf(i == 0 ? "\n  " : ",\n  ");
        print_json_result(&summary->results[i]);
    }
    puts("]}");
}

void probe_print_json_failure(const char *doing, int code)
{
    printf("{\"ok\": false, \"error\": {\"doing\": \"%s\", \"code\": \"0x%08x\", "
           "\"name\": \"%s\", \"cause\": \"%s\"}}\n",
           doing, (unsigned)code, fastrpc_error(code)->name, fastrpc_error(code)->cause);
}
