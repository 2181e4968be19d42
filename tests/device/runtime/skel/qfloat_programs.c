/* qfloat_programs.c: runs functions in assembly. The test writes programs.s, and programs.h: PROGRAMS with
 * LIST(name) for each of them. */
#include <stdio.h>

#include "cases.h"
#include "programs.h"

__asm__(".text\n.include \"programs.s\"\n");
#define DECLARE(name) void name(const void *in, void *out) __attribute__((visibility("hidden")));
PROGRAMS(DECLARE)
#define ADDRESS(name) name,
static void (*const functions[])(const void *in, void *out) = {PROGRAMS(ADDRESS)};

#define IN_SIZE 1024
#define OUT_SIZE 2048 /* and behind it what the functions store for themselves */

/* Calls each with programs.in; writes programs.out. */
static int programs(const int32_t in[4], int32_t out[8])
{
    static unsigned char inputs[IN_SIZE] __attribute__((aligned(128)));
    static unsigned char outputs[OUT_SIZE + 512] __attribute__((aligned(128)));
    FILE *input = fopen("programs.in", "r"), *output = fopen("programs.out", "w");
    (void)in;
    (void)out;
    CHECK(input != NULL && output != NULL && fread(inputs, IN_SIZE, 1, input) == 1);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        functions[i](inputs, outputs);
        CHECK(fwrite(outputs, OUT_SIZE, 1, output) == 1);
    }
    CHECK(fclose(output) == 0);
    return 0;
}

const struct named_case cases[] = {CASE(programs), {NULL, NULL}};
