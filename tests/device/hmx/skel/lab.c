/* lab.c: executes a list of packets of HMX on an image of VTCM.
 *
 * lab.in: the number of packets and the bytes of the image; for each packet its number in the table of
 * lab.py, a set of bits for the registers that are addresses (relative to the image), and r0 to r3; the
 * image. lab.out: the image afterwards. The case `run` locks HMX and executes the packets, as often as its
 * first number says, and returns the time in us; `unlocked` does not lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../runtime/skel/cases.h"
#include "HAP_compute_res.h"
#include "HAP_perf.h"
#include "HAP_power.h"

#define FUNCTION_BYTES 16
#define TURNS 20

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

static unsigned int context;
static struct packet *packets;
static uint32_t packet_count, image_bytes;
static unsigned char *vtcm; /* an image for each thread */

/* Reads lab.in, and puts its image into VTCM so many times. */
static int load(uint32_t images)
{
    uint32_t header[2];
    compute_res_attr_t attributes;
    FILE *in = fopen("lab.in", "rb");
    CHECK(in != NULL && fread(header, sizeof header, 1, in) == 1);
    packet_count = header[0];
    image_bytes = header[1];
    EQUAL(HAP_compute_res_attr_init(&attributes), 0);
    EQUAL(HAP_compute_res_attr_set_vtcm_param(&attributes, images * image_bytes, 1), 0);
    EQUAL(HAP_compute_res_attr_set_hmx_param(&attributes, 1), 0);
    context = HAP_compute_res_acquire(&attributes, 100000);
    CHECK(context != 0);
    vtcm = HAP_compute_res_attr_get_vtcm_ptr(&attributes);
    packets = malloc(packet_count * sizeof *packets);
    EQUAL(fread(packets, sizeof *packets, packet_count, in), packet_count);
    EQUAL(fread(vtcm, 1, image_bytes, in), image_bytes);
    fclose(in);
    for (uint32_t i = 1; i < images; i++) {
        memcpy(vtcm + i * image_bytes, vtcm, image_bytes);
    }
    return 0;
}

static void execute_all(const unsigned char *image)
{
    for (uint32_t i = 0; i < packet_count; i++) {
        execute(&packets[i], (uint32_t)(uintptr_t)image);
    }
}

/* Writes lab.out. */
static int finish(void)
{
    FILE *out = fopen("lab.out", "wb");
    CHECK(out != NULL && fwrite(vtcm, 1, image_bytes, out) == image_bytes);
    fclose(out);
    free(packets);
    return HAP_compute_res_release(context);
}

static int set_power(int up)
{
    HAP_power_request_t request = {.type = HAP_power_set_HMX};
    request.hmx.power_up = up;
    return HAP_power_set(&context, &request);
}

static int run_file(int locks, int powers, int times, int32_t *us)
{
    EQUAL(load(1), 0);
    EQUAL(set_power(powers), 0);
    if (locks) {
        EQUAL(HAP_compute_res_hmx_lock(context), 0);
    }
    const uint64_t start = HAP_perf_get_time_us();
    for (int i = 0; i < times; i++) {
        execute_all(vtcm);
    }
    *us = (int32_t)(HAP_perf_get_time_us() - start);
    if (locks) {
        EQUAL(HAP_compute_res_hmx_unlock(context), 0);
    }
    return finish();
}

static void *take_turns(void *image)
{
    for (int i = 0; i < TURNS; i++) {
        HAP_compute_res_hmx_lock(context);
        execute_all(image);
        HAP_compute_res_hmx_unlock(context);
    }
    return NULL;
}

/* Two threads lock HMX in turn, for an image each; out: whether the images are the same in the end. */
static int two_threads(const int32_t *in, int32_t *out)
{
    pthread_t threads[2];
    (void)in;
    EQUAL(load(2), 0);
    EQUAL(set_power(1), 0);
    for (uint32_t i = 0; i < 2; i++) {
        EQUAL(pthread_create(&threads[i], NULL, take_turns, vtcm + i * image_bytes), 0);
    }
    for (int i = 0; i < 2; i++) {
        EQUAL(pthread_join(threads[i], NULL), 0);
    }
    out[0] = memcmp(vtcm, vtcm + image_bytes, image_bytes) == 0;
    return finish();
}

static int run(const int32_t *in, int32_t *out)
{
    return run_file(1, 1, in[0] > 0 ? in[0] : 1, out);
}

static void *lock(void *nothing)
{
    HAP_compute_res_hmx_lock(context);
    return nothing;
}

/* A thread ends that has locked HMX. */
static int kept(const int32_t *in, int32_t *out)
{
    pthread_t thread;
    (void)in;
    (void)out;
    EQUAL(load(1), 0);
    EQUAL(pthread_create(&thread, NULL, lock, NULL), 0);
    EQUAL(pthread_join(thread, NULL), 0);
    return finish();
}

static int unlocked(const int32_t *in, int32_t *out)
{
    (void)in;
    return run_file(0, 1, 1, out);
}

static int unpowered(const int32_t *in, int32_t *out)
{
    (void)in;
    return run_file(1, 0, 1, out);
}

const struct named_case cases[] = {CASE(run),       CASE(kept),        CASE(unlocked),
                                   CASE(unpowered), CASE(two_threads), {NULL, NULL}};
