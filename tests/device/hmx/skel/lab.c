/* lab.c: executes a list of packets of HMX on an image of VTCM.
 *
 * lab.in: the number of packets and the bytes of the image; for each packet its number in the table of
 * lab.py, a set of bits for the registers that are addresses (relative to the image), and r0 to r3; the
 * image. lab.out: the image afterwards. The case `run` locks HMX and executes the packets, as often as its
 * first number says, and returns the time in us; `unlocked` does not lock. */
#include <stdio.h>
#include <stdlib.h>

#include "../../runtime/skel/cases.h"
#include "HAP_compute_res.h"
#include "HAP_perf.h"

#define FUNCTION_BYTES 16

struct packet {
    uint32_t number, addresses, registers[4];
};

typedef void (*hmx_function)(uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3);
extern const char hmx_lab_code[];

static void execute(const struct packet *packet, uint32_t base)
{
    uint32_t r[4];
    for (int i = 0; i < 4; i++) {
        r[i] = packet->registers[i] + ((packet->addresses >> i & 1u) != 0 ? base : 0);
    }
    const char *code = hmx_lab_code + packet->number * FUNCTION_BYTES;
    ((hmx_function)(uintptr_t)code)(r[0], r[1], r[2], r[3]);
}

static int run_file(int locks, int times, int32_t *us)
{
    uint32_t header[2];
    compute_res_attr_t attributes;
    FILE *in = fopen("lab.in", "rb");
    CHECK(in != NULL && fread(header, sizeof header, 1, in) == 1);
    EQUAL(HAP_compute_res_attr_init(&attributes), 0);
    EQUAL(HAP_compute_res_attr_set_vtcm_param(&attributes, header[1], 1), 0);
    EQUAL(HAP_compute_res_attr_set_hmx_param(&attributes, 1), 0);
    const unsigned int context = HAP_compute_res_acquire(&attributes, 100000);
    CHECK(context != 0);
    unsigned char *vtcm = HAP_compute_res_attr_get_vtcm_ptr(&attributes);
    struct packet *packets = malloc(header[0] * sizeof *packets);
    EQUAL(fread(packets, sizeof *packets, header[0], in), header[0]);
    EQUAL(fread(vtcm, 1, header[1], in), header[1]);
    fclose(in);
    if (locks) {
        EQUAL(HAP_compute_res_hmx_lock(context), 0);
    }
    const uint64_t start = HAP_perf_get_time_us();
    for (uint32_t i = 0; i < header[0] * (uint32_t)times; i++) {
        execute(&packets[i % header[0]], (uint32_t)(uintptr_t)vtcm);
    }
    *us = (int32_t)(HAP_perf_get_time_us() - start);
    if (locks) {
        EQUAL(HAP_compute_res_hmx_unlock(context), 0);
    }
    FILE *out = fopen("lab.out", "wb");
    CHECK(out != NULL && fwrite(vtcm, 1, header[1], out) == header[1]);
    fclose(out);
    free(packets);
    return HAP_compute_res_release(context);
}

static int run(const int32_t *in, int32_t *out)
{
    return run_file(1, in[0] > 0 ? in[0] : 1, out);
}

static int unlocked(const int32_t *in, int32_t *out)
{
    (void)in;
    return run_file(0, 1, out);
}

const struct named_case cases[] = {CASE(run), CASE(unlocked), {NULL, NULL}};
