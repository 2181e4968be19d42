/* vector_types.c: vectors of C in floating point, for which the compiler chooses instructions. */
#include <hexagon_types.h>
#include <hvx_hexagon_protos.h>
#include <math.h>

#include "cases.h"

#define SUMS 36 /* more than there are vector registers */
#define TURNS 5

typedef float floats __attribute__((vector_size(128)));
typedef float more_floats __attribute__((vector_size(256)));
typedef _Float16 halves __attribute__((vector_size(128)));
typedef int16_t shorts __attribute__((vector_size(128)));

static float from[64], back[64];
static _Float16 narrow[64];
static int16_t integers[64];
static floats a[TURNS][SUMS], b[SUMS], sums[SUMS];
static volatile int calls;

/* 64 floats to halves, and these to floats and, towards 0, to integers */
static int converted(const int32_t in[4], int32_t out[8])
{
    more_floats wide;
    (void)out;
    for (int i = 0; i < 64; i++)
        from[i] = (float)(i - 20) + 0.75f;
    memcpy(&wide, from, sizeof wide);
    const halves half = __builtin_convertvector(wide, halves);
#if __HVX_ARCH__ < 81 /* where clang 22 rounds to the nearest integer */
    const shorts whole = __builtin_convertvector(half, shorts);
#else
    const shorts whole = (shorts)Q6_Vh_equals_Vhf((HVX_Vector)half);
#endif
    wide = __builtin_convertvector(half, more_floats);
    memcpy(narrow, &half, sizeof narrow);
    memcpy(integers, &whole, sizeof integers);
    memcpy(back, &wide, sizeof back);
    for (int i = 0; i < 64; i++) {
        CHECK((float)narrow[i] == from[i]);
        CHECK(fabsf(back[i] - from[i]) <= (float)in[1] / 1e6f);
        EQUAL(integers[i], (int)from[i]);
    }
    return 0;
}

/* In steps of 1/64: no sum is rounded, and a lost bit of qf is seen. */
static void fill(uint32_t seed)
{
    float *all = (float *)a;
    for (size_t i = 0; i < sizeof a / sizeof *all + sizeof b / sizeof *all; i++) {
        seed = seed * 1664525u + 1013904223u;
        *(i < sizeof a / sizeof *all ? all + i : (float *)b + (i - sizeof a / sizeof *all)) =
            (float)((int)(seed >> 16) % 2001 - 1000) / 64;
    }
}

__attribute__((noinline)) static void called(void)
{
    calls++;
}
__attribute__((noinline)) static floats sum_after_call(floats x, floats y, floats z)
{
    const floats product = x * y;
    called();
    return product + z;
}
__attribute__((noinline)) static void many_sums(void)
{
    floats sum[SUMS];
#pragma clang loop unroll(full)
    for (int i = 0; i < SUMS; i++)
        sum[i] = (floats){0};
    for (int turn = 0; turn < TURNS; turn++) {
#pragma clang loop unroll(full)
        for (int i = 0; i < SUMS; i++)
            sum[i] += a[turn][i] * b[i];
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < SUMS; i++)
        sums[i] = sum[i];
}

static int saved(const int32_t in[4], int32_t out[8])
{
    (void)out;
    fill((uint32_t)in[0]);
    sums[0] = sum_after_call(a[0][0], a[0][1], a[0][2]);
    for (int i = 0; i < 32; i++)
        CHECK(fabsf(sums[0][i] - (a[0][0][i] * a[0][1][i] + a[0][2][i])) <= (float)in[1] / 1e6f);
    many_sums();
    for (int i = 0; i < SUMS * 32; i++) {
        float wanted = 0;
        for (int turn = 0; turn < TURNS; turn++)
            wanted += ((float *)a[turn])[i] * ((float *)b)[i];
        CHECK(fabsf(((float *)sums)[i] - wanted) <= (float)in[1] / 1e3f);
    }
    return 0;
}

const struct named_case cases[] = {CASE(converted), CASE(saved), {NULL, NULL}};
